"""What a JavaScript test file loads that is not there: read from the sources, which nothing printed can talk over."""

from __future__ import annotations

import time

import pytest
from pace import within

from tdd_orchestrator.runners.sources_imports import MissingImport, find_missing_import

TEST = "test/a.test.js"

MISSING = {
    "require": ("const x = 1;\nconst { double } = require('../double.js');", 2, "../double.js", ""),
    "no suffix": ("const { double } = require('../double');", 1, "../double", ""),
    "a member of it": ("const double = require('../double.js').double;", 1, "../double.js", ""),
    "bare require": ("require('./setup');", 1, "./setup", ""),
    "import": ("import { double } from '../double.js';", 1, "../double.js", ""),
    "import over lines": ("import {\n  double,\n  half,\n} from '../double.js';", 4, "../double.js", ""),
    "import for its effects": ('import "./effects.mjs";', 1, "./effects.mjs", ""),
    "second of a statement": ("const a = 1,\n  b = require('../double.js');", 2, "../double.js", ""),
    "awaited": ("const { double } = await import('../double.js');", 1, "../double.js", ""),
    "exported on": ("export * from '../double.js';", 1, "../double.js", ""),
    "a folder without index": ("import x from '../empty';", 1, "../empty", ""),
    "a name of a module": ("import { sub } from '../sum.mjs';", 1, "../sum.mjs", "sub"),
    "a renamed name": ("import { add, sub as minus } from '../sum.mjs';", 1, "../sum.mjs", "sub"),
    "its default": ("import sum from '../sum.mjs';", 1, "../sum.mjs", "default"),
    "a name that is not exported": ("import { hidden } from '../sum.mjs';", 1, "../sum.mjs", "hidden"),
    "a name in a comment": ("import { later } from '../sum.mjs';", 1, "../sum.mjs", "later"),
    "a name of a common module": ("const { sub } = require('../sum.cjs');", 1, "../sum.cjs", "sub"),
    "of a common module by import": ("import { sub } from '../sum.cjs';", 1, "../sum.cjs", "sub"),
    "of an empty module": ("import { sub } from '../nothing.js';", 1, "../nothing.js", "sub"),
}
THERE = {
    "require": "const { add } = require('../sum.cjs');",
    "import": "import { add, one, two, Box, three, renamed } from '../sum.mjs';",
    "default of a common module": "import sum from '../sum.cjs';",
    "everything": "import * as sum from '../sum.mjs';",
    "handed on": "import { whatever } from '../all.mjs';",
    "a common module that hands on": "const { whatever } = require('../on.cjs');",
    "index": "import x from '../shop';",
    "typescript by its output's name": "import { t } from '../typed.js';",
    "types only": "import type { T } from '../nope.js';",
    "a package": "import x from 'left-pad';\nconst y = require('node:fs');",
    "out of the tree": "import x from '../../elsewhere.js';",
    "of what a call returns": "const { sub } = require('../sum.cjs')();",
    "a part of a part": "const { add: { sub } } = require('../sum.cjs');",
    "in a comment": "// const x = require('../double.js');\n/* import y from '../double.js'; */",
    "in a string": "const text = \"const x = require('../double.js')\";\nconsole.log(`\nimport x from '../double.js'\n`);",
    "in a test": "test('a', () => {\n  const x = require('../double.js');\n});",
    "tried": "try {\n  require('../double.js');\n} catch {}",
    "when asked": "const load = () => require('../double.js');\nconst more = flag && require('../double.js');",
    "printed": "console.error(\"Error: Cannot find module '../double.js'\");\nprocess.exit(1);",
    "a query": "import { add } from '../sum.mjs?again';",
}
TREE = {
    "sum.mjs": "export const one = 1, two = 2;\nexport function add() {}\nexport class Box {}\nconst hidden = 1;\n"
    "// export later\nexport { one as three, two as renamed };\n",
    "sum.cjs": "exports.add = () => 3;\n",
    "all.mjs": "export * from './sum.mjs';\n",
    "on.cjs": "module.exports = require('./sum.cjs');\n",
    "shop/index.js": "module.exports = 1;\n",
    "typed.ts": "export const t = 1;\n",
    "nothing.js": "",
}


def found(source: str, **more: str) -> MissingImport | None:
    return find_missing_import(TEST, {**TREE, **more, TEST: source}.get)


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_is_named(name: str) -> None:
    source, line, module, symbol = MISSING[name]
    assert found(source) == MissingImport(TEST, line, module, symbol)


@pytest.mark.parametrize("name", THERE)
def test_what_is_there_or_loaded_later_is_not_missing(name: str) -> None:
    assert found(THERE[name]) is None


def test_what_a_loaded_module_loads_counts_too_and_circles_end() -> None:
    more = {"test/help.js": "const { x } = require('./more');\nrequire('./a.test.js');\n",
            "test/more.js": "require('./help.js');\nrequire('../src/new');\nexports.x = 1;\n"}  # fmt: skip
    assert find_missing_import(TEST, {**more, TEST: "require('./help');"}.get) == MissingImport(
        "test/more.js", 2, "../src/new"
    )


def test_hostile_sources_take_linear_time() -> None:
    begun = time.perf_counter()
    for flood in ("import ", "export {", "const x =\n", "require('", "import {a,", "const {", "\n    \n", "/*", "'\\",
                  "`\\", "import './a.test.js';\n", "const x = require('./a.test.js');\n"):  # fmt: skip
        found(flood * (60_000 // len(flood)))
    assert time.perf_counter() - begun < within(20)


OWN = {
    "package.json": '{"name": "@acme/kata", "exports": {".": "./sum.mjs", "./more/*": {"import": "./more/*.mjs"}}}',
    "sum.mjs": "export const add = 1;\n",
    "more/half.mjs": "export const half = 1;\n",
}


@pytest.mark.parametrize(
    ("source", "module", "symbol"),
    [
        ("import { sub } from '@acme/kata';", "sum.mjs", "sub"),
        ("const { x } = require('@acme/kata/nope');", "@acme/kata/nope", ""),
        ("import { x } from '@acme/kata/more/nope';", "@acme/kata/more/nope", ""),
        ("import { double } from '@acme/kata/more/half';", "@acme/kata/more/half", "double"),
    ],
)
def test_a_package_is_known_by_its_own_name(source: str, module: str, symbol: str) -> None:
    found = find_missing_import(TEST, {**OWN, TEST: source}.get)
    assert found is not None
    assert (found.symbol, found.line) == (symbol, 1)
    assert found.module in (module, "@acme/kata")


@pytest.mark.parametrize(
    "source",
    ["import { add } from '@acme/kata';", "import { half } from '@acme/kata/more/half';",
     "import x from '@acme/katana';", "import x from 'left-pad';"],
)  # fmt: skip
def test_what_a_package_exports_is_there_and_others_are_not_its_own(source: str) -> None:
    assert find_missing_import(TEST, {**OWN, TEST: source}.get) is None


@pytest.mark.parametrize(
    "manifest", ['{"name": "@acme/kata"}', '{"name": 3}', "[]", "{", '{"exports": "./sum.mjs"}', ""]
)
def test_a_package_that_exports_nothing_does_not_know_itself(manifest: str) -> None:
    files = {**OWN, "package.json": manifest, TEST: "import { sub } from '@acme/kata';"}
    assert find_missing_import(TEST, files.get) is None

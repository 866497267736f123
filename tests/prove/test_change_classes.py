"""What a change is, by its source alone."""

from __future__ import annotations

import pytest

from tdd_orchestrator.cycle.red.test_changes import edits_of
from tdd_orchestrator.prove.classify import claim_problem, classify
from tdd_orchestrator.prove.split import Side, side_of, split_changes
from tdd_orchestrator.prove.values import ChangeClass
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.workspace.guard import Change, Rules

ROW = by_name("pytest")
RULES = Rules(ROW.test_files, ROW.support_files, ROW.config_files, ROW.config_marks)
CODE = "def double(n):\n    return n + n\n"
TEST = "from calc import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
TRIPLE = "\n\ndef triple(n):\n    return n * 3\n"
GUARDED = "def double(n):\n    if n is None:\n        return None\n    return n + n\n"
TEST_BOTH = "\n\ndef test_doubles():\n    assert double(2) == 4\n"
TEST_MORE = "\n\ndef test_triples():\n    assert triple(2) == 6\n"
HALVE = "    def halve(self):\n        return self.n / 2\n"
WITH_METHODS = f"class Number:\n    def double(self):\n        return self.n * 2\n\n{HALVE}"
USES_MIN = "def least(a, b):\n    return min(a, b)\n"
USE = "from calc import double\n\nX = double(2)\n"
CJS = "exports.{} = (a, b) => a + b\n"
USES_CJS = "const {{ {0} }} = require('./sum')\nexports.more = (a) => {0}(a, 1)\n"
JS = "export function double(n) {\n  return n + n;\n}\nexport const four = double(2);\n"


def change(path: str, before: str | None, after: str | None) -> Change:
    return Change(path, "new" if before is None else "gone" if after is None else "changed", before, after)


def class_of(*changes: Change, claim: str = "") -> str:
    parts = split_changes(changes, RULES)
    return str(classify(parts, edits_of((*parts.tests, *parts.shared), RULES), claim))


MORE = TEST + "    assert double(3) == 6\n"
TYPED = (
    "from __future__ import annotations\n\nfrom typing import List\n\n\ndef double(n: int, *more: List[int], by: int = 2) -> int:\n"
    "    total: int = n * by\n    return total\n"
)
UNTYPED = "def double(n, *more, by=2):\n    total = n * by\n    return total\n"
GUARDED_IMPORT = "if TYPE_CHECKING:\n    from rows import Row\nelse:\n    LIMIT = 1\n"
MODEL = "class Model:\n    n: int = 1\n"
TS = "import type {{ Row }} from './row'\nexport function f(a: {}): Row {{\n  return a as Row\n}}\nexport type Rows = {}\n"
RUST = '#![doc(html_root_url = "https://docs.example/calc/1.0.{}")]\n{}\npub fn double(n: i32) -> i32 {{\n    n * 2\n}}\n'


BRACES = "function f(n) {\n  try {\n    if (n) {\n      a()\n    }\n    else {\n      b()\n    }\n  }\n  catch (e) {\n  }\n  finally { c() }\n}\n"


@pytest.mark.parametrize(
    ("expected", "changes"),
    [
        ("behavior", [change("calc.py", CODE, CODE.replace("+", "*"))]),
        ("behavior", [change("calc.py", CODE, CODE.replace("+", "*")), change("tests/test_calc.py", TEST, MORE)]),
        ("documentation", [change("calc.py", CODE, f"# why\n{CODE}"), change("README.md", "a", "b")]),
        ("documentation", [change("calc.js", BRACES, BRACES.replace("}\n", "} "))]),
        ("tests", [change("tests/test_calc.py", TEST, MORE)]),
        ("tests", [change("calc.py", CODE, f"# why\n{CODE}"), change("tests/test_calc.py", TEST, MORE)]),
        ("dependencies", [change("requirements.txt", "a==1\n", "a==2\n")]),
        ("refactoring", [change("calc.py", CODE, None), change("pkg/calc.py", None, CODE)]),
        ("refactoring", [change("calc.py", UNTYPED, TYPED)]),
        ("refactoring", [change("calc.py", TYPED.replace("List", "Sequence"), TYPED)]),
        ("behavior", [change("calc.py", UNTYPED, TYPED.replace("* by", "+ by"))]),
        ("behavior", [change("calc.py", MODEL, MODEL.replace("int", "str"))]),
        ("refactoring", [change("calc.ts", TS.format("string", "Row[]"), TS.format("string | number", "Row[] | null"))]),
        ("behavior", [change("calc.ts", TS.format("string", "Row"), TS.format("string, b: string", "Row"))]),
        ("refactoring", [change("lib.rs", RUST.format(1, ""), RUST.format(2, "#![allow(clippy::all)]"))]),
        ("behavior", [change("lib.rs", RUST.format(1, ""), RUST.format(1, "#![no_std]"))]),
        ("refactoring", [change("calc/__init__.py", '__version__ = "1.0"\n', '__version__ = "1.1"\n')]),
        ("tests", [change("calc/__init__.py", '__version__ = "1.0"\n', '__version__ = "1.1"\n'),
                   change("tests/test_calc.py", TEST, MORE)]),
        ("behavior", [change("calc/__init__.py", 'LIMIT = "1.0"\n', 'LIMIT = "1.1"\n')]),
        ("refactoring", [change("calc.js", "exports.VERSION = '1.0'\n", "exports.VERSION = '1.1'\n")]),
        ("refactoring", [change("calc.go", 'package calc\n\nconst Version = "1"\n', 'package calc\n\nconst Version = "2"\n')]),
        ("behavior", [change("calc.js", "const version = parse(x)\n", "const version = parse(x, true)\n")]),
        ("behavior", [change("calc.js", "const version = '1', limit = 1\n", "const version = '2', limit = 2\n")]),
        ("behavior", [change("calc/__init__.py", "__version__ = read('a')\n", "__version__ = read('b')\n")]),
        ("behavior", [change("calc.py", GUARDED_IMPORT, GUARDED_IMPORT.replace("LIMIT = 1", "LIMIT = 2"))]),
        ("refactoring", [change("calc.py", GUARDED_IMPORT, GUARDED_IMPORT.replace("import Row", "import Row, Rows"))]),
        ("behavior", [change("lib.rs", RUST.format(1, "#![documented]"), RUST.format(1, "#![documented(all)]"))]),
        ("dead_code", [change("calc.py", CODE, ""), change("tests/test_calc.py", TEST, None)]),
        ("dead_code", [change("calc.py", CODE + TRIPLE, CODE)]),
        ("dead_code", [
            change("calc.py", CODE + TRIPLE, CODE),
            change("tests/test_calc.py", "from calc import double, triple\n" + TEST_BOTH + TEST_MORE,
                   "from calc import double\n" + TEST_BOTH),
        ]),
        ("dead_code", [change("calc.py", WITH_METHODS, WITH_METHODS.replace(HALVE, ""))]),
        ("behavior", [change("calc.py", GUARDED + TRIPLE, CODE)]),
        ("rename", [change("calc.py", CODE, CODE.replace("double", "twice")),
                    change("tests/test_calc.py", TEST, TEST.replace("double", "twice"))]),
        ("rename", [change("calc.py", CODE, None), change("numbers.py", None, CODE),
                    change("tests/test_calc.py", TEST, TEST.replace("calc", "numbers"))]),
        ("rename", [change("calc.js", JS, JS.replace("double", "twice"))]),
        ("rename", [change("sum.js", CJS.format("sum"), CJS.format("add")),
                    change("use.js", USES_CJS.format("sum"), USES_CJS.format("add"))]),
        ("behavior", [change("calc.py", USES_MIN, USES_MIN.replace("min(", "max("))]),
        ("behavior", [change("calc.py", CODE, CODE.replace("double", "twice")),
                      change("use.py", USE, USE.replace("double", "thrice"))]),
        ("behavior", [change("calc.py", CODE + TRIPLE, (CODE + TRIPLE).replace("double", "triple"))]),
        ("behavior", [change("calc.py", CODE, CODE.replace("double", "twice").replace("+", "*"))]),
    ],
)  # fmt: skip
def test_classes(expected: str, changes: list[Change]) -> None:
    assert class_of(*changes) == expected


def test_a_claim_decides_only_what_the_source_leaves_open() -> None:
    code = change("calc.py", CODE, CODE.replace("n + n", "2 * n"))
    assert class_of(code, claim="refactor") == "refactoring"
    assert class_of(code, change("tests/test_calc.py", TEST, MORE), claim="refactor") == "behavior"
    assert class_of(change("tests/test_calc.py", TEST, MORE), claim="refactor") == "tests"


@pytest.mark.parametrize(
    ("kind", "claim", "words"),
    [
        (ChangeClass.BEHAVIOR, "docs", "of the class behavior"),
        (ChangeClass.TESTS, "refactor", "of the class tests"),
        (ChangeClass.BEHAVIOR, "cleanup", "which is none of"),
        (ChangeClass.RENAME, "refactor", ""),
        (ChangeClass.DEAD_CODE, "dead-code", ""),
        (ChangeClass.BEHAVIOR, "", ""),
    ],
)
def test_a_claim_is_checked(kind: ChangeClass, claim: str, words: str) -> None:
    problem = claim_problem(kind, claim)
    assert words in problem
    assert bool(problem) is bool(words)


def test_indentation_is_code() -> None:
    before = "def f(n):\n    if n:\n        a()\n        b()\n"
    assert class_of(change("calc.py", before, before.replace("        b()", "    b()"))) == "behavior"


@pytest.mark.parametrize(
    ("path", "side"),
    [
        ("src/calc.py", Side.CODE), ("tests/test_calc.py", Side.TESTS), ("tests/data/rows.json", Side.TESTS),
        ("pyproject.toml", Side.SETUP), ("package-lock.json", Side.SETUP), (".github/workflows/ci.yml", Side.SETUP),
        ("docs/index.md", Side.PROSE), ("CHANGES.rst", Side.PROSE), ("src/table.json", Side.CODE),
        ("CHANGELOG", Side.PROSE), ("README", Side.PROSE), ("chart/speed.png", Side.PROSE), ("docs/conf.py", Side.SETUP),
        ("doc/writer.py", Side.CODE), ("benchmarks/run.py", Side.SETUP), ("src/benchmarks/run.py", Side.CODE),
        ("examples/shop.py", Side.SETUP), ("static/logo.svg", Side.PROSE),
    ],
)  # fmt: skip
def test_sides(path: str, side: Side) -> None:
    assert side_of(change(path, "a", "b"), RULES) is side


def test_code_that_is_nested_very_deep_is_compared() -> None:
    deep = f"x = {'(' * 1100}1{')' * 1100}\n"
    assert class_of(change("calc.py", deep, f"# deep\n{deep}")) == "documentation"
    assert class_of(change("calc.py", deep, deep.replace("1", "2"))) == "behavior"

"""What the rows of JavaScript share: patterns of files, configuration, controls, samples."""

from __future__ import annotations

import json

from tdd_orchestrator.runners.framework import Control, Sample

EXT = "{js,jsx,ts,tsx,mjs,cjs,mts,cts}"
FILES = (f"**/*.{{test,spec}}.{EXT}", f"**/__tests__/**/*.{EXT}", f"**/{{test,tests}}/**/*.{EXT}")
SUPPORT = (
    "**/__mocks__/**",
    "**/__fixtures__/**",
    "**/__snapshots__/**",
    "fixtures/**",
    "**/{spec,specs,e2e,integration,cypress,__tests__}/**/fixtures/**",
    "**/{test,tests}/**",
)
_KEYS = ("scripts", "jest", "vitest", "mocha", "ava", "tap", "jasmine", "nyc", "c8", "babel", "type", "imports",
         "cypress", "qunit", "cucumber", "wireit", "husky")  # fmt: skip
MANIFEST_KEYS = (("package.json", _KEYS),)
COMMON = (".npmrc", ".env", ".env.*", ".babelrc*", "babel.config.*", ".swcrc", ".node-options")
IT = 'it("{word}", () => {\n  expect({left}).{equal}({right});\n});\n'
THROWS = (
    '("{word}", function () {\n  if ({left} !== {right}) throw new Error("{left} is not {right}");\n});\n'
)
_BORROWED = (
    ("head", r"\b(it|test)\s*\(", "it"),
    ("check", r"assert\.(equal|strictEqual|deepEqual|deepStrictEqual)\(", "equal"),
    ("assert", r"['\"]((?:node:)?assert(?:/strict)?)['\"]", "assert"),
)
_ASSERTS = '{head}("{word}", () => {\n  assert.{check}({left}, {right});\n});\n'
_EXPECTS = '{head}("{word}", () => {\n  expect({left}).to.equal({right});\n});\n'
MOCHA_ASSERTING = tuple(
    Control((f"**/*.{EXT}",), "{stem}{suffix}", f"{load}\n{body}", borrow=_BORROWED, needs=needs)
    for needs, load, body in (
        (
            r"import\b.*\bfrom\s+['\"](?:node:)?assert\b",
            'import assert from "{assert}";\n{imports}',
            _ASSERTS,
        ),
        (r"require\(\s*['\"](?:node:)?assert\b", 'const assert = require("{assert}");\n{requires}', _ASSERTS),
        (r"import\b.*\bfrom\s+['\"]chai['\"]", 'import { expect } from "chai";\n{imports}', _EXPECTS),
        (r"require\(\s*['\"]chai['\"]", 'const { expect } = require("chai");\n{requires}', _EXPECTS),
    )
)
"""A runner that brings no assertions of its own: the control asserts with what its neighbour asserts with."""
NAME_LEAF = r"(?:.*[>›] )?(.*)$"


def depends(name: str) -> tuple[tuple[str, str], ...]:
    return (("**/package.json", rf'"{name}"\s*:\s*"[^"]*\d|"{name}"\s*:\s*"(?:latest|\*|workspace:)'),)


def word(name: str) -> str:
    return rf"(?:^|[\s/;&|]){name}(?:\.js|\.mjs|\.cjs)?(?:@\S+)?(?=\s|$|;|&)"


def sample(name: str, path: str, text: str = "") -> tuple[Sample, ...]:
    manifest = json.dumps({"scripts": {"test": text or name}, "devDependencies": {name: "^1.0.0"}})
    files = (("package.json", manifest), (path, "// tests"))
    return (Sample(files), Sample(files, "npm test"), Sample((), f"npx {text or name}"))

"""Jest, Vitest, Mocha, AVA, Jasmine, node:test, tap, tape, QUnit, Playwright Test, Cypress, Cucumber-JS."""

from __future__ import annotations

import json

from tdd_orchestrator.runners.framework import Ask, Control, Framework, Sample, Select, Signs

_EXT = "{js,jsx,ts,tsx,mjs,cjs,mts,cts}"
_FILES = (f"**/*.{{test,spec}}.{_EXT}", f"**/__tests__/**/*.{_EXT}", f"**/{{test,tests}}/**/*.{_EXT}")
_SUPPORT = (
    "**/__mocks__/**",
    "**/__fixtures__/**",
    "**/__snapshots__/**",
    "**/fixtures/**",
    "**/{test,tests}/**",
)
_KEYS = ("scripts", "jest", "vitest", "mocha", "ava", "tap", "jasmine", "nyc", "c8", "babel", "type", "imports",
         "cypress", "qunit", "cucumber", "wireit", "husky")  # fmt: skip
_MANIFEST_KEYS = (("package.json", _KEYS),)
_COMMON = (".npmrc", ".env", ".env.*", ".babelrc*", "babel.config.*", ".swcrc", ".node-options")
_IT = 'it("{word}", () => {\n  expect({left}).{equal}({right});\n});\n'
_THROWS = (
    '("{word}", function () {\n  if ({left} !== {right}) throw new Error("{left} is not {right}");\n});\n'
)
_NAME_LEAF = r"(?:.*[>›] )?(.*)$"


def _depends(name: str) -> tuple[tuple[str, str], ...]:
    return (("**/package.json", rf'"{name}"\s*:\s*"[^"]*\d|"{name}"\s*:\s*"(?:latest|\*|workspace:)'),)


def _word(name: str) -> str:
    return rf"(?:^|[\s/;&|]){name}(?:\.js|\.mjs|\.cjs)?(?:@\S+)?(?=\s|$|;|&)"


def _sample(name: str, path: str, text: str = "") -> tuple[Sample, ...]:
    manifest = json.dumps({"scripts": {"test": text or name}, "devDependencies": {name: "^1.0.0"}})
    files = (("package.json", manifest), (path, "// tests"))
    return (Sample(files), Sample(files, "npm test"), Sample((), f"npx {text or name}"))


JEST = Framework(
    name="jest",
    language="javascript",
    signs=Signs(
        files=("jest.config.*",),
        manifests=(*_depends("jest"), *_depends("react-scripts"), ("package.json", r'"jest"\s*:\s*\{')),
        words=(_word("jest"), r"react-scripts\s+test\b"),
    ),
    command=("npx", "jest"),
    test_files=_FILES,
    support_files=_SUPPORT,
    config_files=("**/jest.config.*", "**/jest.setup.*", "**/setupTests.*", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    ask=Ask("json", argv=("--json", "--outputFile={report}", "--testLocationInResults"), file="report.json",
            unless=("--json", "--outputFile")),
    select=Select(files=True, flag=("-t", "{names}"), leaf=_NAME_LEAF),
    controls=(
        Control((f"**/*.{_EXT}",), "{word}{suffix}", 'import { expect, test } from "@jest/globals";\n{imports}\n'
                'test("{word}", () => {\n  expect({left}).toBe({right});\n});\n', needs=r"from ['\"]@jest/globals"),
        Control((f"**/*.{_EXT}",), "{word}{suffix}",
                '{imports}\ntest("{word}", () => {\n  expect({left}).toBe({right});\n});\n', needs=r"^import\s"),
        Control((f"**/*.{_EXT}",), "{word}{suffix}",
                '{requires}\ntest("{word}", () => {\n  expect({left}).toBe({right});\n});\n'),
    ),
    filters=("-t", "--testNamePattern", "--onlyChanged", "-o", "--findRelatedTests", "--shard"),
    read="jest",
    extra_argv=("--bail=0",),
    runner_modules=("jest", "@jest", "expect"),
    samples=(*_sample("jest", "src/sum.test.js"), Sample((("jest.config.ts", ""),), "yarn jest --ci")),
    is_test=("src/sum.test.js", "src/__tests__/sum.ts", "tests/a.tsx"),
    not_test=("src/sum.js", "src/testing.js"),
    weight=3,
)  # fmt: skip

VITEST = Framework(
    name="vitest",
    language="javascript",
    signs=Signs(
        files=("vitest.config.*", "vitest.workspace.*"),
        manifests=_depends("vitest"),
        words=(_word("vitest"),),
    ),
    command=("npx", "vitest", "run"),
    test_files=_FILES,
    support_files=_SUPPORT,
    config_files=("**/vitest.config.*", "**/vite.config.*", "**/vitest.setup.*", "**/vitest.workspace.*", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    ask=Ask("junit", argv=("--reporter=default", "--reporter=junit", "--outputFile.junit={report}")),
    select=Select(files=True, flag=("-t", "{names}"), leaf=_NAME_LEAF),
    controls=(
        Control((f"**/*.{_EXT}",), "{word}{suffix}", 'import { expect, test } from "vitest";\n{imports}\n'
                'test("{word}", () => {\n  expect({left}).toBe({right});\n});\n'),
    ),
    filters=("-t", "--testNamePattern", "--changed", "--shard", "related"),
    read="vitest",
    extra_argv=("--bail=0",),
    runner_modules=("vitest", "@vitest", "chai"),
    samples=(*_sample("vitest", "src/sum.test.ts", "vitest run"), Sample((("vitest.config.ts", ""),))),
    is_test=("src/sum.spec.ts",),
    not_test=("src/sum.ts",),
    weight=4,
)  # fmt: skip

MOCHA = Framework(
    name="mocha",
    language="javascript",
    signs=Signs(
        files=(".mocharc.*", "test/mocha.opts"),
        manifests=_depends("mocha"),
        words=(_word("_?mocha"), _word("ts-mocha"), _word("electron-mocha")),
    ),
    command=("npx", "mocha"),
    test_files=_FILES,
    support_files=_SUPPORT,
    config_files=(".mocharc.*", "test/mocha.opts", ".nycrc*", ".c8rc*", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    ask=Ask("junit", argv=("--reporter", "xunit", "--reporter-option", "output={report}"),
            unless=("--reporter", "-R")),
    select=Select(files=True, flag=("-g", "{names}"), leaf=r"(?:.*[>›] )?(.*)$"),
    controls=(
        Control((f"**/*.{_EXT}",), "{word}{suffix}", "it" + _THROWS, needs=r"\bit\s*\("),
        Control((f"**/*.{_EXT}",), "{word}{suffix}", "test" + _THROWS, needs=r"\btest\s*\("),
    ),
    parallel=("--parallel",),
    parallel_if=((".mocharc.json", r'"parallel"\s*:\s*true'),),
    filters=("-g", "--grep", "-f", "--fgrep"),
    read="mocha",
    extra_argv=("--no-bail",),
    runner_modules=("mocha", "chai", "assert"),
    samples=(*_sample("mocha", "test/sum.js"), Sample((), "npx nyc mocha --recursive")),
    is_test=("test/sum.js", "src/a.spec.js"),
    not_test=("src/a.js",),
    weight=2,
)  # fmt: skip

AVA = Framework(
    name="ava",
    language="javascript",
    signs=Signs(files=("ava.config.*",), manifests=_depends("ava"), words=(_word("ava"),)),
    command=("npx", "ava"),
    test_files=(*_FILES, f"**/test-*.{_EXT}", f"test.{_EXT}"),
    support_files=_SUPPORT,
    config_files=("ava.config.*", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    select=Select(files=True),
    controls=(
        Control((f"**/*.{_EXT}",), "{word}{suffix}", 'import test from "ava";\n{imports}\n'
                'test("{word}", t => {\n\tt.is({left}, {right});\n});\n', needs=r"import\s+test"),
        Control((f"**/*.{_EXT}",), "{word}{suffix}", 'const test = require("ava");\n{requires}\n'
                'test("{word}", t => {\n\tt.is({left}, {right});\n});\n', needs=r"require\("),
    ),
    filters=("-m", "--match"),
    read="ava",
    runner_modules=("ava",),
    samples=_sample("ava", "test/a.js"),
    is_test=("test/a.js", "test.js", "test-sum.js"),
    not_test=("index.js",),
    weight=4,
)  # fmt: skip

JASMINE = Framework(
    name="jasmine",
    language="javascript",
    signs=Signs(
        files=("spec/support/jasmine.*",), manifests=_depends("jasmine"), words=(_word("jasmine"),)
    ),
    command=("npx", "jasmine"),
    test_files=(f"**/spec/**/*.{_EXT}", f"**/*[sS]pec.{_EXT}", *_FILES),
    support_files=("**/spec/helpers/**", *_SUPPORT),
    config_files=("spec/support/jasmine.*", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    select=Select(files=True),
    controls=(
        Control((f"**/*.{_EXT}",), "{word}Spec{suffix}", _IT.replace("{equal}", "toBe")),
    ),
    filters=("--filter",),
    read="jasmine",
    runner_modules=("jasmine", "jasmine-core"),
    samples=_sample("jasmine", "spec/sum.spec.js"),
    is_test=("spec/sumSpec.js", "src/a.spec.js"),
    not_test=("src/a.js",),
    weight=4,
)  # fmt: skip

_NODE_BODY = 'test("{word}", () => {\n  assert.{check}({left}, {right});\n});\n'
_NODE_ESM = 'import assert from "{assert}";\nimport test from "node:test";\n{imports}\n' + _NODE_BODY
_NODE_CJS = (
    'const assert = require("{assert}");\nconst test = require("node:test");\n{requires}\n' + _NODE_BODY
)
_NODE_BORROW = (
    ("check", r"assert\.(equal|strictEqual|deepEqual|deepStrictEqual)\(", "equal"),
    ("assert", r"['\"]((?:node:)?assert(?:/strict)?)['\"]", "node:assert/strict"),
)

NODE_TEST = Framework(
    name="node-test",
    language="javascript",
    signs=Signs(
        manifests=(
            (f"{{test,tests}}/**/*.{_EXT}", r"['\"]node:test['\"]"),
            ("*.test.{js,mjs,cjs}", r"['\"]node:test['\"]"),
            ("src/**/*.test.{js,mjs,cjs}", r"['\"]node:test['\"]"),
        ),
        words=(r"(?:^|[\s/;&|])(?:node|tsx)\s(?:\S+\s+)*--test(?=\s|$)",),
    ),
    command=("node", "--test"),
    test_files=(*_FILES, f"**/*{{-,_}}test.{_EXT}", f"**/test.{_EXT}",
                f"**/test-*.{_EXT}"),
    support_files=_SUPPORT,
    config_files=("node.config.json", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    ask=Ask("junit", argv=("--test-reporter=spec", "--test-reporter-destination=stdout", "--test-reporter=junit",
                           "--test-reporter-destination={report}"),
            after="--test", unless=("--test-reporter",)),
    select=Select(files=True),
    controls=(
        Control(("**/*.cjs",), "{word}{suffix}", _NODE_CJS, borrow=_NODE_BORROW),
        Control(("**/*.mjs",), "{word}{suffix}", _NODE_ESM, borrow=_NODE_BORROW),
        Control((f"**/*.{_EXT}",), "{word}{suffix}", _NODE_CJS, borrow=_NODE_BORROW, needs=r"\brequire\s*\("),
        Control((f"**/*.{_EXT}",), "{word}{suffix}", _NODE_ESM, borrow=_NODE_BORROW),
    ),
    filters=("--test-name-pattern", "--test-only", "--test-skip-pattern", "--test-shard"),
    read="node-test",
    lists_files=True,
    runner_modules=("assert", "test"),
    samples=(
        Sample((("test/a.test.mjs", "import test from 'node:test'\n"),)),
        Sample((("package.json", '{"scripts": {"test": "node --test"}}'),), "npm test"),
        Sample((), "node --experimental-vm-modules --test test/"),
        Sample((), "node --import tsx --test"),
    ),
    is_test=("test/a.js", "a.test.mjs", "a-test.cjs", "test.js"),
    not_test=("src/a.js", "latest.js"),
    weight=1,
)  # fmt: skip

TAP = Framework(
    name="tap",
    language="javascript",
    signs=Signs(files=(".taprc",), manifests=_depends("tap"), words=(_word("tap"),)),
    command=("npx", "tap"),
    test_files=_FILES,
    support_files=(*_SUPPORT, "tap-snapshots/**"),
    config_files=(".taprc", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    select=Select(files=True),
    controls=(
        Control((f"**/*.{_EXT}",), "{word}{suffix}", 'import t from "tap";\n{imports}\nt.equal({left}, {right}, "{word}");\n',
                needs=r"^import "),
        Control((f"**/*.{_EXT}",), "{word}{suffix}",
                'const t = require("tap");\n{requires}\nt.equal({left}, {right}, "{word}");\n'),
    ),
    extra_argv=("--no-bail",),
    read="tap",
    runner_modules=("tap", "@tapjs"),
    samples=_sample("tap", "test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip

TAPE = Framework(
    name="tape",
    language="javascript",
    signs=Signs(manifests=_depends("tape"), words=(_word("tape"),)),
    command=("npx", "tape", "test/**/*.js"),
    test_files=_FILES,
    support_files=_SUPPORT,
    config_files=_COMMON,
    config_keys=_MANIFEST_KEYS,
    controls=(
        Control((f"**/*.{_EXT}",), "{word}{suffix}", 'import test from "tape";\n{imports}\n'
                'test("{word}", t => {\n  t.equal({left}, {right}, "{word}");\n  t.end();\n});\n', needs=r"^import "),
        Control((f"**/*.{_EXT}",), "{word}{suffix}", 'const test = require("tape");\n{requires}\n'
                'test("{word}", t => {\n  t.equal({left}, {right}, "{word}");\n  t.end();\n});\n'),
    ),
    read="tap",
    runner_modules=("tape",),
    samples=_sample("tape", "test/a.js", "tape test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip

QUNIT = Framework(
    name="qunit",
    language="javascript",
    signs=Signs(manifests=_depends("qunit"), words=(_word("qunit"), r"ember\s+test\b")),
    command=("npx", "qunit"),
    test_files=_FILES,
    support_files=_SUPPORT,
    config_files=("testem.js", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    select=Select(files=True),
    controls=(
        Control((f"**/*.{_EXT}",), "{word}{suffix}",
                'QUnit.test("{word}", assert => {\n  assert.equal({left}, {right});\n});\n'),
    ),
    filters=("--filter", "-f"),
    read="tap",
    runner_modules=("qunit",),
    samples=_sample("qunit", "test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip

PLAYWRIGHT = Framework(
    name="playwright",
    language="javascript",
    signs=Signs(
        files=("playwright.config.*",), manifests=_depends("@playwright/test"), words=(r"playwright\s+test\b",)
    ),
    command=("npx", "playwright", "test"),
    test_files=(*_FILES, f"e2e/**/*.{_EXT}"),
    support_files=_SUPPORT,
    config_files=("playwright.config.*", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    ask=Ask("json", argv=("--reporter=list,json",), file="report.json", unless=("--reporter",),
            env=(("PLAYWRIGHT_JSON_OUTPUT_NAME", "{report}"), ("PLAYWRIGHT_JSON_OUTPUT_FILE", "{report}"),
                 ("PLAYWRIGHT_HTML_OPEN", "never"))),
    select=Select(files=True, flag=("-g", "{names}"), leaf=r"(?:.*[>›] )?(.*)$"),
    controls=(
        Control((f"**/*.{_EXT}",), "{word}{suffix}", 'import { expect, test } from "@playwright/test";\n\n'
                'test("{word}", () => {\n  expect({left}).toBe({right});\n});\n'),
    ),
    filters=("-g", "--grep", "--grep-invert", "--shard", "--last-failed", "--only-changed"),
    extra_argv=("--max-failures=0",),
    read="playwright",
    runner_modules=("@playwright", "playwright"),
    samples=(*_sample("@playwright/test", "e2e/a.spec.ts", "playwright test"),
             Sample((("playwright.config.ts", ""), ("e2e/a.spec.ts", "")))),
    is_test=("e2e/a.spec.ts", "e2e/a.ts"),
    not_test=("src/a.ts",),
    weight=1,
)  # fmt: skip

CYPRESS = Framework(
    name="cypress",
    language="javascript",
    signs=Signs(
        files=("cypress.config.*", "cypress.json"), manifests=_depends("cypress"), words=(r"cypress\s+run\b",)
    ),
    command=("npx", "cypress", "run"),
    test_files=(f"cypress/e2e/**/*.{_EXT}", f"cypress/integration/**/*.{_EXT}", f"**/*.cy.{_EXT}"),
    support_files=("cypress/support/**", "cypress/fixtures/**"),
    config_files=("cypress.config.*", "cypress.json", "cypress.env.json", "cypress/support/**", "cypress/plugins/**",
                  *_COMMON),
    config_keys=_MANIFEST_KEYS,
    ask=Ask("junit", argv=("--reporter", "junit", "--reporter-options", "mochaFile={report}/r-[hash].xml"),
            file="reports/", unless=("--reporter", "-r")),
    controls=(Control((f"cypress/**/*.{_EXT}", f"**/*.cy.{_EXT}"), "{word}{suffix}", "it" + _THROWS),),
    filters=("--spec", "-s"),
    read="cypress",
    runner_modules=("cypress",),
    samples=(*_sample("cypress", "cypress/e2e/a.cy.ts", "cypress run"), Sample((("cypress.config.ts", ""),))),
    is_test=("cypress/e2e/a.cy.ts", "src/Button.cy.tsx"),
    not_test=("src/Button.tsx",),
    weight=1,
)  # fmt: skip

CUCUMBER = Framework(
    name="cucumber-js",
    language="javascript",
    signs=Signs(
        files=("cucumber.js", "cucumber.json", "cucumber.mjs", "cucumber.yaml"),
        manifests=_depends("@cucumber/cucumber"),
        words=(r"cucumber-js(?=\s|$)",),
    ),
    command=("npx", "cucumber-js"),
    test_files=("**/*.feature", f"features/**/*.{_EXT}"),
    support_files=("features/support/**",),
    config_files=("cucumber.*", "features/support/**", *_COMMON),
    config_keys=_MANIFEST_KEYS,
    ask=Ask("json", argv=("--format", "json:{report}"), file="report.json"),
    select=Select(files=True, flag=("--name", "{names}"), each=True),
    controls=(
        Control(("**/*.feature",), "{word}.feature",
                "Feature: {Word}\n  Scenario: {word}\n    Given a step of {word} that nobody wrote\n"),
    ),
    filters=("--name", "--tags", "-t"),
    read="cucumber",
    runner_modules=("@cucumber",),
    samples=_sample("@cucumber/cucumber", "features/a.feature", "cucumber-js"),
    is_test=("features/a.feature", "features/steps/a.js"),
    not_test=("src/a.js",),
    weight=2,
)  # fmt: skip

ROWS = (JEST, VITEST, MOCHA, AVA, JASMINE, NODE_TEST, TAP, TAPE, QUNIT, PLAYWRIGHT, CYPRESS, CUCUMBER)

"""Jest, Vitest, Mocha, AVA, Jasmine; and what all rows of JavaScript share: patterns of files, configuration, samples."""

from __future__ import annotations

import json
from dataclasses import replace

from tdd_orchestrator.runners.framework import Ask, Framework, Measure, Sample, Select, Signs

EXT = "{js,jsx,ts,tsx,mjs,cjs,mts,cts}"
FILES = (
    f"**/*.{{test,spec}}.{EXT}",
    "**/*.test-d.ts",
    f"{{test,spec}}.{EXT}",
    f"**/__tests__/**/*.{EXT}",
    f"**/{{test,tests}}/**/*.{EXT}",
)
SUPPORT = (
    "**/__mocks__/**", "**/__fixtures__/**", "**/__snapshots__/**", "fixtures/**",
    "**/{spec,specs,e2e,integration,cypress,__tests__}/**/fixtures/**", "**/{test,tests}/**",
)  # fmt: skip
_KEYS = ("scripts", "jest", "vitest", "mocha", "ava", "tap", "jasmine", "nyc", "c8", "babel", "type",
    "imports",
         "cypress", "qunit", "cucumber", "wireit", "husky")  # fmt: skip
MANIFEST_KEYS = (("package.json", _KEYS),)
COMMON = (".npmrc", ".env", ".env.*", ".babelrc*", "babel.config.*", ".swcrc", ".node-options")
V8 = Measure("v8", env=(("NODE_V8_COVERAGE", "{folder}"),))
"""What node writes itself, for runners that run a file as it is written."""
NAME_LEAF = r"(?:.*[>›] )?(.*)$"


def depends(name: str) -> tuple[tuple[str, str], ...]:
    return (("**/package.json", rf'"{name}"\s*:\s*"[^"]*\d|"{name}"\s*:\s*"(?:latest|\*|workspace:)'),)


def command_pattern(name: str) -> str:
    return rf"(?:^|[\s/;&|]){name}(?:\.js|\.mjs|\.cjs)?(?:@\S+)?(?=\s|$|;|&)"


def sample(name: str, path: str, text: str = "") -> tuple[Sample, ...]:
    manifest = json.dumps({"scripts": {"test": text or name}, "devDependencies": {name: "^1.0.0"}})
    files = (("package.json", manifest), (path, "// tests"))
    return (Sample(files), Sample(files, "npm test"), Sample((), f"npx {text or name}"))


ROW = Framework(
    name="",
    language="javascript",
    signs=Signs(),
    command=(),
    test_files=FILES,
    support_files=SUPPORT,
    config_keys=MANIFEST_KEYS,
)
"""What the rows of JavaScript have in common; each names what is its own."""


JEST = replace(
    ROW,
    name="jest",
    signs=Signs(
        files=("jest.config.*",),
        manifests=(*depends("jest"), *depends("react-scripts"), ("package.json", r'"jest"\s*:\s*\{')),
        words=(command_pattern("jest"), r"react-scripts\s+test\b"),
    ),
    command=("npx", "jest"),
    config_files=("**/jest.config.*", "**/jest.setup.*", "**/setupTests.*", *COMMON),
    ask=Ask("json", argv=("--json", "--outputFile={report}", "--testLocationInResults"), file="report.json",
            unless=("--json", "--outputFile")),
    select=Select(files=True, flag=("-t", "{names}"), leaf=NAME_LEAF),
    measure=Measure("lcov", argv=("--coverage", "--coverageReporters=lcovonly",
                                  "--coverageDirectory={folder}")),
    extra_argv=("--bail=0",),
    runner_modules=("jest", "@jest", "expect"),
    samples=(*sample("jest", "src/sum.test.js"), Sample((("jest.config.ts", ""),), "yarn jest --ci")),
    is_test=("src/sum.test.js", "src/__tests__/sum.ts", "tests/a.tsx"),
    not_test=("src/sum.js", "src/testing.js"),
    weight=3,
)  # fmt: skip

VITEST = replace(
    ROW,
    name="vitest",
    signs=Signs(
        files=("vitest.config.*", "vitest.workspace.*"),
        manifests=depends("vitest"),
        words=(command_pattern("vitest"),),
    ),
    command=("npx", "vitest", "run"),
    config_files=("**/vitest.config.*", "**/vite.config.*", "**/vitest.setup.*", "**/vitest.workspace.*",
        *COMMON),
    ask=Ask("junit", argv=("--reporter=default", "--reporter=junit", "--outputFile.junit={report}")),
    select=Select(files=True, flag=("-t", "{names}"), leaf=NAME_LEAF),
    measure=Measure("lcov", argv=("--coverage.enabled", "--coverage.reporter=lcovonly",
                                  "--coverage.reportsDirectory={folder}")),
    extra_argv=("--bail=0",),
    runner_modules=("vitest", "@vitest", "chai"),
    samples=(*sample("vitest", "src/sum.test.ts", "vitest run"), Sample((("vitest.config.ts", ""),))),
    is_test=("src/sum.spec.ts",),
    not_test=("src/sum.ts",),
    weight=4,
)  # fmt: skip

MOCHA = replace(
    ROW,
    name="mocha",
    signs=Signs(
        files=(".mocharc.*", "test/mocha.opts"),
        manifests=depends("mocha"),
        words=(command_pattern("_?mocha"), command_pattern("ts-mocha"), command_pattern("electron-mocha")),
    ),
    command=("npx", "mocha"),
    config_files=(".mocharc.*", "test/mocha.opts", ".nycrc*", ".c8rc*", *COMMON),
    ask=Ask("junit", argv=("--reporter", "xunit", "--reporter-option", "output={report}"),
            unless=("--reporter", "-R")),
    select=Select(files=True, flag=("-g", "{names}"), leaf=r"(?:.*[>›] )?(.*)$"),
    parallel=("--parallel",),
    parallel_if=((".mocharc.json", r'"parallel"\s*:\s*true'),),
    measure=V8,
    extra_argv=("--no-bail",),
    runner_modules=("mocha", "chai", "assert"),
    samples=(*sample("mocha", "test/sum.js"), Sample((), "npx nyc mocha --recursive")),
    is_test=("test/sum.js", "src/a.spec.js", "test.js"),
    not_test=("src/a.js", "src/test.js"),
    weight=2,
)  # fmt: skip

AVA = replace(
    ROW,
    name="ava",
    signs=Signs(files=("ava.config.*",), manifests=depends("ava"), words=(command_pattern("ava"),)),
    command=("npx", "ava"),
    test_files=(*FILES, f"**/test-*.{EXT}"),
    config_files=("ava.config.*", *COMMON),
    select=Select(files=True),
    measure=V8,
    runner_modules=("ava",),
    stops=("--fail-fast",),
    samples=sample("ava", "test/a.js"),
    is_test=("test/a.js", "test.js", "test-sum.js"),
    not_test=("index.js",),
    weight=4,
)  # fmt: skip

JASMINE = replace(
    ROW,
    name="jasmine",
    signs=Signs(
        files=("spec/support/jasmine.*",), manifests=depends("jasmine"), words=(command_pattern("jasmine"),)
    ),
    command=("npx", "jasmine"),
    test_files=(f"**/spec/**/*.{EXT}", f"**/*[sS]pec.{EXT}", *FILES),
    support_files=("**/spec/helpers/**", *SUPPORT),
    config_files=("spec/support/jasmine.*", *COMMON),
    select=Select(files=True),
    measure=V8,
    runner_modules=("jasmine", "jasmine-core"),
    samples=sample("jasmine", "spec/sum.spec.js"),
    is_test=("spec/sumSpec.js", "src/a.spec.js"),
    not_test=("src/a.js",),
    weight=4,
)  # fmt: skip


ROWS = (JEST, VITEST, MOCHA, AVA, JASMINE)

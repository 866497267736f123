"""node:test, tap, tape, QUnit: runners started by node, most of them with TAP output."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.runners.framework import Ask, Sample, Select, Signs
from tdd_orchestrator.runners.frameworks.javascript import (
    COMMON,
    EXT,
    FILES,
    ROW,
    SUPPORT,
    V8,
    command_pattern,
    depends,
    sample,
)

NODE_TEST = replace(
    ROW,
    name="node-test",
    signs=Signs(
        manifests=(
            (f"{{test,tests}}/**/*.{EXT}", r"['\"]node:test['\"]"),
            ("*.test.{js,mjs,cjs}", r"['\"]node:test['\"]"),
            ("src/**/*.test.{js,mjs,cjs}", r"['\"]node:test['\"]"),
        ),
        words=(r"(?:^|[\s/;&|])(?:node|tsx)\s(?:\S+\s+)*--test(?=\s|$)",),
    ),
    command=("node", "--test"),
    test_files=(*FILES, f"**/*{{-,_}}test.{EXT}", f"**/test.{EXT}",
                f"**/test-*.{EXT}"),
    config_files=("node.config.json", *COMMON),
    ask=Ask("junit", argv=("--test-reporter=spec", "--test-reporter-destination=stdout",
            "--test-reporter=junit",
                           "--test-reporter-destination={report}"),
            after="--test", unless=("--test-reporter",)),
    select=Select(files=True),
    measure=V8,
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

TAP = replace(
    ROW,
    name="tap",
    signs=Signs(files=(".taprc",), manifests=depends("tap"), words=(command_pattern("tap"),)),
    command=("npx", "tap"),
    support_files=(*SUPPORT, "tap-snapshots/**"),
    config_files=(".taprc", *COMMON),
    select=Select(files=True),
    extra_argv=("--no-bail",),
    runner_modules=("tap", "@tapjs"),
    samples=sample("tap", "test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip

TAPE = replace(
    ROW,
    name="tape",
    signs=Signs(manifests=depends("tape"), words=(command_pattern("tape"),)),
    command=("npx", "tape", "test/**/*.js"),
    config_files=COMMON,
    measure=V8,
    read="tap",
    runner_modules=("tape",),
    samples=sample("tape", "test/a.js", "tape test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip

QUNIT = replace(
    ROW,
    name="qunit",
    signs=Signs(manifests=depends("qunit"), words=(command_pattern("qunit"), r"ember\s+test\b")),
    command=("npx", "qunit"),
    config_files=("testem.js", *COMMON),
    select=Select(files=True),
    read="tap",
    runner_modules=("qunit",),
    samples=sample("qunit", "test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip


ROWS = (NODE_TEST, TAP, TAPE, QUNIT)

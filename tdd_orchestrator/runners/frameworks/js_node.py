"""node:test, tap, tape, QUnit: runners started by node, most of them with TAP output."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs
from tdd_orchestrator.runners.frameworks.javascript import (
    COMMON,
    EXT,
    FILES,
    MANIFEST_KEYS,
    SUPPORT,
    V8,
    command_pattern,
    depends,
    sample,
)

NODE_TEST = Framework(
    name="node-test",
    language="javascript",
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
    support_files=SUPPORT,
    config_files=("node.config.json", *COMMON),
    config_keys=MANIFEST_KEYS,
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

TAP = Framework(
    name="tap",
    language="javascript",
    signs=Signs(files=(".taprc",), manifests=depends("tap"), words=(command_pattern("tap"),)),
    command=("npx", "tap"),
    test_files=FILES,
    support_files=(*SUPPORT, "tap-snapshots/**"),
    config_files=(".taprc", *COMMON),
    config_keys=MANIFEST_KEYS,
    select=Select(files=True),

    extra_argv=("--no-bail",),
    runner_modules=("tap", "@tapjs"),
    samples=sample("tap", "test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip

TAPE = Framework(
    name="tape",
    language="javascript",
    signs=Signs(manifests=depends("tape"), words=(command_pattern("tape"),)),
    command=("npx", "tape", "test/**/*.js"),
    test_files=FILES,
    support_files=SUPPORT,
    config_files=COMMON,
    config_keys=MANIFEST_KEYS,
    measure=V8,
    read="tap",
    runner_modules=("tape",),
    samples=sample("tape", "test/a.js", "tape test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip

QUNIT = Framework(
    name="qunit",
    language="javascript",
    signs=Signs(manifests=depends("qunit"), words=(command_pattern("qunit"), r"ember\s+test\b")),
    command=("npx", "qunit"),
    test_files=FILES,
    support_files=SUPPORT,
    config_files=("testem.js", *COMMON),
    config_keys=MANIFEST_KEYS,
    select=Select(files=True),


    read="tap",
    runner_modules=("qunit",),
    samples=sample("qunit", "test/a.js"),
    is_test=("test/a.js",),
    not_test=("a.js",),
    weight=3,
)  # fmt: skip


ROWS = (NODE_TEST, TAP, TAPE, QUNIT)

"""Perl, shell, Lua, Tcl."""

from __future__ import annotations

from tdd_orchestrator.runners.framework import Ask, Framework, Sample, Select, Signs

PROVE = Framework(
    name="prove",
    language="perl",
    signs=Signs(
        files=("t/*.t", "Makefile.PL", "Build.PL"),
        words=(r"(?:^|[\s/;&|])(?:prove|yath)(?=\s|$)", r"\./Build\s+test\b"),
    ),
    command=("prove", "-lr", "t"),
    test_files=("**/*.t", "t/**"),
    support_files=("t/lib/**", "t/data/**"),
    config_files=(".proverc", ".yath.rc"),
    config_keys=(("dist.ini", ("*",)),),
    ask=Ask("text", argv=("-v",), after="prove",
        unless=("-v", "--verbose", "-q", "-Q", "--quiet", "--QUIET")),
    select=Select(files=True),


    runner_modules=("Test::More", "Test::Simple", "Test::Builder", "Test2::API", "TAP::Harness",
        "TAP::Parser", "App::Prove", "strict",
                    "warnings"),
    samples=(Sample((("t/a.t", "use Test::More;\n"),)), Sample((), "prove -l t/a.t")),
    is_test=("t/a.t",),
    not_test=("lib/A.pm",),
)  # fmt: skip

BATS = Framework(
    name="bats",
    language="shell",
    signs=Signs(files=("**/*.bats",), words=(r"(?:^|[\s/;&|])bats(?=\s|$)",)),
    command=("bats", "-r", "test"),
    test_files=("**/*.bats",),
    support_files=("**/test_helper/**", "**/test_helper.bash", "**/setup_suite.bash"),
    config_files=("**/setup_suite.bash",),
    ask=Ask("text", argv=("--tap",), unless=("--tap", "--formatter", "-F", "--pretty")),
    select=Select(files=True, flag=("-f", "^({names})$"), leaf=r"(?:^ok \d+ |^not ok \d+ )?(.*)$"),
    runner_modules=("bats",),
    samples=(Sample((("test/a.bats", ""),)), Sample((), "bats --tap test")),
    is_test=("test/a.bats",),
    not_test=("a.sh",),
)

SHELLSPEC = Framework(
    name="shellspec",
    language="shell",
    signs=Signs(files=(".shellspec",), words=(r"(?:^|[\s/;&|])shellspec(?=\s|$)",)),
    command=("shellspec",),
    test_files=("spec/**/*_spec.sh", "**/*_spec.sh"),
    support_files=("spec/support/**",),
    config_files=(".shellspec", "spec/spec_helper.sh"),
    select=Select(files=True),
    samples=(Sample(((".shellspec", ""), ("spec/a_spec.sh", ""))), Sample((), "shellspec --no-color")),
    is_test=("spec/a_spec.sh",),
    not_test=("lib/a.sh",),
)

BUSTED = Framework(
    name="busted",
    language="lua",
    signs=Signs(files=(".busted", "spec/**/*_spec.lua"), words=(r"(?:^|[\s/;&|])busted(?=\s|$)",)),
    command=("busted",),
    test_files=("**/*_spec.lua", "spec/**/*.lua"),
    support_files=("spec/helpers/**",),
    config_files=(".busted", ".luacov"),
    ask=Ask("text"),
    select=Select(files=True),
    runner_modules=(
        "busted",
        "busted/core",
        "busted/runner",
        "busted/init",
        "luassert",
        "luassert/assert",
        "luassert/init",
        "say",
        "pl/path",
    ),
    samples=(Sample(((".busted", ""), ("spec/a_spec.lua", ""))), Sample((), "busted -o TAP")),
    is_test=("spec/a_spec.lua",),
    not_test=("src/a.lua",),
)

LUAUNIT = Framework(
    name="luaunit",
    language="lua",
    signs=Signs(
        manifests=(("{test,tests}/**/*.lua", r"require\s*\(?\s*['\"]luaunit"),
            ("*.lua", r"require\s*\(?\s*['\"]luaunit")),
        words=(r"lua(?:jit|5\.\d)?\s+(?:-\S+\s+)*\S*test\S*\.lua",),
    ),
    command=("lua", "tests.lua", "-v"),
    test_files=("**/test*.lua", "**/*_test.lua", "{test,tests}/**/*.lua"),
    ask=Ask("text", argv=("-v",), unless=("-v", "--verbose", "-o", "--output")),
    runner_modules=("luaunit",),
    samples=(Sample((("tests/test_a.lua", "local lu = require('luaunit')\n"),)),
        Sample((), "lua5.4 test_all.lua")),
    is_test=("test_a.lua",),
    not_test=("a.lua",),
)  # fmt: skip

TCLTEST = Framework(
    name="tcltest",
    language="tcl",
    signs=Signs(
        manifests=(("{test,tests}/*.{tcl,test}", r"package\s+require\s+tcltest"),),
        words=(r"tclsh(?:\d\.\d)?\s+\S*(?:test|all)\S*",),
    ),
    command=("tclsh", "tests/all.tcl"),
    test_files=("**/*.test", "{test,tests}/**/*.tcl"),
    config_files=("tests/all.tcl",),
    runner_modules=("tcltest",),
    samples=(Sample((("tests/a.test", "package require tcltest\n"),)), Sample((), "tclsh tests/all.tcl")),
    is_test=("tests/a.test",),
    not_test=("a.tcl",),
)

ROWS = (
    PROVE, BATS, SHELLSPEC, BUSTED, LUAUNIT, TCLTEST,
)  # fmt: skip

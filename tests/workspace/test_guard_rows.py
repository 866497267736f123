"""What the rows of the frameworks keep from every phase: configuration, and modules in front of the runner's own."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.workspace.guard import Change, Rules, check

STEERS = {
    "node-test": [".npmrc", "web/.npmrc", ".pnpmfile.cjs", ".pnp.cjs", "bunfig.toml", ".babelrc", "Makefile", ".justfile", "Taskfile.yaml"],
    "jest": ["jest.config.ts", "web/jest.config.mjs", "jest.setup.js", "src/setupTests.ts", "babel.config.js", "__mocks__/a.js"],
    "vitest": ["vitest.config.ts", "vite.config.mjs", "vitest.workspace.ts", "vitest.setup.ts", ".env.test"],
    "mocha": [".mocharc.yml", ".mocharc.cjs", "test/mocha.opts", ".nycrc.json", "test/setup.js"],
    "go-test": ["go.work", ".golangci.yml", "vendor/modules.txt", "testdata/x.json"],
    "minitest": ["Rakefile", "rakefile", "Rakefile.rb", "rakelib/test.rake", "lib/minitest/kata_plugin.rb", "test/test_helper.rb",
                 "lib/minitest.rb", "lib/minitest/autorun.rb", "lib/rake/testtask.rb", ".bundle/config"],
    "rspec": [".rspec", ".rspec-local", "spec/spec_helper.rb", "spec/support/all.rb", "lib/rspec.rb", "lib/rspec/core/runner.rb"],
    "bats": ["test/setup_suite.bash", "test/test_helper.bash", "test/test_helper/load.bash"],
    "prove": [".proverc", ".yath.rc", "t/lib/All.pm", "lib/Test/More.pm", "lib/Test/Builder/Tester.pm", "lib/strict.pm", "TAP/Harness.pm"],
    "busted": [".busted", "spec/helpers/all.lua", "luassert.lua", "src/busted/core.lua", "luassert/init.lua"],
    "phpunit": ["phpunit.xml", "phpunit.xml.dist", "tests/bootstrap.php", "php.ini", "public/.user.ini"],
    "cargo-test": [".cargo/config.toml", "x/.cargo/config", "build.rs", "rust-toolchain.toml"],
    "exunit": ["test/test_helper.exs", "config/test.exs"],
}  # fmt: skip
OPEN = {
    "node-test": ["testing.js", "assert.js", "src/helpers.js", "server.js", "src/fixtures/games.js", "docs/test/index.md"],
    "jest": ["src/expect.js", "package-lock.json", "tsconfig.json"],
    "go-test": ["testing.go", "internal/testing/sample.go"],
    "minitest": ["lib/kata/testing.rb", "lib/minitest/kata.rb", "lib/kata/set.rb", "Gemfile"],
    "rspec": ["lib/rspec/kata.rb", "lib/kata/rspec.rb", "bin/double"],
    "prove": ["lib/Kata/Testing.pm", "lib/Test/Kata.pm", "lib/Kata/strict.pm"],
    "busted": ["src/kata/busted.lua", "busted_report.lua"],
    "phpunit": ["src/Testing.php", "src/TestResult.php"],
    "cargo-test": ["src/testing.rs", "src/bin/tool.rs"],
}  # fmt: skip


def says(framework: str, path: str) -> str:
    row = by_name(framework)
    rules = Rules(
        row.test_files,
        row.support_files,
        row.config_files,
        row.config_marks,
        dict(row.config_keys),
        row.runner_modules,
    )
    found = check(Phase.GREEN, (Change(path, "new", None, "x\n"),), rules, known=frozenset())
    return found[0].why if found else ""


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in STEERS.items() for path in paths])
def test_what_steers_tests_is_kept(name: str, path: str) -> None:
    assert says(name, path)


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in OPEN.items() for path in paths])
def test_what_only_looks_like_it_is_open(name: str, path: str) -> None:
    assert says(name, path) == ""


SDK = '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><PackageReference Include="{}" Version="1.0" /></ItemGroup></Project>'


@pytest.mark.parametrize(
    ("path", "before", "after", "kept"),
    [
        ("A.Checks/A.Checks.fsproj", SDK.format("Microsoft.NET.Test.Sdk"), "<Project />", True),
        ("A.Checks/A.Checks.csproj", None, SDK.format("xunit.v3"), True),
        ("A.Specs/A.Specs.csproj", "<Project><IsTestProject>true</IsTestProject></Project>", None, True),
        ("A.Specs/A.Specs.csproj", '<Project Sdk="MSTest.Sdk/3.6.1" />', "<Project />", True),
        ("A/A.csproj", SDK.format("Newtonsoft.Json"), SDK.format("Serilog"), False),
        ("A/A.csproj", "<Project><IsTestProject>false</IsTestProject></Project>", "<Project />", False),
    ],
)
def test_a_dotnet_project_of_tests_is_kept_whatever_it_is_called(
    path: str, before: str | None, after: str | None, kept: bool
) -> None:
    row = by_name("dotnet")
    rules = Rules(row.test_files, config_files=row.config_files, config_marks=row.config_marks)
    how = "changed" if before and after else "new" if after else "gone"
    found = check(Phase.GREEN, (Change(path, how, before, after),), rules)
    assert bool(found) == kept

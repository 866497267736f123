"""Detection in repositories with wrappers, several suites, or nothing at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tdd_orchestrator.runners.detect import detect, suites_beside
from tdd_orchestrator.runners.wrappers import Reach, reach


@pytest.mark.parametrize(
    ("files", "command", "name"),
    [
        (
            {"Makefile": "PY = python3\ncheck: lint unit\nunit:\n\t$(PY) -m pytest -q\nlint:\n\truff .\n"},
            "make check",
            "pytest",
        ),
        (
            {"Makefile": "test:\n\tnpm test\n", "package.json": '{"scripts": {"test": "vitest run"}}'},
            "make test",
            "vitest",
        ),
        ({"package.json": '{"scripts": {"test": "npm run unit", "unit": "jest --ci"}}'}, "npm test", "jest"),
        (
            {
                "package.json": '{"scripts": {"test": "npm run unit && npm run lint", "unit": "jest", "lint": "eslint ."}}'
            },
            "npm test",
            "jest",
        ),
        (
            {"package.json": '{"scripts": {"test": "npm run test", "pretest": "eslint ."}}'},
            "npm test",
            "unknown",
        ),
        ({"package.json": '{"scripts": {"test": "tsc && node --test dist/"}}'}, "pnpm run test", "node-test"),
        ({"package.json": '{"scripts": {"test:unit": "mocha"}}'}, "yarn test:unit", "mocha"),
        ({"scripts/test.sh": "#!/bin/sh\nset -e\ngo test ./...\n"}, "./scripts/test.sh", "go-test"),
        ({"t.sh": "cargo test\n"}, "bash t.sh", "cargo-test"),
        ({"noxfile.py": "def t(session):\n    session.run('python', '-m', 'pytest')\n"}, "nox", "pytest"),
        ({"tox.ini": "[testenv]\ncommands =\n    python -m unittest discover\n"}, "tox", "unittest"),
        ({"justfile": "default:\n    echo\n\ntest *args:\n    cargo nextest run\n"}, "just test", "nextest"),
        ({"Makefile": "test:\n\techo no tests\n"}, "make test", "unknown"),
        ({}, "./run-everything", "unknown"),
        ({}, "", "unknown"),
        ({}, "coverage run -m pytest", "pytest"),
        ({}, "env FOO=1 .venv/bin/pytest -q", "pytest"),
        ({"package.json": "{broken"}, "npm test", "unknown"),
    ],
)
def test_behind_a_command(write, files, command, name):
    assert detect(write(files), command).framework.name == name


@pytest.mark.parametrize(
    ("script", "more", "command"),
    [
        ("npm test --workspaces", {}, "npm test"),
        ("turbo run test", {"pnpm-lock.yaml": ""}, "pnpm test"),
        ("nx run-many -t test", {"yarn.lock": ""}, "yarn test"),
        ("vitest run", {}, "npm test"),
        ('echo "Error: no test specified" && exit 1', {}, "npx vitest run"),
    ],
)
def test_the_projects_own_script_is_its_command_wherever_it_leads(write, script, more, command):
    """E1: packages may each have a configuration that a run from the root would not use."""
    package = {"scripts": {"test": script}, "devDependencies": {"vitest": "^3"}}
    found = detect(write({"package.json": json.dumps(package), "packages/a/a.test.js": "", **more}))
    assert (found.framework.name, " ".join(found.command)) == ("vitest", command)


def test_suites_of_other_languages_are_found_with_their_folders(write):
    root = write(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\n",
            "tests/test_a.py": "import pytest\n",
            "web/package.json": json.dumps({"devDependencies": {"vitest": "^1.0"}}),
            "web/src/a.test.ts": "",
            "web/packages/b/package.json": json.dumps({"devDependencies": {"vitest": "^1.0"}}),
            "web/packages/b/b.test.ts": "",
            "server/go.mod": "module server\n",
            "server/calc_test.go": "package calc\n",
            "examples/calc/go.mod": "module calc\n",
            "examples/calc/calc_test.go": "package calc\n",
            "docs/package.json": "{}",
        }
    )
    assert detect(root).framework.name == "pytest"
    found = {(one.folder, one.framework.name, one.command) for one in suites_beside(root, "python")}
    assert found == {
        ("web", "vitest", ("npx", "vitest", "run")),
        ("server", "go-test", ("go", "test", "./...")),
    }


def test_installed_packages_do_not_count(write):
    root = write({"node_modules/x/jest.config.js": "", ".venv/lib/test_a.py": "import pytest"})
    assert detect(root).framework.name == "unknown"


def test_the_repositorys_own_script_is_the_command(write):
    root = write(
        {
            "package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"jest": "^29.0.0"}}',
            "yarn.lock": "",
        }
    )
    assert detect(root).command == ("yarn", "test")


@pytest.mark.parametrize(
    ("files", "command", "expected"),
    [
        ({}, "python -m pytest -q", Reach.DIRECT),
        ({}, "uv run pytest", Reach.DIRECT),
        ({}, "poetry run pytest tests", Reach.DIRECT),
        ({"Makefile": "test:\n\tpytest\n"}, "make test", Reach.WRAPPER),
        ({"tox.ini": "[testenv]\ncommands = pytest\n"}, "tox -q", Reach.OPAQUE),
        ({"compose.yml": "services: {}\n"}, "docker compose run tests pytest", Reach.OPAQUE),
        ({}, "sh -c 'pytest -q'", Reach.WRAPPER),
        ({"package.json": '{"scripts": {"test": "pytest"}}'}, "npm test", Reach.SCRIPT),
        ({"package.json": '{"scripts": {"test": "pytest && echo done"}}'}, "npm test", Reach.WRAPPER),
    ],
)
def test_how_far_arguments_get(write, files, command, expected):
    import shlex

    from tdd_orchestrator.runners.table import by_name

    assert reach(shlex.split(command), write(files), by_name("pytest").signs.words) is expected


def test_the_runners_own_parallel_mode_where_the_project_has_it(write):
    files = {
        "test_a.py": "import pytest\n",
        "pyproject.toml": '[project]\ndependencies = ["pytest-xdist>=3"]\n',
    }
    assert detect(write(files)).command == ("python", "-m", "pytest", "-q", "-n", "auto")
    assert detect(write({"test_a.py": "import pytest\n"}, "plain")).command == (
        "python",
        "-m",
        "pytest",
        "-q",
    )


@pytest.mark.parametrize(
    ("path", "text", "command", "name"),
    [
        (".venv/bin/pytest", "#!/x/.venv/bin/python\nimport pytest\n", ".venv/bin/pytest -q", "pytest"),
        ("vendor/bin/phpunit", "#!/usr/bin/env php\n<?php\n", "vendor/bin/phpunit tests", "phpunit"),
        ("mvnw", "#!/bin/sh\nexec java -jar wrapper.jar\n", "./mvnw -B test", "maven-surefire"),
        ("gradlew", "#!/bin/sh\nexec java -jar wrapper.jar\n", "./gradlew test", "gradle"),
        ("bin/rspec", "#!/usr/bin/env ruby\n", "bin/rspec", "rspec"),
    ],
)
def test_a_runner_of_the_repositorys_own_is_still_the_runner(write, path, text, command, name):
    from tdd_orchestrator.runners.table import by_name

    root = write({path: text})
    assert detect(root, command).framework.name == name
    assert reach(command.split(), root, by_name(name).signs.words) is Reach.DIRECT


SDK = '<Project><PackageReference Include="Microsoft.NET.Test.Sdk" /></Project>'


@pytest.mark.parametrize(
    ("files", "name", "command"),
    [
        ({"Engine.sln": "", "Engine/Engine.vcxproj": "<Project />"}, "unknown", ()),
        ({"src/A/A.csproj": "<Project />", "checks/B.fsproj": SDK}, "dotnet", ("dotnet", "test", "checks/B.fsproj")),
        ({"A.slnx": "", "checks/B.fsproj": SDK}, "dotnet", ("dotnet", "test")),
        ({"a/A.csproj": SDK, "b/B.csproj": SDK}, "dotnet", ("dotnet", "test")),
        ({"a/A.csproj": '<Project Sdk="MSTest.Sdk/3.6.1" />'}, "dotnet", ("dotnet", "test", "a/A.csproj")),
    ],
)  # fmt: skip
def test_dotnet_is_offered_where_it_finds_a_project(
    tmp_path: Path, files: dict[str, str], name: str, command: tuple[str, ...]
) -> None:
    """Without a solution or a project at the root it finds none by itself; a solution alone may be one of C++."""
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = detect(tmp_path)
    assert (found.framework.name, found.command) == (name, command)


def test_a_library_that_was_unpacked_among_the_tests_is_somebody_elses(write):
    files = {
        "CMakeLists.txt": "enable_testing()\n",
        "test/googletest-1.16.0/test/gtest_help_test.py": "import pytest\n",
        "third_party/lib/test_x.py": "import pytest\n",
    }
    assert detect(write(files)).framework.name == "ctest"


@pytest.mark.parametrize(
    ("file", "text", "built"),
    [
        ("CMakeLists.txt", "enable_testing()\n", "cmake -S . -B build && cmake --build build && ctest"),
        ("meson.build", "test('a', exe)\n", "meson setup build && meson test -C build"),
    ],
)
def test_what_must_be_built_first_is_built(write, file, text, built):
    shell, flag, script = detect(write({file: text})).command
    assert (shell, flag) == ("sh", "-c")
    assert script.startswith(built)


_TESTS = {"test/test_a.rb": 'require "minitest/autorun"\n', "Gemfile": ""}


@pytest.mark.parametrize(
    ("rakefile", "task"),
    [
        ("require 'rake/testtask'\nRake::TestTask.new do |t|\nend\ntask :spec\n", "test"),
        ("Rake::TestTask.new(:spec) { |t| t.pattern = 'test/**' }\n", "spec"),
        ("desc 'all'\ntask 'spec' do\n  sh 'ruby spec/all.rb'\nend\n", "spec"),
        ("task :test => [:build]\ntask :spec\n", "test"),
        ("Rails.application.load_tasks\n", "test"),
        ("task :docs\n", "test"),
    ],
)
def test_the_task_that_a_rakefile_has(write, rakefile, task):
    assert detect(write({**_TESTS, "Rakefile": rakefile})).command == ("bundle", "exec", "rake", task)


def test_specs_that_mention_another_runner_are_still_rspecs(write):
    files = {
        ".rspec": "--color\n",
        "spec/spec_helper.rb": "def with_minitest\n  require 'minitest/autorun'\nend\n",
        "spec/a_spec.rb": "describe 'a'\n",
        "Gemfile": "%w[rspec-core].each { |lib| gem lib }\n",
    }
    assert detect(write(files)).framework.name == "rspec"


def test_a_c_project_without_a_build_system_that_is_known_has_its_makefiles_target(write):
    files = {"tests/check_a.c": "#include <check.h>\n", "Makefile": "test: all\n\t./tests/check_a\n"}
    assert detect(write(files)).command == ("make", "test")


@pytest.mark.parametrize(
    ("files", "command"),
    [
        (("test_a.py",), "python -m unittest discover -v"),
        (("tests/__init__.py", "tests/test_a.py"), "python -m unittest discover -v"),
        (("tests/test_a.py",), "python -m unittest discover -v -s tests"),
        (
            ("tests/test_a.py", "tests/unit/__init__.py", "tests/unit/test_b.py"),
            "python -m unittest discover -v -s tests",
        ),
        (("tests/test_a.py", "tests/unit/test_b.py"), "python -m pytest -q"),
    ],
)
def test_unittest_is_chosen_where_it_discovers_every_test(
    tmp_path: Path, files: tuple[str, ...], command: str
) -> None:
    case = "import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(1)\n"
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if name.endswith("__init__.py") else case)
    found = detect(tmp_path)
    assert " ".join(found.command) == command
    if found.framework.name == "unittest":
        argv = [sys.executable, *found.command[1:]]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True)
        count = sum(not name.endswith("__init__.py") for name in files)
        assert f"Ran {count} test" in done.stderr

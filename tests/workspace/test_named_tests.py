"""Test files that no pattern finds: the test command names them (S3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.app.suites import rules_of, suites_of
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.workspace.guard import Change, holds_tests, is_test

TESTS = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n"


@pytest.mark.parametrize(
    "command", ["python test.py", "python -m unittest test", "python -m unittest checks.all"]
)
def test_a_file_or_a_module_that_the_command_names_is_a_test(tmp_path: Path, command: str) -> None:
    path = "checks/all.py" if command.endswith("checks.all") else "test.py"
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(TESTS)
    (tmp_path / "unittest.py").write_text("x = 1\n")
    config = Config.model_validate({"test": {"command": command.split()}})
    rules = rules_of(config, suites_of(config, tmp_path), tmp_path)
    assert is_test(path, rules)
    assert not is_test("unittest.py", rules)


@pytest.mark.parametrize(
    ("head", "tests"),
    [
        ("from calc import double\n", True),
        ("import src_of.calc\n", True),
        ("from .calc import double\n", True),
        ("import json\n", False),
    ],
)
def test_code_with_its_tests_in_one_file_is_code(tmp_path: Path, head: str, tests: bool) -> None:
    (tmp_path / "calc.py").write_text("def double(x):\n    return 2 * x\n")
    (tmp_path / "src/src_of").mkdir(parents=True)
    (tmp_path / "one.py").write_text(f"{head}\n\ndef helper():\n    return 1\n\n\n{TESTS}")
    config = Config.model_validate({"test": {"command": ["python", "-m", "unittest", "one"]}})
    rules = rules_of(config, suites_of(config, tmp_path), tmp_path)
    assert is_test("one.py", rules) is tests
    text = (tmp_path / "one.py").read_text()
    assert holds_tests(Change("one.py", "changed", text, text), rules) is not tests
    assert not holds_tests(Change("calc.py", "changed", text, text), rules)


_TOX = "[testenv]\ncommands = pytest --doctest-modules {posargs}\n"


@pytest.mark.parametrize(
    ("command", "files", "asked"),
    [
        ("pytest --doctest-modules", {}, True),
        ("python -m doctest calc.py", {}, True),
        ("make test", {"Makefile": "test:\n\tpython -m pytest --doctest-modules\n"}, True),
        ("make test", {"Makefile": "test:\n\tpytest\ndocs:\n\tpytest --doctest-modules\n"}, False),
        ("pytest", {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["--doctest-modules"]\n'}, True),
        ("pytest", {"tox.ini": "[pytest]\naddopts = --doctest-modules\n"}, True),
        ("pytest", {"tox.ini": _TOX}, False),
        ("tox -e py", {"tox.ini": _TOX}, True),
        ("pytest", {"pytest.ini": "[pytest]\ndoctest_optionflags = ELLIPSIS\n"}, False),
    ],
)
def test_examples_are_tests_where_the_command_runs_them(
    tmp_path: Path, command: str, files: dict[str, str], asked: bool
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    config = Config.model_validate({"test": {"command": command.split()}})
    rules = rules_of(config, suites_of(config, tmp_path), tmp_path)
    assert rules.doctests == (("*.py",) if asked else ())


@pytest.mark.parametrize(
    ("setting", "tests", "code"),
    [
        (
            "python_files = check_*.py *_specs.py",
            ["checks/check_a.py", "a_specs.py"],
            ["checks/a.py", "a.py"],
        ),
        ("python_files = *.py\ntestpaths = src", ["tests/a.py"], ["calc.py", "src/calc.py"]),
        ("python_files = * [!_]*.py [a-z]*.py **/*.py", ["tests/a.py"], ["calc.py"]),
        ("testpaths = checks", ["checks/test_a.py"], ["checks/a.py"]),
    ],
)
def test_pytests_own_patterns_of_test_files_count(
    tmp_path: Path, setting: str, tests: list[str], code: list[str]
) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\n{setting}\n")
    config = Config.model_validate({"test": {"command": "python -m pytest -q"}})
    rules = rules_of(config, suites_of(config, tmp_path), tmp_path)
    assert [is_test(path, rules) for path in (*tests, *code)] == [
        *(True for _ in tests),
        *(False for _ in code),
    ]

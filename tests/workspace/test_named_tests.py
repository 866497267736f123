"""Test files that no pattern finds: the test command names them (S3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.app.suites import rules_of, suites_of
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.workspace.guard import is_test

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

"""Which commands are believed only with a witness's word."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tdd_orchestrator.app.suites import rules_of
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.runners.run import Suite
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.runners.witnessed import is_witnessed


def suite(framework: str, *command: str) -> Suite:
    return Suite("tests", command, by_name(framework))


@pytest.mark.parametrize(
    ("framework", "command", "known"),
    [
        ("pytest", (sys.executable, "-m", "pytest", "-q"), True),
        ("pytest", ("make", "test"), True),
        ("pytest", ("sh", "-c", "docker run x pytest"), False),
        ("unittest", (sys.executable, "-m", "unittest", "-v"), True),
        ("unittest", (sys.executable, "-I", "-m", "unittest"), False),
        ("unittest", ("make", "test"), False),
        ("django", (sys.executable, "manage.py", "test"), True),
        ("trial", (sys.executable, "-m", "twisted.trial"), False),
        ("minitest", ("rake", "test"), False),
    ],
)
def test_a_witness_is_certain_or_not(
    tmp_path: Path, framework: str, command: tuple[str, ...], known: bool
) -> None:
    assert is_witnessed(suite(framework, *command), tmp_path) is known


def test_one_python_suite_without_a_witness_is_enough(tmp_path: Path) -> None:
    heard = suite("pytest", sys.executable, "-m", "pytest")
    others = {
        "unittest": suite("unittest", "make", "test"),
        "jest": suite("jest", "npx", "jest"),
        "unknown": suite("unknown", "./check"),
    }
    said = {name: rules_of(Config(), (heard, other), tmp_path).witnessed for name, other in others.items()}
    assert said == {"unittest": False, "jest": True, "unknown": False}
    assert not rules_of(Config(), (others["jest"],), tmp_path).witnessed

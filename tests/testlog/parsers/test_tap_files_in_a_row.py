"""A loop over test files prints one TAP run after another, each with its plan at its end or at its beginning."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.testlog.read import read

FIRST, SECOND = "ok 1 - adds\n", "ok 1 - doubles\nok 2 - doubles five\n"


@pytest.mark.parametrize(
    "text", [f"{FIRST}1..1\n{SECOND}1..2\n", f"1..1\n{FIRST}1..2\n{SECOND}", f"{FIRST}1..1\n1..2\n{SECOND}"]
)
def test_each_file_is_a_run(text: str) -> None:
    report = read(text.encode(), exit_code=0)
    assert report.verdict is RunVerdict.PASSED
    assert [case.name for case in report.cases] == ["adds", "doubles", "doubles five"]


def test_a_file_that_ends_early_is_seen() -> None:
    report = read(f"{FIRST}1..1\nok 1 - doubles\n1..2\n".encode(), exit_code=0)
    assert report.verdict is RunVerdict.CRASHED
    assert read(f"{FIRST}1..1\nnot ok 1 - doubles\n1..1\n".encode(), exit_code=1).verdict is RunVerdict.FAILED

"""A run that is kept as a blob comes back with what RED judges a failure by."""

from __future__ import annotations

from tdd_orchestrator.cycle.evidence import decode, encode
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict


def test_the_frames_of_a_failure_are_kept() -> None:
    frames = ("tests/test_div.py:4", "div.py:2")
    case = Case("t::divides", "divides", Outcome.FAILED, exception="ZeroDivisionError", frames=frames)
    report = Report(RunVerdict.FAILED, cases=(case, Case("t::other", "other", Outcome.PASSED)))
    assert decode(encode(report)).cases == report.cases

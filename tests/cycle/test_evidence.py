"""A run that is kept as a blob comes back with what RED judges a failure by."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdd_orchestrator.cycle.evidence import decode, encode
from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict


def test_the_frames_of_a_failure_are_kept() -> None:
    frames = ("tests/test_div.py:4", "div.py:2")
    case = Case("t::divides", "divides", Outcome.FAILED, exception="ZeroDivisionError", frames=frames)
    report = Report(RunVerdict.FAILED, cases=(case, Case("t::other", "other", Outcome.PASSED)))
    assert decode(encode(report)).cases == report.cases


REPORT = Report(RunVerdict.FAILED, cases=(Case("t::divides", "divides", Outcome.FAILED),), why="1 failed")


def test_a_blob_of_before_runners_were_kept_is_read() -> None:
    stored = json.loads(encode(REPORT))
    for later in ("runners", "ending"):
        del stored[later]
    assert decode(json.dumps(stored).encode()) == REPORT


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "good"},
        {"cases": 3},
        {"cases": [3]},
        {"counts": {"green": 1}},
        {"why": None},
        {"command": "make"},
    ],
    ids=str,
)
def test_a_blob_of_another_shape_is_damaged(change: dict[str, Any]) -> None:
    with pytest.raises(StoreDamaged, match="An evidence blob cannot be read"):
        decode(json.dumps({**json.loads(encode(REPORT)), **change}).encode())


def test_a_blob_without_its_cases_is_damaged() -> None:
    stored = json.loads(encode(REPORT))
    del stored["cases"]
    with pytest.raises(StoreDamaged):
        decode(json.dumps(stored).encode())

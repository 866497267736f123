"""A cycle as people look at it, from its records: attempts, and what happened between them."""

from __future__ import annotations

from typing import Any

from tdd_orchestrator.history.cycles import Attempt, Step, output_of, timeline
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.report import BuildError, Case, Outcome, Report, RunVerdict
from tdd_orchestrator.web.queries import attempt_data


def record(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "at": "2026-01-01T00:00:00.000Z", "cycle_id": "c", **more}


TRAIL = [
    record("cycle_started", branch="main"),
    record("intent", phase="RED", attempt=1, agent={"name": "a"}),
    record("intent", phase="RED", attempt=2, agent={"name": "a"}),
    record(
        "error", phase="RED", attempt=2, verdict="no_new_test", error="no new test", diff="- x", reasons=["none", 7],
        error_details={"type": "X", "message": "nothing came"}, move={"kind": "retry", "why": "again"},
    ),
    record(
        "handoff", phase="GREEN", attempt=1, verdict="proven", candidate="c1", warnings=["slow"],
        agent={"name": "a", "model": "m", "tokens": "many"}, tests={"counts": {"passed": 3, "failed": 0}, "seconds": 2},
        questions={"poison": {"asked": 2, "failed": 2, "not_asked": {"t": "why"}}, "stub": {"not_asked": {"t": "why"}}},
    ),
    record("approval", decision="wanted", gate="before_landing"),
    record("weather", reasons=["rain"]),
    record("cycle_ended", outcome="already_covered", reasons=["seen"]),
]  # fmt: skip


def test_attempts_and_steps_stand_in_their_order() -> None:
    begun, interrupted, refused, accepted, asked, ended = timeline(read_all(TRAIL))
    assert [one.text for one in (begun, interrupted, asked, ended) if isinstance(one, Step)] == [
        "Cycle begun on main", "RED attempt 1 was interrupted", "Approval wanted: before landing", "Cycle ended: already covered",
    ]  # fmt: skip
    assert isinstance(refused, Attempt)
    assert isinstance(accepted, Attempt)
    assert (refused.accepted, refused.error, refused.move, refused.rejected_change) == (
        False,
        "nothing came",
        "again",
        "- x",
    )
    assert refused.reasons == ("none",)
    assert (accepted.accepted, accepted.counts, accepted.warnings) == (True, {"passed": 3}, ("slow",))
    assert accepted.answers == (
        ("poison", "2 of 2 target tests fail, as they must; no claim about 1"),
        ("stub", "no claim about 1"),
    )


def test_an_attempt_is_plain_data_for_the_api() -> None:
    accepted = timeline(read_all(TRAIL))[3]
    assert isinstance(accepted, Attempt)
    data = attempt_data(accepted)
    assert (data["agent"]["name"], data["agent"]["model"], data["agent"]["tokens"]) == ("a", "m", 0)


def test_an_attempt_that_was_begun_is_open() -> None:
    (last,) = timeline(read_all([record("intent", phase="RED", attempt=1, agent={"name": "a"})]))
    assert isinstance(last, Attempt)
    assert (last.open, last.agent.name) == (True, "a")


def test_a_file_that_cannot_be_imported_is_told_once() -> None:
    why = "E   ModuleNotFoundError: No module named 'price'"
    broken = BuildError("No module named 'price'", "tests/test_price.py", 1, detail=why)
    cases = (Case("tests/test_price.py", "test_price", Outcome.ERROR, detail=why),)
    report = Report(RunVerdict.ERROR, cases=cases, build_errors=(broken,))
    assert output_of(report, ()) == f"tests/test_price.py:1: No module named 'price'\n{why}"


def test_places_in_installed_code_are_left_out_of_what_failed() -> None:
    text = "E   assert 1 == 2\n\ntests/test_price.py:5: AssertionError\n/venv/lib/python3.11/site-packages/_pytest/runner.py:184\nsrc/price.py:3"
    case = Case("t", "t", Outcome.FAILED, message="assert 1 == 2", detail=text)
    shown = output_of(Report(RunVerdict.FAILED, cases=(case,)), ("t",))
    assert "runner.py" not in shown
    assert shown.endswith("tests/test_price.py:5: AssertionError\nsrc/price.py:3")

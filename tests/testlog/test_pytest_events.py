"""The events that the reporter plug-in writes, to cases, errors and a verdict: each line is read with care."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.model.report import Case, Outcome, RunVerdict
from tdd_orchestrator.testlog.formats.pytest_events import read_events
from tdd_orchestrator.testlog.read import read, read_report
from tdd_orchestrator.testlog.reading import Reading

Event = dict[str, Any]
FAILURE = {
    "type": "AssertionError",
    "message": "assert 1 == 2",
    "frames": [["/lib/run.py", 9], ["/t/a.py", 5]],
}


def start(pid: int = 1) -> Event:
    return {"event": "start", "pid": pid, "pytest": "9.0", "root": "/t"}


def collected(tests: int, pid: int = 1) -> Event:
    return {"event": "collected", "pid": pid, "tests": tests}


def finish(status: int, pid: int = 1) -> Event:
    return {"event": "finish", "pid": pid, "status": status}


def report(name: str = "a.py::test_a", outcome: str = "passed", when: str = "call", **more: Any) -> Event:
    facts = {"event": "report", "pid": 1, "id": name, "when": when, "outcome": outcome, "seconds": 0.5}
    return {**facts, "file": name.split("::")[0], "line": 3, **more}


def failed(name: str = "a.py::test_a", when: str = "call", **more: Any) -> Event:
    return report(name, "failed", when, failure=FAILURE, text="E  assert 1 == 2", output="out", **more)


def of(*events: Event, name: str = "a.py::test_a", pid: int = 1) -> list[Event]:
    """One session with the three phases of one test around ``events``."""
    own = [report(name, when="setup"), *(events or (report(name),)), report(name, when="teardown")]
    return [start(pid), collected(1, pid), *({**one, "pid": pid} for one in own)]


@pytest.fixture
def events(tmp_path: Path) -> Any:
    def write(*lines: Event | str | bytes) -> Path:
        path = tmp_path / "events.jsonl"
        texts = [
            one if isinstance(one, str) else json.dumps(one) for one in lines if not isinstance(one, bytes)
        ]
        path.write_text("".join(f"{text}\n" for text in texts))
        with path.open("ab") as file:
            file.writelines(one for one in lines if isinstance(one, bytes))
        return path

    return write


def only(reading: Reading) -> Case:
    (case,) = reading.cases
    return case


def test_a_session_that_passed(events: Any) -> None:
    reading = read_events(events(*of(), finish(0)))
    case = only(reading)
    assert (case.id, case.outcome, case.file, case.line) == ("a.py::test_a", Outcome.PASSED, "/t/a.py", 3)
    assert (reading.started, reading.finished, reading.claims_ok, reading.complete) == (
        True,
        True,
        True,
        True,
    )
    assert case.seconds == pytest.approx(1.0)  # the call and the teardown


def test_a_failure_has_its_place_in_the_test_and_its_frames(events: Any) -> None:
    case = only(read_events(events(*of(failed()), finish(1))))
    assert (case.outcome, case.line, case.exception, case.message) == (
        Outcome.FAILED,
        5,
        "AssertionError",
        "assert 1 == 2",
    )
    assert case.frames == ("/lib/run.py:9", "/t/a.py:5")
    assert (case.phase, case.stdout) == ("call", "out")


@pytest.mark.parametrize(
    ("changed", "outcome", "phase"),
    [
        ([failed(when="setup")], Outcome.ERROR, "setup"),
        ([report(when="setup"), report(), failed(when="teardown")], Outcome.ERROR, "teardown"),
        ([report(when="setup"), failed(), failed(when="teardown")], Outcome.FAILED, "call"),
        ([report(when="setup"), report(outcome="skipped", reason="later")], Outcome.SKIPPED, "call"),
        ([report(outcome="skipped", when="setup", reason="later")], Outcome.SKIPPED, "setup"),
        ([report(when="setup"), report(outcome="skipped", xfail=True)], Outcome.XFAILED, "call"),
        ([report(when="setup"), report(xfail=True)], Outcome.XPASSED, "call"),
        ([report(when="setup"), report(outcome="rerun"), report(when="setup"), report()], Outcome.PASSED, "call"),
        ([report(when="setup"), report(outcome="rerun"), report(when="setup"), failed()], Outcome.FAILED, "call"),
    ],
)  # fmt: skip
def test_the_worst_phase_is_the_outcome(
    events: Any, changed: list[Event], outcome: Outcome, phase: str
) -> None:
    case = only(read_events(events(start(), collected(1), *changed, finish(1))))
    assert (case.outcome, case.phase) == (outcome, phase)


@pytest.mark.parametrize(
    ("rows", "end", "outcome"),
    [
        (["passed", "failed", "passed"], "passed", Outcome.FAILED),
        (["failed"], "failed", Outcome.FAILED),
        (["passed", "passed"], "passed", Outcome.PASSED),
        (["passed", "skipped"], "passed", Outcome.PASSED),
        (["passed"], "failed", Outcome.FAILED),
        (["passed"], "skipped", Outcome.SKIPPED),
    ],
)
def test_the_worst_subtest_is_the_outcome_of_its_test(
    events: Any, rows: list[str], end: str, outcome: Outcome
) -> None:
    made = {"failed": failed, "passed": report, "skipped": lambda **more: report(outcome="skipped", **more)}
    lines = [made[row](subtest=True) for row in rows]  # type: ignore[operator]
    reading = read_events(events(*of(*lines, made[end]()), finish(1)))  # type: ignore[operator]
    assert only(reading).outcome is outcome
    assert reading.complete


def test_a_file_that_cannot_be_loaded_is_a_build_error_with_its_line(events: Any) -> None:
    frames = [["/t/a.py", 1], ["/t/kata.py", 7]]
    failure = {"type": "ImportError", "message": "no name 'sub'", "frames": frames}
    error = {
        "event": "collect_error",
        "pid": 1,
        "id": "a.py",
        "text": "Traceback\nE  ImportError",
        "failure": failure,
    }
    reading = read_events(events(start(), error, error, collected(0), finish(2)))
    (one,) = reading.build_errors  # each xdist worker covers it
    assert (one.file, one.line, one.exception, one.message) == (
        "/t/a.py",
        1,
        "ImportError",
        "ImportError: no name 'sub'",
    )
    assert (only(reading).outcome, only(reading).phase) == (Outcome.ERROR, "collect")
    assert (
        read(b"", exit_code=2, report=events(start(), error, collected(0), finish(2))).verdict
        is RunVerdict.ERROR
    )


def test_a_file_that_cannot_be_loaded_without_a_traceback(events: Any) -> None:
    error = {
        "event": "collect_error",
        "pid": 1,
        "id": "a.py::Sum",
        "text": "first\nin the end\n",
        "failure": None,
    }
    (one,) = read_events(events(start(), error, finish(2))).build_errors
    assert (one.file, one.line, one.message) == ("/t/a.py", 0, "in the end")


@pytest.mark.parametrize(
    ("lines", "code", "verdict"),
    [
        ([*of(), finish(0)], 0, RunVerdict.PASSED),
        ([*of(), finish(0)], 1, RunVerdict.FAILED),
        ([*of(), finish(1)], 0, RunVerdict.FAILED),
        ([*of(), finish(2)], 2, RunVerdict.CRASHED),
        ([*of(), finish(2)], 0, RunVerdict.CRASHED),
        ([*of(), finish(3)], 3, RunVerdict.CRASHED),
        ([start(), finish(4)], 4, RunVerdict.CRASHED),
        ([start(), collected(0), finish(5)], 5, RunVerdict.NO_TESTS),
        ([start(), collected(0), finish(5)], 0, RunVerdict.NO_TESTS),
        (of(), 0, RunVerdict.CRASHED),
        ([*of(failed()), finish(0)], 0, RunVerdict.FAILED),
        ([start(), collected(2), *of()[2:], finish(0)], 0, RunVerdict.CRASHED),
        ([start(), collected(1), finish(0)], 0, RunVerdict.CRASHED),
        ([*of(), finish(0), *of(name="b.py::test_b", pid=2), finish(0, pid=2)], 0, RunVerdict.PASSED),
        ([*of(), finish(0), start(2), collected(0, 2), finish(5, 2)], 0, RunVerdict.PASSED),
        ([*of(), finish(0), *of(pid=2)], 0, RunVerdict.CRASHED),
        ([*of(), finish(0), *of(pid=2), finish(1, pid=2)], 0, RunVerdict.FAILED),
        ([*of(), finish(0), *of(failed()), finish(1)], 0, RunVerdict.FAILED),
        ([*of(), *of(), finish(0)], 0, RunVerdict.CRASHED),
    ],
)  # fmt: skip
def test_statuses_sessions_and_exit_codes(
    events: Any, lines: list[Event], code: int, verdict: RunVerdict
) -> None:
    found = read(b"", exit_code=code, report=events(*lines))
    assert found.verdict is verdict, found


def test_two_sessions_with_a_test_of_one_name_are_two_tests(events: Any) -> None:
    """One process after the other, or one process twice; the failing one is not hidden by the other."""
    for pid in (1, 2):
        reading = read_events(events(*of(), finish(0), *of(failed(), pid=pid), finish(1, pid=pid)))
        assert [case.outcome for case in reading.cases] == [Outcome.PASSED, Outcome.FAILED]


def test_sessions_whose_lines_are_mixed(events: Any) -> None:
    first, second = (
        [*of(), finish(0)],
        [*of(failed("b.py::test_b"), name="b.py::test_b", pid=2), finish(1, pid=2)],
    )
    mixed = [one for pair in zip(first, second, strict=True) for one in pair]
    reading = read_events(events(*mixed))
    assert {case.id: case.outcome for case in reading.cases} == {
        "a.py::test_a": Outcome.PASSED,
        "b.py::test_b": Outcome.FAILED,
    }


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        "null",
        '{"event": "start"}',
        '{"event": "start", "pid": "x", "root": ""}',
        '{"event": "report", "pid": 1}',
        '{"event": "report", "pid": 1, "id": "a.py::test_a", "when": "call", "outcome": "passed", "line": "x"}',
        '{"event": "report", "pid": 1, "id": "a.py::test_a", "when": "call", "outcome": "failed", "failure": {"frames": [1]}}',
        '{"event": "collected", "pid": 1, "tests": null}',
        '{"event": "collect_error", "pid": 1}',
        '{"event": "finish", "pid": 1, "status": "0"x}',
        '{"event": "finish", "pid": 1e999, "status": 0}',
        "[" * 100_000,
    ],
)
def test_a_line_that_the_reporter_does_not_write_spoils_the_report(events: Any, line: str) -> None:
    path = events(*of(), finish(0), line)
    reading, remarks = read_report(path, 0.0)
    assert reading is None
    assert "not as the reporter writes them" in remarks[0]


def test_a_line_that_was_cut_short_spoils_the_report(events: Any) -> None:
    reading, _ = read_report(events(*of(), b'{"event": "finish", "pid": 1, "sta'), 0.0)
    assert reading is None


@pytest.mark.parametrize(
    "line",
    [
        {"event": "anything", "pid": 1},
        {"event": "report", "pid": 7, "id": "x.py::test_x", "when": "call", "outcome": "passed"},
        {"event": "finish", "pid": 7, "status": 0},
    ],
)
def test_lines_of_no_session_count_for_nothing(events: Any, line: Event) -> None:
    """A process that announced no session has no tests in the report."""
    reading = read_events(events(*of(), finish(0), line))
    assert [case.id for case in reading.cases] == ["a.py::test_a"]


@pytest.mark.parametrize("lines", [[finish(0)], [report(), finish(0)], [collected(1), report(), finish(0)]])
def test_a_report_without_a_session_is_no_pass(events: Any, lines: list[Event]) -> None:
    found = read(b"", exit_code=0, report=events(*lines))
    assert found.verdict is not RunVerdict.PASSED, found


def test_an_outcome_of_another_name_is_no_pass(events: Any) -> None:
    found = read(b"", exit_code=0, report=events(*of(report(outcome="odd")), finish(0)))
    assert found.verdict is not RunVerdict.PASSED, found


def test_text_and_report_together_take_the_worse(events: Any) -> None:
    """A test that prints a red summary does not change what pytest says of itself; a report that lacks a failure does."""
    text = b"F\n=== FAILURES ===\n___ test_a ___\n\n    def test_a():\n>       assert 0\nE       assert 0\n\na.py:2: AssertionError\n"
    text += b"=== short test summary info ===\nFAILED a.py::test_a - assert 0\n1 failed in 0.01s\n"
    assert (
        read(text, exit_code=0, report=events(*of(), finish(0)), framework="pytest").verdict
        is RunVerdict.FAILED
    )
    both = read(text, exit_code=1, report=events(*of(failed()), finish(1)), framework="pytest")
    (case,) = both.cases
    assert (both.verdict, case.id, case.line, case.frames[-1]) == (
        RunVerdict.FAILED,
        "a.py::test_a",
        5,
        "/t/a.py:5",
    )

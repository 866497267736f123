"""An error that was fixed before is known by its fingerprint, with how often that worked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kit import Kata

from tdd_orchestrator.cycle.known_fixes import KnownFix, known
from tdd_orchestrator.model.reading import read_all


def record(kind: str, role: str, fingerprint: str = "", **more: Any) -> dict[str, Any]:
    return {
        "kind": kind, "cycle_id": "c", "phase": "GREEN", "agent": {"role": role}, "fingerprint": fingerprint, **more,
    }  # fmt: skip


def test_of_a_cycle_the_attempt_after_the_refusal_counts() -> None:
    trail = [
        record("error", "green", "f", move={"kind": "specialist", "counts": False}),
        record("error", "debugger", "f"),
        record("error", "green", "f", move={"kind": "wait", "counts": False}),
        record("handoff", "green", tip="good"),
        record("error", "green", "f", cycle_id="other"),
        record(
            "error",
            "build-doctor",
            "g",
            cycle_id="other",
            tip="base",
            candidate="built",
            verdict="still_failing",
        ),
    ]
    assert known(read_all(trail), "f") == KnownFix("build-doctor", "built", tried=3, worked=2)
    assert known(read_all(trail)[:4], "f") == KnownFix("green", "good", tried=2, worked=1)
    assert known(read_all(trail), "never") == KnownFix()


@pytest.mark.parametrize(
    "verdict", ["no_change", "forbidden_change", "tampered", "agent_failed", "timed_out", "crashed", "build_error"]
)  # fmt: skip
def test_what_ended_before_the_error_could_be_seen_again_has_cured_nothing(verdict: str) -> None:
    trail = [record("error", "green", "f"), record("error", "green", "g", candidate="c", verdict=verdict)]
    assert known(read_all(trail), "f") == KnownFix(tried=1)


def test_the_attempt_after_one_without_a_run_is_at_the_error_that_still_stands() -> None:
    trail = [
        record("error", "green", "f", verdict="still_failing"),
        record("error", "green", "crash", verdict="agent_failed"),
        record("handoff", "green", tip="good"),
    ]
    assert known(read_all(trail), "f") == KnownFix("green", "good", tried=2, worked=1)
    assert known(read_all(trail), "crash") == KnownFix(), "it was no error of the tests"


def test_of_a_fix_each_attempt_counts_and_the_whole_does_not() -> None:
    trail = [
        record("fix", "debugger", "f", tip="head"),
        record("fix", "debugger", "f", tip="mended", cured_by="debugger (a)"),
        record("fix", "", "f", tip="mended", cured_by="debugger (a)"),
    ]
    assert known(read_all(trail), "f") == KnownFix("debugger", "mended", tried=2, worked=1)


def test_a_fix_that_a_person_rejected_has_cured_nothing() -> None:
    mended = record("fix", "debugger", "f", tip="mended", cured_by="debugger (a)")
    answer = {"kind": "approval", "fix_id": "f-1", "tip": "mended"}
    assert known(read_all([mended, {**answer, "decision": "rejected"}]), "f") == KnownFix(tried=1)
    assert known(read_all([mended, {**answer, "decision": "approved"}]), "f").worked == 1


@pytest.mark.journey
def test_whoever_mends_it_again_is_told(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    broken = "def greet(name):\n    return {}[name]\n"
    kata.script(fix=['write("greet.py", "def greet(name):\\n    return f\'hello {name}\'\\n")'])
    for _ in range(2):
        kata.write("greet.py", broken)
        kata.git("commit", "-q", "-am", "feat: greets from a table")
        done = kata.tdd("fix")
        assert done.code == 0, done.err
    first, second = kata.prompts("fix")
    assert "fixed before" not in first
    cured = kata.git("rev-parse", "--short=12", "HEAD~2")
    assert f"An error like this was fixed before: by debugger in {cured}" in second
    assert "1 of 1 attempts worked" in second

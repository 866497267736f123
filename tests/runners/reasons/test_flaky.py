"""Flaky or broken, from reports of the failed tests run again."""

from __future__ import annotations

import pytest

from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict
from tdd_orchestrator.runners.flaky import History, confirm, reruns_for, still_open


def rerun(**outcomes: Outcome) -> Report:
    return Report(
        RunVerdict.FAILED, cases=tuple(Case(name, name, outcome) for name, outcome in outcomes.items())
    )


def test_one_pass_makes_it_flaky_and_all_failures_broken():
    told = confirm(
        {"a", "b"}, [rerun(a=Outcome.FAILED, b=Outcome.FAILED), rerun(a=Outcome.PASSED, b=Outcome.ERROR)]
    )
    assert (told.flaky, told.broken) == ({"a"}, {"b"})


@pytest.mark.parametrize("reruns", [[], [rerun()], [rerun(a=Outcome.SKIPPED)], [rerun(other=Outcome.PASSED)]])
def test_absence_and_skipping_are_not_passing(reruns):
    assert confirm({"a"}, reruns).broken == {"a"}


def test_known_flakiness_earns_more_runs_but_not_many():
    assert reruns_for(History()) == 2
    assert reruns_for(History(100, 1)) == 2
    assert 2 < reruns_for(History(100, 30)) < 20
    assert reruns_for(History(10, 10)) == 20
    assert reruns_for(History(100, 50), default=0) == 0


def test_only_what_has_not_passed_runs_again():
    first = [rerun(a=Outcome.PASSED, b=Outcome.FAILED)]
    assert still_open({"a", "b"}, [], {}) == {"a", "b"}
    assert still_open({"a", "b"}, first, {}) == {"b"}
    assert still_open({"a", "b"}, first * 2, {}) == set()
    assert still_open({"b"}, first * 2, {"b": History(10, 3)}) == {"b"}

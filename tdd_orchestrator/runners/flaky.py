"""Flaky or broken (E4): an unexpected failure is run again on the same tree; one pass makes it flaky, and never a pass."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tdd_orchestrator.model.report import Outcome, Report

_RISK = 1e-5  # the chance that we accept of taking a test of known flakiness for broken
_MOST = 20  # runs of one test; more would cost more than a false alarm
_CERTAIN = 0.75  # a test that fails more often than this is not flaky but broken


@dataclass(frozen=True, slots=True)
class History:
    """How often a test ran on trees where it should pass, and how often it failed there all the same."""

    runs: int = 0
    failures: int = 0

    @property
    def rate(self) -> float:
        return self.failures / self.runs if self.runs else 0.0

    def and_then(self, runs: int, failures: int) -> History:
        return History(self.runs + runs, self.failures + failures)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The failures of one run, told apart. ``broken`` failed every time, or could not be run again."""

    broken: frozenset[str]
    flaky: frozenset[str]


def reruns_for(history: History, default: int = 2) -> int:
    """How often to run a failed test again: ``default``, and more often where it is known to fail by itself, so that
    its flakiness alone would fail it every time with a chance of at most one in 100,000."""
    rate = min(history.rate, _CERTAIN)
    if not history.failures or rate <= 0.0 or not default:
        return default
    return max(default, min(_MOST, math.ceil(math.log(_RISK) / math.log(rate)) - 1))


def confirm(failed: Iterable[str], reruns: Sequence[Report]) -> Confirmed:
    """Tell flaky from broken, given reports of the failed tests run again on the same tree.

    A test that passed in any of them is flaky. Absence is not passing: one that no rerun names is broken, and so is
    every one where there was no rerun. A rerun that was skipped says nothing.
    """
    failures = frozenset(failed)
    passed = {case.id for report in reruns for case in report.cases if case.outcome is Outcome.PASSED}
    return Confirmed(failures - passed, failures & passed)


def still_open(
    failed: Iterable[str], reruns: Sequence[Report], histories: Mapping[str, History], default: int = 2
) -> frozenset[str]:
    """The failures that must run again: those that have not passed yet and have runs left."""
    broken = confirm(failed, reruns).broken
    return frozenset(
        one for one in broken if len(reruns) < reruns_for(histories.get(one, History()), default)
    )

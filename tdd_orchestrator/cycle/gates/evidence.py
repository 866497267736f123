"""What a gate may know of one attempt, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tdd_orchestrator.cycle.counterfactual.answers import Asked
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import Case, Comparison, RedReason, Report


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a gate may know of one attempt."""

    baseline: Report
    now: Report | None  # None: nothing was run
    changed: bool  # the candidate's tree differs from the tree the phase started from
    violations: tuple[tuple[str, str], ...] = ()  # (path, why)
    left: tuple[tuple[str, str], ...] = ()  # (path, why it was not taken)
    targets: tuple[str, ...] = ()  # ids that RED proved
    flaky: frozenset[str] = frozenset()  # failed at first, passed when run again on the same tree
    ignore: frozenset[str] = frozenset()  # known failing, quarantined
    agent_failed: str = ""  # why the agent's run does not count as finished, if so


@dataclass(frozen=True, slots=True)
class RedEvidence:
    """What RED's gate needs on top: the new tests as their source names them, and why each failed."""

    new_in_source: tuple[str, ...] = ()  # ids or names found in the new test code
    duplicates: tuple[tuple[str, str], ...] = ()  # (new test, existing test it repeats)
    reason_of: Callable[[Case], RedReason] | None = None
    build_reasons: tuple[RedReason, ...] = ()  # one per build error
    asserts: bool = True  # the new tests do assert something
    hollow: tuple[str, ...] = ()  # new tests that can never fail, as their source shows, with the reason
    idle: tuple[str, ...] = ()  # new tests that use nothing of the project's, as their source shows
    vain: tuple[str, ...] = ()  # new tests that would prove nothing once they pass, each with the reason
    brought: tuple[str, ...] = ()  # files of code without tests that came with the new tests
    passed_before: int = 0  # attempts of this phase that passed at once


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    comparison: Comparison = field(default_factory=Comparison)
    warnings: tuple[str, ...] = ()  # of the checks on top of a proof; they refuse nothing
    asked: Asked | None = None  # the counterfactual questions, where they were put

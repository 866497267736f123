"""The evidence of one attempt that a gate may use, and the judgement it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tdd_orchestrator.cycle.counterfactual.answers import Asked
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.plan import Mutant
from tdd_orchestrator.model.report import Case, Comparison, Counts, RedReason, Report


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a gate may know of one attempt."""

    baseline: Report
    now: Report | None  # None: nothing was run
    changed: bool  # the candidate's tree differs from the tree the phase started from
    violations: tuple[tuple[str, str], ...] = ()  # (path, why)
    left: tuple[tuple[str, str], ...] = ()  # (path, why it was not taken)
    targets: tuple[str, ...] = ()  # ids that RED proved
    target_cases: Mapping[str, tuple[Case, ...]] = field(default_factory=dict)  # of targets found by source
    at_red: Counts | None = None  # of RED's own run, where the runner only counts and every file was loaded
    flaky: frozenset[str] = frozenset()  # failed at first, passed when run again on the same tree
    ignore: frozenset[str] = frozenset()  # known failing, quarantined
    agent_failed: str = ""  # why the agent's run does not count as finished, if so


@dataclass(frozen=True, slots=True)
class RedEvidence:
    """The evidence that RED's gate needs on top: how the tests changed, and why each failed.

    Tests are named by their ids in the source; the rows of a parametrized test are one test.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    cosmetic: frozenset[str] = frozenset()  # nothing but names, imports or format differ
    removed: tuple[str, ...] = ()
    sources: frozenset[str] = frozenset()  # every test of the changed files
    test_of: Mapping[str, str] = field(default_factory=dict)  # case id -> test
    replaced: frozenset[str] = frozenset()  # cases of the baseline that an edit of their own test took away
    duplicates: tuple[tuple[str, str], ...] = ()  # (new test, existing test it repeats)
    reason_of: Callable[[Case], RedReason] | None = None
    build_reasons: tuple[RedReason, ...] = ()  # one per build error, and per file that dies as it runs
    unloaded: tuple[str, ...] = ()  # new and changed tests of files that do not load, or die before them
    old_tests: Report | None = None  # a run without the files that do not load, or that end the run
    cut: bool = (
        False  # the run does not show the old tests; without ``old_tests`` they are as at the baseline
    )
    vacuous: tuple[str, ...] = ()  # tests that pass where the missing symbol is a stub
    may_remove: bool = True  # False: the configuration refuses the removal of tests
    passed_before: int = 0  # attempts of this phase that passed at once


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    comparison: Comparison = field(default_factory=Comparison)
    removed: tuple[str, ...] = ()  # tests that RED took out
    changed: tuple[str, ...] = ()  # tests that were there before, and ask for something else now
    warnings: tuple[str, ...] = ()  # of the checks on top of a proof; they refuse nothing
    mutants: tuple[Mutant, ...] = ()  # that no test notices, or the one that the item's test kills
    uncovered: tuple[str, ...] = ()  # "path:lines" that GREEN wrote and no test executes
    affected: tuple[str, ...] = ()  # tests that execute the code which the next phase may change
    asked: Asked | None = None  # the counterfactual questions, where they were put

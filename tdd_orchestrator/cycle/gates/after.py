"""GREEN and REFACTOR: RED's tests pass, and nothing that passed before is lost (S4, S5)."""

from __future__ import annotations

from tdd_orchestrator.cycle.gates.common import (
    before_the_run,
    names_of,
    regression,
    report_missing,
    run_problem,
)
from tdd_orchestrator.cycle.gates.evidence import Evidence, Judgement
from tdd_orchestrator.cycle.gates.targets import targets_pass
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import Report, RunVerdict, compare


def green(evidence: Evidence) -> Judgement:
    early = before_the_run(Phase.GREEN, evidence)
    if early is not None:
        return early
    now = evidence.now
    assert now is not None
    target = targets_pass(now, evidence)
    broken = report_missing(now, evidence.baseline) or run_problem(now)
    if broken is not None and not (broken.verdict is Verdict.BUILD_ERROR and target is None):
        return broken
    if target is not None:
        return target
    return nothing_lost(evidence, now, Verdict.PROVEN)


def refactor(evidence: Evidence, at_green: Report) -> Judgement:
    early = before_the_run(Phase.REFACTOR, evidence)
    if early is not None:
        return early
    now = evidence.now
    assert now is not None
    broken = report_missing(now, at_green) or run_problem(now)
    if broken is not None:
        return broken
    target = targets_pass(now, evidence)
    if target is not None:
        return Judgement(Verdict.BREAKS_EXISTING, target.reasons, failing=target.failing)
    judged = nothing_lost(evidence, now, Verdict.PROVEN, before=at_green)
    if judged.verdict is Verdict.PROVEN and now.complete and at_green.complete:
        added = now.passing_ids - at_green.passing_ids - evidence.flaky - evidence.ignore
        if added:
            return Judgement(
                Verdict.FORBIDDEN_CHANGE, (f"refactoring brought new tests: {names_of(sorted(added))}",)
            )
    return judged


def nothing_lost(evidence: Evidence, now: Report, yes: Verdict, before: Report | None = None) -> Judgement:
    """Return ``yes`` where the run succeeds and every test that passed before passes; else a refusal."""
    comparison = compare(before or evidence.baseline, now, ignore=evidence.ignore | evidence.flaky)
    lost = regression(comparison)
    if lost is not None:
        return lost
    fewer = evidence.baseline.counts and now.counts and now.counts.passed < evidence.baseline.counts.passed
    if before is None and not evidence.baseline.complete and fewer:
        return Judgement(Verdict.TEST_VANISHED, ("fewer tests pass than at the baseline",))
    if now.verdict is not RunVerdict.PASSED and not ends_as_before(now, evidence.baseline):
        return _not_green(now, evidence)
    passing = now.counts.passed if now.counts else len(now.passing_ids)
    return Judgement(
        yes,
        ("1 test passes" if passing == 1 else f"{passing} tests pass",),
        targets=evidence.targets,
        flaky=tuple(sorted(evidence.flaky)),
        comparison=comparison,
    )


def ends_as_before(now: Report, baseline: Report) -> bool:
    """Return whether a red run shows only what was red at the baseline already (E1): the same exit code,
    no new failing test, and every runner has run again."""
    before = {case.id for case in baseline.failing}
    return (
        now.verdict is RunVerdict.FAILED
        and baseline.verdict is RunVerdict.FAILED
        and now.exit_code == baseline.exit_code
        and bool(now.failing)
        and now.complete
        and all(case.id in before for case in now.failing)
        and set(baseline.runners) <= set(now.runners)
    )


def _not_green(now: Report, evidence: Evidence) -> Judgement:
    failing = tuple(case.id for case in now.failing)
    before = {case.id for case in evidence.baseline.failing}
    if failing and before >= set(failing):
        return Judgement(Verdict.BREAKS_EXISTING, (_ends_otherwise(now, evidence.baseline),), failing=failing)
    if failing and set(failing) <= evidence.flaky | evidence.ignore | before:
        return Judgement(
            Verdict.FLAKY,
            (
                (
                    f"no run of the whole suite succeeded: {names_of(failing)} failed, as a test that is known "
                    "to be flaky"
                ),
            ),
            failing=failing,
            flaky=failing,
        )
    names = names_of(case.name for case in now.failing) or now.why or str(now.verdict)
    return Judgement(Verdict.BREAKS_EXISTING, (f"the suite is not green: {names}",), failing=failing)


def _ends_otherwise(now: Report, baseline: Report) -> str:
    """Say how a run without a new failing test differs from the baseline's, which failed as well."""
    if now.exit_code != baseline.exit_code:
        return (
            f"the test command ended with exit code {now.exit_code}; before the change with "
            f"{baseline.exit_code}"
        )
    silent = sorted(set(baseline.runners) - set(now.runners))
    if silent:
        return f"ran before the change, and not now: {names_of(silent)}"
    return f"the suite is not green: {now.why or now.verdict}"

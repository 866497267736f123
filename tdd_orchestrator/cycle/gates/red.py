"""RED: new tests exist, every one of them fails, for a reason that is proper, and nothing else changed (S3)."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.cycle.gates.common import (
    NAMED,
    before_the_run,
    names_of,
    regression,
    run_problem,
    stopped_early,
)
from tdd_orchestrator.cycle.gates.evidence import Evidence, Judgement, RedEvidence
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import BAD, Case, Comparison, Outcome, Reason, Report, compare

_IN_RED = {Verdict.BUILD_ERROR: Verdict.INVALID_TEST, Verdict.TEST_VANISHED: Verdict.BREAKS_EXISTING}
"""What RED calls by its own names (S3)."""


def red(evidence: Evidence, more: RedEvidence) -> Judgement:
    early = before_the_run(Phase.RED, evidence)
    if early is not None:
        return early
    now = evidence.now
    assert now is not None
    if more.duplicates:
        new, old = more.duplicates[0]
        return Judgement(Verdict.DUPLICATE_TEST, (f"{new} repeats {old}",))
    if more.hollow and now.build_error:
        return Judgement(
            Verdict.INVALID_TEST, more.hollow[:NAMED]
        )  # a pass would have shown it; this never loads
    if now.build_error and _only_new_files_fail(evidence.baseline, now):
        return _red_that_does_not_load(evidence, more)
    comparison = compare(evidence.baseline, now, ignore=evidence.ignore | evidence.flaky)
    broken = run_problem(now) or regression(comparison, stopped_early(now, evidence.baseline, comparison))
    if broken is not None:
        return replace(broken, verdict=_IN_RED.get(broken.verdict, broken.verdict))
    return _red_by_case(evidence, more, comparison)


def _red_by_case(evidence: Evidence, more: RedEvidence, comparison: Comparison) -> Judgement:
    now = evidence.now
    assert now is not None
    fresh = comparison.new
    if not now.complete and not fresh:
        return _red_by_count(evidence, more)
    if not fresh:
        return Judgement(Verdict.NO_NEW_TEST, ("no test exists that was not there before",))
    passing = [case for case in fresh if case.outcome not in BAD]
    if len(passing) == len(fresh):
        return _passes_at_once(fresh, more)
    if passing:
        names = names_of(case.name for case in passing)
        return Judgement(Verdict.UNEXPECTED_PASS, (f"every new test must fail, but {names} did not",))
    flaky = [case.id for case in fresh if case.id in evidence.flaky]
    if flaky:
        return Judgement(Verdict.FLAKY, (f"{names_of(flaky)} fails only sometimes",), flaky=tuple(flaky))
    wrong = _wrong_reasons(fresh, more)
    if wrong:
        return Judgement(Verdict.INVALID_TEST, wrong, failing=tuple(case.id for case in fresh))
    if more.vain:
        return Judgement(Verdict.INVALID_TEST, more.vain[:NAMED], failing=tuple(case.id for case in fresh))
    return Judgement(
        Verdict.PROVEN,
        tuple(f"{case.name} fails: {_why(case, more)}" for case in fresh[:NAMED]),
        targets=tuple(case.id for case in fresh),
        failing=tuple(case.id for case in fresh),
        flaky=tuple(sorted(evidence.flaky)),
        comparison=comparison,
    )


def _red_by_count(evidence: Evidence, more: RedEvidence) -> Judgement:
    """A runner that names no tests: what is new is known from the source, that it fails from the counts."""
    now, before = evidence.now, evidence.baseline
    assert now is not None
    if now.counts is None or before.counts is None:
        return Judgement(Verdict.UNREADABLE, ("the runner names no tests and its output shows no counts",))
    more_failures = now.counts.bad - before.counts.bad
    if not more.new_in_source and now.counts.total <= before.counts.total:
        return Judgement(Verdict.NO_NEW_TEST, ("the number of tests did not grow",))
    if now.counts.passed < before.counts.passed:
        return Judgement(Verdict.BREAKS_EXISTING, ("fewer tests pass than before",))
    if more_failures <= 0 and now.counts.passed <= before.counts.passed:
        return Judgement(
            Verdict.UNEXPECTED_PASS, ("every new test must fail, and what is new was not even run",)
        )
    if more_failures <= 0:
        return _passes_at_once((), more)
    if now.counts.passed > before.counts.passed:
        return Judgement(Verdict.UNEXPECTED_PASS, ("every new test must fail, but some pass",))
    names = more.new_in_source or tuple(case.id for case in now.failing)
    return Judgement(
        Verdict.PROVEN, (f"{more_failures} more failing than before",), targets=names, failing=names
    )


def _only_new_files_fail(baseline: Report, now: Report) -> bool:
    """Some runners list a file that does not load as a failing test of its own, beside the build error. What failed
    at the baseline already may fail on."""
    before = {case.id for case in baseline.cases if case.outcome not in BAD}
    return not any(case.id in before for case in now.failing)


def _red_that_does_not_load(evidence: Evidence, more: RedEvidence) -> Judgement:
    """Proper RED all the same where every error is a name, in new test code, that the project is to define."""
    now = evidence.now
    assert now is not None
    if not more.new_in_source:
        return Judgement(Verdict.INVALID_TEST, tuple(error.message[:200] for error in now.build_errors[:3]))
    wrong = tuple(
        f"{reason.reason}: {reason.evidence}" for reason in more.build_reasons if not reason.acceptable
    )
    if wrong or not more.build_reasons:
        return Judgement(Verdict.INVALID_TEST, wrong or ("the suite does not load",))
    known = {case.id for case in evidence.baseline.cases}
    passing = [case.name for case in now.cases if case.outcome is Outcome.PASSED and case.id not in known]
    if passing:
        return Judgement(
            Verdict.UNEXPECTED_PASS, (f"every new test must fail, but {names_of(passing)} did not",)
        )
    return Judgement(
        Verdict.PROVEN,
        tuple(f"the tests need what is not there yet: {reason.evidence}" for reason in more.build_reasons[:3]),
        targets=more.new_in_source,
        failing=more.new_in_source,
    )  # fmt: skip


def _passes_at_once(fresh: tuple[Case, ...], more: RedEvidence) -> Judgement:
    names = names_of(case.name for case in fresh) or names_of(more.new_in_source) or "the new test"
    dodged = [case for case in fresh if case.outcome is not Outcome.PASSED]
    if dodged:  # it covers nothing, however often it comes
        how = ", ".join(f"{case.name} was {case.outcome}" for case in dodged[:NAMED])
        return Judgement(Verdict.UNEXPECTED_PASS, (f"every new test must fail, but {how}",))
    if not more.asserts:
        return Judgement(Verdict.UNEXPECTED_PASS, (f"{names} passes without checking anything",))
    if more.idle:
        return Judgement(
            Verdict.UNEXPECTED_PASS, (f"{names_of(more.idle)} passes without using anything of the project",)
        )
    if more.brought:
        return Judgement(
            Verdict.UNEXPECTED_PASS, (f"{names} passes, with {names_of(more.brought)} brought along",)
        )
    if more.passed_before:
        told = f"nothing was built for the item and no test was kept: that it is covered, {names} says alone"
        return Judgement(
            Verdict.ALREADY_COVERED, (f"{names} passes again, and does check something",), warnings=(told,)
        )
    return Judgement(Verdict.UNEXPECTED_PASS, (f"{names} passes before anything was implemented",))


def _wrong_reasons(fresh: tuple[Case, ...], more: RedEvidence) -> tuple[str, ...]:
    if more.reason_of is None:
        return ()
    wrong = []
    for case in fresh:
        reason = more.reason_of(case)
        missing = reason.reason is Reason.MISSING_SYMBOL  # it keeps a fixture from running as it does a file
        if case.phase in ("setup", "teardown") and not missing:
            wrong.append(f"{case.name} fails in its {case.phase}: {case.message[:200]}")
        elif not reason.acceptable:
            wrong.append(f"{case.name} fails by {reason.reason}: {reason.evidence or case.message[:200]}")
    return tuple(wrong)


def _why(case: Case, more: RedEvidence) -> str:
    if more.reason_of is None:
        return case.message[:200]
    reason = more.reason_of(case)
    return f"{reason.reason}, {reason.evidence or case.message}"[:240]

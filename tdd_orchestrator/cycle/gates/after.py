"""Gates of code that is there: GREEN, REFACTOR, a mutant's RED, and the answers to the questions (S4, S5,
E7).
"""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.cycle.counterfactual.answers import Asked, Question, Word
from tdd_orchestrator.cycle.gates.evidence import (
    Evidence,
    Judgement,
    before_the_run,
    names_of,
    regression,
    report_missing,
    run_problem,
    targets_pass,
)
from tdd_orchestrator.cycle.gates.red import IN_RED
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import Mutant
from tdd_orchestrator.model.report import Comparison, Report, RunVerdict, compare


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
    earlier = before or evidence.baseline
    comparison = compare(earlier, now, ignore=evidence.ignore | evidence.flaky)
    lost = regression(comparison)
    if lost is not None:
        return lost
    fewer = earlier.counts and now.counts and now.counts.passed < earlier.counts.passed
    if not earlier.complete and fewer:
        return Judgement(Verdict.TEST_VANISHED, ("fewer tests pass than before the change",))
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
    every failing test named and none of them new, and every runner has run again. Where no test failed at
    the baseline, something beside the tests did, and may still."""
    before = {case.id for case in baseline.failing}
    named = now.complete or (now.counts is not None and now.counts.bad == len(now.failing))
    return (
        now.verdict is RunVerdict.FAILED
        and baseline.verdict is RunVerdict.FAILED
        and now.exit_code == baseline.exit_code
        and bool(now.failing) is bool(baseline.failing)
        and named
        and all(case.id in before for case in now.failing)
        and set(baseline.runners) <= set(now.runners)
    )


def _not_green(now: Report, evidence: Evidence) -> Judgement:
    failing = tuple(case.id for case in now.failing)
    before = {case.id for case in evidence.baseline.failing}
    if failing and before >= set(failing):
        return Judgement(Verdict.BREAKS_EXISTING, (_ends_otherwise(now, evidence.baseline),), failing=failing)
    if failing and set(failing) <= evidence.flaky | evidence.ignore | before:
        return _no_run_succeeded(now, evidence)
    if not failing and now.exit_code:
        return Judgement(Verdict.BREAKS_EXISTING, (_fails_beside_tests(now),))
    names = names_of(case.name for case in now.failing) or now.why or str(now.verdict)
    return Judgement(Verdict.BREAKS_EXISTING, (f"the suite is not green: {names}",), failing=failing)


def _no_run_succeeded(now: Report, evidence: Evidence) -> Judgement:
    """Judge a suite that was run again and again, in which only tests failed that are known to be flaky: one that
    passed in none of these runs is looked at as any test that broke."""
    said, failing = "no run of the whole suite succeeded", tuple(case.id for case in now.failing)
    broken = tuple(case for case in now.failing if case.id not in evidence.flaky)
    if broken:
        names = names_of(case.id for case in broken)
        why = f"{said}: {names} failed each time; it was flaky before, and may be broken now"
        comparison = Comparison(newly_failing=broken)
        return Judgement(Verdict.BREAKS_EXISTING, (why,), failing=failing, comparison=comparison)
    why = f"{said}: {names_of(failing)} failed, as a test that is known to be flaky"
    return Judgement(Verdict.FLAKY, (why,), failing=failing, flaky=failing)


def _fails_beside_tests(now: Report) -> str:
    """Say how a command ended in which no test failed: a linter or a coverage threshold stands beside them."""
    last = f"; its output ends: {now.ending}" if now.ending else ""
    return f"no test failed, and the test command ended with exit code {now.exit_code}{last}"


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


def unharmed(evidence: Evidence) -> Judgement | None:
    """Refuse a plain run that does not succeed, or in which a test that passed before does not pass."""
    early = before_the_run(Phase.RED, evidence)
    if early is not None:
        return early
    now = evidence.now
    assert now is not None
    judged = report_missing(now, evidence.baseline) or run_problem(now)
    judged = judged or nothing_lost(evidence, now, Verdict.PROVEN)
    if judged.verdict is Verdict.PROVEN:
        return None
    known = {case.id for case in evidence.baseline.cases}
    fresh = [case.name for case in now.failing if case.id not in known]
    if fresh and not judged.comparison.newly_failing:
        what = f"{names_of(fresh)} fails on the code as it is; it must pass there, and fail with the mutant"
        return replace(judged, verdict=Verdict.INVALID_TEST, reasons=(what,))
    return replace(judged, verdict=IN_RED.get(judged.verdict, judged.verdict))


def killed(judged: Judgement, mutant: Mutant) -> Judgement:
    """Read RED's judgement of the run with the mutant in place."""
    if judged.verdict is Verdict.PROVEN:
        reasons = (f"the new test fails with {mutant}, and passes without it", *judged.reasons)
        return replace(judged, verdict=Verdict.MUTANT_KILLED, reasons=reasons, mutants=(mutant,))
    return replace(judged, reasons=tuple(f"with {mutant}: {reason}" for reason in judged.reasons))


_STILL_PASSES = {
    Question.POISON: "passes although a failing statement stands at its end",
    Question.SHIFT: "passes with other expected values, too",
    Question.STUB: "passes without the new code",
}


def questioned(judged: Judgement, asked: Asked, require: tuple[str, ...]) -> Judgement:
    """Return the judgement as it was, or a refusal: a target that still passes, or a required answer that is
    missing."""
    judged = replace(judged, asked=asked)
    still = asked.still_passing
    if still:
        verdict = Verdict.TAMPERED if asked.blame == "code" else Verdict.VACUOUS_TEST
        who = (
            "the new code keeps it from failing" if asked.blame == "code" else "the test itself lets it pass"
        )
        reasons = tuple(
            f"{answer.test} {_STILL_PASSES[answer.question]}: {answer.why or who}" for answer in still[:3]
        )
        return replace(judged, verdict=verdict, reasons=reasons)
    missing = [one for one in asked.answers if one.word is Word.NOT_ASKED and one.question in require]
    if missing:
        reasons = tuple(
            (
                f"{one.test}: the question '{one.question}' has no answer ({one.why}), and "
                "proof.require wants one"
            )
            for one in missing[:3]
        )
        return replace(judged, verdict=Verdict.VACUOUS_TEST, reasons=reasons)
    return judged


def refactored(judged: Judgement, asked: Asked, at_green: Asked) -> Judgement:
    """Return the judgement as it was, or a refusal: a target that could fail at GREEN and no longer can."""
    judged = replace(judged, asked=asked)
    before = {(answer.question, answer.test) for answer in at_green.still_passing}
    reasons = tuple(
        (
            f"{answer.test} {_STILL_PASSES[answer.question]}, and did not at GREEN: the refactored "
            "code keeps it from failing"
        )
        for answer in asked.still_passing
        if (answer.question, answer.test) not in before
    )
    return replace(judged, verdict=Verdict.TAMPERED, reasons=reasons[:3]) if reasons else judged


def fix_questioned(judged: Judgement, asked: Asked) -> Judgement:
    """Return the judgement of a fix as it was, or a refusal: a test that passes now and can no longer
    fail."""
    judged = replace(judged, asked=asked)
    reasons = tuple(
        f"{answer.test} {_STILL_PASSES[answer.question]}: the fix keeps it from failing"
        for answer in asked.still_passing[:3]
    )
    return replace(judged, verdict=Verdict.TAMPERED, reasons=reasons) if reasons else judged

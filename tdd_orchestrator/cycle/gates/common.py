"""Refusals that every phase shares: before a run, by the run as a whole, and by lost tests."""

from __future__ import annotations

from tdd_orchestrator.cycle.gates.evidence import Evidence, Judgement
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import CHANGED, Comparison, Report, RunVerdict

NAMED = 5  # how many tests a reason names


def before_the_run(phase: Phase, evidence: Evidence) -> Judgement | None:
    """Return the judgement that needs no run: forbidden changes, no change, a failed agent."""
    if evidence.violations:
        return Judgement(
            Verdict.FORBIDDEN_CHANGE, tuple(f"{path}: {why}" for path, why in evidence.violations[:8])
        )
    if not evidence.changed:
        if evidence.agent_failed:
            return Judgement(Verdict.AGENT_FAILED, (evidence.agent_failed,))
        if phase is Phase.REFACTOR:
            return Judgement(Verdict.UNCHANGED, ("nothing to improve, nothing changed",))
        left = tuple(f"{path} was not taken: {why}" for path, why in evidence.left[:5])
        return Judgement(Verdict.NO_CHANGE, ("the agent changed nothing", *left))
    now = evidence.now
    known = evidence.baseline.disagreements
    patched = [
        one for one in (now.disagreements if now else ()) if one.startswith(CHANGED) and one not in known
    ]
    if patched:
        return Judgement(Verdict.TAMPERED, tuple(patched[:NAMED]))
    return None


_RUN_PROBLEMS = {
    RunVerdict.CRASHED: Verdict.CRASHED,
    RunVerdict.TIMED_OUT: Verdict.TIMED_OUT,
    RunVerdict.UNREADABLE: Verdict.UNREADABLE,
    RunVerdict.NO_TESTS: Verdict.UNREADABLE,
}


def report_missing(now: Report, baseline: Report) -> Judgement | None:
    """Refuse a run that passes without the report that the baseline's run left: only its output speaks for
    it."""
    if now.verdict is RunVerdict.PASSED and now.source == "text" and baseline.source == "report":
        return Judgement(
            Verdict.UNREADABLE, ("the run left no report, and the run before the change left one",)
        )
    return None


def run_problem(now: Report) -> Judgement | None:
    """A run that cannot be judged test by test."""
    failing = tuple(case.id for case in now.failing)
    if now.verdict in _RUN_PROBLEMS:
        why = now.why or {"no_tests": "no test was run"}.get(str(now.verdict), str(now.verdict))
        return Judgement(_RUN_PROBLEMS[now.verdict], (why,), failing=failing)
    if now.build_error or now.verdict is RunVerdict.ERROR:
        first = tuple(
            f"{error.file}:{error.line}: {error.message[:200]}" if error.file else error.message[:200]
            for error in now.build_errors[:3]
        )
        return Judgement(
            Verdict.BUILD_ERROR, first or (now.why or "the suite could not be loaded",), failing=failing
        )
    return None


def stopped_early(now: Report, baseline: Report, comparison: Comparison) -> str:
    """Return a sentence where a part of the command did not run because an earlier part failed; "" where
    all ran."""
    missing = [runner for runner in baseline.runners if runner not in now.runners]
    if not comparison.vanished or not missing or not now.exit_code:
        return ""
    return (
        f"the test command stops at its first failing part: {names_of(missing)} did not run; give "
        "each part a "
        "[[test.suite]] of its own in tdd.toml"
    )


def regression(comparison: Comparison, early: str = "") -> Judgement | None:
    """Return a refusal where a test that passed fails or is missing.

    ``early``: why a part of the command did not run.
    """
    if comparison.newly_failing:
        cases = comparison.newly_failing
        reasons = tuple(f"{case.name} passed before: {case.message[:200]}" for case in cases[:NAMED])
        return Judgement(
            Verdict.BREAKS_EXISTING, reasons, failing=tuple(c.id for c in cases), comparison=comparison
        )
    if comparison.vanished:
        why = early or f"passed before, not run now: {names_of(comparison.vanished)}"
        return Judgement(Verdict.TEST_VANISHED, (why,), comparison=comparison)
    return None


def names_of(names: object) -> str:
    listed = list(names)  # type: ignore[call-overload]
    shown = ", ".join(str(name) for name in listed[:NAMED])
    return shown + (f" and {len(listed) - NAMED} more" if len(listed) > NAMED else "")

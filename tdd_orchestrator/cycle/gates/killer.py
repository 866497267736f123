"""The gate of a mutant's RED: the suite passes as it is, and its new test fails with the mutant in place."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.cycle.gates.after import nothing_lost
from tdd_orchestrator.cycle.gates.common import before_the_run, names_of, report_missing, run_problem
from tdd_orchestrator.cycle.gates.evidence import Evidence, Judgement
from tdd_orchestrator.cycle.gates.red import IN_RED
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import Mutant


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

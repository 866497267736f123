"""RED of a mutant's item: its test passes on the code as it is, and fails with the mutant in place (E7)."""

from __future__ import annotations

import math
from dataclasses import replace

from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.extra_checks import text_with
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.proof import Prover
from tdd_orchestrator.cycle.red.red_evidence import red_evidence
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.plan import Mutant
from tdd_orchestrator.model.report import Report, compare


def already_settled(context: CycleContext, state: CycleState, mutant: Mutant, baseline: Report) -> str:
    """Return why a mutant needs no test any more: its code was removed, or a test notices it now; ""
    where it needs one."""
    text = text_with(context.repo, state.base, mutant)
    if text is None:
        return "the code that it changes is gone"
    context.watch.doing("RED: running the tests with the mutant in place")
    failing = compare(baseline, _run(context.prover, state.base, mutant, text)).newly_failing
    return f"{failing[0].name} fails with it" if failing else ""


def judge_killer(
    context: CycleContext, state: CycleState, mutant: Mutant, evidence: Evidence, candidate: Candidate
) -> Judgement:
    """Ask RED's gate about a run with the mutant in place, once the plain run has succeeded."""
    refused = gates.unharmed(evidence)
    if refused is not None:
        return refused
    text = text_with(context.repo, candidate.tree, mutant)
    assert text is not None, "RED changes no code"
    context.watch.doing("RED: running the tests with the mutant in place")
    mutated = replace(evidence, now=_run(context.prover, candidate.commit, mutant, text))
    return gates.killed(gates.red(mutated, red_evidence(context, state, mutated, candidate)), mutant)


def _run(prover: Prover, commit: str, mutant: Mutant, text: str) -> Report:
    return prover.run_rewritten(commit, {mutant.path: text}, (), math.inf)[0]

"""RED of an item whose test passes as the code is: a mutant's has to fail with the mutant in place (E7); an
acceptance item's failed before the item's children were done.
"""

from __future__ import annotations

import math
from dataclasses import replace

from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import Candidate, changes_between
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.extra_checks import text_with
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.proof import Prover
from tdd_orchestrator.cycle.rebase import LandingConflict, rebased_tree
from tdd_orchestrator.cycle.red.red_evidence import red_evidence
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.model.phase import Verdict
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


def judge_outer(
    context: CycleContext, state: CycleState, evidence: Evidence, candidate: Candidate
) -> Judgement:
    """Ask RED's gate about the commit on which the test was written, once the run on today's branch has
    succeeded. The candidate must be that commit's change and nothing else."""
    try:
        kept = context.repo.objects.read_commit(state.outer)
        before = context.repo.objects.read_commit(kept.parents[0])
        moved = rebased_tree(context.repo, state.tip, state.outer, state.branch)
    except StoreDamaged:
        why = f"{state.outer[:12]}, on which the test failed, is missing: `tdd sync` may bring it"
        return Judgement(Verdict.UNREADABLE, (why,))
    except LandingConflict:
        moved = ""
    if moved != candidate.tree:
        return Judgement(Verdict.UNEXPECTED_PASS, (f"it is not the test that failed as {state.outer[:12]}",))
    context.watch.doing("RED: running the acceptance test as it was before its items")
    changes = changes_between(context.repo, before.tree, kept.tree)
    then = Candidate(kept.tree, state.outer, changes, base=before.tree, own=True)
    seen = replace(
        evidence,
        baseline=_run_outer(context, kept.parents[0], before.tree),
        now=_run_outer(context, state.outer, kept.tree),
    )
    earlier = replace(state, base=kept.parents[0], tip=kept.parents[0])
    judged = gates.red(seen, red_evidence(context, earlier, seen, then))
    if judged.verdict is not Verdict.PROVEN:
        return replace(judged, reasons=tuple(f"before its items: {reason}" for reason in judged.reasons))
    reason = f"{', '.join(judged.targets[:3])} failed before the items below it were done, and passes now"
    return replace(judged, verdict=Verdict.OUTER_PASSES, reasons=(reason,))


def _run_outer(context: CycleContext, commit: str, tree: str) -> Report:
    return context.prover.prove(commit, tree, suspects=lambda _: ()).report

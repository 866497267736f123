"""The second RED of an acceptance item: its test failed before the item's children were done, and passes now."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import Candidate, changes_between
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.rebase import LandingConflict, rebased_tree
from tdd_orchestrator.cycle.red.red_evidence import red_evidence
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import Report


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
        baseline=_run(context, kept.parents[0], before.tree),
        now=_run(context, state.outer, kept.tree),
    )
    earlier = replace(state, base=kept.parents[0], tip=kept.parents[0])
    judged = gates.red(seen, red_evidence(context, earlier, seen, then))
    if judged.verdict is not Verdict.PROVEN:
        return replace(judged, reasons=tuple(f"before its items: {reason}" for reason in judged.reasons))
    reason = f"{', '.join(judged.targets[:3])} failed before the items below it were done, and passes now"
    return replace(judged, verdict=Verdict.OUTER_PASSES, reasons=(reason,))


def _run(context: CycleContext, commit: str, tree: str) -> Report:
    return context.prover.prove(commit, tree, suspects=lambda _: ()).report

"""Examples of RED's tables that GREEN's agent is not shown, and how its code did on them (E7)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tdd_orchestrator.cycle.attempt.candidate import Candidate, tree_of
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.counterfactual.subject import SLOWEST
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.languages.tables import without_rows
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.workspace.guard import is_test

_FAILS = (Verdict.STILL_FAILING, Verdict.PARTLY_FAILING)


NO_TABLE = "no example was withheld: RED wrote no table of examples that can be read"


@dataclass(frozen=True, slots=True)
class GivenTree:
    """The commit that an agent is given. ``texts`` are its test files that lack ``count`` examples."""

    commit: str
    texts: Mapping[str, str] = field(default_factory=dict)
    count: int = 0


def withhold(context: CycleContext, state: CycleState, start: str) -> GivenTree:
    """Return what GREEN's agent is given in place of ``start``; ``start`` itself where nothing is withheld.

    The commit stands on the cycle's base, so that the history which the agent sees has no other version of
    the tests.
    """
    if state.phase is not Phase.GREEN or not context.settings.withhold or context.settings.inplace:
        return GivenTree(start)
    attempt_plan = len(state.refused(everything=True))
    entries, texts, count = {}, {}, 0
    for raw, was, now in differing(
        context.repo.objects, tree_of(context.repo, state.base), tree_of(context.repo, start)
    ):
        path = os.fsdecode(raw)
        if now is None or not is_test(path, context.project.rules):
            continue
        text, before = (
            context.repo.objects.read(entry[1])[1].decode("utf-8", "replace") if entry else ""
            for entry in (now, was)
        )
        shown, hidden = without_rows(text, before, path, state.cycle_id, attempt_plan)
        if hidden:
            entries[raw] = (now[0], context.repo.objects.write_blob(shown.encode()))
            texts[path], count = shown, count + hidden
    if not entries:
        return GivenTree(start)
    tree = context.repo.objects.edit_tree(tree_of(context.repo, start), entries)
    facts = context.repo.objects.read_commit(start)
    commit = context.repo.objects.write_commit(
        tree, [state.base], facts.message, author=facts.author, committer=facts.committer
    )
    return GivenTree(commit, texts, count)


def explain(
    prover: Prover, candidate: Candidate, judged: Judgement, proof: Proof | None, shown: GivenTree
) -> Judgement:
    """Say in a judgement of GREEN how the withheld examples did."""
    examples = f"{shown.count} withheld {'example' if shown.count == 1 else 'examples'}"
    if judged.verdict is Verdict.PROVEN:
        if shown.count:
            return replace(judged, reasons=(*judged.reasons, f"{examples} of RED's tables pass as well"))
        return replace(judged, warnings=(*judged.warnings, NO_TABLE))
    if judged.verdict not in _FAILS or not shown.count or proof is None:
        return judged
    failing = [case for case in proof.report.failing if case.id in judged.failing]
    report, _ = prover.run_rewritten(candidate.commit, shown.texts, failing, SLOWEST)
    if report.verdict is not RunVerdict.PASSED:
        return judged
    why = (
        f"it passes every example that the agent was shown, and not the {examples}: a special case, or "
        "a rule that they alone state"
    )
    return replace(judged, reasons=(why, *judged.reasons))

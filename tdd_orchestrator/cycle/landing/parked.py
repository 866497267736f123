"""Landing by hand: a cycle whose landing conflicted is parked, and recognized once its work is merged
(W3)."""

from __future__ import annotations

from tdd_orchestrator.cycle.attempt.candidate import file_at, paths_between
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.landing import ending
from tdd_orchestrator.cycle.state import CycleState, fold
from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO
from tdd_orchestrator.workspace.guard import is_test

REF = "refs/tdd/parked/"
"""One ref for each parked cycle, at its last commit: named after the cycle's id."""


def park(context: CycleContext, state: CycleState, item: Item, conflict: TddError) -> CycleState:
    """End a cycle that cannot land as it is: keep it, report it, and continue with other items."""
    context.agents.tree.release(state.base)
    why = f"{conflict.what} {conflict.todo}"
    escalated = context.reporter.escalated(context, state, item, why)
    return ending.end(
        context, state, "parked", state.tip, f"parked: {state.item} conflicts with {state.branch}",
        reasons=[why], escalated=escalated, pins={f"{REF}{state.cycle_id}": state.tip},
    )  # fmt: skip


def recognize(context: CycleContext) -> None:
    """End every parked cycle whose work the user's branch holds now, by a merge, a squash or a cherry-pick:
    the branch is proven, then it has landed.

    Only where no cycle is under way: the newest record of a cycle says which one goes on.
    """
    for ref, tip in refs.listed(context.repo.git, REF).items():
        cycle = ref.removeprefix(REF)
        mine = [one.typed for one in context.repo.store.mine() if one.record["cycle_id"] == cycle]
        parked = fold(reversed(mine))
        head = refs.read(context.repo.git, f"refs/heads/{parked.branch}") if parked else None
        if parked is None or head is None or not _holds_work(context, parked, head, tip):
            continue
        ending.merged_by_hand(context, parked, head)
        refs.update(context.repo.git, [(ref, ZERO, tip)], reason="tdd: merged by hand")


def _holds_work(context: CycleContext, parked: CycleState, head: str, tip: str) -> bool:
    """Whether the branch holds the cycle's commits, or at least every line that its tests added: a squash, a
    cherry-pick and a solved conflict leave commits and code of their own."""
    if context.repo.git.holds(head, tip):
        return True
    paths = [
        path for path in paths_between(context.repo, parked.base, tip) if is_test(path, context.project.rules)
    ]
    added = {
        path: _lines(context.repo, tip, path) - _lines(context.repo, parked.base, path) for path in paths
    }
    there = all(lines <= _lines(context.repo, head, path) for path, lines in added.items())
    return there and any(added.values())


def _lines(repo: Repository, commit: str, path: str) -> set[bytes]:
    return set((file_at(repo, commit, path) or b"").splitlines()) - {b""}

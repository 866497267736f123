"""A cycle that cannot land on the moved branch: continued from there, parked, or merged by hand (W3)."""

from __future__ import annotations

from contextlib import suppress

from tdd_orchestrator.cycle.attempt.candidate import file_at, paths_between, tree_of
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.landing import ending
from tdd_orchestrator.cycle.landing.reproof import prove_again
from tdd_orchestrator.cycle.rebase import LandingConflict, rebased_tree
from tdd_orchestrator.cycle.start import baseline
from tdd_orchestrator.cycle.state import CycleState, fold, place
from tdd_orchestrator.model.errors import NotProven, TddError
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import Handoff, Rebased
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO
from tdd_orchestrator.workspace.guard import is_test


def may_replan(context: CycleContext, state: CycleState) -> bool:
    """Whether the cycle has gone on from a moved branch fewer times than the settings allow, and the
    branch is there."""
    before = sum(isinstance(one, Rebased) and one.next_phase != Phase.COMPLETE for one in context.run.records)
    return (
        before < context.settings.replans
        and refs.read(context.repo.git, f"refs/heads/{state.branch}") is not None
    )


def replan(context: CycleContext, state: CycleState, why: TddError) -> CycleState:
    """Continue the cycle from the branch as it is now: in GREEN where RED's commit applies and fails
    there, else in RED."""
    head = refs.read(context.repo.git, f"refs/heads/{state.branch}")
    assert head is not None
    mapping: dict[str, str] = {}
    with suppress(LandingConflict, NotProven):
        moved = _red_on(context.repo, state, head)
        prove_again(context, state, head, moved)
        mapping = moved if _fails_as_before(context, state, moved[state.red]) else {}
    tests, known = baseline(context, head)
    phase = Phase.GREEN if mapping else Phase.RED
    tip = mapping.get(state.red, head)
    record = Rebased(**place(state, Phase.COMPLETE, phase, base=head, tip=tip), mapping=mapping,
                     baseline_tests=tests, known_failing=sorted(known))  # fmt: skip
    pins = {
        f"refs/tdd/attempts/{state.cycle_id}/before-{head[:12]}": state.tip,
        **({f"refs/tdd/attempts/{state.cycle_id}/red-on-{head[:12]}": tip} if mapping else {}),
    }
    subject = f"{phase} again on {head[:12]}: {state.item}"
    new = context.write_step(tip, record, subject, pins=pins)
    kept = "its test is kept" if mapping else "it begins again with its test"
    context.watch.note(f"{state.item}: {why.what.rstrip('.')}; {kept}, on {head[:12]}")
    return new


def _fails_as_before(context: CycleContext, state: CycleState, moved: str) -> bool:
    """Whether the same tests fail on the moved RED as failed when it was accepted, and no other one."""
    accepted = [one for one in context.run.records if isinstance(one, Handoff) and one.phase == Phase.RED][-1]
    proof = context.prover.recorded(tree_of(context.repo, moved), read_all(context.repo.store.own(moved)))
    failing = {case.id for case in proof.report.failing} if proof else set()
    return bool(failing) and failing == set(accepted.tests.failing_tests)


def _red_on(repo: Repository, state: CycleState, head: str) -> dict[str, str]:
    """Return RED's commit -> the same change on ``head``; LandingConflict where it does not apply."""
    facts = repo.objects.read_commit(state.red)
    tree = rebased_tree(repo, head, state.red, state.branch, state.tip)
    moved = repo.objects.write_commit(
        tree, [head], facts.message, author=facts.author, committer=facts.committer
    )
    return {state.red: moved}


REF = "refs/tdd/parked/"
"""One ref for each parked cycle, at its last commit: named after the cycle's id."""


def park(context: CycleContext, state: CycleState, item: Item, conflict: TddError) -> CycleState:
    """End a cycle that cannot land as it is: keep it, report it, and continue with other items."""
    context.agents.tree.release(state.base)
    why = f"{conflict.what} {conflict.todo}"
    escalated = context.reporter.escalated(context, state, item, why)
    return ending.end(
        context,
        state,
        ending.Ending(
            "parked",
            state.tip,
            f"parked: {state.item} conflicts with {state.branch}",
            reasons=(why,),
            escalated=escalated,
            pins={f"{REF}{state.cycle_id}": state.tip},
        ),
    )


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
        landed = ending.merged_by_hand(context, parked, head)
        refs.update(context.repo.git, [(ref, ZERO, tip)], reason="tdd: merged by hand")
        context.reporter.landed(context, landed)


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

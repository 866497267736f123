"""A cycle that cannot land on the moved branch goes on from there: with its RED where that still fails,
else anew (W3).

It costs no retry: nothing was wrong with the work when it was done.
"""

from __future__ import annotations

from contextlib import suppress

from tdd_orchestrator.cycle.attempt.attempt_plan import place
from tdd_orchestrator.cycle.attempt.candidate import tree_of
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.landing.reproof import prove_again
from tdd_orchestrator.cycle.rebase import LandingConflict, rebased_tree
from tdd_orchestrator.cycle.start import baseline
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.errors import NotProven, TddError
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import Handoff, Rebased
from tdd_orchestrator.repo import refs


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
    record = Rebased(**{**place(state), "base": head, "tip": tip}, phase=Phase.COMPLETE, next_phase=phase,
                     mapping=mapping, baseline_tests=tests, known_failing=sorted(known))  # fmt: skip
    pins = {
        f"refs/tdd/attempts/{state.cycle_id}/before-{head[:12]}": state.tip,
        **({f"refs/tdd/attempts/{state.cycle_id}/red-on-{head[:12]}": tip} if mapping else {}),
    }
    subject = f"{phase} again on {head[:12]}: {state.item}"
    new = context.write(tip, record, subject, pins=pins)
    assert new is not None
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

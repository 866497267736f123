"""How a cycle ends: landed, already covered, aborted and escalated, cancelled; or waiting for a person."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tdd_orchestrator.cycle.attempt.outcome import incident, without_refactoring
from tdd_orchestrator.cycle.context import CycleContext, Escalated, Repository
from tdd_orchestrator.cycle.extra_checks import follow_up
from tdd_orchestrator.cycle.landing.reproof import prove_again
from tdd_orchestrator.cycle.rebase import rebased
from tdd_orchestrator.cycle.start import OUTER, SuiteFails, baseline
from tdd_orchestrator.cycle.state import Attempt, CycleState, place
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.parts import ErrorDetails
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import LEFT_TAG, Item, ItemType, Priority
from tdd_orchestrator.model.records import Approval, CycleEnded, Landing, Rebased
from tdd_orchestrator.repo import refs
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace import landing

_TITLE = 200  # characters of an item's title


def item_of(repo: Repository, state: CycleState) -> Item:
    """The item of a running cycle; one that was removed meanwhile is known from the audit log."""
    plan = repo.plan.plan()
    return plan.get(state.item_id) or Item(id=state.item_id, title=state.item)


def finish(context: CycleContext, state: CycleState, item: Item) -> CycleState:
    """All phases are proven: land, or note that there was nothing to do."""
    if state.tip == state.base:
        context.agents.tree.release(state.base)
        asks = "covered" if context.settings.covered == "ask" or state.mutant else ""
        subject = "waits for a person: seems covered" if asks else "nothing to do: already covered"
        if state.mutant:
            subject = (
                f"waits for a person: no test tells {state.mutant} from the code, so the two may do the same"
            )
        return end(context, state, Ending("already_covered", state.base, subject, asks=asks))
    if context.settings.mutation or context.settings.coverage != "off":
        context.flush()  # what follows takes long
        follow_up(context, state, item)
    if context.settings.ask_before_landing and "before_landing" not in state.approved:
        return ask(context, state, "before_landing")
    return land(context, state)


def waits_for_children(context: CycleContext, state: CycleState, item: Item) -> bool:
    """Whether an acceptance item's test is accepted, and children of the item are not done."""
    if state.phase is not Phase.GREEN or state.outer:
        return False
    return bool(context.repo.plan.plan().open_children(item))


def keep_acceptance_test(context: CycleContext, state: CycleState, item: Item) -> CycleState:
    """End the first cycle of an acceptance item: its test is kept, red, until the item's children are done."""
    context.agents.tree.release(state.base)
    count = len(context.repo.plan.plan().open_children(item))
    below = "1 item below it is" if count == 1 else f"{count} items below it are"
    return end(
        context, state,
        Ending(
            "outer_red", state.tip, f"acceptance test kept, red until {below} done: {state.item}",
            pins={f"{OUTER}{item.id}": state.tip},
        ),
    )  # fmt: skip


def can_land(repo: Repository, state: CycleState) -> None:
    """Raise Refused where the branch was removed, or another work tree has it checked out.

    git is asked only where HEAD does not name the branch.
    """
    ref = f"refs/heads/{state.branch}"
    if refs.read(repo.git, ref) is None:
        raise _branch_removed(state)
    if (repo.git.git_dir / "HEAD").read_bytes() != os.fsencode(f"ref: {ref}\n"):
        repo.checkout(state.branch)


def land(context: CycleContext, state: CycleState) -> CycleState:
    """Fast-forward the user's branch, then its files and index; repeated where a kill broke it off (W3)."""
    ref = f"refs/heads/{state.branch}"
    head = refs.read(context.repo.git, ref)
    checkout = context.repo.checkout(state.branch)
    if state.landing is not None:
        started = datetime.fromisoformat(state.landing_at).timestamp()
        landing.drop_dead_locks(checkout, state.branch, started)
    if head == state.base and state.together:
        return _moved(context, state, head)  # what it was proven together with has not landed
    if head not in (state.base, state.tip):
        if head is None or not context.repo.git.holds(head, state.tip):
            return _moved(context, state, head)
        if state.landing is None:
            return merged_by_hand(context, state, head)
    elif head == state.base:
        context.agents.tree.release(state.base)
        landing.refuse_blocked(
            checkout, state.base, state.tip,
            what="The finished cycle cannot land", then="run the same command again; the cycle is kept.",
        )  # fmt: skip
        if state.landing is None:
            record = Landing(**place(state, Phase.COMPLETE), old=state.base, new=state.tip)
            state = context.write_step(state.tip, record, f"landing: {state.item} on {state.branch}")
        refs.update(context.repo.git, [(ref, state.tip, state.base)], reason=f"tdd: {state.item}")
        head = state.tip
    old, new = state.landing or (state.base, state.tip)
    if head == new:  # else commits came after it, when a kill had broken the landing off
        landing.follow(checkout, old, new)
    return end(context, state, Ending("landed", state.tip, f"landed: {state.item} on {state.branch}"))


def escalate(context: CycleContext, state: CycleState, item: Item) -> CycleState:
    """The phase failed for good. REFACTOR's failure costs only the refactoring: GREEN is proven, and
    lands."""
    context.agents.tree.release(state.base)
    last = state.of_phase()[-1]
    why = last.move.why or "the phase failed for good"
    if state.phase is Phase.REFACTOR:
        incident(context, state, "RefactoringGivenUp", f"finished without a refactoring: {why}")
        _plan_refactoring(context.repo, item, last)
        return without_refactoring(context, state, why)
    escalated = context.reporter.escalated(context, state, item, why)
    return end(
        context,
        state,
        Ending(
            "aborted",
            state.base,
            f"aborted: {state.item} ({last.verdict})",
            reasons=(why, *last.reasons[:3]),
            escalated=escalated,
            error=ErrorDetails(type=last.error_type, message=last.message),
        ),
    )


def _plan_refactoring(repo: Repository, item: Item, last: Attempt) -> None:
    """Plan a chore for the refactoring that was given up, with what it broke; made once an item."""
    plan = repo.plan.plan()
    if any(LEFT_TAG in one.tags and one.parent == item.id for one in plan.items):
        return
    broke = "; ".join(last.reasons[:3]) or last.verdict
    where = f" The last try is kept: git show {last.commit[:12]}." if last.commit else ""
    chore = Item(
        "", one_line(f"refactor: {item.title}", _TITLE), f"A cycle landed without a refactoring: {broke}.{where}",
        ItemType.CHORE, Priority.LOW, item.id, ("auto-generated", LEFT_TAG),
    )  # fmt: skip
    repo.plan.add([chore], plan=plan)


def ask(context: CycleContext, state: CycleState, gate: str) -> CycleState:
    """The approval gate (R7): recorded, then the loop waits."""
    record = Approval(**place(state, state.phase), decision="wanted", gate=gate,
                      retry_count=state.retry)  # fmt: skip
    return context.write_step(state.tip, record, f"approval wanted ({gate.replace('_', ' ')}): {state.item}")


def cancel(context: CycleContext, state: CycleState, why: str) -> CycleState:
    """Abort the cycle; where its commits are on the branch already, finish the landing instead."""
    head = refs.read(context.repo.git, f"refs/heads/{state.branch}") if state.tip != state.base else None
    if head is not None and context.repo.git.holds(head, state.tip):
        return land(context, state)
    context.agents.tree.release(state.base)
    return end(context, state, Ending("cancelled", state.tip, f"cancelled: {state.item}", reasons=(why,)))


@dataclass(frozen=True, slots=True)
class Ending:
    """How a cycle ends: what is recorded on ``commit``; ``pins``: refs that are set with it."""

    outcome: str
    commit: str
    subject: str
    reasons: tuple[str, ...] = ()
    escalated: Escalated | None = None
    asks: str = ""
    error: ErrorDetails | None = None
    pins: Mapping[str, str] | None = None


def end(context: CycleContext, state: CycleState, ending: Ending) -> CycleState:
    """Record how the cycle ended."""
    escalated = ending.escalated
    phase = Phase.ABORTED if ending.outcome in ("aborted", "cancelled") else Phase.COMPLETE
    record = CycleEnded(
        **place(state, state.phase, phase),
        retry_count=state.retried,
        outcome=ending.outcome,
        error=escalated.summary if escalated else "",
        error_details=ending.error,
        commit=ending.commit,
        reasons=list(ending.reasons),
        error_id=escalated.error_id if escalated else "",
        error_type=escalated.error_type if escalated else "",
        summary=escalated.summary if escalated else "",
        **context.run.progress(completed=phase is Phase.COMPLETE),
        asks=ending.asks,
    )
    new = context.write_step(ending.commit, record, ending.subject, pins=ending.pins)
    context.watch.done(ending.subject, phase is Phase.COMPLETE and ending.outcome != "parked")
    return new


def merged_by_hand(context: CycleContext, state: CycleState, head: str) -> CycleState:
    """The branch holds the cycle's commits, however they came there: prove the branch, then the cycle has
    landed."""
    try:
        baseline(context, head)
    except SuiteFails as failed_there:
        raise Refused(
            f"{state.branch} holds the work of '{state.item}', and the tests fail there: {failed_there.what}",
            "Fix them, then run the same command again.",
        ) from failed_there
    context.agents.tree.release(state.base)
    return end(
        context,
        state,
        Ending("landed", state.tip, f"landed: {state.item}, merged into {state.branch} by hand"),
    )


def _branch_removed(state: CycleState) -> Refused:
    return Refused(
        f"The branch {state.branch} is gone.",
        (
            f"Restore it (git branch {state.branch} {state.base[:12]}) and run again, or end the "
            "cycle: tdd cycle abort."
        ),
    )


def _moved(context: CycleContext, state: CycleState, head: str | None) -> CycleState:
    """The branch moved meanwhile: the cycle is rebased onto it and proven again; a conflict keeps
    everything."""
    if head is None:
        raise _branch_removed(state)
    context.flush()  # what follows takes long
    mapping = rebased(context.repo, state.base, state.tip, head, state.branch)
    context.watch.note(f"{state.branch} moved; the cycle is rebased onto {head[:12]} and proven again")
    tests, known = prove_again(context, state, head, mapping)
    record = Rebased(**place(state, Phase.COMPLETE, base=head, tip=mapping.get(state.tip, state.tip)),
                     mapping=mapping, baseline_tests=tests, known_failing=sorted(known))  # fmt: skip
    pins = {f"refs/tdd/attempts/{state.cycle_id}/rebased-{head[:12]}": mapping.get(state.tip, state.tip)}
    return context.write_step(
        mapping.get(state.tip, state.tip), record, f"rebased: {state.item} onto {head[:12]}", pins=pins
    )

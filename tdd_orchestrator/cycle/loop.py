"""Run the loop: one step after the other until the cycle is over or waits for a person.

All that it needs to know is in the audit log.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from tdd_orchestrator.cycle.attempt import ahead, step
from tdd_orchestrator.cycle.attempt.judge import report_at
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.landing import conflict, ending
from tdd_orchestrator.cycle.landing.unfinished import catch_up
from tdd_orchestrator.cycle.rebase import LandingConflict
from tdd_orchestrator.cycle.recovery import Kind, breaker_opens
from tdd_orchestrator.cycle.red.passing_red import already_settled
from tdd_orchestrator.cycle.start import begin, within_cycle
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.errors import Gated, GitFailed, NotProven, Paused, RefMoved, Refused
from tdd_orchestrator.model.phase import WORKING, Phase
from tdd_orchestrator.model.plan import Item, ItemType, Status
from tdd_orchestrator.notes import known_good
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.packs import pack
from tdd_orchestrator.workspace.folders import Places, prune


def cycle(context: CycleContext, *, until: Phase | None = None, item_id: str = "") -> CycleState | None:
    """Go on with the current cycle, or begin the next one, up to its end (or past ``until``). None: list
    done. ``item_id``: the cycle of this item."""
    with context.joining():
        state = of_item(context, item_id) if item_id else current(context)
        if state is None:
            return None
        item = ending.item_of(context.repo, state)
        context.run.until = until
        while not state.over:
            before = state.phase
            state = advance(context, state, item)
            if until is not None and before is until and state.phase is not until:
                break
    return state


def current(context: CycleContext) -> CycleState | None:
    """Finish what a kill broke off; return the running cycle, or the next item's. None: the list is done."""
    catch_up(context)
    state = context.state()
    if state is None or state.over:
        conflict.recognize(context)
        refuse_stuck(context)
        state = begin(context)
    return state


def of_item(context: CycleContext, item_id: str) -> CycleState | None:
    """Return the open cycle of an item, or begin it; a failed one is tried again. Refused where the item cannot
    be begun now."""
    catch_up(context)
    standing = context.state()
    if standing is None or standing.over:
        conflict.recognize(context)  # its item may be the one that was merged by hand
    plan = context.repo.plan.plan()
    item = context.repo.plan.find(plan, item_id)
    state = next((one for one in context.open_states() if one.item_id == item.id), None)
    if state is None:
        unmet = plan.unmet(item)
        begun = item.status is Status.IN_PROGRESS and item.type is ItemType.ACCEPTANCE
        if not (begun or item.status in (Status.PLANNED, Status.FAILED)) or unmet:
            why = f"it comes after {', '.join(unmet)}" if unmet else f"it is {item.status}"
            raise Refused(
                f"The item '{item.title}' cannot be begun: {why}.", "`tdd plan list` shows the plan."
            )
        context.state()  # which cycles are open beside it
        refuse_stuck(context)
        context.run.records = []
        state = begin(context, item)
    if state is not None:
        context.run.focus = state.cycle_id
        state = context.state()
    return state


def _share(context: CycleContext) -> None:
    """Send the records of a cycle that is over to the clones that take items of the same plan."""
    if context.repo.claims is None:
        return
    try:
        context.repo.claims.share()
    except Paused as error:
        context.watch.note(
            f"{error.what.rstrip('.')}; the records go there with the next cycle, or: tdd sync"
        )


def advance(context: CycleContext, state: CycleState, item: Item) -> CycleState:
    """Do the one thing that the state asks for, and tidy up after a cycle that is over."""
    try:
        state = _advance(context, state, item)
    except BaseException:  # an interrupt too: no agent that works ahead may outlive the command
        ahead.stop(context)
        raise
    if state.over:
        _share(context)
        tidy(context.repo.git, context.repo.objects, context.repo.places, state.number, context.watch.note)
    return state


def _advance(context: CycleContext, state: CycleState, item: Item) -> CycleState:
    if state.waiting:
        one = f" --item {state.item_id}" if context.settings.lanes > 1 else ""
        raise Gated(
            (
                f"The cycle of '{state.item}' waits for a person "
                f"({state.waiting.replace('_', ' ')}{_named(state)})."
            ),
            f"Answer with `tdd cycle approve{one}` or `tdd cycle reject{one}`.",
        )
    if state.removed and context.settings.removed_tests == "ask" and "removed_tests" not in state.approved:
        return ending.ask(context, state, "removed_tests")
    wanted = _pending(state)
    if wanted in (Kind.ESCALATE, Kind.GIVE_UP):
        return ending.escalate(context, state, item)
    if wanted == Kind.ASK:
        return ending.ask(context, state, "after_failures")
    if state.mutant is not None and not state.attempts and not state.interrupted:
        settled = already_settled(context, state, state.mutant, report_at(context, state, "baseline"))
        if settled:
            return ending.end(
                context,
                state,
                ending.Ending("already_covered", state.base, f"nothing to do: {state.item}: {settled}"),
            )
    if ending.waits_for_children(context, state, item):
        return ending.keep_acceptance_test(context, state, item)
    if state.phase in WORKING:  # what is done lands, and what failed is told, whatever the budget says
        ending.can_land(context.repo, state)
        within_cycle(context, state)
        return step.attempt(context, state, item)
    try:
        return ending.finish(context, state, item)
    except (LandingConflict, NotProven) as why:
        if conflict.may_replan(context, state):
            return conflict.replan(context, state, why)
        if isinstance(why, NotProven) and not context.settings.replans:
            raise
        return conflict.park(context, state, item, why)


def _named(state: CycleState) -> str:
    """Return the names that a person is asked about, "" where there are none."""
    return f": {', '.join(state.removed)}" if state.waiting == "removed_tests" else ""


def _pending(state: CycleState) -> str:
    """A decision that was recorded and not yet carried out: a kill may have come between."""
    mine = state.of_phase()
    if not mine or mine[-1].accepted or state.interrupted:
        return ""
    kind = mine[-1].move.kind
    if kind == Kind.ASK and f"after_failures:{state.phase}:{state.retry}" in state.approved:
        return ""
    return kind


def refuse_stuck(context: CycleContext) -> None:
    """Raise Paused where the circuit breaker of the agent is open (R5): no item begins until a person resets it, or
    its cool-down is over. Gated where it has none."""
    breaker = context.settings.breaker
    stuck = breaker_opens(context.recent_runs(), breaker)
    if stuck is None:
        return
    again = datetime.fromisoformat(stuck.at) + timedelta(minutes=breaker.cooldown)
    if breaker.cooldown and context.clock.now() >= again:
        context.watch.note(f"the circuit breaker of '{stuck.agent}' has cooled down: one more item is tried")
        return
    later = (
        f" One more item is tried from {again.astimezone():%H:%M:%S} on, or at once:"
        if breaker.cooldown
        else ""
    )
    raise (Paused if breaker.cooldown else Gated)(
        f"The circuit breaker is open: the agent '{stuck.agent}' made {breaker.limit} of the last {breaker.window} "
        f"runs without progress as {stuck.role}.",
        f"Look into `tdd log`.{later} `tdd agents reset {stuck.agent}`, and run the same command again.",
    )


_PRUNED_EVERY = 16  # cycles


def tidy(git: Git, objects: Objects, places: Places, number: int, note: Callable[[str], None]) -> None:
    """Fold old refs, pack loose objects and prune the state folder after cycle ``number``; ``note`` gets
    what is postponed. The cycle's records are written by then: a failure here is no failure of the
    cycle."""
    try:
        if known_good.count(git) > known_good.LIMIT:
            known_good.fold(git, objects)
        if pack(git):
            objects.close()  # the packs that it had open are gone
        if number % _PRUNED_EVERY == 0:
            prune(places)
    except (GitFailed, RefMoved, OSError) as error:
        note(f"Clean-up is put off to the end of the next cycle: {error}")

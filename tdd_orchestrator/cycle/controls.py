"""What a person can do to a cycle: resume it, end it, answer its gate, roll it back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.landing import ending
from tdd_orchestrator.cycle.state import CycleState, place
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.parts import AgentInfo
from tdd_orchestrator.model.phase import WORKING, Phase
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.model.records import Approval, BreakerReset, ItemReopened, Resumed
from tdd_orchestrator.notes.store import Store


def take_up(context: CycleContext, hint: str = "") -> CycleState | None:
    """An aborted cycle goes on in the phase where it failed, with all its retries; a running one as it
    stands."""
    state = context.state()
    if state is None:
        return None
    if state.over not in ("", "aborted"):
        raise Refused(
            f"The last cycle is over ({state.over}).",
            "Begin the next one: tdd cycle next. An earlier one that failed: tdd errors fix.",
        )
    if not state.over and not hint:
        return state
    failed = next((attempt.phase for attempt in reversed(state.attempts)), Phase.RED)
    phase = state.phase if state.phase in WORKING else failed
    record = Resumed(**place(state, phase), hint=context.redact(hint)[:2000])
    return context.write(state.tip, record, f"resumed: {state.item}")


def focus_on(context: CycleContext, word: str) -> None:
    """Make ``word`` (an id, a prefix of it, or a number) the cycle of this command. It may be empty where no more
    than one is open."""
    states = context.open_states()
    if word or len(states) > 1:
        context.run.focus = chosen(states, word).cycle_id


def focus_on_waiting(context: CycleContext, word: str) -> bool:
    """Make the cycle that waits for an answer the one of this command; return False where none does. ``word`` names
    its item, and may be empty where no other cycle waits."""
    waits = [one for one in context.open_states() if one.waiting]
    if word:
        item = context.repo.plan.find(context.repo.plan.plan(), word)
        waits = [one for one in waits if one.item_id == item.id]
    if len(waits) > 1:
        names = ", ".join(f"{one.item_id} ({one.item})" for one in waits)
        raise Refused(f"{len(waits)} cycles wait for an answer: {names}.", "Name one: --item ID.")
    if waits:
        context.run.focus = waits[0].cycle_id
    return bool(waits)


def chosen(states: Sequence[CycleState], word: str) -> CycleState:
    """Return the open cycle that ``word`` names, or the only one where it is empty."""
    fits = [one for one in states if one.cycle_id.startswith(word) or str(one.number) == word]
    if len(fits) != 1:
        named = ", ".join(f"{one.number} ({one.item})" for one in states) or "none"
        what = f"No open cycle is '{word}'" if word else "No cycle is named"
        raise Refused(f"{what}; open: {named}.", "Name one by its number; `tdd log` shows every cycle.")
    return fits[0]


def abort(context: CycleContext, why: str) -> CycleState:
    state = _running(context)
    return ending.cancel(context, state, context.redact(why)[:500])


def answer(context: CycleContext, decision: str, comment: str = "") -> CycleState:
    """A person's answer at the approval gate (R7)."""
    state = _running(context)
    if not state.waiting:
        raise Refused("No cycle waits for an approval.", "`tdd cycle status` shows where it stands.")
    record = Approval(
        **place(state, state.phase),
        retry_count=state.retry,
        decision=decision,
        gate=state.waiting,
        by=os.environ.get("USER", ""),
        comment=context.redact(comment)[:2000],
    )
    return context.write_step(
        state.tip, record, f"{decision}: {state.item} ({state.waiting.replace('_', ' ')})"
    )


def answer_covered(context: CycleContext, word: str, decision: str, comment: str = "") -> Item:
    """Record a person's answer about an item that seems covered: close it, or put it back in the list.
    ``word`` may be empty where only one item waits."""
    waiting = context.repo.plan.waiting()
    plan = context.repo.plan.plan()
    items = [plan.get(one) or Item(id=one, title=title) for one, title in waiting.items()]
    wanted = plan.get(word) or (context.repo.plan.find(plan, word) if word else None)
    chosen = [item for item in items if wanted is None or item.id == wanted.id]
    if not chosen:
        raise Refused("Nothing waits for an approval.", "`tdd cycle status` shows where it stands.")
    if len(chosen) > 1:
        names = ", ".join(f"{item.id} ({item.title})" for item in chosen)
        raise Refused(f"{len(chosen)} items wait for an answer: {names}.", "Name one: --item ID.")
    item = chosen[0]
    head = context.repo.git.line("rev-parse", "--verify", "HEAD")
    facts = {"item_id": item.id, "item": item.title, "base": head, "tip": head}
    comment = context.redact(comment)[:2000]
    record = Approval(
        **facts, decision=decision, gate="covered", by=os.environ.get("USER", ""), comment=comment
    )
    context.write(head, record, f"{decision}: {item.title} (covered)")
    if decision != "approved":
        context.write(head, ItemReopened(**facts), f"reopened: {item.title}")
    return item


def reset_breaker(store: Store, head: str, name: str = "") -> None:
    """The circuit breaker is closed: runs before this count no more, those of ``name`` or all (R5)."""
    record = BreakerReset(agent=AgentInfo(name=name))
    data = record.model_dump(mode="json", exclude={"at", "id", "v", "prev"})
    store.append(head, data, subject=f"circuit breaker reset: {name or 'every agent'}")


def records_of(store: Store, wanted: str = "") -> list[dict[str, Any]]:
    """The records of one cycle, oldest first: the newest, or the one with this id, a prefix of it, or this
    number."""
    found: list[dict[str, Any]] = []
    chosen = ""
    for entry in store.trail(newest_first=True):
        record = entry.record
        cycle = str(record.get("cycle_id") or "")
        if not cycle:
            continue
        fits = not wanted or cycle.startswith(wanted) or str(record.get("cycle_number")) == wanted
        if not chosen and fits:
            chosen = cycle
        if cycle == chosen:
            found.append({**record, "commit_noted": entry.commit})
            if record["kind"] == "cycle_started":
                break
    if wanted and not found:
        raise Refused(f"There is no cycle '{wanted}'.", "`tdd log` shows every cycle with its number.")
    return found[::-1]


def _running(context: CycleContext) -> CycleState:
    state = context.state()
    if state is None:
        raise Refused("No cycle is running.", "Begin one: tdd cycle next.")
    if state.over:
        raise Refused(
            f"No cycle is running: cycle {state.number} ({state.item}) is over ({state.over}).",
            "See what to run next: tdd status.",
        )
    return state

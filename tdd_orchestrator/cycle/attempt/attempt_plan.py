"""Decide who makes the next attempt, from the state and the last attempt's move."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tdd_orchestrator.agents.agent import Agent, Reply
from tdd_orchestrator.agents.last_words import MessageKind, last_words
from tdd_orchestrator.cycle.attempt.account_limits import limited_until
from tdd_orchestrator.cycle.attempt.examples import GivenTree, withhold
from tdd_orchestrator.cycle.context import CommandRun, CycleContext
from tdd_orchestrator.cycle.recovery import PHASE_ROLE, Kind
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.parts import AgentInfo, MoveInfo
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import Item


@dataclass(frozen=True, slots=True)
class AttemptPlan:
    """One attempt to come.

    ``serial`` counts the attempts of the phase from 1, ``retry`` its counted retries; ``start`` is the
    commit that the agent is given.
    """

    phase: Phase
    role: str
    agent: Agent
    item: Item
    serial: int
    retry: int
    start: str
    move: MoveInfo = field(default_factory=MoveInfo)
    fixes: int = 0  # how often a specialist was called in this phase, this time included
    shown: GivenTree = GivenTree("")  # what the agent is given in place of ``start``
    raced: bool = False  # another agent tries the same at the same time
    shorter: bool = False  # its model's context is too small for the whole prompt

    @property
    def is_fix(self) -> bool:
        return self.move.kind == Kind.SPECIALIST

    @property
    def number(self) -> int:
        """The attempt's number as the agent sees it, from 1."""
        return self.fixes if self.is_fix else self.retry + 1


def plan_attempt(context: CycleContext, state: CycleState, item: Item) -> AttemptPlan:
    """A provider that was away decides when and by whom, never what: that was decided by the last refused
    work."""
    mine = state.refused()
    last = mine[-1] if mine else None
    move = _away(state, last.move if last is not None else MoveInfo())
    role = move.role or PHASE_ROLE[state.phase]
    start = last.commit if last is not None and move.on_candidate and last.commit else state.tip
    serial = state.attempt if state.interrupted else len(state.of_phase(everything=True)) + 1
    called = sum(1 for earlier in mine if earlier.role not in PHASE_ROLE.values())
    agent = context.agents.registry.agent(role, move.agent)
    other = context.agents.registry.fallback(agent.name)
    if other and limited_until(context, agent.name) is not None:
        agent = context.agents.registry.agent(role, other)
    shown = withhold(context, state, start)
    return AttemptPlan(
        state.phase, role, agent, item, max(serial, 1), state.retry, start, move, called + 1,
        shown=shown, shorter=_shorter(state, agent.name),
    )  # fmt: skip


def _shorter(state: CycleState, agent: str) -> bool:
    """Whether the whole prompt was too large for this agent in this phase; once a person was asked, it is
    tried again."""
    seen = False
    for attempt in state.of_phase():
        if attempt.move.kind == Kind.PAUSE:
            seen = False
        elif attempt.agent == agent:
            seen = seen or attempt.move.shorter
    return seen


def _away(state: CycleState, decided: MoveInfo) -> MoveInfo:
    """The decided move, with the wait and the agent of a provider's fault that came after it."""
    newest = state.of_phase()[-1:]
    if not newest or not newest[0].move.provider_away:
        return decided
    move = newest[0].move
    longer = max(decided.longer, move.longer)
    note = move.note or decided.note
    update = {"delay": move.delay, "agent": move.agent, "longer": longer, "until": move.until, "note": note}
    return decided.model_copy(update=update)


def place(state: CycleState) -> dict[str, Any]:
    """Return the fields that every record of the cycle begins with."""
    return {
        "cycle_id": state.cycle_id,
        "cycle_number": state.number,
        "item_id": state.item_id,
        "item": state.item,
        "branch": state.branch,
        "base": state.base,
        "tip": state.tip,
    }


_NEXT_ITEMS = 10  # ids of items to come in a record


def progress_fields(run: CommandRun, *, completed: bool = False) -> dict[str, Any]:
    """Return how far the plan is, for a record: counts, and the next items. ``completed``: this cycle's item
    is done.

    Every finished item's own record says that it is finished; a list of them in each record would grow with
    the plan.
    """
    pending = run.item_ids.get("pending_items", [])
    return {
        "completed": len(run.item_ids.get("completed_items", ())) + completed,
        "pending": len(pending),
        "pending_items": pending[:_NEXT_ITEMS],
    }


def agent_info(reply: Reply, role: str, name: str, said: MessageKind = MessageKind.NOTHING) -> AgentInfo:
    """One agent's run, for a record. ``name`` stands where the reply has no name."""
    usage = reply.usage
    return AgentInfo(
        name=reply.agent or name,
        role=role,
        model=reply.model,
        session=reply.session,
        status=reply.status,
        version=reply.version,
        seconds=round(reply.seconds, 3),
        tokens=usage.total,
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        cache_creation_tokens=usage.cache_creation_tokens,
        output_tokens=usage.output_tokens,
        turns=usage.turns,
        cost=usage.cost,
        cost_from=usage.cost_from or ("client" if usage.cost is not None else ""),
        exit_code=reply.exit_code,
        failure_reason=reply.failure_reason,
        fault=reply.fault,
        last_words=last_words(reply.text),
        said=said,
        incident=reply.incident,
        signalled=reply.signalled,
        transcript=reply.transcript.name if reply.transcript else "",
    )

"""The MCP session of an editor: an interactive agent works under the same gates, one tool call at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tdd_orchestrator.agents.agent import Agent
from tdd_orchestrator.agents.human import HumanAgent
from tdd_orchestrator.cycle import controls, loop
from tdd_orchestrator.cycle.attempt import brief
from tdd_orchestrator.cycle.attempt.attempt_plan import plan_attempt
from tdd_orchestrator.cycle.context import AgentRegistry, CycleContext
from tdd_orchestrator.cycle.landing import ending
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.errors import Refused, Waiting
from tdd_orchestrator.model.phase import WORKING


@dataclass(frozen=True, slots=True)
class Work:
    """The editor's next task: edit the files in ``tree`` as ``brief`` says, then ask for the proof."""

    phase: str
    item: str
    tree: str
    brief: str


@dataclass(frozen=True, slots=True)
class EditorAgents:
    """The registry with the editor's model in a person's place, so that records name it."""

    registry: AgentRegistry
    model: str

    def agent(self, role: str, name: str = "") -> Agent:
        found = self.registry.agent(role, name)
        return replace(found, model=self.model) if isinstance(found, HumanAgent) else found

    def fallback(self, name: str) -> str:
        return self.registry.fallback(name)

    def account(self, name: str) -> str:
        return self.registry.account(name)

    def can(self, role: str) -> bool:
        return self.registry.can(role)


def next_step(context: CycleContext) -> Work | None:
    """Begin or go on with a cycle until the editor is needed; None where the list is done."""
    state = loop.current(context)
    if state is None:
        return None
    item = ending.item_of(context.repo, state)
    while not state.over:
        if state.interrupted and state.phase in WORKING:
            break  # asked already: the tree is the editor's
        try:
            state = loop.advance(context, state, item)
        except Waiting:
            state = context.state() or state
            if state.waiting:
                raise
    if state.over:
        return next_step(context)
    attempt_plan = plan_attempt(context, state, item)
    return Work(
        str(state.phase),
        state.item,
        str(context.agents.tree.path),
        brief.prompt(context, state, attempt_plan),
    )


def prove(context: CycleContext) -> dict[str, Any]:
    """Judge the editor's changes in the tree and record the result; land the cycle after its last phase."""
    state = context.state()
    if state is None or state.over or not state.interrupted:
        raise Refused("There is nothing to prove yet.", "Ask for the next step first.")
    item = ending.item_of(context.repo, state)
    state = loop.advance(context, state, item)
    judged = state.attempts[-1]
    while not state.over and state.phase not in WORKING:
        state = loop.advance(context, state, item)
    return {
        "verdict": judged.verdict,
        "accepted": judged.accepted,
        "reasons": list(judged.reasons),
        "next": _next(state),
        "outcome": state.over or "in_progress",
        "retry_count": state.retry,
    }


def _next(state: CycleState) -> str:
    return "next_step" if not state.over else "the cycle is over; next_step begins the next one"


def hint(context: CycleContext, text: str) -> dict[str, Any]:
    """Hand a person's hint to the current cycle; an aborted one is taken up again."""
    state = controls.take_up(context, text)
    if state is None:
        raise Refused("No cycle has begun.", "Ask for the next step first.")
    return {"item": state.item, "phase": str(state.phase), "next": "next_step"}


def abort(context: CycleContext, reason: str) -> dict[str, Any]:
    """End the current cycle; its item goes back to the list, and what it made is kept."""
    state = controls.abort(context, reason)
    return {"outcome": state.over, "item": state.item, "kept": f"refs/tdd/attempts/{state.cycle_id}"}

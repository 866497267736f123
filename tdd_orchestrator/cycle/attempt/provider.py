"""A provider's fault in the middle of a cycle: recorded, waited for, handed to another agent, or paused (R1,
A10)."""

from __future__ import annotations

from datetime import datetime, timedelta

from tdd_orchestrator.agents.agent import Fault, Reply
from tdd_orchestrator.agents.transport import Decision, FaultAction
from tdd_orchestrator.cycle.attempt.account_limits import note_limit
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.attempt.attempt_plan import AttemptPlan
from tdd_orchestrator.cycle.context import Clock, CycleContext
from tdd_orchestrator.cycle.recovery import Kind
from tdd_orchestrator.cycle.state import CycleState, place
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.parts import ErrorDetails, MoveInfo
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.records import Trouble
from tdd_orchestrator.text import one_line

_ERRORS = {
    Fault.RATE_LIMITED: "The model provider's rate limit is reached",
    Fault.USAGE_LIMIT: "The account's usage limit is reached",
    Fault.QUOTA: "The provider's quota is used up",
    Fault.CONTEXT_OVERFLOW: "The prompt is larger than the model's context",
    Fault.CONTEXT_FILLED: "The model's context was used up while it worked",
    Fault.NOT_STARTED: "The agent's program does not start",
    Fault.KILLED: "The agent's process was killed",
    Fault.MISCONFIGURED: "The agent is not configured",
}


def provider_fault(
    context: CycleContext, state: CycleState, attempt_plan: AttemptPlan, reply: Reply, decision: Decision
) -> CycleState:
    """Record a provider's fault, which has its own budget and uses up no retry.

    Raises Paused where nothing else can be done.
    """
    fallback = context.agents.registry.fallback(attempt_plan.agent.name)
    pause = decision.move is FaultAction.PAUSE
    if reply.fault in (Fault.RATE_LIMITED, Fault.USAGE_LIMIT) and not pause:
        note_limit(context, attempt_plan.agent.name, decision.seconds)
    other = fallback if (pause or decision.limited) and fallback else ""
    until = context.clock.now() + timedelta(seconds=decision.seconds) if decision.limited else None
    move = MoveInfo(
        kind=Kind.OTHER_AGENT if other else Kind.PAUSE if pause else Kind.WAIT,
        counts=False,
        delay=0.0 if pause or other else decision.seconds,
        role=attempt_plan.role,
        agent=other or attempt_plan.move.agent,
        on_candidate=attempt_plan.move.on_candidate,
        longer=decision.stretch,
        until=until.isoformat(timespec="seconds") if until else "",
        shorter=decision.shorter,
        note=decision.note,
        why=f"{other} is asked instead" if other else decision.todo,
    )
    trouble = Trouble(
        **place(state),
        phase=attempt_plan.phase,
        next_phase=attempt_plan.phase,
        attempt=attempt_plan.serial,
        retry_count=attempt_plan.retry,
        error=_ERRORS.get(reply.fault, "The model provider is unavailable"),
        error_details=ErrorDetails(type=str(reply.fault), message=one_line(decision.what, 500)),
        verdict=Verdict.AGENT_FAILED,
        reasons=[decision.what],
        agent=agent_info(reply, attempt_plan.role, attempt_plan.agent.name),
        move=move,
        transient=0 if pause else state.transient + 1,
        incident=reply.incident,
    )
    subject = f"{attempt_plan.phase} not attempted: {state.item} ({reply.fault})"
    new = context.write_step(state.tip, trouble, subject)
    context.watch.done(f"{attempt_plan.phase}: {decision.what}", False)
    if pause and not other:
        raise Paused(decision.what, decision.todo)
    if other or not decision.seconds or decision.limited:  # a short wait is shown as such
        context.watch.note(move.why)
    return new


def faults_before(state: CycleState) -> frozenset[str]:
    """Faults of the phase's earlier attempts since a person last acted."""
    return frozenset(attempt.fault for attempt in state.of_phase()) - {""}


def paused_before(state: CycleState) -> frozenset[str]:
    """Those of them that the cycle paused for."""
    return frozenset(attempt.fault for attempt in state.of_phase() if attempt.move.kind == Kind.PAUSE)


def delay_of(clock: Clock, move: MoveInfo) -> float:
    """Seconds still to wait before the next attempt; a limit that ends at a time is waited for until then,
    also after a kill."""
    if not move.until:
        return move.delay
    return max(0.0, (datetime.fromisoformat(move.until) - clock.now()).total_seconds()) if move.delay else 0.0

"""Faults that are not the work's: a provider that is away is waited for, replaced or paused for (R1, A10); and the tests
run again where a service, a disk or the agent failed (R4, A7)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply
from tdd_orchestrator.agents.faults import SENTENCES
from tdd_orchestrator.agents.transport import Decision, FaultAction
from tdd_orchestrator.cycle.attempt.account_limits import note_limit
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.attempt.attempt_plan import AttemptPlan
from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.attempt.judge import judge
from tdd_orchestrator.cycle.context import Clock, CycleContext
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.recovery import NEEDING, Kind
from tdd_orchestrator.cycle.routes import runs_for
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.parts import ErrorDetails, MoveInfo
from tdd_orchestrator.model.phase import ACCEPTED, Phase, Verdict
from tdd_orchestrator.model.records import Trouble
from tdd_orchestrator.text import capital, one_line


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
        **attempt_plan.place(state),
        error=capital(SENTENCES[reply.fault]),
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
        raise Paused(decision.what, decision.todo, fault=reply.fault, agent=reply.agent)
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


def judged_in_the_end(
    context: CycleContext, state: CycleState, candidate: Candidate, reply: Reply
) -> tuple[Judgement, Proof | None]:
    """The judgement, after the runs that it is fair to wait for."""
    if state.phase is Phase.GREEN and _left_nothing(candidate, reply):
        return _once_more(context, state, candidate, reply)
    judged, proof = judge(context, state, candidate, reply)
    waited: list[float] = []
    while _may_come_back(context, judged, candidate, proof, len(waited)):
        waited.append(context.settings.retry.delay(len(waited) + 1))
        context.watch.doing(
            f"{state.phase}: what the tests need does not answer, or failed; again in {waited[-1]:g} s"
        )
        context.clock.sleep(waited[-1])
        judged, proof = judge(context, state, candidate, reply, fresh=True)
    return (_with_warning(judged, waited) if waited else judged), proof


def _left_nothing(candidate: Candidate, reply: Reply) -> bool:
    return reply.status is not AgentStatus.SUCCESS and not candidate.own and not candidate.violations


def _once_more(
    context: CycleContext, state: CycleState, candidate: Candidate, reply: Reply
) -> tuple[Judgement, Proof | None]:
    """Run the tests again without the agent that failed (A7); if they fail still, the attempt failed."""
    given = replace(candidate, commit=candidate.commit or state.tip, own=True)
    judged, proof = judge(context, state, given, reply, fresh=True)
    if judged.verdict in ACCEPTED and candidate.commit:
        return judged, proof
    how = "the tests were run once more without an agent"
    if judged.verdict in ACCEPTED:
        how += ", and passed where nothing was changed"
    reasons = (reply.failure_reason.rstrip(".") or str(reply.status), *judged.reasons[:2], how)
    return replace(judged, verdict=Verdict.AGENT_FAILED, reasons=reasons), proof


def _may_come_back(
    context: CycleContext, judged: Judgement, candidate: Candidate, proof: Proof | None, runs: int
) -> bool:
    if judged.verdict not in NEEDING or proof is None:
        return False
    from tdd_orchestrator.cycle.attempt.analysis import (
        diagnose,  # wanted, with its tables of rules, only where something failed
    )

    return runs < runs_for(diagnose(context, judged, candidate, proof))


def _with_warning(judged: Judgement, waited: list[float]) -> Judgement:
    *first, last = [f"{seconds:g}" for seconds in waited]
    after = f"{', '.join(first)} and {last}" if first else last
    times = "once" if len(waited) == 1 else f"{len(waited)} times"
    warning = f"what the tests need did not answer, or failed: run {times} more, after {after} s"
    if judged.verdict in ACCEPTED:
        return replace(judged, warnings=(warning, *judged.warnings))
    return replace(judged, reasons=(*judged.reasons[:4], warning))

"""When the tests are run again before an attempt is judged: a service or a disk that may come back (R4), an
agent that crashed (A7)."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.agents.agent import AgentStatus, Reply
from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.attempt.judge import judge
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.recovery import NEEDING
from tdd_orchestrator.cycle.routes import runs_for
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.phase import ACCEPTED, Phase, Verdict


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

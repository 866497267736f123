"""A specialist sent to one failing test outside of a cycle (A8): its tree, its brief, its patience with the
provider."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.agents.agent import TIMEOUT, Agent, Reply, Request
from tdd_orchestrator.agents.transport import FaultAction
from tdd_orchestrator.cycle import known_fixes
from tdd_orchestrator.cycle.attempt import agent_run
from tdd_orchestrator.cycle.attempt.account_limits import Patience, refuse_limited
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.attempt.brief import minutes_of
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.failures import Failure, request_of
from tdd_orchestrator.cycle.fix.fix_records import away
from tdd_orchestrator.cycle.fix.fix_state import FixSession, FixState
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.parts import ErrorDetails
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.records import Incident
from tdd_orchestrator.prompting.brief import Brief, FixRequest


@dataclass(frozen=True, slots=True)
class FixTask:
    """One failure that a specialist is sent to. ``start``: the commit that the agents' tree begins at."""

    run: FixSession
    state: FixState
    failure: Failure
    start: str


def deploy(context: CycleContext, task: FixTask, transient: int) -> tuple[Request, Reply]:
    """Run the specialist for this failure and return its request and reply; its changes are in the
    agents' tree. ``transient`` counts its waits for the provider so far. Raises Paused where that is
    unavailable."""
    failure, role = task.failure, task.failure.diagnosis.specialist
    agent = _agent(context, role, task.state)
    asked = {agent.name}
    refuse_limited(context, agent.name)
    patience = Patience(context, waits=transient)
    while True:
        request = _request(context, task, agent.name, patience)
        context.watch.doing(f"{failure.name}: {role} works ({agent.name}, {request.attempt})")
        done = agent_run.work(context, agent, request)
        reply = done.reply
        if done.repository or done.shared:
            _note_touched(context, task.run.head, agent.name, done)
        decision = patience.decide(reply)
        if decision.move is FaultAction.NONE:
            return request, reply
        pause = decision.move is FaultAction.PAUSE
        context.run.consulted.append(agent_info(reply, role, agent.name))
        away(context, task.run, task.state, decision, patience.waits)
        other = context.agents.registry.fallback(agent.name) if pause else ""
        if pause and (not other or other in asked):
            raise Paused(decision.what, decision.todo, fault=reply.fault, agent=reply.agent)
        if other:
            asked.add(other)
            agent = context.agents.registry.agent(role, other)
            context.watch.note(f"{decision.what} {other} is asked instead.")
            continue
        patience.wait(decision)


def _agent(context: CycleContext, role: str, fix_state: FixState) -> Agent:
    """Return the role's agent; its fallback where it failed twice, as in a cycle."""
    agent = context.agents.registry.agent(role)
    other = context.agents.registry.fallback(agent.name)
    agent_failed_twice = [one.verdict for one in fix_state.tries[-2:]] == [Verdict.AGENT_FAILED] * 2
    return context.agents.registry.agent(role, other) if other and agent_failed_twice else agent


def _request(context: CycleContext, task: FixTask, name: str, patience: Patience) -> Request:
    """The agents' tree at the task's start, and the brief that goes with it."""
    run, fix_state, failure, start = task.run, task.state, task.failure, task.start
    role, number, fix_id = failure.diagnosis.specialist, len(fix_state.agents) + 1, run.progress.fix_id
    output = context.repo.places.run(fix_id, "fix", number, failure.fingerprint[:8] or role)
    wall, idle = context.settings.agent_timeout.get(name, (TIMEOUT, 0.0))
    agent_run.prepare(context, start, f"tdd/{fix_id}")
    suite = context.prover.suites[0]
    brief = Brief(
        phase="fix", title=failure.name, attempt=number, max_attempts=context.settings.retry.max_retries,
        test_command=" ".join(suite.command), framework=suite.framework.name,
        language=suite.framework.language,
        target_tests=(failure.id,), failing_output=failure.detail, diagnosis=failure.diagnosis,
        forbidden=(*suite.framework.test_files, *suite.framework.config_files), tries=tuple(fix_state.tries),
        kept=start != run.head, request=request_of(context, run.proof, failure, output), room=patience.room,
        minutes=minutes_of(context.settings, name, patience.stretch),
        known_fix=known_fixes.fix_hint(context.repo, failure.fingerprint),
        note=fix_state.answer,
        hints=known_fixes.unwanted(known_fixes.lately(context.repo), fix_state.failure.id),
    )  # fmt: skip
    return Request(
        role, "fix", context.agents.compose(role, brief), context.agents.tree.path, output, fix_id, number,
        timeout=wall, idle_timeout=idle, stretch=patience.stretch, failed_phase="GREEN",
        run_marker=context.agents.run_marker, port=context.agents.port, signal=FixRequest().signal,
    )  # fmt: skip


def _note_touched(context: CycleContext, head: str, agent: str, done: agent_run.Work) -> None:
    what = "; ".join(filter(None, (done.repository, *(f"{name} changed" for name in done.shared))))
    message = f"while {agent} worked: {what}"
    details = ErrorDetails(type="RepositoryTouched", message=context.redact(message))
    record = Incident(error=message, error_details=details, details=agent_run.details(done))
    context.write(head, record, f"incident: {message}")

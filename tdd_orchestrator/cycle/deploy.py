"""A specialist sent to one failing test outside of a cycle (A8): its tree, its brief, its patience with the provider."""

from __future__ import annotations

from tdd_orchestrator.agents.agent import Reply, Request
from tdd_orchestrator.agents.transport import Move as Transport
from tdd_orchestrator.agents.transport import decide as decide_transport
from tdd_orchestrator.cycle import cures, watched
from tdd_orchestrator.cycle.failures import Failure, request_of
from tdd_orchestrator.cycle.healing import Healing
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.turn import agent_info
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.parts import ErrorDetails
from tdd_orchestrator.model.records import Incident
from tdd_orchestrator.prompting.brief import Brief, FixRequest
from tdd_orchestrator.prompting.compose import SHORT


def deploy(
    shop: Workshop,
    start: str,
    before: Proof,
    failure: Failure,
    healing: Healing,
    number: int,
    run_id: str,
    *,
    kept: bool,
) -> tuple[Request, Reply]:
    """What the specialist of this failure was asked and said; what it did is in the agents' tree. Paused where it is not to be had."""
    role = failure.diagnosis.specialist
    agent = shop.cast.agent(role)
    output = shop.places.run(run_id, "fix", len(healing.agents) + 1, failure.fingerprint[:8] or role)
    wall, idle = shop.settings.agent_timeout.get(agent.name, (300.0, 0.0))
    room = stretch = 1.0
    for waited in range(shop.settings.retry.transient_retries + 2):
        watched.prepare(shop, start, f"tdd/{run_id}")
        suite = shop.prover.suites[0]
        brief = Brief(
            phase="fix", title=failure.name, attempt=number, max_attempts=shop.settings.retry.max_retries,
            test_command=" ".join(suite.command), framework=suite.framework.name, language=suite.framework.language,
            target_tests=(failure.id,), failing_output=failure.detail, diagnosis=failure.diagnosis,
            forbidden=(*suite.framework.test_files, *suite.framework.config_files), tries=tuple(healing.tries), kept=kept,
            request=request_of(shop, before, failure, output), room=room,
            cured=cures.told(shop, failure.fingerprint),
        )  # fmt: skip
        request = Request(
            role, "fix", shop.compose(role, brief), shop.agent_tree.path, output, run_id, number,
            timeout=wall, idle_timeout=idle, stretch=stretch, failed_phase="GREEN", cookie=shop.cookie, port=shop.port,
            signal=FixRequest().signal,
        )  # fmt: skip
        shop.watch.doing(f"{failure.name}: {role} works ({agent.name}, {number})")
        done = watched.work(shop, agent, request)
        reply = done.reply
        if done.repository or done.shared:
            _note_touched(shop, start, agent.name, done)
        decision = decide_transport(reply, waited, shop.settings.retry, shortened=room < 1)
        if decision.move is Transport.NONE:
            return request, reply
        shop.consulted.append(agent_info(reply, role, agent.name))
        if decision.move is Transport.PAUSE:
            raise Paused(decision.what, decision.todo)
        room = SHORT if decision.shorter else room
        stretch = max(stretch, decision.stretch)
        shop.watch.note(decision.what)
        shop.clock.sleep(decision.seconds)
    raise AssertionError("the transport's own budget ends the loop")


def _note_touched(shop: Workshop, head: str, agent: str, done: watched.Work) -> None:
    what = "; ".join(filter(None, (done.repository, *(f"{name} changed" for name in done.shared))))
    message = f"while {agent} worked: {what}"
    details = ErrorDetails(type="RepositoryTouched", message=shop.redact(message))
    record = Incident(error=message, error_details=details, details=watched.details(done))
    shop.write(head, record, f"incident: {message}")

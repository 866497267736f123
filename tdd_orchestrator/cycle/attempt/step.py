"""One attempt: brief, act, collect, prove, judge, record. A kill in between repeats the attempt, and only it."""

from __future__ import annotations

from tdd_orchestrator.agents.agent import TIMEOUT, AgentStatus, Reply, Request
from tdd_orchestrator.agents.transport import Move as Transport
from tdd_orchestrator.agents.transport import decide as decide_transport
from tdd_orchestrator.cycle.attempt import agent_run, brief, outcome, provider
from tdd_orchestrator.cycle.attempt.account_limits import refuse_limited
from tdd_orchestrator.cycle.attempt.agent_session import session_of
from tdd_orchestrator.cycle.attempt.attempt_plan import Turn, next_turn, place
from tdd_orchestrator.cycle.attempt.candidate import Candidate, take, with_diff
from tdd_orchestrator.cycle.attempt.examples import explain
from tdd_orchestrator.cycle.attempt.judge import held_to, report_at
from tdd_orchestrator.cycle.attempt.rerun_policy import judged_in_the_end
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.verdict_names import commit_message
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.errors import Waiting
from tdd_orchestrator.model.parts import AgentInfo
from tdd_orchestrator.model.phase import ACCEPTED, Phase
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.model.records import Intent
from tdd_orchestrator.prompting.brief import FixRequest
from tdd_orchestrator.text import one_line

_TASKS = {
    Phase.RED: "write a test that fails because this does not work yet; change tests only",
    Phase.GREEN: "make that test pass; change no test",
    Phase.REFACTOR: "improve the code where it needs it; the same tests must pass (no change is fine, too)",
}
_KILL = "write a test that passes, and fails with that fault in the code; change tests only"
_NAMED = 5  # files that were not taken


def attempt(shop: Workshop, state: CycleState, item: Item) -> CycleState:
    """Do the attempt that the state asks for; the new state comes back. Paused and Waiting pass through."""
    report_at(shop, state, "baseline")  # without it nobody's work could be judged
    turn = next_turn(shop, state, item)
    delay = 0.0 if state.interrupted else provider.delay_of(shop, turn.move)
    if delay:
        shop.watch.doing(f"{turn.phase}: waiting {delay:g} s before going on")
        shop.clock.sleep(delay)
    refuse_limited(shop, turn.agent.name)
    _write_intent(shop, state, turn)
    request, reply = _act(shop, state, turn)
    decision = decide_transport(
        reply, state.transient, shop.settings.retry, shortened=turn.shorter,
        before=provider.faults_before(state), now=shop.clock.now(),
    )  # fmt: skip
    if decision.move is not Transport.NONE:
        return provider.provider_fault(shop, state, turn, reply, decision)
    message = commit_message(turn.phase, item.title, item.type, state.cycle_id)
    candidate = take(shop, turn.phase, state.tip, turn.start, message)
    _wait_for_person(shop, turn, reply, candidate)
    judged, proof = judged_in_the_end(shop, state, turn.phase, candidate, reply)
    if shop.settings.withhold and turn.phase is Phase.GREEN:
        judged = explain(shop, candidate, judged, proof, turn.shown)
    reply = held_to(shop, judged, request, reply)
    if judged.verdict in ACCEPTED:
        return outcome.accept(shop, state, turn, reply, candidate, judged, proof)
    return outcome.refuse(shop, state, turn, reply, with_diff(shop, candidate), judged, proof)


def _wait_for_person(shop: Workshop, turn: Turn, reply: Reply, candidate: Candidate) -> None:
    """Somebody who has not begun has not failed: no attempt is used up. Waiting, until something has changed."""
    idle = reply.status is AgentStatus.SUCCESS and not candidate.own and not candidate.violations
    if idle and turn.agent.name == "human" and turn.phase is not Phase.REFACTOR:
        left = [f"{path} was not taken: {why.rstrip('.')}." for path, why in candidate.left[:_NAMED]]
        raise Waiting(
            f"Nothing has changed in {shop.agent_tree.path} yet. {one_line(' '.join(left), 600)}".rstrip(),
            "Edit the files there and run the same command again; `tdd cycle abort` gives the cycle up.",
        )


def _write_intent(shop: Workshop, state: CycleState, turn: Turn) -> None:
    """Before the agent starts, so that a crash cannot reset a count. An interrupted attempt has its intent."""
    if state.interrupted and state.attempt == turn.serial:
        return
    intent = Intent(
        **place(state),
        phase=turn.phase,
        next_phase=turn.phase,
        attempt=turn.serial,
        retry_count=turn.retry,
        role=turn.role,
        agent=AgentInfo(name=turn.agent.name, role=turn.role),
        wait=turn.move.delay,
        on=turn.start,
        transient=state.transient,
    )
    shop.write(
        state.tip, intent, f"{turn.phase} begun: {state.item} (attempt {turn.serial}, {turn.agent.name})"
    )


def _act(shop: Workshop, state: CycleState, turn: Turn) -> tuple[Request, Reply]:
    """Give the agent its tree and its brief, and let it work."""
    branch = f"tdd/{state.cycle_id}"
    taken_up = state.interrupted and state.interrupted_agent == turn.agent.name == "human"
    if not taken_up:
        agent_run.prepare(shop, turn.shown.commit, branch)
    wall, idle = shop.settings.agent_timeout.get(turn.agent.name, (TIMEOUT, 0.0))
    request = Request(
        role=turn.role,
        phase="fix" if turn.is_fix else str(turn.phase).lower(),
        prompt=brief.prompt(shop, state, turn),
        tree=shop.agent_tree.path,
        output=shop.places.run(state.cycle_id, turn.phase, turn.serial, turn.role),
        cycle_id=state.cycle_id,
        attempt=turn.number,
        timeout=wall,
        idle_timeout=idle,
        stretch=turn.move.longer,
        failed_phase=str(turn.phase) if turn.is_fix else "",
        task=f"{turn.item.title}\n  do     {_KILL if state.mutant else _TASKS[turn.phase]}",
        signal=FixRequest().signal if turn.is_fix else "",
        cookie=shop.cookie,
        port=shop.port,
        session=session_of(state, turn),
    )
    shop.watch.doing(f"{turn.phase}: {turn.agent.name} works (attempt {turn.serial})")
    done = agent_run.work(shop, turn.agent, request)
    if done.repository:
        what = f"while {turn.agent.name} worked, without a sandbox: {done.repository}"
        outcome.incident(shop, state, "RepositoryTouched", what, **agent_run.details(done))
    moved = shop.agent_tree.moved_git(turn.start, branch)
    if moved:
        shop.watch.note(f"the agent's own git: {moved}; its files alone count")
    if done.shared:
        what = f"{', '.join(done.shared)} changed while {turn.agent.name} worked"
        outcome.incident(shop, state, "SharedChanged", what)
    return request, done.reply

"""The next phase's agent begins while the whole suite still runs on this phase's commit.

    the targets' run looks proven -> the agent works on the state that would follow
    proven as supposed            -> the next attempt takes its work over
    anything else                 -> it is ended and thrown away; the next record names it as ``discarded``

Nothing is recorded before the proof, so after a kill the work has not begun. The agents' tree is free as
soon as this phase's files are collected, so no other tree is needed.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import nullcontext
from dataclasses import dataclass, replace

from tdd_orchestrator import process
from tdd_orchestrator.agents.agent import AgentStatus, Reply, Request
from tdd_orchestrator.agents.sandbox import choose
from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt import agent_run, brief, integrity_check
from tdd_orchestrator.cycle.attempt.account_limits import limited_until
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.attempt.attempt_plan import AttemptPlan, plan_attempt
from tdd_orchestrator.cycle.attempt.candidate import Candidate
from tdd_orchestrator.cycle.attempt.judge import edits_of_red, ignored, report_at
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.gates import Evidence
from tdd_orchestrator.cycle.gates.evidence import targets_pass
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.red.red_evidence import red_evidence
from tdd_orchestrator.cycle.red.test_changes import cases_of_tests, edits_of, target_cases
from tdd_orchestrator.cycle.start import within_cycle
from tdd_orchestrator.cycle.state import CycleState, fold
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.phase import TRANSITIONS, Phase, Verdict
from tdd_orchestrator.model.records import Handoff
from tdd_orchestrator.model.report import Report

_WORTH = 5.0  # seconds that the whole suite took at the baseline: less is not worth a run of the targets
_LOOK = 0.1  # seconds between two looks at an agent that is to end


@dataclass(frozen=True, slots=True)
class WorkAhead:
    """An agent at work on an attempt that is planned on ``state``, which is not proven yet."""

    context: CycleContext
    state: CycleState
    attempt_plan: AttemptPlan
    started: agent_run.Started
    reply: Future[Reply]

    def fits(self, state: CycleState, attempt_plan: AttemptPlan) -> bool:
        """Return whether the attempt that is to be made is the one that was begun."""
        return _key(state, attempt_plan) == _key(self.state, self.attempt_plan)

    def end(self) -> None:
        """End the agent's programs, and wait until they have ended."""
        while not self.reply.done():
            self.context.agents.place.stop()
            process.sweep(self.context.agents.run_marker)
            wait_for([self.reply], _LOOK)


def _work_ahead(context: CycleContext) -> WorkAhead | None:
    return context.run.ahead if isinstance(context.run.ahead, WorkAhead) else None


def _key(state: CycleState, plan: AttemptPlan) -> tuple[object, ...]:
    return (
        state.tip,
        state.targets,
        plan.phase,
        plan.role,
        plan.agent.name,
        plan.start,
        plan.serial,
        plan.retry,
    )


def begin(
    context: CycleContext, state: CycleState, attempt_plan: AttemptPlan, candidate: Candidate, reply: Reply
) -> None:
    """Begin the next phase on the candidate, where that is worth it and the targets' run looks proven."""
    if not _is_worth_it(context, state, attempt_plan, candidate, reply):
        return
    seen = _run_targets(context, state, candidate)
    if seen is None:
        return
    report, targets = seen
    supposed = Handoff(
        **attempt_plan.place(state, TRANSITIONS[attempt_plan.phase, Verdict.PROVEN], tip=candidate.commit),
        agent=agent_info(reply, attempt_plan.role, attempt_plan.agent.name),
        tests=context.prover.evidence(
            Proof(report, candidate.tree, context.prover.key(candidate.tree)), targets=targets
        ),
        summary=context.redact(reply.report or reply.text)[:1500],
    )
    then = replace(
        context,
        run=replace(context.run, records=[*context.run.records, supposed]),
        agents=replace(
            context.agents,
            place=context.agents.place.apart(),
            run_marker=f"{context.agents.run_marker}.ahead",
        ),
    )
    following = fold(then.run.records)
    assert following is not None
    _begin(context, then, following, plan_attempt(then, following, attempt_plan.item))


def _is_worth_it(
    context: CycleContext, state: CycleState, plan: AttemptPlan, candidate: Candidate, reply: Reply
) -> bool:
    """Return whether work may begin ahead: nothing asks for a person, for a port or for another order, the whole
    suite takes long, and a sandbox keeps the agent from the tree in which it runs."""
    settings, prover = context.settings, context.prover
    clean = bool(candidate.own and candidate.commit) and not candidate.violations
    return (
        clean
        and choose(settings.sandbox) != "none"
        and plan.phase in (Phase.RED, Phase.GREEN)
        and reply.status is AgentStatus.SUCCESS
        and report_at(context, state, "baseline").seconds >= _WORTH
        and all(suite.framework.select for suite in prover.suites)
        and not (settings.inplace or settings.withhold or context.agents.port)
        and not (plan.raced or state.mutant or context.run.until is plan.phase)
        and not (plan.phase is Phase.RED and context.repo.plan.plan().open_children(plan.item))
        and prover.recorded(candidate.tree, context.run.records) is None
    )


def _run_targets(
    context: CycleContext, state: CycleState, candidate: Candidate
) -> tuple[Report, tuple[str, ...]] | None:
    """Run the files of the cycle's new tests alone; return the report and the targets where they are as the phase
    wants them. It proves nothing: the whole suite does."""
    is_red = state.phase is Phase.RED
    edits = edits_of(candidate.changes, context.project.rules) if is_red else edits_of_red(context, state)
    tests = (*edits.added, *edits.changed)
    if not tests or (edits.removed and context.settings.removed_tests == "ask"):
        return None
    baseline = report_at(context, state, "baseline")
    context.watch.doing(f"{state.phase}: running the new tests alone")
    report, _ = context.prover.run_rewritten(
        candidate.commit, {}, cases_of_tests(tests), baseline.seconds / 2
    )
    evidence = Evidence(
        baseline, report, True, targets=state.targets, ignore=ignored(context, state),
        target_cases=target_cases(state.targets, edits.after, baseline, report),
    )  # fmt: skip
    if not is_red:
        passed = not report.build_error and targets_pass(report, evidence) is None
        return (report, state.targets) if passed else None
    unasked = replace(context, settings=replace(context.settings, questions=()))
    judged = gates.red(evidence, red_evidence(unasked, state, evidence, candidate, targets_only=True))
    return (report, judged.targets) if judged.verdict is Verdict.PROVEN else None


def _begin(context: CycleContext, then: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> None:
    """Let the agent begin in a thread, which touches nothing but the agents' tree and its own output."""
    agent, race = attempt_plan.agent, context.agents.race
    if agent.name == "human" or (race and race.agents(attempt_plan.phase)) or limited_until(then, agent.name):
        return
    try:
        within_cycle(then, state)
    except Paused:
        return  # the next attempt says so
    agent_run.prepare(then, attempt_plan.shown.commit, f"tdd/{state.cycle_id}")
    started = agent_run.start(then, agent, brief.request(then, state, attempt_plan))
    context.run.ahead = work = WorkAhead(then, state, attempt_plan, started, Future())
    threading.Thread(target=_work, args=(work,), daemon=True).start()
    context.watch.note(f"{attempt_plan.phase}: {agent.name} begins while the whole suite runs")


def _work(work: WorkAhead) -> None:
    try:
        work.reply.set_result(agent_run.run(work.context, work.started, nullcontext))
    except BaseException as error:  # noqa: BLE001  raised again where the work is taken over
        work.reply.set_exception(error)


def take_over(
    context: CycleContext, state: CycleState, attempt_plan: AttemptPlan
) -> tuple[Request, agent_run.Work] | None:
    """Wait for the work that was begun on this attempt; None where there is none. Other work is thrown away."""
    work = _work_ahead(context)
    if work is None or not work.fits(state, attempt_plan):
        throw_away(context)
        return None
    seen = work.started.seen
    if seen.last:
        seen.changed(seen)  # it may do nothing new for long
    with context.agents.outside():
        reply = work.reply.result()
    context.run.ahead = None
    return work.started.request, agent_run.finish(context, work.started, reply)


def throw_away(context: CycleContext) -> None:
    """End the work that was begun ahead, if any; the next record names its agent, with what it used."""
    work = _work_ahead(context)
    if work is None:
        return
    work.end()
    context.run.ahead = None
    agent, role = work.attempt_plan.agent.name, work.attempt_plan.role
    failed = work.reply.exception() is not None
    reply = Reply(agent, AgentStatus.ERROR) if failed else work.reply.result()
    agent_run.finish(context, work.started, reply)
    lost = agent_info(reply, role, agent).model_copy(update={"status": "discarded"})
    context.run.consulted.append(lost)
    context.watch.note(f"{work.attempt_plan.phase}: what {agent} began is thrown away")


def stop(context: CycleContext) -> None:
    """The command is broken off: the work that was begun ahead ends, as after a kill."""
    work, context.run.ahead = _work_ahead(context), None
    if work is not None:
        work.end()
        integrity_check.leave(context.agents, work.started.watched)

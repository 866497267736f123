"""One attempt: brief, act, collect, prove, judge, record. A kill in between repeats the attempt, and only
it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from tdd_orchestrator.agents.agent import AgentStatus, Reply, Request
from tdd_orchestrator.agents.human import HumanAgent
from tdd_orchestrator.agents.transport import Decision, FaultAction, duration_text
from tdd_orchestrator.agents.transport import decide as decide_transport
from tdd_orchestrator.cycle.attempt import agent_run, ahead, brief, outcome, provider
from tdd_orchestrator.cycle.attempt.account_limits import refuse_limited
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.attempt.attempt_plan import AttemptPlan, JudgedAttempt, explain, plan_attempt
from tdd_orchestrator.cycle.attempt.candidate import (
    Candidate,
    candidate_of,
    changed_lines,
    paths_of,
    take,
    with_diff,
)
from tdd_orchestrator.cycle.attempt.judge import held_to, report_at
from tdd_orchestrator.cycle.attempt.provider import judged_in_the_end
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.rebase import LandingConflict, rebased_tree
from tdd_orchestrator.cycle.start import note_unmetered
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.events import log
from tdd_orchestrator.model.errors import Waiting
from tdd_orchestrator.model.parts import AgentInfo
from tdd_orchestrator.model.phase import ACCEPTED, Phase, Verdict
from tdd_orchestrator.model.plan import Item, ItemType
from tdd_orchestrator.model.records import Intent
from tdd_orchestrator.text import one_line

_NAMED = 5  # files that were not taken


def _seconds(delay: float) -> str:
    return f"{round(delay, 1):g} s" if delay < 90 else duration_text(delay)


def attempt(context: CycleContext, state: CycleState, item: Item) -> CycleState:
    """Do the attempt that the state asks for; the new state comes back. Paused and Waiting pass through."""
    report_at(context, state, "baseline")  # without it nobody's work could be judged
    attempt_plan = plan_attempt(context, state, item)
    delay = 0.0 if state.interrupted else provider.delay_of(context.clock, attempt_plan.move)
    if delay:
        context.watch.doing(f"{attempt_plan.phase}: waiting {_seconds(delay)} before going on")
        context.clock.sleep(delay)
    refuse_limited(context, attempt_plan.agent.name)
    _write_intent(context, state, attempt_plan)
    log(
        "phase begun",
        phase=attempt_plan.phase,
        attempt=attempt_plan.serial,
        retry=attempt_plan.retry,
        cycle=state.cycle_id,
    )
    done = _moved_outer(context, state, attempt_plan) or _raced(context, state, attempt_plan)
    attempt_plan, reply = done.attempt_plan, done.reply
    note_unmetered(context, reply)
    if done.work is None:
        return provider.provider_fault(context, state, attempt_plan, reply, done.decision)
    candidate, judged, proof = done.work
    reply = held_to(context.redact, judged, done.request, reply)
    if judged.verdict is not Verdict.PROVEN:
        ahead.throw_away(context)
    if done.proven:
        return outcome.accept(context, state, JudgedAttempt(attempt_plan, reply, candidate, judged, proof))
    shown = with_diff(context, candidate)
    return outcome.refuse(context, state, JudgedAttempt(attempt_plan, reply, shown, judged, proof))


@dataclass(frozen=True, slots=True)
class _Tried:
    """What an agent made of an attempt. ``work`` is judged; None where its provider was away."""

    attempt_plan: AttemptPlan
    request: Request
    reply: Reply
    decision: Decision
    work: tuple[Candidate, Judgement, Proof | None] | None = None

    @property
    def proven(self) -> bool:
        return self.work is not None and self.work[1].verdict in ACCEPTED


def _try(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> _Tried:
    """Let one agent work, and judge what it left."""
    request, reply = _act(context, state, attempt_plan)
    decision = decide_transport(
        reply, state.transient, context.settings.retry, shortened=attempt_plan.shorter,
        before=provider.faults_before(state), paused=provider.paused_before(state), now=context.clock.now(),
    )  # fmt: skip
    if decision.move is not FaultAction.NONE:
        return _Tried(attempt_plan, request, reply, decision)
    item = attempt_plan.item
    message = commit_message(attempt_plan.phase, item.title, item.type, state.cycle_id)
    candidate = take(context, attempt_plan.phase, state.tip, attempt_plan.start, message)
    while _idle_person(attempt_plan, reply, candidate):
        reply = _ask_again(context, state, attempt_plan, request, candidate)
        candidate = take(context, attempt_plan.phase, state.tip, attempt_plan.start, message)
    ahead.begin(context, state, attempt_plan, candidate, reply)
    judged, proof = judged_in_the_end(context, state, candidate, reply)
    if context.settings.withhold and attempt_plan.phase is Phase.GREEN:
        judged = explain(context.prover, candidate, judged, proof, attempt_plan.shown)
    return _Tried(attempt_plan, request, reply, decision, (candidate, judged, proof))


def _moved_outer(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> _Tried | None:
    """Judge an acceptance item's test on the branch that holds its children; None where RED's agent writes
    it."""
    if not state.outer or attempt_plan.phase is not Phase.RED or state.of_phase(everything=True):
        return None
    try:
        tree = rebased_tree(context.repo, state.tip, state.outer, state.branch)
    except LandingConflict:
        context.watch.note("RED: the acceptance test conflicts with what landed since; it is written anew")
        return None
    item = attempt_plan.item
    message = commit_message(attempt_plan.phase, item.title, item.type, state.cycle_id)
    candidate = candidate_of(
        context,
        attempt_plan.phase,
        state.tip,
        tree,
        message,
        known=frozenset(paths_of(context.repo, state.tip)),
    )
    reply = Reply("tdd", AgentStatus.SUCCESS, text="Moved the acceptance test to the branch as it is now.")
    judged, proof = judged_in_the_end(context, state, candidate, reply)
    request = Request(
        attempt_plan.role, "red", "", context.agents.tree.path, context.agents.tree.path, state.cycle_id
    )
    return _Tried(attempt_plan, request, reply, Decision(FaultAction.NONE), (candidate, judged, proof))


def _raced(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> _Tried:
    """Do the attempt with its agent; or, where the phase is raced for, with each of the racers at once, and
    return the one that counts. What the others used is in the next record, as ``superseded``."""
    race = context.agents.race
    names = race.agents(attempt_plan.phase) if race and not attempt_plan.is_fix else ()
    if race is None or not names:
        return _try(context, state, attempt_plan)
    plans = [
        replace(attempt_plan, agent=context.agents.registry.agent(attempt_plan.role, name), raced=True)
        for name in names
    ]
    begun = context.clock.now()
    tried = race.run(
        context,
        [lambda racer, plan=plan: _try(racer, state, plan) for plan in plans],  # type: ignore[misc]
        lambda one: one.proven and not race.best,
    )
    seconds = (context.clock.now() - begun).total_seconds()
    done = [one for one in tried if one is not None]
    best = min(done, key=partial(_rank, best=race.best))
    for plan, one in zip(plans, tried, strict=True):
        if one is not best:
            reply = one.reply if one else Reply(plan.agent.name, AgentStatus.ERROR, seconds=seconds)
            lost = agent_info(reply, attempt_plan.role, plan.agent.name)
            context.run.consulted.append(lost.model_copy(update={"status": "superseded"}))
            context.watch.note(f"{attempt_plan.phase}: {plan.agent.name} is superseded")
    return best


def _rank(one: _Tried, best: bool) -> tuple[bool, bool, int, float]:
    """Return what decides a race, the lowest wins: proven, with work; of the best also changed lines and cost."""
    if not best or one.work is None:
        return not one.proven, one.work is None, 0, 0.0
    cost = one.reply.usage.cost
    return not one.proven, False, changed_lines(one.work[0].changes), inf if cost is None else cost


def _idle_person(attempt_plan: AttemptPlan, reply: Reply, candidate: Candidate) -> bool:
    """Return whether a person has changed nothing yet, which REFACTOR alone may end with."""
    person = attempt_plan.agent.name == "human" and attempt_plan.phase is not Phase.REFACTOR
    return person and reply.status is AgentStatus.SUCCESS and not candidate.own and not candidate.violations


def _ask_again(
    context: CycleContext,
    state: CycleState,
    attempt_plan: AttemptPlan,
    request: Request,
    candidate: Candidate,
) -> Reply:
    """Ask the person once more, in the tree as it is. Raises Waiting where there is no terminal."""
    left = [f"{path} was not taken: {why.rstrip('.')}." for path, why in candidate.left[:_NAMED]]
    idle = f"Nothing has changed in {request.tree} yet. {one_line(' '.join(left), 600)}".rstrip()
    agent = attempt_plan.agent
    if not isinstance(agent, HumanAgent) or agent.wait is None:
        raise Waiting(
            idle, "Edit the files there and run the same command again; `tdd cycle abort` gives the cycle up."
        )
    context.watch.note(idle)
    done = agent_run.work(context, agent, request)
    _report_touched(context, state, attempt_plan, done)
    return done.reply


def _write_intent(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> None:
    """Before the agent starts, so that a crash cannot reset a count. An interrupted attempt has its
    intent."""
    if state.interrupted and state.attempt == attempt_plan.serial:
        return
    intent = Intent(
        **attempt_plan.place(state),
        role=attempt_plan.role,
        agent=AgentInfo(name=attempt_plan.agent.name, role=attempt_plan.role),
        wait=attempt_plan.move.delay,
        on=attempt_plan.start,
        transient=state.transient,
    )
    context.write(
        state.tip,
        intent,
        (
            f"{attempt_plan.phase} begun: {state.item} (attempt {attempt_plan.serial}, "
            f"{attempt_plan.agent.name})"
        ),
    )


def _act(context: CycleContext, state: CycleState, attempt_plan: AttemptPlan) -> tuple[Request, Reply]:
    """Give the agent its tree and its brief, and let it work; or take over what it has begun ahead."""
    branch = f"tdd/{state.cycle_id}"
    name = attempt_plan.agent.name
    if name != "human":  # a person is asked on a screen of its own
        context.watch.doing(f"{attempt_plan.phase}: {name} works (attempt {attempt_plan.serial})")
    begun = ahead.take_over(context, state, attempt_plan)
    if begun is not None:
        request, done = begun
    else:
        taken_up = state.interrupted and state.interrupted_agent == name == "human"
        if taken_up:
            context.agents.tree.compare_with(attempt_plan.shown.commit)
        else:
            agent_run.prepare(context, attempt_plan.shown.commit, branch)
        request = brief.request(context, state, attempt_plan)
        done = agent_run.work(context, attempt_plan.agent, request)
    _report_touched(context, state, attempt_plan, done)
    return request, done.reply


def _report_touched(
    context: CycleContext, state: CycleState, attempt_plan: AttemptPlan, done: agent_run.Work
) -> None:
    """Record what the agent touched beside the files that are collected."""
    branch = f"tdd/{state.cycle_id}"
    if done.repository:
        what = f"while {attempt_plan.agent.name} worked, without a sandbox: {done.repository}"
        outcome.incident(context, state, "RepositoryTouched", what, **agent_run.details(done))
    moved = context.agents.tree.moved_git(attempt_plan.shown.commit, branch)
    if moved:
        context.watch.note(f"the agent's own git: {moved}; its files alone count")
    if done.shared:
        what = f"{', '.join(done.shared)} changed while {attempt_plan.agent.name} worked"
        outcome.incident(context, state, "SharedChanged", what)


_NAMED_A_FIX = re.compile(r"(?i)^fix:\s*(?=\S)")  # the prefix says it already


PREFIX = {Phase.RED: "test", Phase.REFACTOR: "refactor"}


def commit_subject(phase: Phase, title: str, item_type: ItemType) -> str:
    """A conventional subject of at most 72 characters (S6)."""
    prefix = PREFIX.get(phase) or ("fix" if item_type is ItemType.BUG else "feat")
    words = _NAMED_A_FIX.sub("", title.strip()).rstrip(".")
    words = words[:1].lower() + words[1:] if words[1:2].islower() or len(words) == 1 else words
    room = 72 - len(prefix) - 2
    return f"{prefix}: {words if len(words) <= room else words[: room - 1] + '…'}"


def commit_message(phase: Phase, title: str, item_type: ItemType, cycle_id: str) -> str:
    """Subject, and the trailers by which records are found again after a rewrite."""
    text = commit_subject(phase, title, item_type)
    return f"{text}\n\nTdd-Cycle: {cycle_id}\nTdd-Phase: {phase}\n"

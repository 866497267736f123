"""Asking an agent something: a read-only role works in the agents' tree, and whatever it changes there is
discarded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tdd_orchestrator.agents.agent import TIMEOUT, Reply, Request
from tdd_orchestrator.agents.transport import GOES_ON, FaultAction
from tdd_orchestrator.cycle.attempt import agent_run
from tdd_orchestrator.cycle.attempt.account_limits import Patience, refuse_limited
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.prompting.brief import Brief
from tdd_orchestrator.workspace.collect import is_litter

_LARGEST = 512 << 10  # bytes of an answer


@dataclass(frozen=True, slots=True)
class Question:
    """A question to an agent.

    ``phase`` is test_list or analyze; ``answers`` are the files looked for, in order.
    """

    role: str
    phase: str
    brief: Brief
    commit: str  # what the tree shows
    about: str  # cycle id, or another name for the folder of the run
    number: int
    answers: tuple[str, ...]
    requires: str = ""
    failed_phase: str = ""
    limit: float = 0.0  # seconds that it may take at most, 0 = as long as the agent may work
    plays: str = ""  # the role whose agent is asked, where it is not the prompt's own
    after: str = GOES_ON  # what the command does when it is given again after a pause


def ask(context: CycleContext, question: Question) -> tuple[Reply, str]:
    """Return the reply and the text of its answer ("" where there is none).

    Raises Paused where the provider is unavailable.
    """
    agent = context.agents.registry.agent(question.plays or question.role)
    wall, idle = context.settings.agent_timeout.get(agent.name, (TIMEOUT, 0.0))
    refuse_limited(context, agent.name)
    limit = min(wall, question.limit or wall)
    patience = Patience(context, question.brief.room)
    while True:
        brief = replace(question.brief, minutes=round(limit / 60, 1), room=patience.room)
        agent_run.prepare(context, question.commit, f"tdd/{question.about}")
        output = context.repo.places.run(question.about, question.phase, question.number, question.role)
        request = Request(
            question.role,
            question.phase,
            context.agents.compose(question.role, brief),
            context.agents.tree.path,
            output,
            question.about,
            question.number,
            read_only=True,
            requires=question.requires,
            timeout=limit,
            idle_timeout=idle,
            stretch=patience.stretch,
            failed_phase=question.failed_phase,
            run_marker=context.agents.run_marker,
            port=context.agents.port,
        )
        context.watch.doing(f"{question.role}: {agent.name} reads (attempt {question.number})")
        reply = agent_run.work(context, agent, request).reply
        context.run.consulted.append(agent_info(reply, question.role, agent.name))
        edited = [entry.path for entry in context.agents.tree.touched() if not is_litter(entry.path)]
        if edited:
            context.watch.note(f"{question.role} may only read; what it did to {edited[0]} is discarded")
        decision = patience.decide(reply, question.after)
        if decision.move is FaultAction.NONE:
            return reply, _answer(output, question.answers) or reply.text
        if decision.move is FaultAction.PAUSE:
            raise Paused(decision.what, decision.todo, fault=reply.fault, agent=reply.agent)
        patience.wait(decision)


def _answer(output: Path, names: tuple[str, ...]) -> str:
    for name in names:
        path = output / name
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                return file.read(_LARGEST + 1).decode("utf-8", "replace")
    return ""

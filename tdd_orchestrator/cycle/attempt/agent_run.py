"""Run one agent in the agents' tree: prepare, watch, compare. The only way to call an agent."""

from __future__ import annotations

import textwrap
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tdd_orchestrator.agents.agent import Agent, Reply, Request
from tdd_orchestrator.agents.command import CommandAgent
from tdd_orchestrator.agents.last_words import MessageKind, last_words
from tdd_orchestrator.agents.live import Activity, AgentProgress
from tdd_orchestrator.agents.transport import duration_text
from tdd_orchestrator.cycle.attempt import integrity_check
from tdd_orchestrator.cycle.context import CycleContext, Watcher
from tdd_orchestrator.events import log
from tdd_orchestrator.model.parts import AgentInfo
from tdd_orchestrator.process import Outside
from tdd_orchestrator.runners.neutral import left_alone
from tdd_orchestrator.workspace.services import running, services_beside


@dataclass(frozen=True, slots=True)
class Work:
    """The reply of an agent's run. ``shared`` are links that changed meanwhile."""

    reply: Reply
    restored: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def repository(self) -> str:
        """Return a sentence on what was done to the user's repository, "" where nothing was."""
        return "; ".join((*self.restored, *self.warnings)[:5])


_LINE = 200  # characters of a line on the screen


def note_words(watch: Watcher, who: str, words: str) -> None:
    """Print an agent's last words for the person who may have to act on them."""
    for number, line in enumerate(textwrap.wrap(words, _LINE)):
        watch.note(f"{who} said: {line}" if number == 0 else line)


def prepare(context: CycleContext, commit: str, branch: str) -> None:
    """Move the agents' tree to ``commit``, with the shared folders and a git repository of its own."""
    context.agents.tree.move_to(commit)
    context.project.shared.show_in(context.agents.tree)
    context.agents.tree.give_git(commit, branch)
    context.project.shared.set_up(
        context.agents.tree,
        context.prover.environ,
        run_marker=context.agents.run_marker,
        say=context.watch.note,
        outside=context.agents.outside,
    )


@dataclass(frozen=True, slots=True)
class Started:
    """An agent's run that is prepared: what the shared folders looked like, and whether it is watched; ``seen``
    is what it has done so far."""

    agent: Agent
    request: Request
    shared: Mapping[str, str]
    watched: bool
    seen: Activity = field(default_factory=Activity)


def work(context: CycleContext, agent: Agent, request: Request) -> Work:
    """Run the agent, then check what it must not have touched."""
    started = start(context, agent, request)
    try:
        reply = run(context, started, context.agents.outside)
    except BaseException:  # an interrupt too: the watch must end, whatever broke the work off
        integrity_check.leave(context.agents, started.watched)
        raise
    return finish(context, started, reply)


def start(context: CycleContext, agent: Agent, request: Request) -> Started:
    """Note what the agent must not touch, just before it runs."""
    started = Started(
        agent, request, context.project.shared.fingerprint(), integrity_check.begin(context, agent.name)
    )
    if agent.name != "human":  # who sits there knows what becomes of those files
        context.agents.tree.hold()
    return started


def run(context: CycleContext, started: Started, outside: Outside) -> Reply:
    """Run the agent with its services. Nothing of the repository is read or written here."""
    agent, request = started.agent, started.request
    place = {"agent": agent.name, "role": request.role, "phase": request.phase, "cycle": request.cycle_id}
    log("agent run begun", "info", **place, attempt=request.attempt)
    tree = context.agents.tree.path
    with running(context.agents.services, services_beside(tree), outside) as env:
        env = left_alone(tree) | env
        reply = _work_with_live_output(context, agent, replace(request, env=env), outside, started.seen)
    log(
        "agent run ended", "info", **place, attempt=request.attempt, status=reply.status,
        seconds=round(reply.seconds, 1),
        tokens=reply.usage.total, cost=reply.usage.cost, fault=reply.fault, reason=reply.failure_reason,
    )  # fmt: skip
    return reply


def finish(context: CycleContext, started: Started, reply: Reply) -> Work:
    """Check what the agent must not have touched, now that it has ended."""
    back = context.agents.tree.give_back()
    for what in back:
        context.watch.note(what)
    seen = integrity_check.end(context, started.watched, started.request.output)
    changed = tuple(
        name
        for name, mark in context.project.shared.fingerprint().items()
        if started.shared.get(name) != mark
    )
    return Work(reply, (*back, *seen.restored), seen.reported, changed)


def _work_with_live_output(
    context: CycleContext, agent: Agent, request: Request, outside: Outside, seen: Activity
) -> Reply:
    """Run the agent with its output shown live. A silent program is reported; a person is not hurried."""
    if not isinstance(agent, CommandAgent):
        with outside():
            return context.agents.place.work(context.agents.tree, agent, request, None)
    limit = (request.timeout or agent.timeout) * request.stretch

    began = time.monotonic()

    def show(_: Activity) -> None:
        action, files = context.redact(seen.last), len(seen.files)
        seconds = round(time.monotonic() - began, 1)
        context.watch.working(
            AgentProgress(request.phase.upper(), agent.name, action, files, seen.tokens, seconds)
        )
        log(
            "agent action", "debug", agent=agent.name, phase=request.phase, cycle=request.cycle_id,
            action=action, files=files, tokens=seen.tokens,
        )  # fmt: skip

    def say(idle: str) -> None:
        context.watch.doing(f"{request.phase.upper()}: {context.redact(idle)}", begins=False)

    seen.changed = show
    silent = IdleNotice(agent.name, limit, say, activity=seen)
    with outside(), silent as idle_notice:
        return context.agents.place.work(context.agents.tree, agent, request, idle_notice.note_activity)


def details(done: Work) -> dict[str, list[str]]:
    """For an incident's record."""
    return {"restored": list(done.restored), "told": list(done.warnings)}


FIRST = (
    60.0  # seconds without a word, after which the first one is ours; then each time that they have doubled
)


class IdleNotice:
    """Call ``say`` while an agent prints nothing.

    ``limit`` are the seconds after which it is stopped, 0 = never.
    """

    def __init__(
        self,
        name: str,
        limit: float,
        say: Callable[[str], None],
        first: float = FIRST,
        activity: Activity | None = None,
    ) -> None:
        self._name, self._say, self._first = name, say, first
        self._end = f"; it is stopped after {duration_text(limit)}" if limit else ""
        self._activity = activity or Activity()
        self._over = threading.Event()
        self._last = time.monotonic()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def note_activity(self, data: bytes) -> None:
        self._last = time.monotonic()
        self._activity.feed(data)

    def __enter__(self) -> IdleNotice:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        since, due = self._last, self._first
        while not self._over.wait(max(0.0, since + due - time.monotonic())):
            if self._last != since:
                since, due = self._last, self._first
                continue
            seen = f" (last: {self._activity.last})" if self._activity.last else ""
            self._say(f"{self._name} has said nothing for {duration_text(due)}{seen}{self._end}")
            due *= 2


def agent_info(reply: Reply, role: str, name: str, said: MessageKind = MessageKind.NOTHING) -> AgentInfo:
    """One agent's run, for a record. ``name`` stands where the reply has no name."""
    usage = reply.usage
    return AgentInfo(
        name=reply.agent or name,
        role=role,
        model=reply.model,
        session=reply.session,
        status=reply.status,
        version=reply.version,
        seconds=round(reply.seconds, 3),
        tokens=usage.total,
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        cache_creation_tokens=usage.cache_creation_tokens,
        output_tokens=usage.output_tokens,
        turns=usage.turns,
        cost=usage.cost,
        cost_from=usage.cost_from or ("client" if usage.cost is not None else ""),
        exit_code=reply.exit_code,
        failure_reason=reply.failure_reason,
        fault=reply.fault,
        last_words=last_words(reply.text),
        said=said,
        incident=reply.incident,
        signalled=reply.signalled,
        transcript=reply.transcript.name if reply.transcript else "",
    )

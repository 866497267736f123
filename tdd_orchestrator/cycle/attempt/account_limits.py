"""How long a provider limits an agent's account, by the audit log and by what this command saw (A10, A14); and the
patience with a provider that is away while an agent works outside of an attempt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from tdd_orchestrator.agents.agent import Fault, Reply
from tdd_orchestrator.agents.transport import GOES_ON, Decision, FaultAction, decide
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.records import BreakerReset, Fix, Handoff, Trouble
from tdd_orchestrator.prompting.compose import SHORT

_SEARCHED = 200  # records of the audit log that are looked through


_APART = timedelta(seconds=5)  # between two starts of agents on an account whose limit has just ended


def limited_until(context: CycleContext, name: str) -> datetime | None:
    """Return when the limit of this agent's account ends, by the audit log; None where it may be started."""
    account = context.agents.registry.account(name)
    for record in _runs(context.repo):
        agent = record.agent.name
        reset = isinstance(record, BreakerReset) and agent in ("", name)
        if not reset and context.agents.registry.account(agent) != account:
            continue
        until = record.move.until if isinstance(record, Trouble) else ""
        if reset or not until:
            return None
        at = datetime.fromisoformat(until)
        return at if at > context.clock.now() else None
    return None


def _runs(repo: Repository) -> Iterator[Handoff | Trouble | Fix | BreakerReset]:
    for entry in islice(repo.store.mine(), _SEARCHED):
        record = entry.typed
        if isinstance(record, Handoff | Trouble | Fix | BreakerReset):
            yield record


def note_limit(context: CycleContext, name: str, seconds: float) -> None:
    """Note that the provider asked this agent to wait: the lanes on its account wait too, and start after it."""
    account, until = context.agents.registry.account(name), context.clock.now() + timedelta(seconds=seconds)
    context.run.rate_limits[account] = until
    context.run.next_start[account] = until + _APART


def refuse_limited(context: CycleContext, name: str) -> None:
    """Paused where the account of this agent is limited until a time to come: nothing new is started on it.

    Beside other lanes it is waited for as long as ``retry.limit_wait`` allows: the lane that met the limit
    waits too. Then the lanes begin one after the other, so that a limit that still holds is met by one alone.
    """
    account = context.agents.registry.account(name)
    while True:
        now, limit = context.clock.now(), limited_until(context, name)
        until = max(limit or now, context.run.rate_limits.get(account, now))
        if until <= now:
            return
        wait = (until - now).total_seconds()
        if limit and (context.settings.lanes == 1 or wait > context.settings.retry.limit_wait):
            raise Paused(
                f"The account of {name} is limited until {until.astimezone():%Y-%m-%d %H:%M}.",
                f"Run the same command again then; `tdd agents reset {name}` if the limit was lifted.",
                fault=Fault.USAGE_LIMIT,
                agent=name,
            )
        begins = max(until, context.run.next_start.get(account, until))
        context.run.next_start[account] = begins + _APART
        context.watch.doing(f"the account of {name} is limited: waiting until {begins.astimezone():%H:%M:%S}")
        context.clock.sleep((begins - now).total_seconds())


@dataclass(slots=True)
class Patience:
    """What the next try of an agent is given, where its provider was away: a share of the prompt, and of its time."""

    context: CycleContext
    room: float = 1.0
    stretch: float = 1.0
    waits: int = 0
    faults: set[str] = field(default_factory=set)

    def decide(self, reply: Reply, after: str = GOES_ON) -> Decision:
        """Return what follows from a reply; ``after``: what the same command does after a pause."""
        decision = decide(
            reply, self.waits, self.context.settings.retry, shortened=self.room < 1, after=after,
            before=self.faults, now=self.context.clock.now(),
        )  # fmt: skip
        self.faults.add(str(reply.fault))
        self.waits = 0 if decision.move is FaultAction.PAUSE else self.waits + 1
        return decision

    def wait(self, decision: Decision) -> None:
        self.room = SHORT if decision.shorter else self.room
        self.stretch = max(self.stretch, decision.stretch)
        self.context.watch.note(decision.what)
        self.context.clock.sleep(decision.seconds)

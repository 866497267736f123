"""Accounts that a provider limits until a time: read from the audit log, so that nothing is started on them
before (A10)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.records import BreakerReset, Fix, Handoff, Trouble

_SEARCHED = 200  # records of the audit log that are looked through


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


def refuse_limited(context: CycleContext, name: str) -> None:
    """Paused where the account of this agent is limited until a time to come: nothing new is started on it.

    Beside other lanes it is waited for as long as ``retry.limit_wait`` allows: the lane that met the limit
    waits too.
    """
    until = limited_until(context, name)
    if until is not None and context.settings.lanes > 1:
        seconds = (until - context.clock.now()).total_seconds()
        if seconds <= context.settings.retry.limit_wait:
            context.watch.doing(
                f"the account of {name} is limited: waiting until {until.astimezone():%H:%M:%S}"
            )
            context.clock.sleep(seconds)
            return
    if until is not None:
        raise Paused(
            f"The account of {name} is limited until {until.astimezone():%Y-%m-%d %H:%M}.",
            f"Run the same command again then; `tdd agents reset {name}` if the limit was lifted.",
        )

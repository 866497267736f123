"""What stopped a command without an error report: a provider that is away, a budget, a gate, the machine, a
bug (F11).

The terminal has said it already; here the user is told in the way of their choice, once for each stop at one
place.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.config.load import words
from tdd_orchestrator.diagnosis.fingerprint import normalised
from tdd_orchestrator.failures.notify import NotNotified, send
from tdd_orchestrator.failures.reports import put
from tdd_orchestrator.failures.stop_reports import Stop, file_stop
from tdd_orchestrator.model.errors import Busy, Gated, Refused, TddError, Waiting
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.records import CycleStarted, DeskWork
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.config.schema import NotifyConfig
    from tdd_orchestrator.cycle.context import CycleContext, Repository
    from tdd_orchestrator.cycle.state import CycleState

STEP = "notify_stop"


def stopped(context: CycleContext, config: NotifyConfig, error: TddError, say: Callable[[str], None]) -> None:
    """Notify the user of an error that ends a command early; not of a usage error, nor twice of the same
    stop."""
    state = context.state()
    if not _is_stop(error, state):
        return
    key = _key(error, state)
    if _already_reported(context.repo, state, key):
        return
    where = state.tip if state else context.repo.git.line("rev-parse", "HEAD")
    if not _asks(error):
        _file(context.repo, Stop(error, state, where, context.clock.now(), context.redact), say)
    if not (config.command or config.webhook):
        _note(context.repo, where, "done", key)
        return
    _note(context.repo, where, "begun", key)  # before it is told: what was interrupted may have arrived
    try:
        send(message(error, state, context.redact), words(config.command), config.webhook)
    except NotNotified as problem:
        why = context.redact(str(problem))
        _note(context.repo, where, "failed", key, why)
        say(f"the notification did not go out: {why}")
    else:
        _note(context.repo, where, "done", key)


def _file(repo: Repository, stop: Stop, say: Callable[[str], None]) -> None:
    """File the report of the stop and its plan item; a failure of the filing is printed, and the stop
    itself is still reported."""
    try:
        made = file_stop(repo.store, repo.plan, stop)
    except TddError as problem:
        say(f"the error report could not be filed: {problem.what}")
        return
    if made is not None:
        filed, item = made
        say(f"error report {filed.error_id}" + (f", plan item {item.id}" if item else ""))


def _asks(error: TddError) -> bool:
    """Whether a person is only to answer a question: nothing has failed."""
    return isinstance(error, Gated) and "circuit breaker" not in error.what


def message(error: TddError, state: CycleState | None, redact: Callable[[str], str]) -> bytes:
    """Return the notification: where it stopped, why, and what to do next; ``incident`` names the
    agent's failed run, if any."""
    last = state.attempts[-1] if state and state.attempts else None
    data: dict[str, Any] = {
        "schema": "tdd/stopped",
        "v": 1,
        "next": [redact(error.todo), "tdd cycle status"],
        "what": redact(error.what),
        "exit_code": error.exit_code,
        "cycle_id": state.cycle_id if state else "",
        "item": state.item if state else "",
        "phase": str(state.phase) if state else "",
        "incident": last.incident if last else "",
    }
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _is_stop(error: TddError, state: CycleState | None) -> bool:
    """Return whether the error stops the work: waiting for a person does not; a refusal does where a
    finished cycle could not land."""
    if isinstance(error, Refused):
        return state is not None and state.active and state.phase is Phase.COMPLETE
    return not isinstance(error, Busy) and (isinstance(error, Gated) or not isinstance(error, Waiting))


def _key(error: TddError, state: CycleState | None) -> str:
    place = (state.cycle_id, str(state.phase), str(state.retry)) if state else ()
    text = "\x1f".join((type(error).__name__, normalised(error.what), *place))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _already_reported(repo: Repository, state: CycleState | None, key: str) -> bool:
    """Since the cycle began; outside of one, since the newest record of any."""
    for entry in repo.store.trail(newest_first=True):
        record = entry.typed
        if isinstance(record, DeskWork) and record.details.get("key") == key:
            return True
        if isinstance(record, CycleStarted) and (state is None or record.cycle_id == state.cycle_id):
            return False
    return False


def _note(repo: Repository, where: str, status: str, key: str, why: str = "") -> None:
    record = DeskWork(step=STEP, status=status, why=one_line(why, 400), details={"key": key})
    put(repo.store, where, record, f"stop told: {status}")

"""The log: what happens inside, as structlog events on standard error. Silent unless it is asked for.

``tdd --verbose`` or ``TDD_LOG=console`` writes a line for a person, ``TDD_LOG=json`` one JSON object a line.
structlog is imported with the first event that is written. docs/logging.md lists the events. No secret is
ever in a log: every text of an event goes through :func:`redaction.redact` with the secrets of this process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from tdd_orchestrator.text import plain

if TYPE_CHECKING:
    from structlog.typing import BindableLogger, EventDict, FilteringBoundLogger, Processor

VERBOSE = "TDD_VERBOSE"
FORMAT = "TDD_LOG"
FORMATS = ("console", "json")

Level = Literal["debug", "info", "warning", "error"]
_hidden: set[str] = set()


def enabled() -> bool:
    """Whether events are written at all."""
    return bool(os.environ.get(VERBOSE) or os.environ.get(FORMAT))


def log(event: str, level: Level = "info", **values: object) -> None:
    """Write one event, where events are written, or it is a bug of ours (error); empty values are left
    out."""
    if level == "error" or enabled():
        fields = {name: value for name, value in values.items() if value not in ("", None, (), [])}
        getattr(_logger(os.environ.get(FORMAT, "")), level)(event, **fields)


def hide(secrets: Iterable[str]) -> None:
    """Take these values out of every event to come, besides the secrets of the environment."""
    _hidden.update(secrets)


def _logger(layout: str) -> FilteringBoundLogger:
    """Return a logger of the layout that writes to standard error as it is now; structlog's own settings stay."""
    import structlog

    processors, wrapper = _parts(layout)
    output = structlog.PrintLogger(sys.stderr)
    found: FilteringBoundLogger = structlog.wrap_logger(output, processors=processors, wrapper_class=wrapper)
    return found


@cache
def _parts(layout: str) -> tuple[list[Processor], type[BindableLogger]]:
    import structlog

    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _without_secrets,
        structlog.processors.JSONRenderer() if layout == "json" else _line,
    ], structlog.make_filtering_bound_logger("debug")


def _without_secrets(_: object, __: str, event: EventDict) -> EventDict:
    """The event with every text in it redacted."""
    from tdd_orchestrator.redaction import secret_values

    secrets = (*secret_values(os.environ), *_hidden)
    return {name: _redacted(value, secrets) for name, value in event.items()}


def _redacted(value: Any, secrets: tuple[str, ...]) -> Any:
    from tdd_orchestrator.redaction import redact

    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, list | tuple):
        return [_redacted(one, secrets) for one in value]
    return value if isinstance(value, int | float) else redact(str(value), secrets)


def _line(_: object, __: str, event: EventDict) -> str:
    """``tdd: warning: EVENT: REASON (key value, ...)``; the trace of an exception on lines of its own."""
    values = dict(event)
    values.pop("timestamp", None)
    trace = values.pop("exception", "")
    head = f"tdd: {values.pop('level')}: {values.pop('event')}"
    reason = values.pop("reason", "")
    rest = ", ".join(f"{key} {_shown(value)}" for key, value in sorted(values.items()))
    line = plain(head + (f": {reason}" if reason else "") + (f" ({rest})" if rest else ""))
    return f"{line}\n{trace}" if trace else line


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)

"""structlog, set up when the first event is logged: quiet by default, a line for a person, JSON where ``TDD_LOG=json``."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from tdd_orchestrator.text import plain

if TYPE_CHECKING:
    from structlog.typing import EventDict, FilteringBoundLogger

VERBOSE = "TDD_VERBOSE"


def _line(_: object, __: str, event: EventDict) -> str:
    """``tdd: warning: EVENT: REASON (key value, ...)``; the trace of an exception on lines of its own."""
    said = dict(event)
    said.pop("timestamp", None)
    trace = said.pop("exception", "")
    head = f"tdd: {said.pop('level')}: {said.pop('event')}"
    reason = said.pop("reason", "")
    rest = ", ".join(f"{key} {value}" for key, value in sorted(said.items()) if value not in ("", None))
    line = plain(head + (f": {reason}" if reason else "") + (f" ({rest})" if rest else ""))
    return f"{line}\n{trace}" if trace else line


@cache
def logger(name: str) -> FilteringBoundLogger:
    """Warnings and worse; everything where ``TDD_VERBOSE`` is set (``tdd --verbose`` does)."""
    import logging

    import structlog

    structured = os.environ.get("TDD_LOG", "").lower() == "json"
    last = structlog.processors.JSONRenderer() if structured else _line
    level = logging.DEBUG if os.environ.get(VERBOSE) else logging.WARNING
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    found: FilteringBoundLogger = structlog.get_logger(name)
    return found

"""structlog, set up when the first event is logged: quiet by default, key-value, JSON where ``TDD_LOG=json``."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

VERBOSE = "TDD_VERBOSE"


@cache
def logger(name: str) -> FilteringBoundLogger:
    """Warnings and worse; everything where ``TDD_VERBOSE`` is set (``tdd --verbose`` does)."""
    import logging

    import structlog

    structured = os.environ.get("TDD_LOG", "").lower() == "json"
    last = (
        structlog.processors.JSONRenderer()
        if structured
        else structlog.processors.KeyValueRenderer(key_order=["level", "event"], sort_keys=True)
    )
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

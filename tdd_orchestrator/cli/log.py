"""structlog, set up once: key-value lines on standard error, quiet by default, JSON where TDD_LOG=json."""

from __future__ import annotations

import os
import sys


def set_up_logging(*, verbose: bool = False) -> None:
    """Warnings and worse always; everything with --verbose. ``TDD_LOG=json`` gives one JSON object a line."""
    import logging

    import structlog

    structured = os.environ.get("TDD_LOG", "").lower() == "json"
    last = structlog.processors.JSONRenderer() if structured else structlog.processors.KeyValueRenderer(
        key_order=["event"], sort_keys=True
    )  # fmt: skip
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if verbose else logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )

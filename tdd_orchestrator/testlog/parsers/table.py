"""Collect all readers of text, one row for each runner.

A new runner is one row in a module of this package that has ROWS.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from tdd_orchestrator.testlog.reading import TextRow


@cache
def rows() -> tuple[TextRow, ...]:
    """Return the rows of every module, by module name; row names are unique."""
    found: list[TextRow] = []
    for module in sorted(entry.name for entry in pkgutil.iter_modules([str(Path(__file__).parent)])):
        if module != "table":
            found.extend(getattr(import_module(f"{__package__}.{module}"), "ROWS", ()))
    return tuple(found)

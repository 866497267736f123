"""Collect all test frameworks: the rows of every module of ``frameworks/`` that has ``ROWS``."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.runners import frameworks
from tdd_orchestrator.runners.framework import UNKNOWN, Framework

FRAMEWORKS: tuple[Framework, ...] = tuple(
    row
    for module in sorted(entry.name for entry in iter_modules(frameworks.__path__))
    for row in getattr(import_module(f"{frameworks.__name__}.{module}"), "ROWS", ())
)


def by_name(name: str) -> Framework:
    """Return the row of that name (``unknown`` is one). Raises Refused with the nearest name."""
    if name == UNKNOWN.name:
        return UNKNOWN
    for row in FRAMEWORKS:
        if row.name == name:
            return row
    import difflib

    near = difflib.get_close_matches(name, [row.name for row in FRAMEWORKS], 1)
    hint = f"Did you mean {near[0]!r}?" if near else "`tdd doctor` lists the frameworks that are known."
    raise Refused(f"The test framework {name!r} is not known.", hint)

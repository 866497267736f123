"""What test files define, from their text alone: tests, assertions, marks, and what a change did to those that were
there. Python by its syntax tree, other languages by patterns."""

from __future__ import annotations

from collections.abc import Iterable

from tdd_orchestrator.runners.reliance_python import python_idle
from tdd_orchestrator.runners.reliance_text import text_idle
from tdd_orchestrator.runners.source_model import SourceTest, Unparsable
from tdd_orchestrator.runners.source_rows import row_for
from tdd_orchestrator.runners.sources_growth import python_added_only
from tdd_orchestrator.runners.sources_python import python_tests
from tdd_orchestrator.runners.sources_text import text_tests
from tdd_orchestrator.runners.sources_text_growth import text_added_only

__all__ = ["SourceTest", "Unparsable", "added_only", "defined_tests", "idle", "weakened"]


def defined_tests(source: str, path: str) -> tuple[SourceTest, ...]:
    """The tests that a file defines, in order; none for a language without a row. Raises Unparsable."""
    if path.endswith((".py", ".pyi")):
        return python_tests(source, path)
    row = row_for(path)
    if row is None:
        return ()
    return text_tests(source, path, row)


def idle(source: str, path: str) -> frozenset[str]:
    """Ids of the tests that use nothing of the project's, as far as their file shows: their passing proves nothing.
    Empty for a language without a row. Raises Unparsable."""
    if path.endswith((".py", ".pyi")):
        return python_idle(source, path)
    row = row_for(path)
    return frozenset() if row is None else text_idle(source, path, row)


def added_only(before: str, after: str, path: str) -> list[str]:
    """What a change did to tests, helpers and fixtures that were there: one sentence each. Empty: it only added
    (import lines may grow). Raises Unparsable where ``after`` cannot be parsed."""
    if path.endswith((".py", ".pyi")):
        return python_added_only(before, after, path)
    return text_added_only(before, after, path, row_for(path))


def weakened(before: Iterable[SourceTest], after: Iterable[SourceTest]) -> list[str]:
    """How tests got weaker, where a setting lets REFACTOR touch them: gone, fewer assertions, new marks, hollow."""
    now = {test.id: test for test in after}
    faults = []
    for test in before:
        kept = now.get(test.id)
        if kept is None:
            faults.append(f"{test.id} is gone.")
            continue
        if kept.assertions < test.assertions:
            faults.append(f"{test.id} asserts {kept.assertions} things, and asserted {test.assertions}.")
        for mark in sorted(set(kept.marks) - set(test.marks)):
            faults.append(f"{test.id} is now marked {mark}.")
        if kept.hollow and not test.hollow:
            faults.append(f"{test.id}: {kept.hollow}")
    return faults

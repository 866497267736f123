"""Recognize what a change is from its source, before anything runs. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from tdd_orchestrator.cycle.red.test_changes import TestEdits
from tdd_orchestrator.languages import language_of
from tdd_orchestrator.languages.source import code_tokens, production_part, public_names
from tdd_orchestrator.prove.split import Parts
from tdd_orchestrator.prove.values import ChangeClass
from tdd_orchestrator.workspace.guard import Change

CLAIMS = {
    "refactor": ChangeClass.REFACTORING, "refactoring": ChangeClass.REFACTORING,
    "rename": ChangeClass.REFACTORING,
    "docs": ChangeClass.DOCUMENTATION, "documentation": ChangeClass.DOCUMENTATION,
    "deps": ChangeClass.DEPENDENCIES, "dependencies": ChangeClass.DEPENDENCIES,
    "tests": ChangeClass.TESTS, "test": ChangeClass.TESTS, "dead-code": ChangeClass.DEAD_CODE,
    "behavior": ChangeClass.BEHAVIOR, "behaviour": ChangeClass.BEHAVIOR,
}  # fmt: skip
"""Words of the trailer ``Tdd-Class`` and what they claim."""


def classify(parts: Parts, edits: TestEdits, claim: str = "") -> ChangeClass:
    """Return the class of a change. A claim decides only where the source leaves it open."""
    edited = bool(edits.added or edits.changed or edits.removed or edits.unread)
    code = (*parts.code, *parts.shared)
    if not parts.code_changed or same_tokens(code):
        if edited or parts.tests:
            return ChangeClass.TESTS
        return ChangeClass.DEPENDENCIES if parts.setup else ChangeClass.DOCUMENTATION
    if edits.removed and not edits.added and not edits.changed and removes_only(code):
        return ChangeClass.DEAD_CODE
    if not edited and (same_code(code) or CLAIMS.get(claim.lower()) is ChangeClass.REFACTORING):
        return ChangeClass.REFACTORING
    return ChangeClass.BEHAVIOR


def same_tokens(changes: Iterable[Change]) -> bool:
    """Whether only comments, docstrings and format differ."""
    return all(
        language_of(one.path) is not None
        and code_tokens(_code(one.before, one.path), one.path)
        == code_tokens(_code(one.after, one.path), one.path)
        for one in changes
    )


def same_code(changes: Iterable[Change]) -> bool:
    """Whether files were only moved or renamed: the same texts, by their tokens, under other names."""
    before, after = [], []
    for one in changes:
        if language_of(one.path) is None:
            return False
        if one.before is not None:
            before.append(code_tokens(_code(one.before, one.path), one.path))
        if one.after is not None:
            after.append(code_tokens(_code(one.after, one.path), one.path))
    return sorted(filter(None, before)) == sorted(filter(None, after))


def removes_only(changes: Iterable[Change]) -> bool:
    """Whether a change only takes code away: no line of it is new, and a public name is gone."""
    gone = False
    for one in changes:
        before, after = _code(one.before, one.path), _code(one.after, one.path)
        if language_of(one.path) is None:
            return False
        left = before.split("\n")
        for line in after.split("\n"):
            if line.strip() and line not in left:
                return False
        gone = gone or bool(public_names(before, one.path) - public_names(after, one.path))
    return gone


def _code(text: str | None, path: str) -> str:
    return production_part(text or "", path)

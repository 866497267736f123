"""What the text of a test file tells of one test."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceTest:
    """One test of a file. ``id`` is ``path::Class::name`` (a parametrised one without its parameters); ``title`` the
    enclosing classes or groups and the name."""

    id: str
    name: str
    title: tuple[str, ...]
    path: str
    line: int
    body: str  # normalised: equal where two tests do the same
    words: frozenset[str]  # the identifiers it uses
    assertions: int
    marks: tuple[str, ...] = ()  # what keeps it from running or from failing: skip, xfail, only, todo ...
    hollow: str = ""  # why it can never fail, where that can be seen


class Unparsable(ValueError):
    """The text is not the language that its name promises: one sentence, with the line."""

"""New lines of production code that talk to the runner, to the end of the process or to the proof's environment (T7, T8).

Patterns are read line by line, in new lines only, without comments; literals that are only joined to one another
(``'Mini' + 'test'``) are read as one. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tdd_orchestrator.late import Late
from tdd_orchestrator.workspace.comments import code_of
from tdd_orchestrator.workspace.reach_rows import REACHES, Reach

_EVERYWHERE = Late(r"\bTDD_(?:COOKIE|PHASE|OUTPUT_DIR|WITNESS)")
_JOINED = re.compile(r"['\"]\s*(?:\+|\.\.?|<>|~)\s*['\"]")
_BESIDE = re.compile(r"(['\"])[ \t]+\1")  # Python joins literals that stand beside each other
_PIECE = 2000  # characters that are looked at together, each half of them twice: the work grows with the text alone

Texts = Sequence[tuple[str, str]]
"""Paths and what they held before: a line that is only moved was there."""


def reached(
    path: str,
    before: Texts,
    after: str,
    test_files: tuple[str, ...] = (),
    *,
    witnessed: bool = False,
    plugin: bool = False,
) -> str:
    """The first new line of ``after`` that reaches out; empty where none does. ``test_files``: patterns of the project's;
    ``witnessed``: a witness sees what such code does, so that :func:`told` is enough for what only looks like it."""
    rows = [
        row for row in _rows(path, after) if not row.tests or any(g.endswith(row.tests) for g in test_files)
    ]
    patterns = [_EVERYWHERE, *(row.pattern for row in rows)]
    for row in rows:
        if not witnessed or _finds_tests(path, after, row):
            patterns += [one for one in (row.looks, row.finds) if one]
    if not (witnessed and plugin):
        patterns += [row.plugin for row in rows if row.plugin]
    return next((text for _, text in _found(path, before, after, patterns)), "")


def told(path: str, before: Texts, after: str, *, plugin: bool = False) -> list[str]:
    """One sentence for each new line that is let pass because a witness sees what it does, with file and line."""
    rows = _rows(path, after)
    patterns = [one for row in rows for one in (row.looks, row.finds) if one]
    patterns += [row.plugin for row in rows if row.plugin and plugin]
    what = "it may reach for the test runner or the end of its process"
    return [f"{path}:{line}: {what}: `{text[:100]}`" for line, text in _found(path, before, after, patterns)]


def _finds_tests(path: str, after: str, row: Reach) -> bool:
    """Whether a file both finds objects that are not its own and names tests; its comments are looked at last."""
    both = [one for one in (row.finds, row.names) if one]
    if len(both) < 2 or not _has_each(path, after.splitlines(), both):
        return False
    return _has_each(path, code_of(path, after), both)


def _has_each(path: str, lines: Sequence[str], patterns: Sequence[Late]) -> bool:
    return all(any(_hit(path, line, (one,)) for line in lines) for one in patterns)


def _found(path: str, before: Texts, after: str, patterns: Sequence[Late]) -> Iterator[tuple[int, str]]:
    if not patterns:
        return
    lines = after.splitlines()
    hits = [index for index, line in enumerate(lines) if _hit(path, line, patterns)]
    if not hits:
        return
    code = code_of(path, after)
    kind = _rows(path, after)
    known = {
        line.strip() for name, text in before if _rows(name, text) == kind for line in code_of(name, text)
    }
    for index in hits:
        if code[index].strip() not in known and _hit(path, code[index], patterns):
            yield index + 1, lines[index].strip()


def _hit(path: str, line: str, patterns: Sequence[Late]) -> bool:
    read = _JOINED.sub("", line)
    read = _BESIDE.sub("", read) if path.endswith(".py") else read
    pieces = [
        read[start : start + _PIECE] for start in range(0, max(1, len(read) - _PIECE // 2), _PIECE // 2)
    ]
    return any(pattern.search(piece) for piece in pieces for pattern in patterns)


def _rows(path: str, text: str) -> list[Reach]:
    return [row for row in REACHES if _is_of(path, text, row)]


def _is_of(path: str, text: str, row: Reach) -> bool:
    name = path.rsplit("/", 1)[-1]
    if "." in name:
        return name.endswith(row.suffixes)
    first = text.split("\n", 1)[0]
    return first.startswith("#!") and any(
        re.search(rf"[/ ]{one}[\d.]*(?:\s|$)", first) for one in row.programs
    )

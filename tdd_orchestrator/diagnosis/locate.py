"""Choose the frame of the project that matters."""

from __future__ import annotations

import re

from tdd_orchestrator.diagnosis.pieces import Parts, Thrown
from tdd_orchestrator.diagnosis.places import Place, path_in, place_in, relative

_POSITION = re.compile(r"\((\d{1,7}):\d{1,7}\)")
_LINE_ONLY = re.compile(r"^\s+(\d{1,7}):\d{1,7}\s|^ +\| *(\d+)|\bline (\d{1,7})\b")
_SECTION = re.compile(r"(?:^|[\s:])([^\s:]+\.(?!(?:o|a|obj|lib):)\w+):\(\.[\w.]+\+0x[\da-f]+\): ")
"""A linker's place without debug information: ``main.c:(.text+0x1b): ``."""
_IMPORTER = re.compile(r"^\s*@ \./")  # webpack: the importer of a file that does not load
_NEAR = 8
_FIRST = 500  # lines searched for a place, if nothing narrows it down


def place_of_thrown(thrown: Thrown, root: str = "", *, path_is_enough: bool = False) -> Place:
    """Return the innermost frame of the project; without one, the place in the message."""
    if thrown.frames:
        last = thrown.frames[-1]
        return Place(relative(last.file, root), last.line)
    for line in (thrown.statement, *thrown.body[:20]):
        found = place_in(line, root)
        if found:
            return found
        found = _by_position(line, root)
        if found:
            return found
    return (path_in(thrown.statement, root) if path_is_enough else None) or Place("")


def _by_position(line: str, root: str) -> Place | None:
    """Return the place in ``src/a.js: Unexpected token (2:12)``, ``ERROR in ./src/index.js 3:4-9``, or
    a linker's."""
    section = _SECTION.search(line)
    if section:
        return Place(relative(section[1], root))
    position = _POSITION.search(line)
    bare = path_in(line, root) if position else None
    return Place(bare.file, int(position[1])) if bare and position else None


def place_of_free(parts: Parts, at: int, root: str = "") -> Place:
    """Return the place on the deciding line, else near it, else the first, else a path alone."""
    if at < 0:
        return Place("")
    lines = parts.lines
    own = place_in(lines[at], root) or _by_position(lines[at], root)
    if own:
        return own
    heading = _heading(parts, at, root)
    if heading:
        return heading
    below = range(at + 1, min(at + 1 + _NEAR, len(lines)))
    above = range(at - 1, max(-1, at - 1 - _NEAR), -1)
    for near in (below, above):
        for index in near:
            found = place_in(lines[index], root) or _by_position(lines[index], root)
            if found and not _IMPORTER.match(lines[index]):
                return found
    for line in lines[:_FIRST]:
        found = place_in(line, root)
        if found:
            return found
    return path_in(lines[at], root) or Place("")


def _heading(parts: Parts, at: int, root: str) -> Place | None:
    """Return the place of a line such as ``  3:5  error ...`` under its file's path (eslint, stylelint)."""
    hit = _LINE_ONLY.match(parts.lines[at])
    if hit is None or not hit[1]:
        return None
    for index in range(at - 1, max(-1, at - 200), -1):
        line = parts.lines[index]
        if line and not line.startswith(" "):
            found = path_in(line, root)
            return Place(found.file, int(hit[1])) if found else None
    return None

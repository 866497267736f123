"""The code around a failure, for the Error Analyzer (D5) and for a retry that repeats an error (R4)."""

from __future__ import annotations

from collections.abc import Iterable

from tdd_orchestrator.cycle.attempt.candidate import file_at
from tdd_orchestrator.cycle.context import Repository
from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.text import one_line, plain

_NEAR = 8  # lines on each side of the place
_HEAD = 16  # lines of a changed file that the diagnosis does not name
_FILES = 4
_LINE = 160  # characters


def around(repo: Repository, commit: str, seen: Diagnosis, changed: Iterable[str]) -> str:
    """Numbered lines at the diagnosed place, and the first of each other changed file, as ``commit`` holds
    them."""
    places = {seen.file: seen.line} if seen.file else {}
    for path in changed:
        places.setdefault(path, 0)
    parts = []
    for path, line in list(places.items())[:_FILES]:
        held = file_at(repo, commit, path)
        if held is not None and b"\0" not in held:
            parts.append(_excerpt(path, line, held.decode("utf-8", "replace")))
    return "\n\n".join(parts)


def _excerpt(path: str, line: int, text: str) -> str:
    lines = plain(text).splitlines()
    first, last = (max(1, line - _NEAR), line + _NEAR) if line else (1, _HEAD)
    rows = [
        f"{'>' if number == line else ' '} {number}  {one_line(code, _LINE) if len(code) > _LINE else code}"
        for number, code in enumerate(lines[first - 1 : last], first)
    ]
    name = one_line(path, _LINE)
    return "\n".join([f"{name}:{line}" if line else name, *rows])

"""A unified diff as files with rows for two columns, for templates. Pure text; templates escape it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)")
_ROWS = 2_000  # shown of one file
_LINE = 500  # characters shown of one line


@dataclass(slots=True)
class Row:
    """``kind``: context, change, added, removed, hunk. Line numbers are 0 on a side that has no line."""

    kind: str
    left: str = ""
    right: str = ""
    left_line: int = 0
    right_line: int = 0


@dataclass(slots=True)
class File:
    path: str
    note: str = ""  # new, deleted, renamed from ..., binary
    rows: list[Row] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    cut: bool = False


def files(text: str) -> list[File]:
    """Every file of a diff; text that is no diff gives none."""
    return [_file(part) for part in _parts(text)]


def _parts(text: str) -> Iterator[list[str]]:
    part: list[str] = []
    for line in text.splitlines():
        starts = line.startswith("diff --git ") or (line.startswith("--- ") and not _has_head(part))
        if starts and part:
            yield part
            part = []
        if starts or part:
            part.append(line)
    if part:
        yield part


def _has_head(part: list[str]) -> bool:
    """Whether the part waits for its ``---`` line."""
    return (
        bool(part) and part[0].startswith("diff --git ") and not any(line.startswith("@@") for line in part)
    )


def _file(lines: list[str]) -> File:
    found = File(_path(lines))
    left = right = 0
    removed: list[tuple[int, str]] = []
    added: list[tuple[int, str]] = []
    inside = False
    for line in lines:
        if len(found.rows) >= _ROWS:
            found.cut = True
            break
        if hunk := _HUNK.match(line):
            _pair(found, removed, added)
            left, right, inside = int(hunk[1]), int(hunk[2]), True
            found.rows.append(Row("hunk", line[:_LINE]))
        elif not inside:
            found.note = found.note or _note(line)
        elif line.startswith("-"):
            removed.append((left, line[1:][:_LINE]))
            left += 1
            found.removed += 1
        elif line.startswith("+"):
            added.append((right, line[1:][:_LINE]))
            right += 1
            found.added += 1
        elif not line.startswith("\\"):
            _pair(found, removed, added)
            found.rows.append(Row("context", line[1:][:_LINE], line[1:][:_LINE], left, right))
            left, right = left + 1, right + 1
    _pair(found, removed, added)
    return found


def _pair(found: File, removed: list[tuple[int, str]], added: list[tuple[int, str]]) -> None:
    """Removed and added lines side by side, as far as there are both."""
    for number in range(max(len(removed), len(added))):
        old = removed[number] if number < len(removed) else (0, "")
        new = added[number] if number < len(added) else (0, "")
        kind = "change" if old[0] and new[0] else "removed" if old[0] else "added"
        found.rows.append(Row(kind, old[1], new[1], old[0], new[0]))
    removed.clear()
    added.clear()


def _path(lines: list[str]) -> str:
    for prefix, cut in (("+++ b/", 6), ("--- a/", 6), ("+++ ", 4), ("rename to ", 10)):
        for line in lines:
            if line.startswith("@@"):
                break
            if line.startswith(prefix) and "/dev/null" not in line:
                return line[cut:].strip('"\t ')
    return lines[0].removeprefix("diff --git ").rpartition(" b/")[2]


def _note(line: str) -> str:
    if line.startswith("new file"):
        return "new"
    if line.startswith("deleted file"):
        return "deleted"
    if line.startswith("rename from "):
        return f"renamed from {line[12:]}"
    return "binary" if line.startswith(("Binary files", "GIT binary patch")) else ""

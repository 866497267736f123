"""Stretches of a log in which the runners that were heard say nothing, and another runner may."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tdd_orchestrator.testlog.parsers.lines import all_lines

_END = 1 << 20  # bytes of a longer log's beginning and of its end
_SMALL = 2 * _END  # bytes of one that is looked at whole
_MOST = 24  # gaps between lines of theirs, the longest, beside what is before and after all of them


@dataclass(frozen=True, slots=True)
class Segment:
    """``before``: all that stands before what it tells, where lines of theirs are on both sides: it may lie
    within a run of theirs. ``first``: nothing of theirs stands before it."""

    text: str
    first: bool = False
    before: str = ""


def find_segments(
    source: Path | bytes, own: Callable[[str], bool], telling: Callable[[str], int]
) -> Iterator[Segment]:
    """In the order of the log, those that tell something. ``own``: whether a line has a sign of theirs;
    ``telling``: where in a text that begins with a line's end something is told, -1 if nowhere."""
    head, tail = _ends(source)
    lines = _lines(head)
    marks = [number for number, line in enumerate(lines) if own(line)]
    if marks and telling(text := _text(lines[: marks[0]])) >= 0:
        yield Segment(text, first=True)
    if not tail:
        yield from _between(lines, marks, telling)
    else:
        lines = _lines(tail)
        marks = [number for number, line in enumerate(lines) if own(line)]
    if marks and telling(text := _text(lines[marks[-1] + 1 :])) >= 0:
        yield Segment(text)


def _between(lines: list[str], marks: list[int], telling: Callable[[str], int]) -> Iterator[Segment]:
    wide = ((start + 1, stop) for start, stop in pairwise(marks) if stop > start + 1)
    found = [(start, stop) for start, stop in wide if telling(_text(lines[start:stop])) >= 0]
    for start, stop in sorted(sorted(found, key=lambda gap: gap[0] - gap[1])[:_MOST]):
        text = _text(lines[start:stop])
        yield Segment(text, before=_text(lines[:start]) + text[: telling(text)])


def _ends(source: Path | bytes) -> tuple[bytes, bytes]:
    """The whole log, and nothing; or the first and the last of a long one."""
    if isinstance(source, bytes):
        return (source, b"") if len(source) <= _SMALL else (source[:_END], source[-_END:])
    with source.open("rb") as file:
        head = file.read(_SMALL + 1)
        if len(head) <= _SMALL:
            return head, b""
        file.seek(-_END, os.SEEK_END)
        return head[:_END], file.read(_END)


def _lines(part: bytes) -> list[str]:
    return list(all_lines(part))


def _text(lines: list[str]) -> str:
    return "\n".join([*lines, ""])

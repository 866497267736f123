"""Find the segments of a log between lines of known runners, where another runner may have printed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tdd_orchestrator.testlog.parsers.lines import all_lines

_END = 1 << 20  # bytes searched at a long log's beginning and end
_SMALL = 2 * _END  # bytes of a log that is searched whole
_MOST = 24  # gaps between their lines: the longest


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text with a result.

    ``before``: all text before the result, if it stands between lines of a known runner: it may lie
    within one of its runs. ``first``: the segment precedes all their lines.
    """

    text: str
    first: bool = False
    before: str = ""


def find_segments(
    source: Path | bytes, own: Callable[[str], bool], find_result: Callable[[str], int]
) -> Iterator[Segment]:
    """Yield the segments with results, in the order of the log.

    ``own``: whether a line has a sign of a known runner; ``find_result``: the position of the first
    result in a text that begins with a line's end, -1 if none.
    """
    head, tail = _ends(source)
    lines = _lines(head)
    marks = [number for number, line in enumerate(lines) if own(line)]
    if marks and find_result(text := _text(lines[: marks[0]])) >= 0:
        yield Segment(text, first=True)
    if not tail:
        yield from _between(lines, marks, find_result)
    else:
        lines = _lines(tail)
        marks = [number for number, line in enumerate(lines) if own(line)]
    if marks and find_result(text := _text(lines[marks[-1] + 1 :])) >= 0:
        yield Segment(text)


def _between(lines: list[str], marks: list[int], find_result: Callable[[str], int]) -> Iterator[Segment]:
    wide = ((start + 1, stop) for start, stop in pairwise(marks) if stop > start + 1)
    found = [(start, stop) for start, stop in wide if find_result(_text(lines[start:stop])) >= 0]
    for start, stop in sorted(sorted(found, key=lambda gap: gap[0] - gap[1])[:_MOST]):
        text = _text(lines[start:stop])
        yield Segment(text, before=_text(lines[:start]) + text[: find_result(text)])


def _ends(source: Path | bytes) -> tuple[bytes, bytes]:
    """Return the whole log and b'', or head and tail of a long one."""
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

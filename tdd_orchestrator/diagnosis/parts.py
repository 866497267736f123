"""A text of a failed run, taken apart: what was thrown, what was said freely, what was only captured."""

from __future__ import annotations

import re

from tdd_orchestrator.diagnosis.pieces import Kind, Parts
from tdd_orchestrator.diagnosis.thrown_blocks import read_blocks
from tdd_orchestrator.diagnosis.thrown_python import read_pytest, read_tracebacks
from tdd_orchestrator.diagnosis.thrown_single import read_bare, read_noise, read_singles
from tdd_orchestrator.diagnosis.thrown_stack import read_stacks
from tdd_orchestrator.text import plain

HEAD, TAIL, MIDDLE = 60_000, 120_000, 20_000  # characters kept of a text that is longer than their sum
HEAD_LINES, TAIL_LINES = 2_500, 5_000
_NEWLINE = re.compile("\n")
_TELLING = (
    "Error",
    "error",
    "ERROR",
    "Exception",
    "FAIL",
    "fatal",
    "panic",
    "refused",
    "timed out",
    "denied",
)
_COMPOSE = re.compile(r"^(?:[\w.-]{1,60} +\| |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z )")

_SURELY = re.compile(r"^(?:[\w.-]{1,60}-\d{1,3} +\| |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z )")
"""So only a container of docker compose and a CI begin a line; of other beginnings it takes three."""


def _telling_lines(text: str, start: int, end: int) -> list[str]:
    """Lines of the cut-out middle that hold a telling word, first and last ones, bounded."""
    spots: set[int] = set()
    for word in _TELLING:
        at = text.find(word, start, end)
        for _ in range(20):
            if at < 0:
                break
            spots.add(text.rfind("\n", max(start, at - 400), at) + 1 or max(start, at - 400))
            at = text.find(word, at + 400, end)
        last = text.rfind(word, start, end)
        if last >= 0:
            spots.add(text.rfind("\n", max(start, last - 400), last) + 1 or max(start, last - 400))
    lines, size = [], 0
    for spot in sorted(spots):
        stop = text.find("\n", spot, spot + 1_000)
        line = text[spot : stop if stop >= 0 else spot + 1_000]
        size += len(line)
        if size > MIDDLE:
            break
        lines.append(line)
    return lines


def shorten(text: str) -> str:
    """A text of any length as at most about 200,000 characters and 8,000 lines, in linear time."""
    if len(text) <= HEAD + TAIL + MIDDLE and text.count("\n") <= HEAD_LINES + TAIL_LINES:
        return text
    head, tail = min(HEAD, len(text)), max(0, len(text) - TAIL)
    starts = [hit.start() for hit in _NEWLINE.finditer(text, 0, head)]
    ends = [hit.start() for hit in _NEWLINE.finditer(text, tail)]
    head = starts[HEAD_LINES] if len(starts) > HEAD_LINES else head
    tail = max(head, ends[-TAIL_LINES] if len(ends) > TAIL_LINES else tail)
    return "\n".join([text[:head], *_telling_lines(text, head, tail), text[tail:]])


def _unprefixed(lines: list[str]) -> list[str]:
    """Lines without the prefix that ``docker compose`` or a CI log puts before each of them."""
    sample = [line for line in lines[:200] if line.strip()]
    marked = sum(1 for line in sample if _COMPOSE.match(line))
    sure = bool(sample) and all(_SURELY.match(line) for line in sample)
    if not sure and (marked < 3 or marked * 10 < len(sample) * 8):
        return lines
    return [_COMPOSE.sub("", line) for line in lines]


def take_apart(text: str) -> Parts:
    """The parts of a text; every reader of thrown things sees it once."""
    sound = shorten(text).encode("utf-8", "replace").decode("utf-8")  # no lone surrogates from here on
    lines = _unprefixed(plain(sound).replace("\r", "\n").split("\n"))
    lines = [line if len(line) <= 4_000 else line[:3_000] + " ... " + line[-900:] for line in lines]
    parts = Parts("\n".join(lines), lines, [Kind.FREE] * len(lines))
    for reader in (
        read_pytest,
        read_tracebacks,
        read_blocks,
        read_stacks,
        read_singles,
        read_noise,
        read_bare,
    ):
        reader(parts)
    parts.thrown.sort(key=lambda thrown: thrown.at)
    return parts

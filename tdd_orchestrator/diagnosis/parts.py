"""Split the text of a failed run into exceptions, free text, and captured output."""

from __future__ import annotations

import re

from tdd_orchestrator.diagnosis.exceptions_blocks import read_blocks
from tdd_orchestrator.diagnosis.exceptions_python import read_pytest, read_tracebacks
from tdd_orchestrator.diagnosis.exceptions_single import read_bare, read_noise, read_singles
from tdd_orchestrator.diagnosis.exceptions_stack import read_stacks
from tdd_orchestrator.diagnosis.pieces import Kind, Parts
from tdd_orchestrator.text import one_line, plain

HEAD, TAIL, MIDDLE = 16_000, 34_000, 10_000  # characters kept of a text that is longer than their sum
HEAD_LINES, TAIL_LINES = 700, 1_300
_SHOWN = 200  # characters of an output that a sentence quotes
_NEWLINE = re.compile("\n")
_KEYWORDS = (
    "Error", "error", "ERROR", "Exception", "FAIL", "fatal", "panic", "refused", "timed out", "denied",
)  # fmt: skip
_TRACEBACK, _BLOCK = ("Traceback (most recent call last)", 3_000)  # its first line; characters kept with it
_COMPOSE = re.compile(r"^(?:[\w.-]{1,60} +\| |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z )")

_SURELY = re.compile(r"^(?:[\w.-]{1,60}-\d{1,3} +\| |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z )")
"""Prefixes that only docker compose and CI logs have; other prefixes need three lines."""


def _select_middle(text: str, start: int, end: int) -> list[str]:
    """Return of the middle that is cut out: first and last traceback, and lines with a keyword, bounded."""

    def begin(at: int) -> int:
        back = max(start, at - 400)
        return text.rfind("\n", back, at) + 1 or back

    first = text.find(_TRACEBACK, start, end)
    spots = {begin(at): _BLOCK for at in (first, text.rfind(_TRACEBACK, first, end)) if first >= 0}
    left = MIDDLE - sum(spots.values())
    for at in sorted({begin(at) for word in _KEYWORDS for at in _spots(text, word, start, end)}):
        stop = text.find("\n", at, at + 1_000)
        size = (stop if stop >= 0 else at + 1_000) - at
        left -= size
        if left < 0:
            break
        spots.setdefault(at, size)
    lines, done = [], start
    for at, size in sorted(spots.items()):
        if at + size > done:
            lines.append(text[max(at, done) : min(at + size, end)])
            done = at + size
    return lines


def _spots(text: str, word: str, start: int, end: int) -> list[int]:
    """Return the first places of a word, and the last.

    A letter is found ten times as fast as a word, and most floods lack one.
    """
    found: list[int] = []
    if any(text.find(letter, start, end) < 0 for letter in word):
        return found
    at = text.find(word, start, end)
    while at >= 0 and len(found) < 20:
        found.append(at)
        at = text.find(word, at + 400, end)
    return [*found, text.rfind(word, start, end)] if found else []


def shorten(text: str) -> str:
    """Return at most about 60,000 characters and 2,300 lines of a text, in linear time."""
    if len(text) <= HEAD + TAIL + MIDDLE and text.count("\n") <= HEAD_LINES + TAIL_LINES:
        return text
    head, tail = min(HEAD, len(text)), max(0, len(text) - TAIL)
    starts = [hit.start() for hit in _NEWLINE.finditer(text, 0, head)]
    ends = [hit.start() for hit in _NEWLINE.finditer(text, tail)]
    head = starts[HEAD_LINES] if len(starts) > HEAD_LINES else head
    tail = max(head, ends[-TAIL_LINES] if len(ends) > TAIL_LINES else tail)
    return "\n".join([text[:head], *_select_middle(text, head, tail), text[tail:]])


def _unprefixed(lines: list[str]) -> list[str]:
    """Return the lines without the prefix of ``docker compose`` or a CI log."""
    sample = [line for line in lines[:200] if line.strip()]
    marked = sum(1 for line in sample if _COMPOSE.match(line))
    sure = bool(sample) and all(_SURELY.match(line) for line in sample)
    if not sure and (marked < 3 or marked * 10 < len(sample) * 8):
        return lines
    return [_COMPOSE.sub("", line) for line in lines]


def take_apart(text: str) -> Parts:
    """Return the parts of a text, after all readers of exceptions have run."""
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


def closing_words(text: str) -> str:
    """Return the last exception's message in a program's output, or its last line where there is none, in one line;
    "" for an empty output. For a person who must know why a program did not come to its end."""
    parts = take_apart(text)
    if parts.thrown:
        return one_line(parts.thrown[-1].message or parts.thrown[-1].exception, _SHOWN)
    return one_line(next((line for line in reversed(parts.lines) if line.strip()), ""), _SHOWN)

"""Long logs, cut to what matters: the first failure, assertions, frames of the project; gaps are marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from tdd_orchestrator.text import middle_cut, plain

_LONGEST_LINE = 400  # characters
_LARGEST = 16 << 20  # characters looked at
_MOST_LINES = 400_000  # looked at, half of them from each end
_MOST_HITS = 2_000  # from each end
_NEAR = 3  # lines kept around the first failure
_ROUND = 8  # lines that may fill the room around the first failures

_SIGN = re.compile(
    r"^E\s{2,}|^>\s|\bassert|Assertion|\bexpected\b|\bactual\b|\breceived\b|(?:^|\s)(?:left|right"
    r"|got|want):|\berror(?:\[\w+\])?:"
    r"|Error\b|Exception\b|panicked at|^\s*(?:---\s)?FAIL|^not ok|✕|✗|^\s*\d+\) ",
    re.IGNORECASE,
)
_WORDS = (
    "\ne", "\n>", "assert", "expected", "actual", "received", "left:", "right:", "got:", "want:", "error",
    "exception",
    "panicked at", "fail", "not ok", "✕", "✗", ") ",
)  # fmt: skip
"""One of them is in every line that has a sign: a look for words is much quicker than one for the
expression."""
_BLOCK = 256  # lines that are looked through for words at once
_FRAME = re.compile(r"\w\.\w{1,5}(?::\d|\", line \d|\(\d)")
"""``path.ext:12``, ``path.ext", line 12``, ``path.ext(12``; begun at a literal dot, so that a hostile line
costs nothing."""
_FOREIGN = re.compile(
    r"site-packages|node_modules|dist-packages|/usr/lib|[\\/]lib[\\/]python|\.cargo|rustc"
    r"|node:internal|\(internal/|java\.base|vendor/"
)


_BARE_FRAME = re.compile(r"\s*\S+:\d+\s*")


def cut_log(text: str, limit: int) -> str:
    """At most about ``limit`` characters of the log, in its own order. Lines that say nothing fill no
    room, and lines that only name a place in installed code are left out."""
    text = plain(middle_cut(text, _LARGEST)).strip("\n")
    text = "\n".join(line for line in text.split("\n") if not _is_foreign(line))
    if len(text) <= limit:
        return text
    lines = text.split("\n")
    kept: set[int] = set()
    room = limit
    for number in _by_weight(lines):
        if number in kept or not 0 <= number < len(lines):
            continue
        cost = min(len(lines[number]), _LONGEST_LINE + 1) + 1
        if cost > room:
            break
        kept.add(number)
        room -= cost
    return _joined(lines, kept)


def _is_foreign(line: str) -> bool:
    """Return whether the line is nothing but a place in installed code."""
    return len(line) <= _LONGEST_LINE and bool(_BARE_FRAME.fullmatch(line) and _FOREIGN.search(line))


def _by_weight(lines: list[str]) -> list[int]:
    """Line numbers, the most telling first; some may be outside of the log."""
    total = len(lines)
    signs = _hits(total, lambda numbers: _signs(lines, numbers))
    frames = _hits(total, lambda numbers: _frames(lines, numbers))
    first = signs[0] if signs else total - 1
    pairs = [number for pair in zip(signs, reversed(signs), strict=True) for number in pair]
    round_them = [sign + side * far for far in range(1, _ROUND) for sign in signs[:12] for side in (-1, 1)]
    return [
        *range(first - _NEAR, first + _NEAR + 1),
        *range(total - 6, total),
        *signs[:12],
        *frames[:12],
        *pairs,
        *frames,
        *(number + 1 for number in frames),  # the code that a frame shows
        *range(8),
        *round_them,
        *(() if signs or frames else reversed(range(total))),
    ]


def _signs(lines: list[str], numbers: Sequence[int]) -> Iterator[int]:
    for start in range(0, len(numbers), _BLOCK):
        block = numbers[start : start + _BLOCK]
        low = "\n".join(["", *(lines[number][:_LONGEST_LINE] for number in block)]).lower()
        words = [word for word in _WORDS if word in low]
        if words:
            yield from (number for number in block if _has_sign(lines[number][:_LONGEST_LINE], words))


def _has_sign(line: str, words: list[str]) -> bool:
    low = f"\n{line}".lower()
    return any(word in low for word in words) and bool(_SIGN.search(line))


def _frames(lines: list[str], numbers: Sequence[int]) -> Iterator[int]:
    for number in numbers:
        line = lines[number][:_LONGEST_LINE]
        if _FRAME.search(line) and not _FOREIGN.search(line):
            yield number


def _hits(total: int, find_hits: Callable[[Sequence[int]], Iterator[int]]) -> list[int]:
    """The numbers of telling lines, from both ends of a log that has too many."""
    half = _MOST_LINES // 2
    looked_at: Sequence[int] = range(total)
    if total > _MOST_LINES:
        looked_at = [*range(half), *range(total - half, total)]
    front = list(islice(find_hits(looked_at), _MOST_HITS))
    if len(front) < _MOST_HITS:
        return front
    back = takewhile(lambda number: number > front[-1], find_hits(looked_at[::-1]))
    return front + list(islice(back, _MOST_HITS))[::-1]


def _joined(lines: list[str], kept: set[int]) -> str:
    out: list[str] = []
    last = -1
    for number in (*sorted(kept), len(lines)):
        if number != last + 1:
            out.append(f"[... {number - last - 1} lines cut ...]")
        if number < len(lines):
            line = lines[number]
            out.append(line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…")
        last = number
    return "\n".join(out)

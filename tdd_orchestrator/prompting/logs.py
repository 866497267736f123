"""Long logs, cut to what matters: the first failure, assertions, frames of the project; gaps are marked."""

from __future__ import annotations

import re

from tdd_orchestrator.text import middle_cut, plain

_LONGEST_LINE = 400  # characters
_LARGEST = 2 << 20  # characters looked at
_MOST_LINES = 20_000
_NEAR = 3  # lines kept around the first failure

_SIGN = re.compile(
    r"^E\s{2,}|^>\s|\bassert|Assertion|\bexpected\b|\bactual\b|\breceived\b|(?:^|\s)(?:left|right|got|want):|\berror(?:\[\w+\])?:"
    r"|Error\b|Exception\b|panicked at|^\s*(?:---\s)?FAIL|^not ok|✕|✗|^\s*\d+\) ",
    re.IGNORECASE,
)
_FRAME = re.compile(r"\w\.\w{1,5}(?::\d|\", line \d|\(\d)")
"""``path.ext:12``, ``path.ext", line 12``, ``path.ext(12``; begun at a literal dot, so that a hostile line costs nothing."""
_FOREIGN = re.compile(
    r"site-packages|node_modules|dist-packages|/usr/lib|[\\/]lib[\\/]python|\.cargo|rustc|node:internal|\(internal/|java\.base|vendor/"
)


def cut_log(text: str, limit: int) -> str:
    """At most about ``limit`` characters of the log, in its own order."""
    text = plain(middle_cut(text, _LARGEST)).strip("\n")
    if len(text) <= limit:
        return text
    lines = [line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…" for line in text.split("\n")]
    if len(lines) > _MOST_LINES:
        half = _MOST_LINES // 2
        lines = lines[:half] + lines[-half:]
    kept: set[int] = set()
    room = limit
    for number in _by_weight(lines):
        cost = len(lines[number]) + 1
        if number in kept:
            continue
        if cost > room:
            break
        kept.add(number)
        room -= cost
    return _joined(lines, kept)


def _by_weight(lines: list[str]) -> list[int]:
    """Line numbers, the most telling first."""
    total = len(lines)
    signs = [number for number, line in enumerate(lines) if _SIGN.search(line)]
    frames = [n for n, line in enumerate(lines) if _FRAME.search(line) and not _FOREIGN.search(line)]
    first = signs[0] if signs else 0
    around = range(max(0, first - _NEAR), min(total, first + _NEAR + 1))
    tail = range(max(0, total - 6), total)
    code = [number + 1 for number in frames if number + 1 < total]
    middle = [number for pair in zip(signs, reversed(signs), strict=True) for number in pair]
    return [
        *around,
        *tail,
        *signs[:12],
        *frames[:12],
        *middle,
        *frames,
        *code,
        *range(min(8, total)),
        *range(total),
    ]


def _joined(lines: list[str], kept: set[int]) -> str:
    out: list[str] = []
    last = -1
    for number in sorted(kept):
        if number != last + 1:
            out.append(f"[... {number - last - 1} lines cut ...]")
        out.append(lines[number])
        last = number
    if last + 1 < len(lines):
        out.append(f"[... {len(lines) - last - 1} lines cut ...]")
    return "\n".join(out)

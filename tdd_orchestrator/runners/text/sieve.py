"""A flood of results: what readers are shown of it when they have seen enough to judge by."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from tdd_orchestrator.runners.reading import Passed

FREE = 4 << 20  # characters that are shown as they are; readers may keep twenty times as much memory
_ALIKE = (
    10_000  # lines with the same sign after which more of them are no news, unless they tell of something bad
)
_BAD = 50_000  # lines that tell of something bad
_OTHER = 4 << 20  # characters of lines without a sign
_END = 256 << 10  # characters at the end that are always shown: there a runner says what became of it
_WORDS = ("fail", "err", "not ok", "panic", "crash", "abort", "time", "kill", "signal", "xception", "cancel", "broken",
          "missing", " no ")  # fmt: skip
Shown = str | Passed  # a line, or what stood in its place
_MARKS = re.compile(r"[✗✖✘×✕⨯☢]|^\s*\d+\)")


def _tells(line: str) -> bool:
    """Whether a line may tell of something bad."""
    low = line.lower()
    return any(word in low for word in _WORDS) or bool(_MARKS.search(line))


class Sieve:
    """Lets through what may change a verdict, and the end. ``dropped``: something was left out; ``blind``: something
    that may have been bad, or of an unknown kind, so that what was shown proves no success."""

    def __init__(self, signs: Sequence[re.Pattern[str]]) -> None:
        self.dropped = self.blind = False
        self._signs = signs
        self._hits = [0] * len(signs)
        self._last = -1
        self._free = FREE
        self._other = _OTHER
        self._bad = 0
        self._held: deque[tuple[int, Sequence[Shown]]] = (
            deque()
        )  # what may be the end, in parts with their sizes
        self._size = 0  # of all that is held

    def sift(self, lines: list[str]) -> Sequence[Shown]:
        """What is to be shown now; it may come from parts before."""
        size = sum(map(len, lines))
        if self._free > 0:
            self._free -= size
            return lines
        return self._hold(size, lines)

    def cut(self, more: Passed) -> Sequence[Shown]:
        """The same for a stretch of passed tests that stands between the lines, and is not shown itself."""
        self.dropped = True
        return (more,) if self._free > 0 else self._hold(0, (more,))

    def _hold(self, size: int, part: Sequence[Shown]) -> list[Shown]:
        self._held.append((size, part))
        self._size += size
        shown: list[Shown] = []
        while self._size - self._held[0][0] >= _END:
            size, part = self._held.popleft()
            self._size -= size
            kept = [one for one in part if isinstance(one, Passed) or self._lets_through(one)]
            self.dropped |= len(kept) < len(part)
            shown += kept
        return shown

    def rest(self) -> list[Shown]:
        """What was held back to the end."""
        return [one for _, part in self._held for one in part]

    def _lets_through(self, line: str) -> bool:
        which = self._last  # floods are of one kind
        if which < 0 or not self._signs[which].search(line):
            which = next((index for index, sign in enumerate(self._signs) if sign.search(line)), -1)
        self._last = which
        tells = _tells(line)
        if which >= 0:
            self._hits[which] += 1
        if which >= 0 and (self._hits[which] <= _ALIKE or not tells):
            return self._hits[which] <= _ALIKE
        if tells:
            self._bad += 1
            room = self._bad <= _BAD
        else:
            self._other -= len(line) + 1
            room = self._other > 0
        self.blind |= not room
        return room

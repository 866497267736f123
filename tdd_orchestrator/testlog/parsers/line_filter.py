"""Drop lines of a flood of results that cannot change the verdict any more."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from tdd_orchestrator.lazy_regex import LazyRegex
from tdd_orchestrator.testlog.parsers.any_sign import any_of
from tdd_orchestrator.testlog.reading import Passed

FREE = 4 << 20  # characters that pass unfiltered; readers may need twenty times as much memory
_ALIKE = 10_000  # lines with the same sign, after which only possible failures pass
_BAD = 50_000  # lines that may be failures
_OFTEN = 1_000  # such lines of one kind, after which more are dropped once there are too many
_OTHER = 4 << 20  # characters of lines without a sign
_END = 256 << 10  # characters at the end that always pass: the runner's summary
_BAD_PARTS = (
    "fail", "err", "not ok", "panic", "crash", "abort", "time", "kill", "signal", "xception",
    "cancel", "broken", "missing", " no ",
)  # fmt: skip
LogItem = str | Passed  # a line, or the number of tests left out
_NUMBER = re.compile(r"\d*[1-9]\d*")
_MARKS = re.compile(r"[✗✖✘×✕⨯☢]|^\s*\d+\)")


def _may_be_bad(line: str) -> bool:
    """Whether a line may report a failure."""
    return any(map(line.lower().__contains__, _BAD_PARTS)) or bool(_MARKS.search(line))


class LineFilter:
    """Passes on lines that may change a verdict, and the end.

    ``dropped``: something was left out; ``blind``: a possible failure or an unknown line was left out,
    so that the rest proves no success.
    """

    def __init__(
        self,
        signs: Sequence[LazyRegex],
        passed: Sequence[re.Pattern[bytes]] = (),
        events: tuple[str, ...] = (),
    ) -> None:
        self._events = events  # beginnings of lines that always pass
        self.dropped = self.blind = False
        self._signs = signs
        self._has_sign = any_of(signs)
        self._passed = passed
        self._open: set[bytes] = set()  # tests whose first line passed
        self._left_out = False  # the last line was a passed test, for readers that count
        self._hits = [0] * len(signs)
        self._last = -1
        self._free = FREE
        self._other = _OTHER
        self._bad = 0
        self._shapes: dict[int, int] = {}  # how often each kind of bad line passed, by its hash
        self._delayed: deque[tuple[int, Sequence[LogItem]]] = (
            deque()
        )  # what may be the end, in parts with their sizes
        self._size = 0  # of all delayed lines

    def sift(self, lines: list[str]) -> Sequence[LogItem]:
        """Return the lines to pass on now, some of them from earlier parts."""
        size = sum(map(len, lines))
        if self._free > 0:
            self._free -= size
            return lines
        return self._delay(size, lines)

    def cut(self, more: Passed) -> Sequence[LogItem]:
        """Return the items to pass on for a stretch of passed tests that was replaced by its number."""
        self.dropped = True
        return (more,) if self._free > 0 else self._delay(0, (more,))

    def _delay(self, size: int, part: Sequence[LogItem]) -> list[LogItem]:
        self._delayed.append((size, part))
        self._size += size
        items: list[LogItem] = []
        while self._size - self._delayed[0][0] >= _END:
            size, part = self._delayed.popleft()
            self._size -= size
            for one in part:
                if isinstance(one, Passed) or self._lets_through(one):
                    items.append(one)
                    continue
                self.dropped = True
                if self._left_out:
                    items.append(Passed(1))
        return items

    def rest(self) -> list[LogItem]:
        """Return the delayed items of the end."""
        return [one for _, part in self._delayed for one in part]

    def _lets_through(self, line: str) -> bool:
        self._left_out = False
        if self._events and line.startswith(self._events):
            return True
        which = self._sign_of(line)
        if which >= 0:
            self._hits[which] += 1
            alike = self._hits[which] <= _ALIKE
            passed = self._of_a_pass(line)
            if passed is not None:
                return self._lets_pair_through(passed, alike)
            if alike or not _may_be_bad(line):
                return True
        if which < 0 and self.blind and self._other <= 0 and self._bad > _BAD:
            return False  # there is no room, whatever it is
        if which >= 0 or _may_be_bad(line):
            self._bad += 1
            room = self._bad <= _BAD
            if self._often(line, counted=room) and not room:
                return False
        else:
            self._other -= len(line) + 1
            room = self._other > 0
        self.blind |= not room
        return room

    def _often(self, line: str, counted: bool) -> bool:
        """Whether many lines passed that differ only in non-zero numbers."""
        shape = hash(_NUMBER.sub("1", line))
        times = self._shapes.get(shape, 0)
        if counted:
            self._shapes[shape] = times + 1
        return times >= _OFTEN

    def _sign_of(self, line: str) -> int:
        """Return the index of the line's sign, trying the previous line's first; -1 if none."""
        if self._last >= 0 and self._signs[self._last].search(line):
            return self._last
        if not self._has_sign(line):
            return -1
        self._last = next(index for index, sign in enumerate(self._signs) if sign.search(line))
        return self._last

    def _of_a_pass(self, line: str) -> re.Match[bytes] | None:
        """Return the match of a passed test's line, whose name may look like a failure."""
        whole = f"{line}\n".encode(errors="replace")
        for form in self._passed:
            if found := form.fullmatch(whole):
                return found
        return None

    def _lets_pair_through(self, line: re.Match[bytes], alike: bool) -> bool:
        """Whether a passed test's line passes. The end of a test passes if its beginning did."""
        if not line.re.groupindex:
            return alike
        groups = line.groupdict()
        if alike and (name := groups.get("begun")):
            self._open.add(name)
        if (name := groups.get("ended")) and name in self._open:
            self._open.discard(name)
            return True
        self._left_out = not alike and "passed" in groups and groups["passed"] is not None
        return alike

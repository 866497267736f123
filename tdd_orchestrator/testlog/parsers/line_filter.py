"""A flood of results: what readers are shown of it when they have seen enough to judge by."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from tdd_orchestrator.testlog.parsers.any_sign import any_of
from tdd_orchestrator.testlog.reading import Passed

FREE = 4 << 20  # characters that are shown as they are; readers may keep twenty times as much memory
_ALIKE = (
    10_000  # lines with the same sign after which more of them are no news, unless they tell of something bad
)
_BAD = 50_000  # lines that tell of something bad
_OFTEN = 1_000  # such lines of one kind, after which more of them are no news when too many were shown
_OTHER = 4 << 20  # characters of lines without a sign
_END = 256 << 10  # characters at the end that are always shown: there a runner says what became of it
_WORDS = ("fail", "err", "not ok", "panic", "crash", "abort", "time", "kill", "signal", "xception", "cancel",
    "broken",
          "missing", " no ")  # fmt: skip
Shown = str | Passed  # a line, or what stood in its place
_NUMBER = re.compile(r"\d*[1-9]\d*")
_MARKS = re.compile(r"[✗✖✘×✕⨯☢]|^\s*\d+\)")


def _tells(line: str) -> bool:
    """Whether a line may tell of something bad."""
    return any(map(line.lower().__contains__, _WORDS)) or bool(_MARKS.search(line))


class LineFilter:
    """Lets through what may change a verdict, and the end. ``dropped``: something was left out; ``blind``:
    something that may have been bad, or of an unknown kind, so that what was shown proves no success."""

    def __init__(
        self,
        signs: Sequence[re.Pattern[str]],
        passed: Sequence[re.Pattern[bytes]] = (),
        events: tuple[str, ...] = (),
    ) -> None:
        self._events = events  # how lines begin that are all shown
        self.dropped = self.blind = False
        self._signs = signs
        self._has_sign = any_of(signs)
        self._passed = passed
        self._open: set[bytes] = set()  # tests whose beginning was let through
        self._left_out = False  # the last line was that a test passed, for readers that count
        self._hits = [0] * len(signs)
        self._last = -1
        self._free = FREE
        self._other = _OTHER
        self._bad = 0
        self._shapes: dict[int, int] = {}  # of what covers something bad, by its hash
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
            for one in part:
                if isinstance(one, Passed) or self._lets_through(one):
                    shown.append(one)
                    continue
                self.dropped = True
                if self._left_out:
                    shown.append(Passed(1))
        return shown

    def rest(self) -> list[Shown]:
        """What was held back to the end."""
        return [one for _, part in self._held for one in part]

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
                return self._with_its_other_line(passed, alike)
            if alike or not _tells(line):
                return True
        if which >= 0 or _tells(line):
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
        """Whether as many lines were shown that differ from it in numbers alone, and in none that is
        nought."""
        shape = hash(_NUMBER.sub("1", line))
        times = self._shapes.get(shape, 0)
        if counted:
            self._shapes[shape] = times + 1
        return times >= _OFTEN

    def _sign_of(self, line: str) -> int:
        """The sign that it has, which is most often that of the line before: floods are of one kind; -1:
        none."""
        if self._last >= 0 and self._signs[self._last].search(line):
            return self._last
        if not self._has_sign(line):
            return -1
        self._last = next(index for index, sign in enumerate(self._signs) if sign.search(line))
        return self._last

    def _of_a_pass(self, line: str) -> re.Match[bytes] | None:
        """A line of a test that passed: whatever the test is called, it covers nothing bad."""
        whole = f"{line}\n".encode(errors="replace")
        for form in self._passed:
            if found := form.fullmatch(whole):
                return found
        return None

    def _with_its_other_line(self, line: re.Match[bytes], alike: bool) -> bool:
        """Whose beginning was shown, its end is shown too: else it would seem to have run when all was
        over."""
        if not line.re.groupindex:
            return alike
        said = line.groupdict()
        if alike and (name := said.get("begun")):
            self._open.add(name)
        if (name := said.get("ended")) and name in self._open:
            self._open.discard(name)
            return True
        self._left_out = not alike and "passed" in said and said["passed"] is not None
        return alike

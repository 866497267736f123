"""Feed a log line by line to the readers that were chosen for it, without its noise.

Of a flood of results, lines that cannot change the verdict any more are dropped.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import cast

from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.testlog.judge import judge_reading
from tdd_orchestrator.testlog.parsers.choose import Found, any_of
from tdd_orchestrator.testlog.parsers.flood import counted, cut_short
from tdd_orchestrator.testlog.parsers.lines import UNFILTERED, NoiseFilter, plain_lines
from tdd_orchestrator.testlog.parsers.whole import WholeRuns
from tdd_orchestrator.testlog.reading import Counter, LineReader, Passed, Passes, Reading
from tdd_orchestrator.text import LazyRegex

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


_CONDENSED_LIMIT = 2 << 20  # bytes


class CondensedLog:
    """Collects a log without its floods and its noise, up to ``_CONDENSED_LIMIT``."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def record(self, parts: Iterable[bytes | Passed]) -> Iterator[bytes | Passed]:
        """Yield the same parts, and keep a copy of each."""
        for part in parts:
            if isinstance(part, bytes) and self._size <= _CONDENSED_LIMIT:
                self._size += len(part) + 1
                self._parts.append(part)
            yield part

    def text(self, kinds: Iterable[Passes]) -> bytes:
        """Return the collected text without passed tests of these ``kinds``; empty when it exceeds the
        limit."""
        if self._size > _CONDENSED_LIMIT:
            return b""
        text = b"\n" + b"\n".join(part.removesuffix(b"\n") for part in self._parts) + b"\n"
        for kind in kinds:
            text = kind.stretch.sub(b"\n", text)
        return text[1:]


def feed_log(
    blocks: Iterable[bytes],
    chosen: list[Found],
    noise_filter: NoiseFilter,
    condensed: CondensedLog | None = None,
) -> list[Reading]:
    """Return one reading for each of ``chosen``. Every block ends at the end of a line."""
    readers: list[LineReader] = [one.row.reader() for one in chosen]
    if not readers:
        return []
    noise_filter.rewind(UNFILTERED)
    line_filter = LineFilter(
        [sign for one in chosen for sign in one.row.signs],
        [one.row.passes.line for one in chosen if one.row.passes],
        tuple(begin for one in chosen if one.row.events for begin in one.row.events.begins),
    )
    runs = [WholeRuns(one.row.whole) if one.row.whole else None for one in chosen]
    counting = [isinstance(reader, Counter) for reader in readers]  # asked once: it takes longer than a line
    for one in chosen:
        if one.row.events and one.row.events.block_filter:
            blocks = map(one.row.events.block_filter(), blocks)
    filtered = counted(
        cut_short(blocks, chosen[0].row.passes, noise_filter.filter_block), chosen[0].row.results
    )
    parts = (
        _filter_part(part, line_filter) for part in (condensed.record(filtered) if condensed else filtered)
    )
    for lines in chain(parts, map(LineFilter.rest, (line_filter,))):
        for reader, counts, followed in zip(readers, counting, runs, strict=True):
            _feed_lines(reader, counts, lines)
            if followed:
                followed.look(lines)
    return [
        _adjust_reading(reader.finish(), line_filter, followed)
        for reader, followed in zip(readers, runs, strict=True)
    ]


def feed_documents(blocks: Iterable[bytes], chosen: list[Found]) -> list[Reading]:
    """Return one reading for each row that reads whole documents: no line is left out."""
    readers = [one.row.reader() for one in chosen]
    for lines in map(plain_lines, blocks) if readers else ():
        for reader in readers:
            _feed_lines(reader, False, lines)
    return [reader.finish() for reader in readers]


def _filter_part(part: bytes | Passed, line_filter: LineFilter) -> Sequence[LogItem]:
    return line_filter.cut(part) if isinstance(part, Passed) else line_filter.sift(plain_lines(part))


def _feed_lines(reader: LineReader, counts: bool, lines: Sequence[LogItem]) -> None:
    feed = reader.feed
    for line in lines:
        if not isinstance(line, Passed):
            feed(line)
        elif counts:
            cast("Counter", reader).passed(line)


def _adjust_reading(reading: Reading, line_filter: LineFilter, runs: WholeRuns | None) -> Reading:
    """Lower a reading's claims where lines were dropped or a run failed as a whole.

    With dropped lines it does not name every test; where a dropped line may have been a failure, it is
    no pass.
    """
    reading.complete &= not line_filter.dropped
    if is_pass(reading):
        if runs:
            runs.finish(reading, gaps=line_filter.dropped)
        if line_filter.blind:
            reading.crashed = "it covers more than can be read"
    return reading


def has_results(reading: Reading) -> bool:
    """Whether a runner printed anything that the reader recognised."""
    return bool(
        reading.started
        or reading.finished
        or reading.cases
        or reading.build_errors
        or reading.counts
        or reading.crashed
        or reading.timed_out
    )


def is_pass(reading: Reading) -> bool:
    """Whether the reading is a pass, provided that the exit code is 0."""
    return has_results(reading) and judge_reading(reading, 0)[0] is RunVerdict.PASSED

"""Floods of passed tests: what says no more than that many tests passed is taken out of the bytes, and
counted.

A runner's row may say how a test that passed looks (``passes``). Once many of them were read line by line, a
stretch of them is told to the readers by its first test, its number of tests and its last test; so every
change from one kind of line to another is still seen, and so is the end of the text as it is. It is the
readers' own reading that is cut short: a line that could be anything else is never taken out.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from tdd_orchestrator.testlog.parsers.lines import uncoloured
from tdd_orchestrator.testlog.reading import Passed, Passes

FREE = 1 << 20  # bytes of passed tests that are read line by line: about as many as a reader keeps
END = 256 << 10  # bytes at the end that are read as they are: there a runner says what became of it
_SHORT = 512  # bytes of a stretch that are not worth the cutting
_PROBES = 8  # places at which a block is looked at
_GLIMPSE = 4_096  # bytes of each, where the whole of it is not worth taking its colours away
_DENSE = 8  # passed tests in a row where little else is between them
_PIECES = 64  # of a block; more of them are made thinner together
_LINES = 8  # of one test at most: headings, its start, its result
_CONTROLS = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])
# What reads otherwise than it is written, an escape and a byte-order mark: the first byte is found far faster
_UNSEEN = ((b"\xc2", b"\xc2\x9b"), (b"\xef", b"\xef\xbb\xbf"))
_NUMBER = re.compile(rb"[0-9]{1,9}(?![0-9])")


def until_end(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The blocks, each with whether it is of the text's end."""
    held: deque[bytes] = deque()
    size = 0
    for block in blocks:
        held.append(block)
        size += len(block)
        while size - len(held[0]) >= END:
            size -= len(held[0])
            yield held.popleft(), False
    for block in held:
        cut = block.rfind(b"\n", 0, max(0, size - END)) + 1
        size -= len(block)
        if cut:
            yield block[:cut], False
        yield block[cut:], True


def without_floods(blocks: Iterable[bytes], units: Sequence[re.Pattern[bytes]]) -> Iterator[bytes]:
    """The blocks, in colour or not, without those in the middle of a flood: for what looks at the head and
    the tail alone. ``units``: how what there may be very much of is printed, in whole lines."""
    read = 0
    for block, end in until_end(blocks):
        read += len(block)
        if end or read <= FREE:
            yield block
            continue
        plain = uncoloured(_glimpse(block)) if b"\x1b" in block else block
        if not any(_is_flood(plain, unit) for unit in units):
            yield block


def _glimpse(block: bytes) -> bytes:
    """Some whole lines of each place at which a block is looked at."""
    parts = (block[start : start + _GLIMPSE] for start in range(0, len(block), len(block) // _PROBES + 1))
    return b"".join(part[part.find(b"\n") + 1 : part.rfind(b"\n") + 1] for part in parts)


def _is_flood(block: bytes, unit: re.Pattern[bytes], number: int = 1) -> bool:
    """Whether the block shows so many units in a row, wherever one looks."""
    places = (*range(1, _PROBES), 0)
    return all(_is_near(block, place * len(block) // _PROBES, unit, number) for place in places)


def _is_near(block: bytes, start: int, unit: re.Pattern[bytes], number: int) -> bool:
    for _ in range(_LINES):
        start = block.find(b"\n", start) + 1
        if not start:
            return False
        if _in_a_row(block, start, unit, number):
            return True
    return False


def _in_a_row(block: bytes, start: int, unit: re.Pattern[bytes], number: int) -> bool:
    for _ in range(number):
        found = unit.match(block, start)
        if found is None:
            return False
        start = found.end()
    return True


def cut_short(
    blocks: Iterable[bytes], kind: Passes | None, thin: Callable[[bytes], bytes]
) -> Iterator[bytes | Passed]:
    """The text, made thinner, in parts, in order: pieces that end at a line end, and what stood between them.

    A flood is cut before its rest is thinned, which is quick; of all else the noise goes first, and what
    passed stands together then.
    """
    if kind is None:
        yield from map(thin, blocks)
        return
    flood = Flood(kind)
    for block, end in until_end(blocks):
        if end:
            yield thin(block)
        elif _is_flood(block, kind.unit, _DENSE) and len(parts := [*flood.cut(block)]) <= _PIECES:
            yield from (part if isinstance(part, Passed) else thin(part) for part in parts)
        else:
            yield from flood.cut(thin(block))


class Flood:
    """Cuts a text's stretches of passed tests short."""

    def __init__(self, kind: Passes) -> None:
        self._kind = kind
        self._free = FREE

    def cut(self, block: bytes) -> Iterator[bytes | Passed]:
        """The block in parts, in order, each a piece of it that ends at a line end, or what stood there."""
        whole = as_read(block)
        if whole is None:
            yield block
            return
        whole = b"\n" + whole
        shown = 1
        for found in self._kind.stretch.finditer(whole):
            begin, end = found.start() + 1, found.end()
            if end - begin <= _SHORT or self._spend(end - begin):
                continue
            start, stop = self._inner(whole, begin, end)
            told = self._told(whole[start:stop])
            if told is None:
                continue
            yield whole[shown:start]
            yield told
            shown = stop
        yield whole[shown:]

    def _spend(self, size: int) -> bool:
        self._free -= size
        return self._free > 0

    def _inner(self, block: bytes, start: int, stop: int) -> tuple[int, int]:
        """Where a stretch's second test begins, and where its last one does, with all that belongs to it."""
        first = self._kind.unit.match(block, start)
        assert first is not None
        begin = inner = first.end()
        line = stop
        for _ in range(_LINES):
            line = block.rfind(b"\n", begin - 1, line - 1) + 1
            if line <= begin:
                break
            found = self._kind.unit.match(block, line)
            if found is not None and found.end() == stop:
                inner = line
        return begin, inner

    def _told(self, inner: bytes) -> Passed | None:
        """What the readers are told of these tests; None where one has no end, or their numbers have gaps or
        repeats."""
        mark = self._kind.mark
        if not mark:
            return Passed(0)
        lines = b"\n" + inner
        tests = lines.count(b"\n" + mark)
        if self._kind.ends and inner.count(self._kind.ends) != tests:
            return None
        if not self._kind.numbered or not tests:
            return Passed(tests)
        first = _NUMBER.match(inner, lines.find(b"\n" + mark) + len(mark))
        last = _NUMBER.match(inner, lines.rfind(b"\n" + mark) + len(mark))
        if not first or not last or int(last[0]) - int(first[0]) + 1 != tests:
            return None
        return Passed(tests, int(first[0]), int(last[0]))


def as_read(block: bytes) -> bytes | None:
    """The block as its lines will be read; None where they may read otherwise than their bytes say."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if len(block.translate(None, _CONTROLS)) != len(block):
        return None
    if not block.isascii() and any(first in block and word in block for first, word in _UNSEEN):
        return None
    return block

"""Replace floods of passed tests by their number.

A runner's row says how a passed test looks (``passes``). Once many of them were read line by line, a
stretch of them is reduced to its first test, its number of tests and its last test. Every change from
one kind of line to another stays visible, and so does the end of the text. A line that could be
anything else is never left out. Segments of a log between lines of known runners are found as well: another
runner may have printed there.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

from tdd_orchestrator.testlog.parsers.lines import all_lines, uncoloured
from tdd_orchestrator.testlog.reading import Passed, Passes, Results

FREE = 1 << 20  # bytes of passed tests that are read line by line: about what a reader keeps
END = 256 << 10  # bytes at the end that are read unchanged: the runner's summary
_SHORT = 512  # bytes; a shorter stretch is not replaced
_PROBES = 8  # places of a block that are inspected
_GLIMPSE = 4_096  # bytes of each, in place of removing all colours
_DENSE = 8  # passed tests in a row that make a flood
_PIECES = 64  # parts of a block; more of them are filtered together
_LINES = 8  # of one test at most: headings, its start, its result
_CONTROLS = bytes([*range(0x09), *range(0x0B, 0x20), 0x7F])
# Bytes that change how a line reads: an escape, a byte-order mark. The first byte is found far faster
_UNSEEN = ((b"\xc2", b"\xc2\x9b"), (b"\xef", b"\xef\xbb\xbf"))
_NUMBER = re.compile(rb"[0-9]{1,9}(?![0-9])")


def until_end(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield the blocks, each with whether it belongs to the text's end."""
    pending: deque[bytes] = deque()
    size = 0
    for block in blocks:
        pending.append(block)
        size += len(block)
        while size - len(pending[0]) >= END:
            size -= len(pending[0])
            yield pending.popleft(), False
    for block in pending:
        cut = block.rfind(b"\n", 0, max(0, size - END)) + 1
        size -= len(block)
        if cut:
            yield block[:cut], False
        yield block[cut:], True


def without_floods(blocks: Iterable[bytes], units: Iterable[re.Pattern[bytes]]) -> Iterator[bytes]:
    """Yield the blocks without the middle of floods, for readers of head and tail alone.

    The blocks may be in colour. ``units``: how results are printed, in whole lines; a short text asks for none.
    """
    read, forms = 0, list[re.Pattern[bytes]]()
    for block, end in until_end(blocks):
        read += len(block)
        if end or read <= FREE:
            yield block
            continue
        plain = uncoloured(_glimpse(block)) if b"\x1b" in block else block
        forms = forms or list(units)
        if not any(_is_flood(plain, unit) for unit in forms):
            yield block


def _glimpse(block: bytes) -> bytes:
    """Return some whole lines of each place of a block that is inspected."""
    parts = (block[start : start + _GLIMPSE] for start in range(0, len(block), len(block) // _PROBES + 1))
    return b"".join(part[part.find(b"\n") + 1 : part.rfind(b"\n") + 1] for part in parts)


def _is_flood(block: bytes, unit: re.Pattern[bytes], number: int = 1) -> bool:
    """Whether the block has ``number`` units in a row at every place that is inspected."""
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
    blocks: Iterable[bytes], kind: Passes | None, drop_noise: Callable[[bytes], bytes]
) -> Iterator[bytes | Passed]:
    """Yield the text without noise, in order: parts that end at a line's end, and replaced tests.

    A flood is replaced before its rest is filtered, which is fast. Elsewhere the noise goes first, so
    that passed tests stand together.
    """
    if kind is None:
        yield from map(drop_noise, blocks)
        return
    flood = Flood(kind)
    for block, end in until_end(blocks):
        if end:
            yield drop_noise(block)
        elif _is_flood(block, kind.unit, _DENSE) and len(parts := [*flood.cut(block)]) <= _PIECES:
            yield from (part if isinstance(part, Passed) else drop_noise(part) for part in parts)
        else:
            yield from flood.cut(drop_noise(block))


class Flood:
    """Replaces a text's stretches of passed tests by their number."""

    def __init__(self, kind: Passes) -> None:
        self._kind = kind
        self._free = FREE

    def cut(self, block: bytes) -> Iterator[bytes | Passed]:
        """Yield the block in order: parts of it that end at a line's end, and replaced tests."""
        whole = as_read(block)
        if whole is None:
            yield block
            return
        whole = b"\n" + whole
        emitted = 1
        for found in self._kind.stretch.finditer(whole):
            begin, end = found.start() + 1, found.end()
            if end - begin <= _SHORT or self._spend(end - begin):
                continue
            start, stop = self._inner(whole, begin, end)
            skipped = self._count_tests(whole[start:stop])
            if skipped is None:
                continue
            yield whole[emitted:start]
            yield skipped
            emitted = stop
        yield whole[emitted:]

    def _spend(self, size: int) -> bool:
        self._free -= size
        return self._free > 0

    def _inner(self, block: bytes, start: int, stop: int) -> tuple[int, int]:
        """Return where a stretch's second test begins, and where its last one does."""
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

    def _count_tests(self, inner: bytes) -> Passed | None:
        """Return the number of these tests; None if one has no end, or their numbers are not in sequence."""
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
    """Return the block as its lines will be read; None if its bytes may read otherwise."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if len(block.translate(None, _CONTROLS)) != len(block):
        return None
    if not block.isascii() and any(first in block and rest in block for first, rest in _UNSEEN):
        return None
    return block


RESULTS_FREE = 2 << 20  # bytes of results that are read one by one: about what a report keeps
_SHORT_RESULTS = 4_096  # bytes; a shorter stretch is not replaced
_LINES_OF_RESULT = 8  # of one result, as a rule
_BAD, _COUNT, _LEFT_OUT = map(itemgetter, range(3))


def counted(parts: Iterable[bytes | Passed], results: Results | None) -> Iterator[bytes | Passed]:
    """Yield the parts of a log, with long stretches of results replaced by their counts."""
    if results is None:
        yield from parts
        return
    free = RESULTS_FREE
    for part in parts:
        if isinstance(part, Passed) or (block := as_read(part)) is None:
            yield part
            continue
        block = b"\n" + block
        emitted = 1
        for found in results.stretch.finditer(block):
            begin, end = found.start() + 1, found.end()
            free -= end - begin
            if free > 0 or end - begin <= _SHORT_RESULTS:
                continue
            first, last = results.unit.match(block, begin), _last(block, begin, end, results.unit)
            assert first is not None
            numbers = _numbers(block[first.end() - 1 : last], results)
            if numbers is not None:
                yield block[emitted : first.end()]
                yield numbers
                emitted = last
        yield block[emitted:]


def _last(block: bytes, begin: int, end: int, unit: re.Pattern[bytes]) -> int:
    """Return where the last result of a stretch begins: as a rule a few lines before its end."""
    line, last = end, -1
    for _ in range(_LINES_OF_RESULT):
        line = block.rfind(b"\n", begin, line - 1) + 1
        if line <= begin:
            break
        found = unit.match(block, line, end)
        if found is not None and found.end() == end:
            last = line
    return last if last > begin else max(one.start() for one in unit.finditer(block, begin, end))


def _numbers(results: bytes, form: Results) -> Passed | None:
    """Return the counts by kind; None if the results' numbers are not in sequence."""
    found = form.each.findall(results)
    numbers = list(map(int, map(_COUNT, found)))
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    skipped = sum(map(bool, map(_LEFT_OUT, found)))
    both = sum(1 for bad, _, left_out in found if bad and left_out) if skipped else 0
    failed = sum(map(bool, map(_BAD, found))) - both
    return Passed(len(numbers), numbers[0], numbers[-1], failed, skipped)


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

"""Replace floods of results of any kind by their counts.

The runner's row says how its results are printed (``results``). Of a long stretch the first and the
last are read, and the others are counted by kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter

from tdd_orchestrator.testlog.parsers.flood import as_read
from tdd_orchestrator.testlog.reading import Passed, Results

FREE = 2 << 20  # bytes of results that are read one by one: about what a report keeps
_SHORT = 4_096  # bytes; a shorter stretch is not replaced
_LINES = 8  # of one result, as a rule
_BAD, _NUMBER, _LEFT_OUT = map(itemgetter, range(3))


def counted(parts: Iterable[bytes | Passed], results: Results | None) -> Iterator[bytes | Passed]:
    """Yield the parts of a log, with long stretches of results replaced by their counts."""
    if results is None:
        yield from parts
        return
    free = FREE
    for part in parts:
        if isinstance(part, Passed) or (block := as_read(part)) is None:
            yield part
            continue
        block = b"\n" + block
        emitted = 1
        for found in results.stretch.finditer(block):
            begin, end = found.start() + 1, found.end()
            free -= end - begin
            if free > 0 or end - begin <= _SHORT:
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
    for _ in range(_LINES):
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
    numbers = list(map(int, map(_NUMBER, found)))
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    skipped = sum(map(bool, map(_LEFT_OUT, found)))
    both = sum(1 for bad, _, left_out in found if bad and left_out) if skipped else 0
    failed = sum(map(bool, map(_BAD, found))) - both
    return Passed(len(numbers), numbers[0], numbers[-1], failed, skipped)

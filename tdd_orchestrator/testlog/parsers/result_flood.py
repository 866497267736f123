"""Replace floods of results of any kind by their counts.

The runner's row says how its results are printed (``results``). Of a long stretch the first and the
last are read, and the others are counted by kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tdd_orchestrator.testlog.parsers.flood import as_read
from tdd_orchestrator.testlog.reading import Passed, Results

FREE = 2 << 20  # bytes of results that are read one by one: about what a report keeps
_SHORT = 4_096  # bytes; a shorter stretch is not replaced


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
            units = [unit.start() for unit in results.unit.finditer(block, begin, end)]
            first, last = units[1], units[-1]
            numbers = _numbers(block[first - 1 : last], results)
            if numbers is not None:
                yield block[emitted:first]
                yield numbers
                emitted = last
        yield block[emitted:]


def _numbers(results: bytes, form: Results) -> Passed | None:
    """Return the counts by kind; None if the results' numbers are not in sequence."""
    found = form.each.findall(results)
    numbers = [int(number) for _, number, _ in found]
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    skipped = sum(1 for _, _, left_out in found if left_out)
    failed = sum(1 for bad, _, left_out in found if bad and not left_out)
    return Passed(len(numbers), numbers[0], numbers[-1], failed, skipped)

"""Feed a log line by line, without its noise, to the readers that were chosen for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import cast

from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.testlog.judge import judge_reading
from tdd_orchestrator.testlog.parsers.choose import Found
from tdd_orchestrator.testlog.parsers.flood import cut_short
from tdd_orchestrator.testlog.parsers.line_filter import LineFilter, LogItem
from tdd_orchestrator.testlog.parsers.lines import UNFILTERED, NoiseFilter, plain_lines
from tdd_orchestrator.testlog.parsers.result_flood import counted
from tdd_orchestrator.testlog.parsers.whole import WholeRuns
from tdd_orchestrator.testlog.reading import Counter, LineReader, Passed, Passes, Reading

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

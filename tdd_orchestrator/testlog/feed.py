"""A log told to readers, line by line and made thinner on the way, and what they read in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import cast

from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.testlog.judge import weigh
from tdd_orchestrator.testlog.parsers.choose import Found
from tdd_orchestrator.testlog.parsers.flood import cut_short
from tdd_orchestrator.testlog.parsers.line_filter import LineFilter, Shown
from tdd_orchestrator.testlog.parsers.lines import CALM, Thinner, plain_lines
from tdd_orchestrator.testlog.parsers.result_flood import counted
from tdd_orchestrator.testlog.parsers.whole import WholeRuns
from tdd_orchestrator.testlog.reading import Counter, LineReader, Passed, Passes, Reading

_MUCH = 2 << 20  # bytes


class Digest:
    """A log without its floods and its noise, where not much is left."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def of(self, parts: Iterable[bytes | Passed]) -> Iterator[bytes | Passed]:
        """The same parts, noted on their way."""
        for part in parts:
            if isinstance(part, bytes) and self._size <= _MUCH:
                self._size += len(part) + 1
                self._parts.append(part)
            yield part

    def text(self, kinds: Iterable[Passes]) -> bytes:
        """Without the passed tests of these ``kinds`` that were read line by line; nothing where it is too
        much."""
        if self._size > _MUCH:
            return b""
        text = b"\n" + b"\n".join(part.removesuffix(b"\n") for part in self._parts) + b"\n"
        for kind in kinds:
            text = kind.stretch.sub(b"\n", text)
        return text[1:]


def feed_log(
    blocks: Iterable[bytes], chosen: list[Found], thinner: Thinner, digest: Digest | None = None
) -> list[Reading]:
    """One reading for each of those ``chosen``. ``blocks``: of a log, each to a line's end."""
    readers: list[LineReader] = [one.row.reader() for one in chosen]
    if not readers:
        return []
    thinner.rewind(CALM)
    line_filter = LineFilter(
        [sign for one in chosen for sign in one.row.signs],
        [one.row.passes.line for one in chosen if one.row.passes],
        tuple(begin for one in chosen if one.row.events for begin in one.row.events.begins),
    )
    runs = [WholeRuns(one.row.whole) if one.row.whole else None for one in chosen]
    counting = [isinstance(reader, Counter) for reader in readers]  # asked once: it takes longer than a line
    for one in chosen:
        if one.row.events and one.row.events.thinned:
            blocks = map(one.row.events.thinned(), blocks)
    thinned = counted(cut_short(blocks, chosen[0].row.passes, thinner.thin), chosen[0].row.results)
    parts = (_shown(part, line_filter) for part in (digest.of(thinned) if digest else thinned))
    for lines in chain(parts, map(LineFilter.rest, (line_filter,))):
        for reader, counts, followed in zip(readers, counting, runs, strict=True):
            _hand(reader, counts, lines)
            if followed:
                followed.look(lines)
    return [
        _finished(reader.finish(), line_filter, followed)
        for reader, followed in zip(readers, runs, strict=True)
    ]


def feed_documents(blocks: Iterable[bytes], chosen: list[Found]) -> list[Reading]:
    """The same for rows that read documents: nothing is left out."""
    readers = [one.row.reader() for one in chosen]
    for lines in map(plain_lines, blocks) if readers else ():
        for reader in readers:
            _hand(reader, False, lines)
    return [reader.finish() for reader in readers]


def _shown(part: bytes | Passed, line_filter: LineFilter) -> Sequence[Shown]:
    return line_filter.cut(part) if isinstance(part, Passed) else line_filter.sift(plain_lines(part))


def _hand(reader: LineReader, counts: bool, lines: Sequence[Shown]) -> None:
    feed = reader.feed
    for line in lines:
        if not isinstance(line, Passed):
            feed(line)
        elif counts:
            cast("Counter", reader).passed(line)


def _finished(reading: Reading, line_filter: LineFilter, runs: WholeRuns | None) -> Reading:
    """A reading of a part of the results names not all, and where bad ones may be missing it is no pass; nor
    is one beside a run that failed as a whole."""
    reading.complete &= not line_filter.dropped
    if is_pass(reading):
        if runs:
            runs.finish(reading, gaps=line_filter.dropped)
        if line_filter.blind:
            reading.crashed = "it covers more than can be read"
    return reading


def has_results(reading: Reading) -> bool:
    """Whether a runner speaks."""
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
    """Whether all of it is good, if the exit code is."""
    return has_results(reading) and weigh(reading, 0)[0] is RunVerdict.PASSED

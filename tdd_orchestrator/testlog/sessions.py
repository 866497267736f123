"""Find the runners that printed a log, one after another or one within another (E1, E2).

What the noise filter left of the log is kept (``Spool``), so that a small rest is not read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tdd_orchestrator.model.report import BuildError, RunVerdict
from tdd_orchestrator.testlog.feed import CondensedLog, feed_documents, feed_log, has_results, is_pass
from tdd_orchestrator.testlog.judge import judge_reading
from tdd_orchestrator.testlog.parsers.choose import Found, Sample, any_of, candidates
from tdd_orchestrator.testlog.parsers.flood import find_segments, without_floods
from tdd_orchestrator.testlog.parsers.lines import (
    UNFILTERED,
    NoiseFilter,
    chunks,
    coloured,
    plain_lines,
    uncoloured,
)
from tdd_orchestrator.testlog.parsers.whole import UNREPORTED, broken_line, is_open
from tdd_orchestrator.testlog.reading import ParsedRun, Reading, TextRow, summed

_FEW = 4 << 20  # bytes to keep
_LARGE = 64 << 20  # bytes; a larger log is not one document


class Spool:
    """The log for the readers: its first blocks unchanged, the rest filtered."""

    def __init__(self, source: Path | bytes) -> None:
        self._source = source
        self._parts: list[bytes] = []
        self._size = self._seen = 0
        self._read = self._looked_at = 0  # bytes of the log in colour

    @property
    def is_long(self) -> bool:
        """Whether the log was filtered."""
        return self._read > UNFILTERED

    def all(self) -> Iterator[bytes]:
        """Yield the whole log, in colour, for the first pass. Raises OSError if it cannot be read."""
        for block in coloured(self._source):
            self._read += len(block)
            yield block

    def keep(self, size: int, block: bytes, filtered: bytes) -> None:
        """Add a block of the first pass, in order; blocks that it skips are read again.

        ``size``: in colour.
        """
        self._looked_at += size
        self._seen += len(block)
        part = block if self._seen <= UNFILTERED else filtered
        self._size += len(part)
        if self._size <= _FEW:
            self._parts.append(part)
        else:
            self._parts.clear()

    def all_again(self) -> Iterator[bytes]:
        """Yield the whole log, or what the filter left of a very large one."""
        yield from chunks(self._source) if self._read <= _LARGE else self.blocks()

    def blocks(self) -> Iterable[bytes]:
        """Return the kept blocks after the first pass; if they were too many, read the log again."""
        whole = self._looked_at == self._read and self._size <= _FEW
        return self._parts if whole else chunks(self._source)


_AT_ONCE = 3  # candidates that read the log at the same time
_REPORTS = ("json", "xml", "teamcity")
_PLANNING = ("luaunit", "check")  # print a TAP plan, and points in a form of their own
_MAX_DEPTH = 3  # nesting of gaps between runs that are searched


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """The runs found in a log, in its order, and the ``sample`` that they were recognised by."""

    runs: tuple[ParsedRun, ...]
    sample: Sample

    @property
    def name(self) -> str:
        return ", ".join(run.name for run in self.runs if run.name)

    @property
    def reading(self) -> Reading | None:
        """Return the sum of all runs; None without any."""
        if not self.runs:
            return None
        whole = summed([run.reading for run in self.runs])
        if len(self.runs) > 1:
            whole.runs = self.runs
        return whole


def parse_log(
    source: Path | bytes,
    rows: Sequence[TextRow],
    framework: str = "",
    command: str = "",
    depth: int = _MAX_DEPTH,
) -> ParsedLog:
    """Find and read the runs in a log. Raises OSError if ``source`` cannot be read.

    ``framework``: the name of the row that is tried first, also without a sign of it; but not where
    another runner of its language speaks.
    """
    noise_filter = NoiseFilter(any_of(sign for row in rows for sign in row.signs), unfiltered=0)
    spool = Spool(source)
    floods = chain(
        (row.passes.unit for row in rows if row.passes),
        (row.events.line for row in rows if row.events),
        (row.results.unit for row in rows if row.results),
    )
    sample = _sample(spool, noise_filter, floods)
    found = candidates(rows, sample, command)
    if framework:
        found.sort(key=lambda one: one.row.name != framework)
        if not found or found[0].row.name != framework:
            silent = next((row for row in rows if row.name == framework), None)
            if silent is not None and not any(_speaks_for(silent, one) for one in found):
                found.insert(0, Found(silent))
    condensed = CondensedLog()
    readings = _sessions(spool, found, noise_filter, condensed)
    runs = [_parsed_run(one, reading) for one, reading in sorted(readings, key=lambda one: one[0].first)]
    if depth and runs:
        kinds = [one.row.passes for one, _ in readings if one.row.passes]
        left = condensed.text(kinds) if spool.is_long else b""
        runs = _with_segments(left or source, rows, [one for one, _ in readings], runs, depth)
    return ParsedLog(tuple(_without_repeats(runs)), sample)


def _speaks_for(silent: TextRow, one: Found) -> bool:
    """Whether a runner of the same language printed its own signs where the named one printed none."""
    return one.row.language == silent.language and len(one.hits) > 1


def _without_repeats(runs: list[ParsedRun]) -> list[ParsedRun]:
    """Drop reports that repeat a runner's text (equal counts), and TAP plans of LuaUnit and Check."""
    counted = [run.reading.counts for run in runs if run.name not in _REPORTS and run.reading.counts]
    planned = sum(run.reading.counts.total for run in runs if run.name in _PLANNING and run.reading.counts)
    plans = {UNREPORTED.format(0, number) for number in range(1, min(planned, 100_000) + 1)}
    alike = [run for run in runs if run.name in _REPORTS and run.reading.counts in counted]
    distinct = [run for run in runs if run not in alike or run.reading.crashed or run.reading.build_errors]
    return [run for run in distinct if run.name != "tap" or run.reading.crashed not in plans]


def _parsed_run(one: Found, reading: Reading) -> ParsedRun:
    return ParsedRun(one.row.name if one.row.weight else "", reading, len(one.hits))


def _with_segments(
    source: Path | bytes, rows: Sequence[TextRow], sessions: list[Found], runs: list[ParsedRun], depth: int
) -> list[ParsedRun]:
    """Add runs of other runners found before, between and after whole runs of ``sessions``."""
    own = any_of(sign for one in sessions for sign in one.row.signs)
    other = any_of(sign for row in rows for sign in row.signs)
    wholes = [row.whole for row in rows if row.whole]
    before: list[ParsedRun] = []
    after: list[ParsedRun] = []
    good = is_pass(summed([run.reading for run in runs]))

    def find_result_line(text: str) -> int:
        broken, _ = broken_line(text, wholes)
        at = 0
        for line in text[: broken if broken >= 0 else None].split("\n"):
            if other(line):
                return at
            at += len(line) + 1
        return broken

    for gap in find_segments(source, own, find_result_line):
        if all(_is_over(one, gap.before, good) for one in sessions):
            parsed = parse_log(gap.text.encode(), rows, depth=depth - 1).runs
            by_name = {row.name: row for row in rows}
            found_runs = [
                run
                for run in parsed
                if _is_run(run, by_name.get(run.name), gap.text) and (good or _is_whole(run))
            ]
            _, line = broken_line(gap.text, wholes)
            if good and line and not found_runs:
                found_runs = [ParsedRun("", Reading(build_errors=[BuildError(line[:300])]))]
            (before if gap.first else after).extend(found_runs)
    return _join_by_name([*before, *runs, *after])


def _is_over(one: Found, before: str, good: bool) -> bool:
    """Whether a runner is between two runs, or before its first, at the end of ``before``.

    ``good``: none of its runs failed.
    """
    reading = feed_log(chunks(before.encode()), [one], NoiseFilter(lambda line: True))[0]
    return (is_pass(reading) if good else reading.finished) or not has_results(reading)


def _is_run(run: ParsedRun, row: TextRow | None, text: str) -> bool:
    """Whether this is a run, not a line that only looks like one: a failed run names what failed.

    Without a row, only a total with failed tests counts.
    """
    reading, (verdict, _) = run.reading, judge_reading(run.reading, 0)
    if row is None:
        return verdict is RunVerdict.FAILED and reading.counts is not None
    judged = reading.claims_ok is not None and row.language != "any"  # by a runner, not a compiler
    failed = reading.counts is not None and reading.counts.bad > 0
    named = not failed or bool(reading.cases or reading.build_errors) or run.signs > 2
    closed = reading.finished and (reading.counts is not None or judged) and named
    opened = row.whole is not None and is_open(text, row.whole)
    return verdict is not RunVerdict.NO_TESTS and (closed or opened or (run.signs > 1 and named))


def _is_whole(run: ParsedRun) -> bool:
    """Whether a run of tests is complete. Details of a failure beside it may look like an incomplete one."""
    counts = run.reading.counts
    plain = is_pass(run.reading) or run.signs > 1
    return bool(run.name and counts and run.reading.finished) and plain and not run.reading.build_errors


def _join_by_name(runs: Iterable[ParsedRun]) -> list[ParsedRun]:
    """Sum the runs of each runner."""
    by_name: dict[str, list[ParsedRun]] = {}
    for run in runs:
        by_name.setdefault(run.name, []).append(run)
    return [
        ParsedRun(name, summed([run.reading for run in same]), max(run.signs for run in same))
        for name, same in by_name.items()
    ]


def _sample(spool: Spool, noise_filter: NoiseFilter, floods: Iterable[re.Pattern[bytes]]) -> Sample:
    """Return head and tail of the text without floods, so that runners' lines show wherever they are."""
    sample = Sample()
    for raw in without_floods(spool.all(), floods):
        block = uncoloured(raw)
        filtered = noise_filter.filter_block(block)
        spool.keep(len(raw), block, filtered)
        sample.add(plain_lines(filtered))
    return sample


def _sessions(
    spool: Spool, found: list[Found], noise_filter: NoiseFilter, condensed: CondensedLog
) -> list[tuple[Found, Reading]]:
    """Return the best candidate's reading, and those of runners before or after it."""
    readings = [
        pair
        for pair in _feed_candidates(spool, _best_candidates(found), noise_filter, condensed)
        if has_results(pair[1])
    ]
    resort = next((one for one in found if not one.row.weight), None)
    if resort and (not readings or _apart(readings[0][0], resort)):
        reading = feed_log(spool.blocks(), [resort], noise_filter)[0]
        if has_results(reading):
            readings.append((resort, reading))
    if not readings:
        return []
    readings = _sort_outermost_first(readings)
    first = readings[0][0]
    accepted = [readings[0]]
    for one, reading in readings[1:]:
        apart = all(_apart(other, one) for other, _ in accepted)
        missed_failure = not any(_is_red(part) for _, part in accepted) and (
            _red_after(first, one, reading) or _red_report(first, one, reading)
        )
        if (apart and (reading.counts is not None or not reading.finished)) or missed_failure:
            accepted.append((one, reading))
    return accepted


def _feed_candidates(
    spool: Spool, chosen: list[Found], noise_filter: NoiseFilter, condensed: CondensedLog
) -> list[tuple[Found, Reading]]:
    """Return the readings in the order of ``chosen``."""
    documents = [one for one in chosen if one.row.document]
    lines = [one for one in chosen if not one.row.document]
    readings = feed_log(spool.blocks(), lines, noise_filter, condensed) + feed_documents(
        spool.all_again(), documents
    )
    pairs = zip(lines + documents, readings, strict=True)
    return sorted(pairs, key=lambda pair: chosen.index(pair[0]))


def _sort_outermost_first(readings: list[tuple[Found, Reading]]) -> list[tuple[Found, Reading]]:
    """Move a session around the best candidate's to the front, and drop what it encloses.

    A run inside another's session was printed by a test.
    """
    best = readings[0][0]
    around = [pair for pair in readings[1:] if _around(pair[0], best)]
    if not around:
        return readings
    return [
        around[0],
        *(pair for pair in readings if pair is not around[0] and not _around(around[0][0], pair[0])),
    ]


def _around(outer: Found, inner: Found) -> bool:
    return outer.first < inner.first and inner.last < outer.last and len(outer.hits) > 1


def _best_candidates(found: list[Found]) -> list[Found]:
    """Return the best candidates, one for each kind of reader, without the last resort."""
    kinds: dict[object, Found] = {}
    for one in found:
        if one.row.weight:
            kinds.setdefault(one.row.reader, one)
    return list(kinds.values())[:_AT_ONCE]


def _apart(first: Found, other: Found) -> bool:
    """Whether ``other`` is a session of its own before or after ``first``, not a test's output."""
    return _outside(first, other) and len(other.hits) > 1


def _outside(first: Found, other: Found) -> bool:
    return other.first > first.last or 0 <= other.last < first.first


def _red_after(first: Found, other: Found, reading: Reading) -> bool:
    """Whether a whole failed run ended later than ``first``: no test of ``first`` printed it."""
    return reading.finished and _is_red(reading) and other.last > first.last and len(other.hits) > 1


def _red_report(first: Found, other: Found, reading: Reading) -> bool:
    """Whether a whole report of a failed run stands before ``first`` begins or after it ends."""
    return _outside(first, other) and reading.finished and reading.complete and _is_red(reading)


def _is_red(reading: Reading) -> bool:
    return reading.counts is not None and reading.counts.bad > 0

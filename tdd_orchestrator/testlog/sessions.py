"""The text of a log to what it says: which runners speak in it, one after another or one within another (E1,
E2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.model.report import BuildError, RunVerdict
from tdd_orchestrator.testlog.feed import Digest, feed_documents, feed_log, has_results, is_pass
from tdd_orchestrator.testlog.judge import weigh
from tdd_orchestrator.testlog.parsers.any_sign import any_of
from tdd_orchestrator.testlog.parsers.choose import Found, Sample, candidates
from tdd_orchestrator.testlog.parsers.flood import without_floods
from tdd_orchestrator.testlog.parsers.lines import Thinner, chunks, plain_lines, uncoloured
from tdd_orchestrator.testlog.parsers.segments import find_segments
from tdd_orchestrator.testlog.parsers.spool import Spool
from tdd_orchestrator.testlog.parsers.whole import UNREPORTED, broken_line, is_open
from tdd_orchestrator.testlog.reading import ParsedRun, Reading, TextRow, summed

_AT_ONCE = 3  # candidates that are read side by side
_REPORTS = ("json", "xml", "teamcity")
_PLANNING = ("luaunit", "check")  # print a plan of TAP's and points of their own
_DEEP = 3  # gaps within gaps that are listened to


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """``runs``: one for each runner that speaks, in the order of the log; ``sample``: what they were known
    by."""

    runs: tuple[ParsedRun, ...]
    sample: Sample

    @property
    def name(self) -> str:
        return ", ".join(run.name for run in self.runs if run.name)

    @property
    def reading(self) -> Reading | None:
        """All of it as one."""
        if not self.runs:
            return None
        whole = summed([run.reading for run in self.runs])
        if len(self.runs) > 1:
            whole.runs = self.runs
        return whole


def parse_log(
    source: Path | bytes, rows: Sequence[TextRow], framework: str = "", command: str = "", deep: int = _DEEP
) -> ParsedLog:
    """Raises OSError where ``source`` cannot be read. ``framework``: a row's name that is believed first."""
    thinner = Thinner(any_of(sign for row in rows for sign in row.signs), calm=0)
    spool = Spool(source)
    floods = [row.passes.unit for row in rows if row.passes] + [row.events.line for row in rows if row.events]
    floods += [row.results.unit for row in rows if row.results]
    sample = _sample(spool, thinner, floods)
    found = candidates(rows, sample, command)
    if framework:
        found.sort(key=lambda one: one.row.name != framework)
        if not found or found[0].row.name != framework:
            found = [Found(row) for row in rows if row.name == framework] + found
    digest = Digest()
    telling = _sessions(spool, found, thinner, digest)
    runs = [_parsed_run(one, reading) for one, reading in sorted(telling, key=lambda one: one[0].first)]
    if deep and runs:
        kinds = [one.row.passes for one, _ in telling if one.row.passes]
        left = digest.text(kinds) if spool.is_long else b""
        runs = _with_segments(left or source, rows, [one for one, _ in telling], runs, deep)
    return ParsedLog(tuple(_without_repeats(runs)), sample)


def _without_repeats(runs: list[ParsedRun]) -> list[ParsedRun]:
    """A report that a runner printed beside its own words covers the same run, where both count alike; so
    does a TAP plan without a point, as LuaUnit and Check print it."""
    counted = [run.reading.counts for run in runs if run.name not in _REPORTS and run.reading.counts]
    planned = sum(run.reading.counts.total for run in runs if run.name in _PLANNING and run.reading.counts)
    plans = {UNREPORTED.format(0, number) for number in range(1, min(planned, 100_000) + 1)}
    alike = [run for run in runs if run.name in _REPORTS and run.reading.counts in counted]
    told = [run for run in runs if run not in alike or run.reading.crashed or run.reading.build_errors]
    return [run for run in told if run.name != "tap" or run.reading.crashed not in plans]


def _parsed_run(one: Found, reading: Reading) -> ParsedRun:
    return ParsedRun(one.row.name if one.row.weight else "", reading, len(one.hits))


def _with_segments(
    source: Path | bytes, rows: Sequence[TextRow], sessions: list[Found], runs: list[ParsedRun], deep: int
) -> list[ParsedRun]:
    """With what others say before, between and after whole runs of those that were heard."""
    own = any_of(sign for one in sessions for sign in one.row.signs)
    other = any_of(sign for row in rows for sign in row.signs)
    wholes = [row.whole for row in rows if row.whole]
    before: list[ParsedRun] = []
    after: list[ParsedRun] = []
    good = is_pass(summed([run.reading for run in runs]))

    def telling(text: str) -> int:
        broken, _ = broken_line(text, wholes)
        at = 0
        for line in text[: broken if broken >= 0 else None].split("\n"):
            if other(line):
                return at
            at += len(line) + 1
        return broken

    for gap in find_segments(source, own, telling):
        if all(_is_over(one, gap.before, good) for one in sessions):
            said = parse_log(gap.text.encode(), rows, deep=deep - 1).runs
            by_name = {row.name: row for row in rows}
            news = [
                run
                for run in said
                if _is_run(run, by_name.get(run.name), gap.text) and (good or _is_whole(run))
            ]
            _, line = broken_line(gap.text, wholes)
            if good and line and not news:
                news = [ParsedRun("", Reading(build_errors=[BuildError(line[:300])]))]
            (before if gap.first else after).extend(news)
    return _join_by_name([*before, *runs, *after])


def _is_over(one: Found, before: str, good: bool) -> bool:
    """Whether a runner is between two of its runs, or before the first, where this much of the log is over;
    ``good``: it has no run that failed."""
    reading = feed_log(chunks(before.encode()), [one], Thinner(lambda line: True))[0]
    return (is_pass(reading) if good else reading.finished) or not has_results(reading)


def _is_run(run: ParsedRun, row: TextRow | None, text: str) -> bool:
    """What is a run, and not a line that looks like one's: a run that failed names what failed. Of one that
    no reader is for, only a total of tests that failed."""
    reading, (verdict, _) = run.reading, weigh(run.reading, 0)
    if row is None:
        return verdict is RunVerdict.FAILED and reading.counts is not None
    judged = reading.claims_ok is not None and row.language != "any"  # by a runner, not a compiler
    failed = reading.counts is not None and reading.counts.bad > 0
    named = not failed or bool(reading.cases or reading.build_errors) or run.signs > 2
    closed = reading.finished and (reading.counts is not None or judged) and named
    begun = row.whole is not None and is_open(text, row.whole)
    return verdict is not RunVerdict.NO_TESTS and (closed or begun or (run.signs > 1 and named))


def _is_whole(run: ParsedRun) -> bool:
    """A run of tests from its begin to its end: the explanations of a failure beside it may look like
    less."""
    counts = run.reading.counts
    plain = is_pass(run.reading) or run.signs > 1
    return bool(run.name and counts and run.reading.finished) and plain and not run.reading.build_errors


def _join_by_name(runs: Iterable[ParsedRun]) -> list[ParsedRun]:
    """One for each runner."""
    by_name: dict[str, list[ParsedRun]] = {}
    for run in runs:
        by_name.setdefault(run.name, []).append(run)
    return [
        ParsedRun(name, summed([run.reading for run in same]), max(run.signs for run in same))
        for name, same in by_name.items()
    ]


def _sample(spool: Spool, thinner: Thinner, floods: Sequence[re.Pattern[bytes]]) -> Sample:
    """The head and the tail of the text without its floods: a runner's lines stand out wherever they are."""
    sample = Sample()
    for coloured in without_floods(spool.all(), floods):
        block = uncoloured(coloured)
        thinned = thinner.thin(block)
        spool.keep(len(coloured), block, thinned)
        sample.add(plain_lines(thinned))
    return sample


def _sessions(
    spool: Spool, found: list[Found], thinner: Thinner, digest: Digest
) -> list[tuple[Found, Reading]]:
    """The best candidate's reading, and those of others that spoke before or after it."""
    telling = [
        pair
        for pair in _feed_candidates(spool, _best_candidates(found), thinner, digest)
        if has_results(pair[1])
    ]
    resort = next((one for one in found if not one.row.weight), None)
    if resort and (not telling or _apart(telling[0][0], resort)):
        reading = feed_log(spool.blocks(), [resort], thinner)[0]
        if has_results(reading):
            telling.append((resort, reading))
    if not telling:
        return []
    telling = _sort_outermost_first(telling)
    first = telling[0][0]
    heard = [telling[0]]
    for one, reading in telling[1:]:
        apart = all(_apart(other, one) for other, _ in heard)
        unheard = not any(_is_red(part) for _, part in heard) and (
            _red_after(first, one, reading) or _red_report(first, one, reading)
        )
        if (apart and (reading.counts is not None or not reading.finished)) or unheard:
            heard.append((one, reading))
    return heard


def _feed_candidates(
    spool: Spool, chosen: list[Found], thinner: Thinner, digest: Digest
) -> list[tuple[Found, Reading]]:
    """In the order of those chosen."""
    documents = [one for one in chosen if one.row.document]
    lines = [one for one in chosen if not one.row.document]
    readings = feed_log(spool.blocks(), lines, thinner, digest) + feed_documents(spool.all_again(), documents)
    pairs = zip(lines + documents, readings, strict=True)
    return sorted(pairs, key=lambda pair: chosen.index(pair[0]))


def _sort_outermost_first(telling: list[tuple[Found, Reading]]) -> list[tuple[Found, Reading]]:
    """The best candidate, unless it lies inside another's session: then a test printed it, and it is not
    heard."""
    best = telling[0][0]
    around = [pair for pair in telling[1:] if _around(pair[0], best)]
    if not around:
        return telling
    return [
        around[0],
        *(pair for pair in telling if pair is not around[0] and not _around(around[0][0], pair[0])),
    ]


def _around(outer: Found, inner: Found) -> bool:
    return outer.first < inner.first and inner.last < outer.last and len(outer.hits) > 1


def _best_candidates(found: list[Found]) -> list[Found]:
    """The best few, one of each kind of reader, without the last resort."""
    kinds: dict[object, Found] = {}
    for one in found:
        if one.row.weight:
            kinds.setdefault(one.row.reader, one)
    return list(kinds.values())[:_AT_ONCE]


def _apart(first: Found, other: Found) -> bool:
    """Whether the other is another runner's session, before or after the first: not what a test printed."""
    return _outside(first, other) and len(other.hits) > 1


def _outside(first: Found, other: Found) -> bool:
    return other.first > first.last or 0 <= other.last < first.first


def _red_after(first: Found, other: Found, reading: Reading) -> bool:
    """A whole run that failed and ended later than the first: no test of the first printed that."""
    return reading.finished and _is_red(reading) and other.last > first.last and len(other.hits) > 1


def _red_report(first: Found, other: Found, reading: Reading) -> bool:
    """A whole report in one piece, of a run that failed before the first began or after it was over."""
    return _outside(first, other) and reading.finished and reading.complete and _is_red(reading)


def _is_red(reading: Reading) -> bool:
    return reading.counts is not None and reading.counts.bad > 0

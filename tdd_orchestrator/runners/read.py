"""The output of any test command to a Report: text, report file and exit code read together (E1, E2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import cast

from tdd_orchestrator.model.report import Report, RunVerdict
from tdd_orchestrator.runners.formats.report_file import read_report
from tdd_orchestrator.runners.judge import judge, weigh
from tdd_orchestrator.runners.reading import Counter, LineReader, Passed, Passes, Reading, TextRow, summed
from tdd_orchestrator.runners.text.any_sign import any_of
from tdd_orchestrator.runners.text.choose import Found, Sample, candidates, command_words
from tdd_orchestrator.runners.text.flood import cut_short, without_floods
from tdd_orchestrator.runners.text.lines import CALM, Thinner, chunks, plain_lines
from tdd_orchestrator.runners.text.sieve import Shown, Sieve
from tdd_orchestrator.runners.text.table import rows
from tdd_orchestrator.runners.text.whole import WholeRuns

_AT_ONCE = 3  # candidates that are read side by side


def read(
    output: Path | bytes,
    *,
    exit_code: int | None,
    timed_out: bool = False,
    report: Path | None = None,
    framework: str = "",
    command: str = "",
    not_before: float = 0.0,
    among: tuple[TextRow, ...] = (),
) -> Report:
    """Judge one test run. ``not_before``: an older report file (Unix time) is another run's, and is ignored.

    ``among``: the only rows that come into question, where that is known (all of them otherwise).
    ``framework`` (a row's name) is believed where its reader finds anything in the text. Raises OSError where
    ``output`` cannot be read; a bad report file is a disagreement, not an error.
    """
    chosen = among or rows()
    thinner = Thinner(any_of(sign for row in chosen for sign in row.signs), calm=0)
    sample = _sample(output, thinner, [row.passes for row in chosen if row.passes])
    found = candidates(chosen, sample, command)
    if framework:
        found.sort(key=lambda one: one.row.name != framework)
        if not found or found[0].row.name != framework:
            found = [Found(row) for row in chosen if row.name == framework] + found
    name, text = _read_text(output, found, thinner)
    if text is not None:
        _mind_the_command(text, name, command, chosen)
    structured, remarks = read_report(report, not_before) if report else (None, ())
    verdict = judge(
        framework=name or framework,
        text=text,
        structured=structured,
        exit_code=exit_code,
        timed_out=timed_out,
        readable=_readable(sample),
        remarks=remarks,
    )
    return replace(verdict, command=(command,) if command else ())


_PLAIN = ("python", "javascript")  # languages whose runners' names mean nothing else in a command


def _mind_the_command(text: Reading, name: str, command: str, chosen: tuple[TextRow, ...]) -> None:
    """A command that names its runner, and an output that knows only one of another language: not a whole run."""
    spoken = next((row.language for row in chosen if row.name == name), "none")
    words = command_words(command)
    named = [row for row in chosen if row.language in _PLAIN and words.intersection(row.commands)]
    foreign = named and spoken not in {"any", *(row.language for row in named)}
    if foreign and weigh(text, 0)[0] is RunVerdict.PASSED:
        text.crashed = f"the command runs {named[0].name}, and nothing in the output is its own"


def _sample(source: Path | bytes, thinner: Thinner, kinds: Sequence[Passes]) -> Sample:
    """The head and the tail of the text without its floods: a runner's lines stand out wherever they are."""
    sample = Sample()
    for block in without_floods(chunks(source), kinds):
        sample.add(plain_lines(thinner.thin(block)))
    return sample


def _read_text(source: Path | bytes, found: list[Found], thinner: Thinner) -> tuple[str, Reading | None]:
    """The best candidate's reading, with what a second runner said before or after it."""
    chosen = _few(found)
    readings = _feed(source, chosen, thinner)
    telling = [
        (one, reading) for one, reading in zip(chosen, readings, strict=True) if _says_anything(reading)
    ]
    resort = next((one for one in found if not one.row.weight), None)
    if resort and (not telling or _apart(telling[0][0], resort)):
        reading = _feed(source, [resort], thinner)[0]
        if _says_anything(reading):
            telling.append((resort, reading))
    if not telling:
        return "", None
    telling = _outermost_first(telling)
    first = telling[0][0]
    sessions, parts = [first], [telling[0][1]]
    for one, reading in telling[1:]:
        apart = all(_apart(other, one) for other in sessions)
        unheard = not any(map(_is_red, parts)) and (
            _red_after(first, one, reading) or _red_report(first, one, reading)
        )
        if (apart and (reading.counts is not None or not reading.finished)) or unheard:
            sessions.append(one)
            parts.append(reading)
    return first.row.name if first.row.weight else "", summed(parts)


def _outermost_first(telling: list[tuple[Found, Reading]]) -> list[tuple[Found, Reading]]:
    """The best candidate, unless it lies inside another's session: then a test printed it, and it is not heard."""
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


def _few(found: list[Found]) -> list[Found]:
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


def _says_anything(reading: Reading) -> bool:
    return bool(
        reading.started
        or reading.finished
        or reading.cases
        or reading.build_errors
        or reading.counts
        or reading.crashed
        or reading.timed_out
    )


def _feed(source: Path | bytes, chosen: list[Found], thinner: Thinner) -> list[Reading]:
    readers: list[LineReader] = [one.row.reader() for one in chosen]
    if not readers:
        return []
    thinner.rewind(CALM)
    sieve = Sieve(
        [sign for one in chosen for sign in one.row.signs],
        [one.row.passes.line for one in chosen if one.row.passes],
    )
    runs = [WholeRuns(one.row.whole) if one.row.whole else None for one in chosen]
    counting = [isinstance(reader, Counter) for reader in readers]  # asked once: it takes longer than a line
    thinned = cut_short(chunks(source), chosen[0].row.passes, thinner.thin)
    parts = (_shown(part, sieve) for part in thinned)
    for lines in chain(parts, map(Sieve.rest, (sieve,))):
        for reader, counts, followed in zip(readers, counting, runs, strict=True):
            _tell(reader, counts, lines)
            if followed:
                followed.look(lines)
    return [
        _seen_through(reader.finish(), sieve, followed)
        for reader, followed in zip(readers, runs, strict=True)
    ]


def _shown(part: bytes | Passed, sieve: Sieve) -> Sequence[Shown]:
    return sieve.cut(part) if isinstance(part, Passed) else sieve.sift(plain_lines(part))


def _tell(reader: LineReader, counts: bool, lines: Sequence[Shown]) -> None:
    feed = reader.feed
    for line in lines:
        if not isinstance(line, Passed):
            feed(line)
        elif counts:
            cast("Counter", reader).passed(line)


def _seen_through(reading: Reading, sieve: Sieve, runs: WholeRuns | None) -> Reading:
    """A reading of a part of the results names not all, and where bad ones may be missing it is no pass; nor is one
    beside a run that failed as a whole."""
    reading.complete &= not sieve.dropped
    if _says_anything(reading) and weigh(reading, 0)[0] is RunVerdict.PASSED:
        if runs:
            runs.finish(reading, gaps=sieve.dropped)
        if sieve.blind:
            reading.crashed = "it tells of more than can be read"
    return reading


def _readable(sample: Sample) -> bool:
    """Whether the text is text: few of its characters stand for bytes that are none."""
    shown = "".join(sample.head[:200])
    return shown.count("�") * 5 <= len(shown)

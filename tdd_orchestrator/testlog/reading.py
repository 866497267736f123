"""What one reader found in the text of a run, and what every reader looks like."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

from tdd_orchestrator.model.report import BuildError, Case, Counts

CASE_LIMIT = 20_000  # cases that one reader keeps; the counts go on
BAD_LIMIT = 3 * CASE_LIMIT  # the same for those that are no passes: the last room is for them
DETAIL_LIMIT = 4_000  # characters of one case's detail or captured output


def detail_of(text: str, limit: int = DETAIL_LIMIT) -> str:
    """A failure's own text: whole lines of its beginning and of its end, where the exception and the last
    frame stand."""
    if len(text) <= limit:
        return text
    half = limit // 2
    head, _, _ = text[:half].rpartition("\n")
    _, _, tail = text[-half:].partition("\n")
    return f"{head or text[:half]}\n[...]\n{tail or text[-half:]}"


@dataclass(slots=True)
class Reading:
    """Facts from text, before exit code and report are heard.

    ``finished``: the runner's own closing lines were seen. ``claims_ok``: what those lines say of the run as
    a whole (None: they do not say).
    """

    counts: Counts | None = None
    cases: list[Case] = field(default_factory=list)
    build_errors: list[BuildError] = field(default_factory=list)
    started: bool = False  # the runner was seen at work: its header, or a test
    finished: bool = False
    claims_ok: bool | None = None
    no_tests: bool = False
    crashed: str = ""  # the line that says that the run died
    timed_out: str = ""  # the line that says that the run as a whole was stopped for time
    complete: bool = False  # every test of the run is named in ``cases``
    unnamed: int = 0  # suites that passed as a whole, by a runner that neither names nor counts their tests
    runs: tuple[ParsedRun, ...] = ()  # what each of several runners said, of which this is the sum


class ParsedRun(NamedTuple):
    """What one runner said; ``name``: its row's, empty where no reader is for it. ``signs``: kinds of its
    lines seen."""

    name: str
    reading: Reading
    signs: int = 0


class LineReader(Protocol):
    """A state machine over plain lines (no escapes, no carriage returns, no newline), linear in their
    length."""

    def feed(self, line: str) -> None: ...

    def finish(self) -> Reading: ...


class Passed(NamedTuple):
    """Tests that are not shown, all of which passed but for those that ``failed`` or were ``skipped``.
    ``first`` and ``last``: their numbers, where the runner numbers them."""

    tests: int
    first: int = 0
    last: int = 0
    failed: int = 0
    skipped: int = 0


@runtime_checkable
class Counter(LineReader, Protocol):
    """A reader that counts tests by their lines, and so has to be told of those that it is not shown."""

    def passed(self, more: Passed) -> None: ...


@dataclass(frozen=True, slots=True)
class Passes:
    """How a runner prints one test that passed (or was left out, as expected): whole lines, matched in linear
    time.

    ``mark``: how one line of each test begins, for a ``Counter``; ``numbered``: the test's number comes after
    it. ``ends``: what is in the result line of each, where tests lie within others: as many must have ended
    as begun. ``line``: a line of such a test by itself; its groups ``begun`` and ``ended`` are the test's
    name where it has both, ``passed`` is there where a ``Counter`` counts it.
    """

    unit: re.Pattern[bytes]
    stretch: re.Pattern[bytes]  # three or more of them, and the end of the line before
    line: re.Pattern[bytes]
    mark: bytes = b""
    numbered: bool = False
    ends: bytes = b""


def passes(unit: str, mark: str = "", numbered: bool = False, line: str = "", ends: str = "") -> Passes:
    """A ``unit`` is whole lines with their ends; letters beyond ASCII stand in alternatives, not in
    classes."""
    form = unit.encode()
    alone = (line or unit).encode()
    stretch = re.compile(
        b"\n(?:" + form + b"){3,}"
    )  # not possessive: before 3.11.4 Python reads such groups wrongly
    return Passes(re.compile(form), stretch, re.compile(alone), mark.encode(), numbered, ends.encode())


@dataclass(frozen=True, slots=True)
class Results:
    """How a runner that numbers its results prints them, for a ``Counter``. ``each`` finds the line of one,
    after a line's end: whether it is bad, its number, whether it was left out."""

    unit: re.Pattern[bytes]  # one result with all that belongs to it, from the beginning of a line
    stretch: re.Pattern[bytes]  # many of them, and the end of the line before
    each: re.Pattern[bytes]


def results(unit: str, each: str) -> Results:
    """``unit``: whole lines with their ends."""
    form = unit.encode()
    return Results(
        re.compile(form), re.compile(b"\n(?:" + form + b"){9,}"), re.compile(b"\n" + each.encode())
    )


@dataclass(frozen=True, slots=True)
class Whole:
    """The lines that tell one run of a tool from the next, and a run that failed as a whole from one that did
    not.

    ``form`` has groups for the kinds: ``begins`` and ``ends``, lines that stand once in each run; ``broken``,
    what only a run that failed has, wherever; ``apart`` and ``dies``, the same, and that it was killed, where
    no run is open, and so no test has printed it; ``opens`` and ``closes``, lines around what a test prints.
    """

    form: re.Pattern[str]
    bad: tuple[str, ...] = ()  # the expressions of what no run has that is good


def whole(**kinds: str) -> Whole:
    """Each kind by expressions for the beginning of a line; ``$`` is a line's end. All are tried after a
    line's end."""
    forms = "|".join(f"(?P<{kind}>{form})" for kind, form in kinds.items())
    bad = tuple(kinds[kind] for kind in ("broken", "apart", "dies") if kind in kinds)
    return Whole(re.compile(rf"\n(?:{forms})", re.MULTILINE), bad)


@dataclass(frozen=True, slots=True)
class Events:
    """How a runner that prints one event a line does so: its results are read however many there are.

    ``line``: one event, with its line's end. ``begins``: what each begins with. ``thinned`` makes a filter of
    blocks (each ends at a line's end) that leaves out events that change nothing.
    """

    line: re.Pattern[bytes]
    begins: tuple[str, ...]
    thinned: Callable[[], Callable[[bytes], bytes]] | None = None


def events(*begins: str, thinned: Callable[[], Callable[[bytes], bytes]] | None = None) -> Events:
    """``begins``: plain text; each event is a line that begins with one of them."""
    forms = "|".join(re.escape(form) for form in begins)
    return Events(re.compile(rf"(?:{forms})[^\n]*\n".encode()), begins, thinned)


@dataclass(frozen=True, slots=True)
class TextRow:
    """One runner's text: how to know it, how to read it.

    ``signs`` are searched in single lines: forms that this runner alone prints (its header, its result lines,
    its summary). ``weight`` is what each sign is worth. ``commands``: words of a command line that name the
    runner.
    """

    name: str
    language: str
    reader: Callable[[], LineReader]
    signs: tuple[re.Pattern[str], ...]
    commands: tuple[str, ...] = ()
    weight: int = 1
    passes: Passes | None = None  # where a flood of passed tests is to be read fast
    results: Results | None = None  # where a flood of results is to be counted fast
    whole: Whole | None = None
    joined: Callable[[Reading, Reading], tuple[Reading, Reading]] | None = None
    """Text and report anew, where the runner's report covers some of its tests only."""
    events: Events | None = None  # where it prints one event a line
    document: bool = False  # what it reads is worth nothing without its middle


def signs(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def summed(readings: Sequence[Reading]) -> Reading:
    """Several runs one after the other as one: counts add up, and it is as good as its worst part."""
    if len(readings) == 1:
        return readings[0]
    total = Reading(no_tests=bool(readings), finished=bool(readings), complete=bool(readings))
    for part in readings:
        if part.counts is not None:
            total.counts = part.counts if total.counts is None else total.counts.plus(part.counts)
        total.cases += part.cases
        total.build_errors += part.build_errors
        total.started |= part.started
        total.finished &= part.finished
        total.no_tests &= part.no_tests
        total.complete &= part.complete
        total.unnamed += part.unnamed
        total.crashed = total.crashed or part.crashed
        total.timed_out = total.timed_out or part.timed_out
        if part.claims_ok is not None:
            total.claims_ok = part.claims_ok and total.claims_ok is not False
    return total

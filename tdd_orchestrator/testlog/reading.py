"""What a reader returns (``Reading``), and what a runner's row consists of (``TextRow``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

from tdd_orchestrator.model.report import BuildError, Case, Counts
from tdd_orchestrator.text import LazyRegex

CASE_LIMIT = 20_000  # cases that one reader keeps; the counts go on
BAD_LIMIT = 3 * CASE_LIMIT  # the same for failures and errors
DETAIL_LIMIT = 4_000  # characters of one case's detail or captured output


def detail_of(text: str, limit: int = DETAIL_LIMIT) -> str:
    """Return whole lines of the beginning and the end of a long failure text."""
    if len(text) <= limit:
        return text
    half = limit // 2
    head, _, _ = text[:half].rpartition("\n")
    _, _, tail = text[-half:].partition("\n")
    return f"{head or text[:half]}\n[...]\n{tail or text[-half:]}"


@dataclass(slots=True)
class Reading:
    """What one reader found in the text, before exit code and report are considered.

    ``finished``: the runner's closing lines were seen. ``claims_ok``: what they say of the run as a
    whole (None: nothing).
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
    runs: tuple[ParsedRun, ...] = ()  # the runs of which this reading is the sum


class ParsedRun(NamedTuple):
    """One runner's reading. ``name``: its row's, '' if no row fits; ``signs``: kinds of its lines seen."""

    name: str
    reading: Reading
    signs: int = 0


class LineReader(Protocol):
    """A state machine over plain lines (no escapes, no carriage returns), linear in their length."""

    def feed(self, line: str) -> None: ...

    def finish(self) -> Reading: ...


class Passed(NamedTuple):
    """Tests left out of the text, all passed but for those that ``failed`` or were ``skipped``.

    ``first`` and ``last``: their numbers, if the runner numbers them.
    """

    tests: int
    first: int = 0
    last: int = 0
    failed: int = 0
    skipped: int = 0


@runtime_checkable
class Counter(LineReader, Protocol):
    """A reader that counts tests by their lines, and so needs the number of those left out."""

    def passed(self, more: Passed) -> None: ...


@dataclass(frozen=True)
class Passes:
    """How a runner prints one passed (or expectedly skipped) test: whole lines, matched in linear time.

    ``form``: the expression; use alternatives, not classes, beyond ASCII. ``mark``: how one line of each test
    begins, for a ``Counter``; ``numbered``: its number follows. ``ends``: text in each result line, where tests
    nest: as many must end as began. Patterns are compiled where a long text asks for them.
    """

    form: bytes
    alone: bytes
    mark: bytes = b""
    numbered: bool = False
    ends: bytes = b""

    @cached_property
    def unit(self) -> re.Pattern[bytes]:
        """One such test, from the beginning of a line."""
        return re.compile(self.form)

    @cached_property
    def stretch(self) -> re.Pattern[bytes]:
        """Three or more of them, and the end of the line before."""
        return re.compile(
            b"\n(?:" + self.form + b"){3,}"
        )  # not possessive: before 3.11.4 Python reads such groups wrongly

    @cached_property
    def line(self) -> re.Pattern[bytes]:
        """A line of such a test by itself; its groups ``begun`` and ``ended`` are the test's name, ``passed``
        matches where a ``Counter`` counts it."""
        return re.compile(self.alone)


def passes(unit: str, mark: str = "", numbered: bool = False, line: str = "", ends: str = "") -> Passes:
    """Return the row's ``Passes``."""
    return Passes(unit.encode(), (line or unit).encode(), mark.encode(), numbered, ends.encode())


@dataclass(frozen=True)
class Results:
    """How a runner prints numbered results, for a ``Counter``: whole lines with their ends. Patterns are compiled
    where a long text asks for them."""

    form: bytes
    line: bytes

    @cached_property
    def unit(self) -> re.Pattern[bytes]:
        """One result with all that belongs to it, from the beginning of a line."""
        return re.compile(self.form)

    @cached_property
    def stretch(self) -> re.Pattern[bytes]:
        """Many of them, and the end of the line before."""
        return re.compile(b"\n(?:" + self.form + b"){9,}")

    @cached_property
    def each(self) -> re.Pattern[bytes]:
        """The line of one result after a line's end: whether it is bad, its number, whether it was skipped."""
        return re.compile(b"\n" + self.line)


def results(unit: str, each: str) -> Results:
    """Return the row's ``Results``."""
    return Results(unit.encode(), each.encode())


@dataclass(frozen=True, slots=True)
class Whole:
    """Lines that separate one run of a tool from the next, and mark a run that failed as a whole.

    ``form`` has a group for each kind: ``begins`` and ``ends`` stand once in each run; ``broken`` means
    that the run failed; ``apart`` the same, and ``dies`` that it was killed, but only outside a run,
    where no test can have printed it; ``opens`` and ``closes`` enclose what a test prints.
    """

    form: LazyRegex
    bad: tuple[str, ...] = ()  # the expressions of what no run has that is good


def whole(**kinds: str) -> Whole:
    """Return the row's ``Whole``: an expression per kind, tried at each line's beginning (``$``: its end)."""
    forms = "|".join(f"(?P<{kind}>{form})" for kind, form in kinds.items())
    bad = tuple(kinds[kind] for kind in ("broken", "apart", "dies") if kind in kinds)
    return Whole(LazyRegex(rf"\n(?:{forms})", re.MULTILINE), bad)


@dataclass(frozen=True, slots=True)
class Events:
    """How a runner prints one event a line; all its results are read, however many.

    ``line``: one event with its line's end. ``begins``: how each begins. ``block_filter`` makes a
    filter of blocks (each ends at a line's end) that drops events without results.
    """

    line: re.Pattern[bytes]
    begins: tuple[str, ...]
    block_filter: Callable[[], Callable[[bytes], bytes]] | None = None


def events(*begins: str, block_filter: Callable[[], Callable[[bytes], bytes]] | None = None) -> Events:
    """Return the row's ``Events``: an event is a line that begins with one of these texts."""
    forms = "|".join(re.escape(form) for form in begins)
    return Events(re.compile(rf"(?:{forms})[^\n]*\n".encode()), begins, block_filter)


@dataclass(frozen=True, slots=True)
class TextRow:
    """One runner's text: how to recognise it, how to read it.

    ``signs``: expressions for lines that only this runner prints; ``weight``: the worth of each.
    ``commands``: words of a command line that name the runner.
    """

    name: str
    language: str
    reader: Callable[[], LineReader]
    signs: tuple[LazyRegex, ...]
    commands: tuple[str, ...] = ()
    weight: int = 1
    passes: Passes | None = None  # to skip floods of passed tests
    results: Results | None = None  # to count floods of results
    whole: Whole | None = None
    joined: Callable[[Reading, Reading], tuple[Reading, Reading]] | None = None
    """Merge text and report, if the report covers only some tests."""
    events: Events | None = None  # if it prints one event a line
    document: bool = False  # needs the whole text: nothing may be left out


def signs(*patterns: str) -> tuple[LazyRegex, ...]:
    """Return the row's signs: a run is searched for all of them at once, and one by one only where that hits."""
    return tuple(LazyRegex(pattern) for pattern in patterns)


def summed(readings: Sequence[Reading]) -> Reading:
    """Return the sum of several runs, or of none; its verdict is that of the worst part."""
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


class Runs:
    """The base class of readers that read one run after another: from ``_begin`` to ``_end``, which adds it."""

    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._begin()

    def _begin(self) -> None: ...

    def _end(self) -> None: ...

    def _next(self) -> None:
        self._end()
        self._begin()

    def _close_run(self, counts: Counts, cases: list[Case], **facts: Any) -> None:
        """Add a run that reached its end, with what else is known of it, and begin the next one."""
        usual = {"started": True, "finished": True, "no_tests": not counts.total}
        self._done.append(Reading(counts, cases, **usual | {"complete": len(cases) == counts.total} | facts))
        self._begin()

    def finish(self) -> Reading:
        self._end()
        return summed(self._done)

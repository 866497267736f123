"""The result of one run of a test command: cases, counts, build errors, verdict (E1-E3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


BAD = frozenset({Outcome.FAILED, Outcome.ERROR})


class RunVerdict(StrEnum):
    """The run's verdict. Only PASSED is a pass, and never for lack of evidence (E2)."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # could not build, load or collect
    NO_TESTS = "no_tests"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    UNREADABLE = "unreadable"


class Reason(StrEnum):
    """Why a test failed, as RED needs it (S3)."""

    ASSERTION = "assertion"
    MISSING_SYMBOL = "missing_symbol"  # a name that the project itself is to define
    SYNTAX = "syntax"
    FIXTURE = "fixture"
    THIRD_PARTY = "third_party"
    TIMEOUT = "timeout"
    PROJECT_EXCEPTION = "project_exception"  # raised in the project's own code, in the call phase
    TEST_EXCEPTION = "test_exception"  # raised in the test, after it had called other code
    EXCEPTION = "exception"  # raised in the test's own code, or elsewhere
    UNKNOWN = "unknown"


PROPER_RED = frozenset(
    {Reason.ASSERTION, Reason.MISSING_SYMBOL, Reason.PROJECT_EXCEPTION, Reason.TEST_EXCEPTION}
)


CHANGED = "changed while the tests ran: "
"""Begins a disagreement about a test, or a part of the runner, that was replaced during the run (T8)."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that a test left: kind is screenshot, trace, network, console, video or other."""

    kind: str
    path: str


@dataclass(frozen=True, slots=True)
class Case:
    """One test. ``id`` identifies it between runs of the same command; ``name`` is what the runner prints."""

    id: str
    name: str
    outcome: Outcome
    file: str = ""
    line: int = 0  # 1-based, 0 = not known
    message: str = ""
    exception: str = ""  # type name, e.g. AssertionError
    phase: str = ""  # setup | call | teardown | collect, where the runner says
    detail: str = ""  # traceback or diff, bounded
    stdout: str = ""  # captured output, bounded
    seconds: float = 0.0
    attachments: tuple[Attachment, ...] = ()
    frames: tuple[str, ...] = ()  # "file:line", outermost first, as the runner says


@dataclass(frozen=True, slots=True)
class BuildError:
    """Why a file or the suite could not be built, loaded or collected."""

    message: str
    file: str = ""
    line: int = 0
    exception: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.errors + self.skipped + self.xfailed + self.xpassed

    @property
    def bad(self) -> int:
        return self.failed + self.errors

    def plus(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.errors + other.errors,
            self.skipped + other.skipped,
            self.xfailed + other.xfailed,
            self.xpassed + other.xpassed,
        )


_COUNT_FIELD = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.ERROR: "errors",
    Outcome.SKIPPED: "skipped",
    Outcome.XFAILED: "xfailed",
    Outcome.XPASSED: "xpassed",
}


def count(cases: Iterable[Case]) -> Counts:
    return count_outcomes(case.outcome for case in cases)


def count_outcomes(outcomes: Iterable[Outcome]) -> Counts:
    """Return how many there are of each outcome; a mapping of outcomes to numbers counts as so many."""
    number = Counter(outcomes)
    return Counts(**{name: number[outcome] for outcome, name in _COUNT_FIELD.items()})


@dataclass(frozen=True, slots=True)
class Report:
    """One test run. ``cases`` may be fewer than ``counts`` if the runner names only failures."""

    verdict: RunVerdict
    framework: str = ""
    counts: Counts | None = None  # None: nothing could be counted
    cases: tuple[Case, ...] = ()
    build_errors: tuple[BuildError, ...] = ()
    why: str = ""  # one sentence: what the verdict rests on
    disagreements: tuple[str, ...] = ()  # between exit code, report and text; the worse reading counted
    exit_code: int | None = None
    seconds: float = 0.0
    command: tuple[str, ...] = ()
    source: str = ""  # report | text | exit_code: the source of the verdict
    complete: bool = False  # every test of the run is in ``cases``, by name
    runners: tuple[str, ...] = ()  # each runner whose output or report was read, in the order of the run
    ending: str = ""  # the last lines of the output, where the command failed and no test did

    @property
    def failing(self) -> tuple[Case, ...]:
        return tuple(case for case in self.cases if case.outcome in BAD)

    @property
    def passing_ids(self) -> frozenset[str]:
        return frozenset(case.id for case in self.cases if case.outcome is Outcome.PASSED)

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(case.id for case in self.cases)

    @property
    def trouble(self) -> str:
        """Return in one line what keeps the run from being judged: the first build error, or the reason."""
        first = next(iter(self.build_errors), None)
        if first is None:
            return self.why or "no evidence"
        return f"{first.file}:{first.line}: {first.message}" if first.file else first.message

    @property
    def build_error(self) -> bool:
        return bool(self.build_errors)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against the baseline, by case id (E3)."""

    new: tuple[Case, ...] = ()
    newly_failing: tuple[Case, ...] = ()  # passed at the baseline, bad or not run to the end now
    newly_passing: tuple[Case, ...] = ()
    vanished: tuple[str, ...] = ()  # passed at the baseline, absent (or skipped) now
    failing_before: tuple[Case, ...] = ()


def compare(baseline: Report, now: Report, *, ignore: frozenset[str] = frozenset()) -> Comparison:
    """Compare by case id; ids in ``ignore`` (known failing, quarantined) never count as a regression."""
    before = {case.id: case for case in grouped_as_in(now, baseline).cases}
    current = {case.id: case for case in now.cases}
    new, failing, passing, old_failures = [], [], [], []
    for identity, case in current.items():
        earlier = before.get(identity)
        if earlier is None:
            new.append(case)
        elif identity in ignore:
            continue
        elif earlier.outcome is Outcome.PASSED and case.outcome in BAD | {Outcome.XFAILED, Outcome.XPASSED}:
            failing.append(case)
        elif earlier.outcome in BAD and case.outcome is Outcome.PASSED:
            passing.append(case)
        elif earlier.outcome in BAD and case.outcome in BAD:
            old_failures.append(case)
    vanished = tuple(
        identity
        for identity, case in before.items()
        if case.outcome is Outcome.PASSED
        and identity not in ignore
        and (identity not in current or current[identity].outcome is Outcome.SKIPPED)
    )
    return Comparison(tuple(new), tuple(failing), tuple(passing), vanished, tuple(old_failures))


_GROUP = " › "


def grouped_as_in(now: Report, baseline: Report) -> Report:
    """Return the baseline with its tests under the names that they have now, where one group stands before all
    of those that are gone: AVA puts a file's name before its tests only once there is a second file. Or where
    the file stands before them no more: a program that died has left no report, which would name it."""
    before, current = baseline.ids, now.ids
    gone, fresh = before - current, current - before
    if now.verdict is RunVerdict.CRASHED:
        short = {identity: identity.partition("::")[2] for identity in gone}
        once = {name for name, times in Counter(short.values()).items() if times == 1} & fresh
        named = {identity: name for identity, name in short.items() if name in once}
        cases = tuple(replace(case, id=named.get(case.id, case.id)) for case in baseline.cases)
        return replace(baseline, cases=cases) if named else baseline
    groups = Counter(
        identity[: at.end()]
        for identity in fresh
        for at in re.finditer(_GROUP, identity)
        if identity[at.end() :] in gone
    ).most_common(2)
    if not groups or (len(groups) == 2 and groups[0][1] == groups[1][1]):
        return baseline
    group = groups[0][0]
    cases = tuple(
        replace(case, id=group + case.id) if case.id in gone and group + case.id in fresh else case
        for case in baseline.cases
    )
    return replace(baseline, cases=cases)


_OF_THE_TEST = frozenset({Reason.THIRD_PARTY, Reason.FIXTURE, Reason.SYNTAX, Reason.TEST_EXCEPTION})


@dataclass(frozen=True, slots=True)
class RedReason:
    """The judged reason of one failing test, with the line that decided."""

    reason: Reason
    evidence: str = ""
    symbol: str = ""
    acceptable: bool = field(default=False)

    @property
    def of_the_test(self) -> bool:
        """Whether the test itself seems wrong, so that no code of the project can make it pass."""
        misspelt = self.reason is Reason.EXCEPTION and self.evidence.startswith(
            ("NameError", "ReferenceError")
        )
        return misspelt or self.reason in _OF_THE_TEST

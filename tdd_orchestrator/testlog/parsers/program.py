"""The base class of readers of test programs, and helpers of all readers: counts that add up, bounded blocks of
lines, places in files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, count
from tdd_orchestrator.testlog.parsers.compilers import BuildWatch
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading

MESSAGE_LINES = 40
MESSAGE_LIMIT = 4_000  # characters

_NUMBERED = re.compile(r"(\d{1,9}) ([a-zA-Z][a-zA-Z-]*)")


class Block:
    """The lines of one message, bounded."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._room = MESSAGE_LIMIT

    def add(self, line: str) -> None:
        if len(self.lines) < MESSAGE_LINES and self._room > 0:
            self.lines.append(line[: self._room])
            self._room -= len(line) + 1

    def text(self) -> str:
        return "\n".join(self.lines).strip()


class FailureTrace:
    """Reads the lines of one failure: its message, and its place in the project."""

    def __init__(self) -> None:
        self.file = self.exception = ""
        self.line = 0
        self.frames: tuple[str, ...] = ()
        self._detail: list[str] = []

    @property
    def message(self) -> str:
        raise NotImplementedError

    def feed(self, line: str) -> None:
        raise NotImplementedError

    def explain(self, case: Case) -> Case:
        return replace(
            case,
            file=self.file or case.file,
            line=self.line or case.line,
            message=self.message or case.message,
            exception=self.exception or case.exception,
            detail="\n".join(self._detail),
            frames=self.frames or case.frames,
        )

    def build_error(self, file: str) -> BuildError:
        """Return the error; ``file``: what could not be loaded."""
        message = self.message or self.exception or f"{file} could not be loaded"
        return BuildError(message, self.file or file, self.line, self.exception, "\n".join(self._detail))


class Details(FailureTrace):
    """The lines of one failure in no form that is known: all are its message."""

    def __init__(self) -> None:
        super().__init__()
        self._block = Block()

    def feed(self, line: str) -> None:
        if line.strip():
            self.add(line)

    def add(self, text: str) -> None:
        self._block.add(text.strip())

    @property
    def message(self) -> str:
        return self._block.text()


class Tally:
    """Counts that add up; None until the first number."""

    def __init__(self) -> None:
        self._total: Counts | None = None

    def add(self, **numbers: int) -> None:
        more = Counts(**{name: max(0, number) for name, number in numbers.items()})
        self._total = more if self._total is None else self._total.plus(more)

    def expect(self, failures: int) -> None:
        """Count some of the tests that passed as expected failures."""
        if (total := self._total) is not None:
            known = min(failures, total.passed)
            self._total = replace(total, passed=total.passed - known, xfailed=total.xfailed + known)

    def of(self, cases: Iterable[Case] = ()) -> Counts | None:
        """Return the counts, or those of ``cases`` if none were added."""
        if self._total is not None:
            return self._total
        counted = count(cases)
        return counted if counted.total else None


def numbers(line: str) -> dict[str, int]:
    """Return ``{"tests": 3, "test": 3, "failure": 1, ...}`` for ``3 tests, 1 failure``.

    Each word stands in singular and plural.
    """
    found: dict[str, int] = {}
    for digits, word in _NUMBERED.findall(line):
        word = word.lower()
        for form in (word, f"{word}s", f"{word}es", word.removesuffix("s"), word.removesuffix("es")):
            found.setdefault(form, int(digits))
    return found


def place(line: str, *endings: str) -> tuple[str, int]:
    """Return the first ``path.ext:12`` in a line, for one of the endings (``.go``); ("", 0) if none."""
    best: tuple[str, int] = ("", 0)
    first = len(line)
    for ending in endings:
        at = line.find(f"{ending}:")
        while 0 <= at < first:
            digits = leading_digits(line, at + len(ending) + 1)
            if digits:
                best, first = (path_before(line, at) + ending, int(digits)), at
                break
            at = line.find(f"{ending}:", at + 1)
    return best


def leading_digits(text: str, start: int) -> str:
    end = start
    limit = min(len(text), start + 9)
    while end < limit and "0" <= text[end] <= "9":
        end += 1
    return text[start:end]


_STOPS = frozenset(" \t\"'`()[]{}<>,;=|")


def path_before(line: str, end: int) -> str:
    """Return the word that ends at ``end``: a path without blanks and brackets."""
    start = end
    while start > 0 and line[start - 1] not in _STOPS:
        start -= 1
    return line[start:end]


def bad(cases: Iterable[Case]) -> list[Case]:
    return [case for case in cases if case.outcome in BAD]


def by_name(cases: Iterable[Case]) -> list[Case]:
    """Return one case for each id: the last one, at the place of the first."""
    latest: dict[str, Case] = {}
    for case in cases:
        latest[case.id] = case
    return list(latest.values())


class Program:
    """Reads test programs run one after another: built, open from its first line to its closing ones."""

    def __init__(self) -> None:
        self.build = BuildWatch()
        self.tally = Tally()
        self.cases: list[Case] = []
        self.details: dict[int, FailureTrace] = {}  # of failures, by their cases
        self.open = False
        self.closed = 0
        self.ok = True
        self.crashed = ""
        self._run = 0  # where the cases of this run begin
        self.last = -1  # the case that details are added to

    def keep(self, case: Case) -> None:
        if len(self.cases) < CASE_LIMIT:
            self.cases.append(case)

    def close(self, **counts: int) -> None:
        self.count(**counts)
        self.open = False
        self.closed += 1

    def count(self, **counts: int) -> None:
        self.tally.add(**counts)
        self.ok &= not counts.get("failed") and not counts.get("errors")

    def close_with(self, found: dict[str, int], *, at_least: bool = False) -> None:
        """Close a run with the counts of its closing line.

        Without ``passed``, the rest of ``total`` passed, or of ``ran``, which has no skipped tests. Without
        ``skipped``, the other tests of both were skipped, or those named so in the run. Without ``failed`` and
        ``errors``, the rest of ``ran`` failed, or those named so; ``at_least``: no fewer than are named. ``bad``:
        the run failed. ``checks`` of 0: nothing passed. A run of fewer tests than ``planned`` is still open.
        """
        named = count(self.cases[self._run :])
        if not found.keys() & {"failed", "errors"}:
            rest = found["ran"] - found["passed"] if {"ran", "passed"} <= found.keys() else named.failed
            found |= {"failed": rest, "errors": named.errors}
        elif at_least:
            found["failed"] = max(found.get("failed", 0), named.bad - found.get("errors", 0))
        if not found.pop("checks", 1):
            found["passed"] = 0
        others = found["total"] - found["ran"] if {"ran", "total"} <= found.keys() else named.skipped
        skipped = found.setdefault("skipped", others)
        self.ok &= not found.pop("bad", 0)
        planned, ran, total = found.pop("planned", 0), found.pop("ran", -skipped), found.pop("total", 0)
        total = total or ran + skipped
        found.setdefault("passed", total - sum(found.values()))
        self.close(**found)
        self.open, self._run = total < planned, len(self.cases)

    def explain(self, **better: Any) -> None:
        """Add details to the last case, or the one at ``last``."""
        if self.cases:
            if "message" in better:
                better["message"] = str(better["message"])[:MESSAGE_LIMIT]
            self.cases[self.last] = replace(self.cases[self.last], **better)

    def finish(self) -> Reading:
        for at, details in self.details.items():
            self.cases[at] = details.explain(self.cases[at])
        counts = self.tally.of()
        errors = self.build.errors if self.build.stopped or not self.closed else []
        return Reading(
            counts=counts,
            cases=self.cases,
            build_errors=errors,
            started=bool(self.open or self.closed),
            finished=bool(self.closed or errors) and not self.open,
            claims_ok=(self.ok and not errors) if self.closed else None,
            no_tests=bool(self.closed) and self.ok and counts is not None and not counts.total,
            crashed=self.crashed,
            complete=not self.open and counts is not None and counts.total == len(self.cases),
        )

"""Helpers of the readers: counts that add up, bounded blocks of lines, places in files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, count

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

"""Small pieces that the readers of text share: counts that add up, bounded blocks of lines, places in
files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from tdd_orchestrator.model.report import BAD, Case, Counts, Outcome, count

MESSAGE_LINES = 40
MESSAGE_LIMIT = 4_000  # characters

_NUMBERED = re.compile(r"(\d{1,9}) ([a-zA-Z][a-zA-Z-]*)")


class Block:
    """Lines of one message, bounded."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._room = MESSAGE_LIMIT

    def add(self, line: str) -> None:
        if len(self.lines) < MESSAGE_LINES and self._room > 0:
            self.lines.append(line[: self._room])
            self._room -= len(line) + 1

    def text(self) -> str:
        return "\n".join(self.lines).strip()


class Tally:
    """Counts that grow; None until a first number was heard."""

    def __init__(self) -> None:
        self._total: Counts | None = None

    def add(self, **numbers: int) -> None:
        more = Counts(**{name: max(0, number) for name, number in numbers.items()})
        self._total = more if self._total is None else self._total.plus(more)

    def of(self, cases: Iterable[Case] = ()) -> Counts | None:
        """What was heard; where nothing was, the cases themselves, if there are any."""
        if self._total is not None:
            return self._total
        counted = count(cases)
        return counted if counted.total else None


def numbers(line: str) -> dict[str, int]:
    """``"3 tests, 1 failure"`` as ``{"tests": 3, "test": 3, "failure": 1, ...}``: each word singular and
    plural."""
    found: dict[str, int] = {}
    for digits, word in _NUMBERED.findall(line):
        word = word.lower()
        for form in (word, f"{word}s", f"{word}es", word.removesuffix("s"), word.removesuffix("es")):
            found.setdefault(form, int(digits))
    return found


def place(line: str, *endings: str) -> tuple[str, int]:
    """The first ``path.ext:12`` in a line, for one of the endings (``.go``); ("", 0) where there is none."""
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
    """The word that ends at ``end``: a path has no blank and no bracket here."""
    start = end
    while start > 0 and line[start - 1] not in _STOPS:
        start -= 1
    return line[start:end]


def bad(cases: Iterable[Case]) -> list[Case]:
    return [case for case in cases if case.outcome in BAD]


def by_name(cases: Iterable[Case]) -> list[Case]:
    """One case for each id, the last word on it at its first place."""
    kept: dict[str, Case] = {}
    for case in cases:
        kept[case.id] = case
    return list(kept.values())


def exception_of(text: str) -> str:
    """``java.lang.IllegalStateException: boom`` as its type; empty where the text does not begin with one."""
    head = text.split(":", 1)[0].split("\n", 1)[0].strip()
    return head if _TYPE.fullmatch(head) else ""


_TYPE = re.compile(
    r"(?:[A-Za-z_$][\w$]*(?:\.|::|\\))*[A-Z][\w$]*(?:Error|Exception|Failure|Throwable|Fault|Violation)[\w$]*"
)

WORDS: Mapping[str, Outcome] = {
    "ok": Outcome.PASSED,
    "pass": Outcome.PASSED,
    "passed": Outcome.PASSED,
    "success": Outcome.PASSED,
    "fail": Outcome.FAILED,
    "failed": Outcome.FAILED,
    "failure": Outcome.FAILED,
    "error": Outcome.ERROR,
    "errored": Outcome.ERROR,
    "timeout": Outcome.FAILED,
    "skip": Outcome.SKIPPED,
    "skipped": Outcome.SKIPPED,
    "ignored": Outcome.SKIPPED,
    "disabled": Outcome.SKIPPED,
    "pending": Outcome.SKIPPED,
    "todo": Outcome.SKIPPED,
}

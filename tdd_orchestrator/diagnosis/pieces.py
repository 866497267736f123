"""The pieces of a failed run's text: lines with their kind, and what was thrown, with what belongs
together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from tdd_orchestrator.diagnosis.places import Place

_MANY = 8  # one in so many lines: then it is cheaper to look at each


class Kind(Enum):
    FREE = "free"  # said by a tool, at its own risk
    MUTE = "mute"  # source, frames, diffs: words of the code, never of the failure
    WEAK = "weak"  # captured output, logs, warnings


@dataclass(slots=True)
class Thrown:
    """An exception or a failed assertion, as printed. ``body`` are the lines of its message after the first
    and the properties printed with it; ``frames`` go from the outermost call to the innermost."""

    source: str  # traceback | pytest | stack | block | single
    exception: str
    message: str
    at: int  # index of its line
    body: list[str] = field(default_factory=list)
    frames: list[Place] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)
    assertion: bool = False
    logged: bool = False  # printed by a log or captured: somebody handled it
    link: str = (
        ""  # cause: the one before caused this; during: it was being handled; because: this caused that
    )
    raised_in: str = ""  # the library whose code threw it; "" where the project's own did
    raw: str = ""  # the line as printed, where the language's own way to print it is a sign

    @property
    def statement(self) -> str:
        if not self.exception or self.message.startswith(self.exception):
            return self.message
        return f"{self.exception}: {self.message}" if self.message else self.exception


@dataclass(slots=True)
class Parts:
    """``text`` are the lines as one, for a reader to see whether what it reads stands there at all."""

    text: str
    lines: list[str]
    kinds: list[Kind]
    thrown: list[Thrown] = field(default_factory=list)

    def mute(self, start: int, end: int, kind: Kind = Kind.MUTE) -> None:
        start, end = max(0, start), min(end, len(self.kinds))
        if start < end:
            self.kinds[start:end] = [kind] * (end - start)

    def free(self, index: int) -> bool:
        return 0 <= index < len(self.lines) and self.kinds[index] is Kind.FREE

    def holding(self, sign: str) -> list[int]:
        """Indices of the lines that hold a sign. Where few do, the others are not looked at."""
        at = self.text.find(sign)
        if at >= 0 and self.text.count(sign, at) * _MANY > len(self.lines):
            return [at for at, line in enumerate(self.lines) if sign in line]
        found, index, done = [], 0, 0
        while at >= 0:
            index += self.text.count("\n", done, at)
            found.append(index)
            done = self.text.find("\n", at)
            at = self.text.find(sign, done + 1) if done >= 0 else -1
        return found

    def beginning(self, *starts: str) -> list[int]:
        """Indices of the lines that begin so."""
        if any(self.text.startswith(start) or f"\n{start}" in self.text for start in starts):
            return [at for at, line in enumerate(self.lines) if line.startswith(starts)]
        return []


def chains(thrown: Sequence[Thrown]) -> list[list[Thrown]]:
    """What belongs together: the exception that came out first, then its causes, nearest first."""
    found: list[list[Thrown]] = []
    for one in thrown:
        if one.link in ("cause", "during") and found:
            found[-1].insert(0, one)
        elif one.link == "because" and found:
            found[-1].append(one)
        else:
            found.append([one])
    return found

"""The parts of a failed run's text: lines with their kind, chains of exceptions, and the fingerprint of a failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from pathlib import PurePosixPath

from tdd_orchestrator.diagnosis.places import Place
from tdd_orchestrator.text import plain

_MANY = 8  # one in so many lines: then a search of each line is cheaper


class Kind(Enum):
    FREE = "free"  # printed by a tool
    CODE = "code"  # source, frames, diffs: text of the code, not of the failure
    WEAK = "weak"  # captured output, logs, warnings


@dataclass(slots=True)
class Thrown:
    """An exception or a failed assertion, as printed.

    ``body``: the lines of its message after the first, and its properties; ``frames`` go from the
    outermost call to the innermost.
    """

    source: str  # traceback | pytest | stack | block | single
    exception: str
    message: str
    at: int  # index of its line
    body: list[str] = field(default_factory=list)
    frames: list[Place] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)
    assertion: bool = False
    logged: bool = False  # logged or captured: the program handled it
    link: str = (
        ""  # cause: the one before caused this; during: it was being handled; because: this caused that
    )
    raised_in: str = ""  # the library that raised it; "" for the project
    raw: str = ""  # the line as printed, if its form identifies the language

    @property
    def statement(self) -> str:
        if not self.exception or self.message.startswith(self.exception):
            return self.message
        return f"{self.exception}: {self.message}" if self.message else self.exception


@dataclass(slots=True)
class Parts:
    """A text's lines with their kinds, and its exceptions. ``text``: the lines joined, for quick checks."""

    text: str
    lines: list[str]
    kinds: list[Kind]
    thrown: list[Thrown] = field(default_factory=list)

    def mark(self, start: int, end: int, kind: Kind = Kind.CODE) -> None:
        """Set the kind of the lines from ``start`` to ``end``."""
        start, end = max(0, start), min(end, len(self.kinds))
        if start < end:
            self.kinds[start:end] = [kind] * (end - start)

    def free(self, index: int) -> bool:
        return 0 <= index < len(self.lines) and self.kinds[index] is Kind.FREE

    def holding(self, sign: str) -> list[int]:
        """Return the indices of lines that contain ``sign``; if few do, the others are not searched."""
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
        """Return the indices of lines that begin with one of ``starts``."""
        if any(self.text.startswith(start) or f"\n{start}" in self.text for start in starts):
            return [at for at, line in enumerate(self.lines) if line.startswith(starts)]
        return []


def chains(thrown: Sequence[Thrown]) -> list[list[Thrown]]:
    """Group exceptions: the one that came out first, then its causes, nearest first."""
    found: list[list[Thrown]] = []
    for one in thrown:
        if one.link in ("cause", "during") and found:
            found[-1].insert(0, one)
        elif one.link == "because" and found:
            found[-1].append(one)
        else:
            found.append([one])
    return found


_LIMIT = 2_000
_STRIP: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), mark)
    for pattern, mark in (
        (r"(?i)\brequest[ _-]?id\W{1,4}[\w-]{6,80}|\breq_\w{6,80}", "<request>"),
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<uuid>"),
        (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
        (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\b", "<time>"),
        (r"\b0x[0-9a-fA-F]{1,16}\b", "<address>"),
        (r"\b(?=[0-9a-f]{0,63}\d)[0-9a-f]{7,64}\b", "<hex>"),
        (r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+", "<mail>"),
        (r"\b\w{1,20}://[^\s'\"<>)\]]{1,400}", "<url>"),
        (r"(?:[A-Za-z]:)?(?:[/\\][\w.@+~-]{1,200}){2,}[/\\]?", "<path>"),
        (r"\b(?:[\w.@+-]{1,200}/)+[\w.@+-]{1,200}", "<path>"),
        (r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b", "<host>"),
        (r"'(?![A-Za-z_][\w.]{0,60}')[^'\n]{0,300}'", "'<value>'"),
        (r'"(?![A-Za-z_][\w.]{0,60}")[^"\n]{0,300}"', '"<value>"'),
        (r"\d+(?:\.\d+)?", "<n>"),
        (r"\s+", " "),
    )
)


def normalised(message: str) -> str:
    """Return a message without paths, numbers, addresses, ids, times, hosts and quoted values.

    Quoted names stay.
    """
    text = plain(message[:_LIMIT])
    for pattern, mark in _STRIP:
        text = pattern.sub(mark, text)
    return text.strip()


def fingerprint(kind: str, exception: str, message: str, file: str = "") -> str:
    """Return 16 hex digits. Of ``file`` only the name counts, so that the root's path does not matter."""
    name = PurePosixPath(file.replace("\\", "/")).name
    short = exception.rsplit(".", 1)[-1]
    return sha256(
        "\x1f".join((kind, short, normalised(message), name)).encode("utf-8", "replace")
    ).hexdigest()[:16]

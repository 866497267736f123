"""Recognise the runners of a text by signs in a sample of its lines, and by the command's words.

Very many signs are combined into one fast check.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path

from tdd_orchestrator.testlog.reading import TextRow
from tdd_orchestrator.text import LazyRegex

_ESCAPED = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"\([^()]*\)")
_NEVER = "(?!)"
_WORDS = re.compile(r"\^([\w :=#-]+)(?![\w :=#?*+{-])")  # without a letter that may be there, or not


def any_of(signs: Iterable[LazyRegex]) -> Callable[[str], bool]:
    """Return a function that says whether a line matches one of ``signs``, which refer to no groups."""
    return _any_of(tuple(signs))


@cache
def _any_of(signs: tuple[LazyRegex, ...]) -> Callable[[str], bool]:
    begins = [sign for sign in signs if _at_the_beginning(sign)]
    others = [_text(sign) for sign in signs if not _at_the_beginning(sign)]
    begins_so = re.compile("|".join(_text(sign)[1:] for sign in begins) or _NEVER).match
    has = re.compile("|".join(others) or _NEVER).search
    return lambda line: begins_so(line) is not None or has(line) is not None


@cache
def _at_the_beginning(sign: LazyRegex) -> bool:
    """Whether all of the sign stands behind one ``^``."""
    bare = _ESCAPED.sub("", sign.pattern)
    while "(" in bare:
        bare = _GROUP.sub("", bare)
    return sign.pattern.startswith("^") and "|" not in bare


@cache
def _first_words(sign: LazyRegex) -> str:
    """Return a text with which each line of the sign begins; "" where none is known."""
    found = _WORDS.match(sign.pattern)
    return found[1] if found and _at_the_beginning(sign) else ""


def _text(sign: LazyRegex) -> str:
    bare = sign.pattern.removeprefix("(?i)")
    return f"(?i:{bare})" if bare != sign.pattern else bare


_HEAD, _TAIL = 1_500, 2_500  # lines
_WIDTH = 400  # characters of a line that are searched
_NAMED = 4  # score for a runner that the command names
_MANY = 200  # lines of passed tests that are searched one by one
_ECHO = re.compile(
    r"^(?:> |\$ |\+ |nox > |make(?:\[\d+\])?: |\S{1,40}: commands\[\d+\]> "
    r"|\S{1,40} run-test: commands\[\d+\] \| )(.+)"
)


_ALIKE = str.maketrans("3456789", "2222222")  # lines that differ in these digits alone look alike
_EVENTS_ALIKE = str.maketrans("0123456789", "0000000000")  # events have the time in them


@dataclass(slots=True)
class Found:
    """One candidate: its score, and the first and last line of the sample with one of its signs."""

    row: TextRow
    score: int = 0
    first: int = -1
    last: int = -1
    hits: set[int] = field(default_factory=set)


class Sample:
    """The first and the last lines of a text, with their numbers."""

    def __init__(self) -> None:
        self.head: list[str] = []
        self.tail: list[str] = []
        self.total = 0

    def add(self, lines: list[str]) -> None:
        self.total += len(lines)
        room = _HEAD - len(self.head)
        if room > 0:
            self.head += [line[:_WIDTH] for line in lines[:room]]
            lines = lines[room:]
        self.tail += [line[:_WIDTH] for line in lines[-_TAIL:]]
        if len(self.tail) > 2 * _TAIL:
            del self.tail[:-_TAIL]

    def numbered(self) -> Iterable[tuple[int, str]]:
        yield from enumerate(self.head)
        tail = self.tail[-_TAIL:]
        yield from enumerate(tail, self.total - len(tail))


def echoed_commands(lines: Iterable[str]) -> str:
    """Return the commands that a wrapper (npm, make, tox, nox, ``sh -x``) printed before running them."""
    return "\n".join(match[1] for line in islice(lines, 400) if (match := _ECHO.match(line)))


def command_words(command: str) -> set[str]:
    """Return the words of a command line, and the last part of each path."""
    words = set(re.findall(r"[\w.@/-]+", command))
    return words | {word.rsplit("/", 1)[-1] for word in words}


def candidates(rows: Sequence[TextRow], sample: Sample, command: str) -> list[Found]:
    """Return every row with a sign in the sample, best first."""
    words = command_words(f"{command}\n{echoed_commands(sample.head)}")
    phrase = " ".join(command.split())
    found = [Found(row) for row in rows]
    known: dict[str, list[Found]] = {}  # candidates whose signs match lines of this look
    looks = _Looks(rows)
    is_sign = any_of(sign for row in rows for sign in row.signs)
    for number, line in sample.numbered():
        if not line.strip() or not is_sign(line):
            continue
        look = looks.of(line)
        if look not in known:
            known[look] = [candidate for candidate in found if _shows(candidate, line)]
        for candidate in known[look]:
            candidate.first = number if candidate.first < 0 else candidate.first
            candidate.last = number
    for candidate in found:
        named = any(word in words or (" " in word and word in phrase) for word in candidate.row.commands)
        candidate.score = len(candidate.hits) * candidate.row.weight + (
            _NAMED if named and candidate.hits else 0
        )
    return sorted((one for one in found if one.hits), key=lambda one: -one.score)


class _Looks:
    """Reduces a line to its look, so that equal looks are searched once.

    A look is the line without some digits; after many passed tests, also without their names.
    """

    def __init__(self, rows: Sequence[TextRow]) -> None:
        self._forms = {row.passes.line: 0 for row in rows if row.passes}
        self._events = tuple(begin for row in rows if row.events for begin in row.events.begins)

    def of(self, line: str) -> str:
        if line.startswith(self._events):
            return line.translate(_EVENTS_ALIKE)
        whole = line.encode() + b"\n"
        found = next(filter(None, (form.fullmatch(whole) for form in self._forms)), None)
        if found is not None:
            self._forms[found.re] += 1
            if self._forms[found.re] > _MANY:
                return (
                    f"\0{found.lastgroup}{found.re.pattern!r}"  # its first line is another sign than its last
                )
        return line.translate(_ALIKE)


def _shows(candidate: Found, line: str) -> bool:
    """Whether the line has one of the candidate's signs, which is recorded."""
    for index, sign in enumerate(candidate.row.signs):
        if line.startswith(_first_words(sign)) and sign.search(line):
            candidate.hits.add(index)
            return True
    return False


@cache
def rows() -> tuple[TextRow, ...]:
    """Return the rows of every module, by module name; row names are unique."""
    found: list[TextRow] = []
    for module in sorted(entry.name for entry in pkgutil.iter_modules([str(Path(__file__).parent)])):
        found.extend(getattr(import_module(f"{__package__}.{module}"), "ROWS", ()))
    return tuple(found)

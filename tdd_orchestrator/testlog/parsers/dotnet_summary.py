"""The summaries that VSTest closes the run of an assembly with, and which of them are its own."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_LINE = re.compile(
    r"\s*(?P<word>Passed|Failed|Skipped)! +- Failed: +(?P<failed>\d{1,9}), Passed: +"
    r"(?P<passed>\d{1,9}), Skipped: +(?P<skipped>\d{1,9}), "
    r"Total: +(?P<total>\d{1,9})"
)
# the same line in any language, the words apart: it has four numbers, and the last of them is their sum
_ANY_LANGUAGE = re.compile(
    r"\s*[^\W\d_]+! +[-:] +[^\W\d_][^:,]{0,30}: +(?P<failed>\d{1,9}), [^:,]{1,30}: +"
    r"(?P<passed>\d{1,9}), [^:,]{1,30}: +(?P<skipped>\d{1,9}), "
    r"[^:,]{1,30}: +(?P<total>\d{1,9}), "
)
_RUN = re.compile(r"Test run for (?P<dll>.{1,1000}?\.(?:dll|exe)) ?\(")
_ABOUT = re.compile(r", [^:,]{1,30}: [^:]{0,30} - (?P<dll>.{1,1000}?\.(?:dll|exe))(?: \([^()]{1,40}\))?$")
_TOTAL = re.compile(r"\s*(?P<word>Total tests|Passed|Failed|Skipped): (?P<number>\d{1,9})$")
_WORDS = {"Total tests": "total", "Passed": "passed", "Failed": "failed", "Skipped": "skipped"}


class Summaries:
    """VSTest announces an assembly before it runs it, and closes it with one line, or with one number a line.

    What a test prints stands between the two and may look like either: a line about an assembly that was not
    announced is none of VSTest's, and of more summaries than assemblies the last ones are.
    """

    def __init__(self) -> None:
        self._announced: list[str] = []
        self._told: list[dict[str, int]] = []
        self._last: dict[str, int] | None = None  # a summary that has one number a line

    def announced(self, line: str) -> None:
        found = _RUN.match(line)
        if found:
            self._announced.append(found["dll"].replace("\\", "/"))

    def line(self, line: str) -> dict[str, int] | None:
        """What a summary in one line tells."""
        found = _LINE.match(line) if "ailed: " in line else None
        if not found:
            found = _ANY_LANGUAGE.match(line) if "! " in line[:40] and ".dll" in line else None
        told = {word: int(found[word]) for word in ("failed", "passed", "skipped", "total")} if found else {}
        whole = told and told["failed"] + told["passed"] + told["skipped"] == told["total"]
        if not found or self._foreign(line) or not (whole or "word" in found.groupdict()):
            return None
        self._told.append(told)
        self._last = None
        return told

    def _foreign(self, line: str) -> bool:
        """Whether a summary in one line is about an assembly that is not run here."""
        about = _ABOUT.search(line)
        if not about or not self._announced:
            return False
        dll = about["dll"].replace("\\", "/")
        return dll not in self._announced and dll not in {PurePosixPath(one).name for one in self._announced}

    def number(self, line: str) -> bool:
        """A line of a summary that has one number a line; its total opens it."""
        found = _TOTAL.match(line)
        if not found:
            return False
        word = _WORDS[found["word"]]
        if word == "total":
            self._last = {}
            self._told.append(self._last)
        if self._last is not None:
            self._last.setdefault(word, int(found["number"]))
        return True

    def ends(self, line: str) -> bool:
        """The line after the last number, which is always there: without it the run was cut short, or this is
        no summary."""
        ended = self._last is not None and line.lstrip().startswith("Total time: ")
        self._last = None if ended else self._last
        return ended

    def own(self) -> list[dict[str, int]]:
        return self._told[-len(self._announced) :] if self._announced else self._told

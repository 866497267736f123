"""Read the summaries that VSTest prints after an assembly, and tell them from those that tests print."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_LINE = re.compile(
    r"\s*(?P<status>Passed|Failed|Skipped)! +- Failed: +(?P<failed>\d{1,9}), Passed: +"
    r"(?P<passed>\d{1,9}), Skipped: +(?P<skipped>\d{1,9}), "
    r"Total: +(?P<total>\d{1,9})"
)
# the same line in any language: four numbers, the last of which is the sum
_ANY_LANGUAGE = re.compile(
    r"\s*[^\W\d_]+! +[-:] +[^\W\d_][^:,]{0,30}: +(?P<failed>\d{1,9}), [^:,]{1,30}: +"
    r"(?P<passed>\d{1,9}), [^:,]{1,30}: +(?P<skipped>\d{1,9}), "
    r"[^:,]{1,30}: +(?P<total>\d{1,9}), "
)
_RUN = re.compile(r"Test run for (?P<dll>.{1,1000}?\.(?:dll|exe)) ?\(")
_ABOUT = re.compile(r", [^:,]{1,30}: [^:]{0,30} - (?P<dll>.{1,1000}?\.(?:dll|exe))(?: \([^()]{1,40}\))?$")
_TOTAL = re.compile(r"\s*(?P<status>Total tests|Passed|Failed|Skipped): (?P<number>\d{1,9})$")
_COUNT_NAMES = {"Total tests": "total", "Passed": "passed", "Failed": "failed", "Skipped": "skipped"}


class Summaries:
    """Collects VSTest's summaries, of one line or of one number a line.

    VSTest announces an assembly before it runs it. A summary of an assembly that was not announced was
    printed by a test, and so were the first of more summaries than assemblies.
    """

    def __init__(self) -> None:
        self._announced: list[str] = []
        self._summaries: list[dict[str, int]] = []
        self._last: dict[str, int] | None = None  # a summary that has one number a line

    def announced(self, line: str) -> None:
        found = _RUN.match(line)
        if found:
            self._announced.append(found["dll"].replace("\\", "/"))

    def line(self, line: str) -> dict[str, int] | None:
        """Return the totals of a summary in one line; None if the line is none."""
        found = _LINE.match(line) if "ailed: " in line else None
        if not found:
            found = _ANY_LANGUAGE.match(line) if "! " in line[:40] and ".dll" in line else None
        totals = {key: int(found[key]) for key in ("failed", "passed", "skipped", "total")} if found else {}
        whole = totals and totals["failed"] + totals["passed"] + totals["skipped"] == totals["total"]
        if not found or self._foreign(line) or not (whole or "status" in found.groupdict()):
            return None
        self._summaries.append(totals)
        self._last = None
        return totals

    def _foreign(self, line: str) -> bool:
        """Whether a summary in one line is about an assembly that is not run here."""
        about = _ABOUT.search(line)
        if not about or not self._announced:
            return False
        dll = about["dll"].replace("\\", "/")
        return dll not in self._announced and dll not in {PurePosixPath(one).name for one in self._announced}

    def number(self, line: str) -> bool:
        """Read a line of a summary with one number a line, which begins with the total; False if it is
        none."""
        found = _TOTAL.match(line)
        if not found:
            return False
        name = _COUNT_NAMES[found["status"]]
        if name == "total":
            self._last = {}
            self._summaries.append(self._last)
        if self._last is not None:
            self._last.setdefault(name, int(found["number"]))
        return True

    def ends(self, line: str) -> bool:
        """Whether the line is the one after the last number, without which a summary is incomplete."""
        ended = self._last is not None and line.lstrip().startswith("Total time: ")
        self._last = None if ended else self._last
        return ended

    def own(self) -> list[dict[str, int]]:
        return self._summaries[-len(self._announced) :] if self._announced else self._summaries

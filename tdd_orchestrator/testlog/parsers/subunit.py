"""Read Subunit version 1, which is text (cmocka, python-subunit)."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BAD, Case, Counts, Outcome, count
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import BAD_LIMIT, CASE_LIMIT, DETAIL_LIMIT, Reading

_LINE = re.compile(r"(?P<status>[a-z]{4,10}):? (?P<name>.*?)(?: (?P<opens>\[(?: multipart)?))?$")
_BEGINS = frozenset({"test", "testing"})
_ENDS = {
    "success": Outcome.PASSED, "successful": Outcome.PASSED, "failure": Outcome.FAILED,
    "error": Outcome.ERROR, "skip": Outcome.SKIPPED, "xfail": Outcome.XFAILED, "uxsuccess": Outcome.XPASSED,
}  # fmt: skip
_PLACE = re.compile(r"(?P<file>[^\s:]{1,300}):(?P<line>\d{1,9}): error: ")


class SubunitReader:
    """Reads test begin and end lines. There is no closing line: a run ends with its last open test.

    Other tools print similar lines, so an end counts only after the same test's beginning.
    """

    def __init__(self) -> None:
        self._cases: list[Case] = []
        self._counts = Counts()
        self._last_kept = False  # whether the last test is in _cases
        self._open: str | None = None
        self._ended = False  # at least one test
        self._detail: list[str] | None = None

    def feed(self, line: str) -> None:
        if self._detail is not None:
            if line == "]":
                self._explain(self._detail)
                self._detail = None
            elif len(self._detail) < DETAIL_LIMIT // 40:
                self._detail.append(line)
        elif match := _LINE.match(line):
            self._read_line(match["status"], match["name"], bool(match["opens"]))

    def _read_line(self, status: str, name: str, more: bool) -> None:
        if status in _BEGINS:
            if self._open is not None:  # its end is missing
                self._keep(Case(self._open, self._open, Outcome.ERROR))
            self._open = name
        elif status in _ENDS and name == self._open:
            self._keep(Case(name, name, _ENDS[status]))
            self._open, self._ended = None, True
            self._detail = [] if more else None

    def _keep(self, case: Case) -> None:
        self._counts = self._counts.plus(count([case]))
        self._last_kept = len(self._cases) < (BAD_LIMIT if case.outcome in BAD else CASE_LIMIT)
        if self._last_kept:
            self._cases.append(case)

    def _explain(self, detail: list[str]) -> None:
        last = self._cases[-1]
        if self._last_kept and last.outcome in BAD and detail:
            place = next(filter(None, map(_PLACE.match, detail)), None)
            file, line = (place["file"], int(place["line"])) if place else ("", 0)
            self._cases[-1] = Case(last.id, last.name, last.outcome, file, line, detail[0][:2_000])

    def finish(self) -> Reading:
        if not self._ended:
            return Reading()
        over = self._open is None and self._detail is None
        complete = over and len(self._cases) == self._counts.total
        return Reading(self._counts, self._cases, started=True, finished=over, complete=complete)


ROWS = text_rows(
    r"""
any SubunitReader weight=2 subunit
  sign     ^test(?:ing)?: \S
  sign     ^success(?:ful)?: \S
  sign     ^(?:failure|error|skip|xfail|uxsuccess): \S.{0,300} \[(?: multipart)?$
  event    test:␣  |  testing:␣  |  success:␣  |  successful:␣  |  failure:␣  |  error:␣  |  skip:␣  |  xfail:␣  |  uxsuccess:␣  |  ]
""",
    SubunitReader,
)

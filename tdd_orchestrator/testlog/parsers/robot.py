"""Read the output of Robot Framework."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.reading import Reading, Runs

_ROBOT_LINE = re.compile(r"^(.{1,400}?) *\| (PASS|FAIL|SKIP) \|$")
_ROBOT_TOTAL = re.compile(
    r"^(\d+) (?:critical )?tests?(?: total)?, (\d+) passed, (\d+) failed(?:, (\d+) skipped)?$"
)
_ROBOT_OUTCOMES = {"PASS": Outcome.PASSED, "FAIL": Outcome.FAILED, "SKIP": Outcome.SKIPPED}


class RobotReader(Runs):
    """Reads status lines in a column; a suite's status is followed by totals, the last being the run's."""

    def _begin(self) -> None:
        self._cases: list[Case] = []
        self._last: Case | None = None
        self._suite = ""
        self._ruled = ""
        self._counts: Counts | None = None
        self._errors: list[BuildError] = []

    def feed(self, line: str) -> None:
        ruled, self._ruled = self._ruled, ""
        if len(line) >= 60 and line[0] in "=-" and line.count(line[0]) == len(line):
            self._ruled = line[0]
            self._keep()
        elif match := _ROBOT_LINE.match(line):
            self._keep()
            name = match[1].partition(" :: ")[0].strip()
            self._last = Case(f"{self._suite}::{name}", name, _ROBOT_OUTCOMES[match[2]])
        elif match := _ROBOT_TOTAL.match(line):
            self._last = None
            self._counts = Counts(int(match[2]), int(match[3]), skipped=int(match[4] or 0))
        elif line.startswith("Output:  ") and self._counts is not None:
            self._close_run(self._counts, self._cases)
        elif line.startswith("[ ERROR ] "):
            if " contains no tests" in line:
                self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
            else:
                self._errors.append(BuildError(line[10:]))
        elif ruled == "-" and line.startswith("FAIL: "):
            suite, _, name = line[6:].rpartition(".")
            self._last = Case(f"{suite}::{name}", name, Outcome.FAILED)
        elif ruled == "=" and line.strip():
            self._suite = line.partition(" :: ")[0].strip()
        elif self._last and self._last.outcome is Outcome.FAILED and not self._last.message:
            kind, colon, rest = line.partition(": ")
            typed = colon and kind.replace(".", "").isidentifier() and kind[:1].isupper()
            self._last = replace(self._last, message=rest if typed else line, exception=kind if typed else "")

    def _keep(self) -> None:
        if self._last and self._last not in self._cases[-1:]:
            self._cases.append(self._last)
        self._last = None

    def _end(self) -> None:
        self._keep()
        if self._cases or self._suite or self._errors:
            self._done.append(Reading(None, self._cases, self._errors, started=bool(self._suite)))


ROWS = text_rows(
    r"""
python RobotReader weight=2 robot
  words    robot  |  pabot
  sign     ^.{1,400} \| (?:PASS|FAIL|SKIP) \|$
  sign     ^\d+ tests?(?: total)?, \d+ passed, \d+ failed
  sign     ^(?:Output|Log|Report):  .*(?:output\.xml|log\.html|report\.html)$
  sign     ^\[ ERROR \] \S
  broken   Try --help for usage information\.$
""",
    RobotReader,
)

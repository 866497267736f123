"""Read the output of Nim's unittest."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BAD, Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.reading import Reading

_NIM = re.compile(r" {2,8}\[(?P<status>OK|FAILED|SKIPPED)\] (?P<name>.*)$")
_NIM_PLACE = re.compile(
    r"\s*(?P<file>[^()\s]+\.nims?)\((?P<line>\d{1,9})(?:, \d{1,9})?\)(?:: (?P<message>.*))?"
)
_NIM_OUTCOMES = {"OK": Outcome.PASSED, "FAILED": Outcome.FAILED, "SKIPPED": Outcome.SKIPPED}
_NIM_TYPE = re.compile(r"\s*Unhandled exception: (?P<message>.*) \[(?P<type>\w+)\]$")


class NimReader(Program):
    """Reads runs without a closing line: a complete run looks like one that was cut short."""

    def __init__(self) -> None:
        super().__init__()
        self._suite = ""
        self._block = Block()
        self._spot = ("", 0)
        self._type = ""
        self._failed = ""

    def feed(self, line: str) -> None:
        if line.startswith("[Suite] "):
            self.open, self._suite = True, line[8:].strip()
            self._reset()
        elif line.startswith("  [") and self.open and (match := _NIM.match(line)):
            outcome = _NIM_OUTCOMES[match["status"]]
            bad = outcome is Outcome.FAILED
            spot, message, kind = (self._spot, self._block.text(), self._type) if bad else (("", 0), "", "")
            name = match["name"].strip()
            self.keep(Case(f"{self._suite}::{name}", name, outcome, *spot, message=message, exception=kind))
            self._reset()
        elif line.startswith("Error: execution of an external program failed"):
            self._failed = line
        elif not self.open:
            self.build.feed(line)
        elif ".nim(" in line and (match := _NIM_PLACE.match(line)):
            if not self._spot[1]:
                self._spot = (match["file"], int(match["line"]))
                self._block = Block()
            if match["message"]:
                self._block.add(match["message"])
        elif match := _NIM_TYPE.match(line):
            self._type = match["type"]
            self._block.add(match["message"])
        elif self._spot[1] and line.startswith("    "):
            self._block.add(line.strip())

    def _reset(self) -> None:
        self._block, self._spot, self._type = Block(), ("", 0), ""

    def finish(self) -> Reading:
        if not self.cases and not self.open:
            return super().finish()
        if self._failed and self._spot[1]:  # a failed "require" ends the program before the test is named
            where = f"{self._spot[0]}({self._spot[1]})"
            self.keep(Case(where, where, Outcome.FAILED, *self._spot, message=self._block.text()))
        bad = any(case.outcome in BAD for case in self.cases)
        self.open = not bad
        self.closed = int(bad)
        reading = super().finish()
        reading.counts = self.tally.of(self.cases)
        reading.started = True
        if self._failed and not bad:
            reading.crashed = self._failed
        return reading


ROWS = text_rows(
    r"""
nim NimReader weight=2 nim-unittest
  words    nim  |  nimble  |  testament
  sign     ^\[Suite\]␣
  sign     ^ {2,8}\[(?:OK|FAILED|SKIPPED)\]␣
  sign     ^Error: execution of an external program failed
  sign     \.nims?\(\d{1,9}, \d{1,9}\) Error:␣
  sign     \.nims?\(\d{1,9}, \d{1,9}\): Check failed:␣
  apart    [^()\s]{1,300}\.nims?\(\d{1,9}, \d{1,9}\) Error: |Error: execution of an external program failed
""",
    NimReader,
)

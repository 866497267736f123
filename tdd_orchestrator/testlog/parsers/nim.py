"""Read the output of Nim's unittest."""

from __future__ import annotations

from tdd_orchestrator.model.report import BAD
from tdd_orchestrator.testlog.parsers.ruled import RuledReader, text_rows
from tdd_orchestrator.testlog.reading import Reading


class NimReader(RuledReader):
    """Reads runs without a closing line: a complete run looks like one that was cut short."""

    def feed(self, line: str) -> None:
        if self.open or line.startswith("[Suite] "):
            super().feed(line)
        else:
            self.build.feed(line)

    def finish(self) -> Reading:
        dead, self.crashed = self.crashed, ""
        if dead and self._ahead.get("line"):  # a failed "require" ends the program before the test is named
            self._case({"name": f"{self._ahead['file']}({self._ahead['line']})", "suite": ""})
        if not self.cases and not self.open:
            return super().finish()
        bad = any(case.outcome in BAD for case in self.cases)
        self.open, self.closed = not bad, int(bad)
        self.crashed = "" if bad else dead
        reading = super().finish()
        reading.counts = self.tally.of(self.cases)
        reading.started = True
        return reading


ROWS = text_rows(
    r"""
nim NimReader weight=2 nim-unittest
  words    nim  |  nimble  |  testament
  status   OK=passed  |  SKIPPED=skipped
  suite    \[Suite\] (?P<name>.*)
  case     ␣{2,8}\[(?P<status>OK|FAILED|SKIPPED)\] (?P<name>.*)
  dead     Error: execution of an external program failed.*
  ahead    \s*(?P<file>[^()\s]+\.nims?)\((?P<line>\d{1,9})(?:, \d{1,9})?\)(?:: (?P<message>.*)|.*)
  ahead    \s*Unhandled exception: (?P<message>.*) \[(?P<type>\w+)\]
  ahead    ␣{4}\s*(?P<message>.*)
  sign     ^\[Suite\]␣
  sign     ^ {2,8}\[(?:OK|FAILED|SKIPPED)\]␣
  sign     ^Error: execution of an external program failed
  sign     \.nims?\(\d{1,9}, \d{1,9}\) Error:␣
  sign     \.nims?\(\d{1,9}, \d{1,9}\): Check failed:␣
  apart    [^()\s]{1,300}\.nims?\(\d{1,9}, \d{1,9}\) Error: |Error: execution of an external program failed
""",
    NimReader,
)

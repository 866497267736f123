"""Read the output of clojure.test."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows

_CLJ_HEAD = re.compile(
    r"(?P<status>FAIL|ERROR) in \((?P<name>[^()]+)\) \((?P<file>[^():]+):(?P<line>\d{1,9})\)$"
)
_CLJ_RAN = re.compile(r"Ran (?P<ran>\d{1,9}) tests containing (?P<checks>\d{1,9}) assertions\.$")
_CLJ_END = re.compile(r"(?P<failures>\d{1,9}) failures, (?P<errors>\d{1,9}) errors\.$")


class ClojureReader(Program):
    """Counts tests by their names, since clojure.test counts assertions."""

    _ran = -1
    _in_failure = False

    def feed(self, line: str) -> None:
        if match := _CLJ_HEAD.match(line):
            self.open = self._in_failure = True
            name = match["name"]
            outcome = Outcome.FAILED if match["status"] == "FAIL" else Outcome.ERROR
            self._in_failure = not any(case.name == name for case in self.cases)
            if self._in_failure:
                self.keep(Case(name, name, outcome, match["file"], int(match["line"])))
        elif match := _CLJ_RAN.match(line):
            self._ran, self.open, self._in_failure = int(match["ran"]), True, False
        elif self._ran >= 0 and (match := _CLJ_END.match(line)):
            bad = [case.outcome for case in self.cases]
            failed, errors = bad.count(Outcome.FAILED), bad.count(Outcome.ERROR)
            self.close(passed=self._ran - failed - errors, failed=failed, errors=errors)
            self.ok &= match["failures"] == "0" and match["errors"] == "0"
            self._ran = -1
        elif line.startswith("Testing "):
            self.open, self._in_failure = True, False
        elif self._in_failure:
            self._in_failure = bool(line.strip())
            self.explain(message=f"{self.cases[-1].message}\n{line.strip()}".strip())
        elif not self.open:
            self.build.feed(line)


ROWS = text_rows(
    r"""
clojure ClojureReader weight=3 clojure.test
  words    lein  |  clojure
  sign     ^Ran \d{1,9} tests containing \d{1,9} assertions\.$
  sign     ^\d{1,9} failures, \d{1,9} errors\.$
  sign     ^(?:FAIL|ERROR) in \(
  apart    (?:Syntax error \S+ing .{0,300}at|Execution error .{0,300}at) .{0,300}\(\S+:\d{1,9}
           (?::\d{1,9})?\)\.$
""",
    ClojureReader,
)

"""Read the output of tcltest, for one file or many."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BAD, BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

_TCL_TOTAL = re.compile(
    r"(?P<file>\S+):\tTotal\t(?P<total>\d{1,9})\tPassed\t(?P<passed>\d{1,9})\tSkipped\t"
    r"(?P<skipped>\d{1,9})\tFailed\t(?P<failed>\d{1,9})$"
)
_TCL_PLACE = re.compile(r"(?P<file>[^\s:]+):(?P<line>\d{1,9}): error: test failed: (?P<name>\S+)")
_TCL_FILE = re.compile(r' {4}\(file "(?P<file>[^"]+)" line (?P<line>\d{1,9})\)$')


class TclTestReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._totals: dict[str, re.Match[str]] = {}
        self._spots: dict[str, tuple[str, int]] = {}
        self._block: Block | None = None
        self._result = False
        self._error: list[str] = []
        self._spot = ("", 0)

    def feed(self, line: str) -> None:
        if "\tTotal\t" in line and (match := _TCL_TOTAL.match(line)):
            self._totals[match["file"]] = match
            self.closed += 1
            self.open = False
        elif line.startswith("==== ") and line.endswith(" FAILED"):
            self._frame(line[5:-7])
        elif self._block is not None:
            self._result = self._result or line.startswith("---- ")
            if self._result:
                self._block.add(line)
        elif line.startswith("++++ "):
            self._mark(line[5:])
        elif ": error: test failed: " in line and (match := _TCL_PLACE.match(line)):
            self._spots[match["name"]] = (match["file"], int(match["line"]))
        elif line.startswith(("Tests running in interp:", "Tests began at")):
            self.open = True
        elif line.startswith("Test file error:"):
            self.ok = False
            self._error.append(line[17:].strip())
        elif match := _TCL_FILE.match(line):
            self._spot = self._spot if self._spot[1] else (match["file"], int(match["line"]))
        elif line.startswith(
            ('invalid command name "', "can't read ", "couldn't ", "can't find package", "wrong # args:")
        ):
            self._error.append(line)

    def _frame(self, text: str) -> None:
        """Read ``==== name description FAILED``, which opens, or ``==== name FAILED``, which closes."""
        name, _, description = text.partition(" ")
        if description or self._block is None:
            if self._block is None and description:
                self._block, self._result, self.open = Block(), False, True
                self._name = name
            return
        if name != self._name:
            return
        file, line = self._spots.get(name, ("", 0))
        self.keep(Case(name, name, Outcome.FAILED, file, line, self._block.text()))
        self._block = None

    _name = ""

    def _mark(self, text: str) -> None:
        name, _, rest = text.partition(" ")
        if rest == "PASSED":
            self.open = True
            self.keep(Case(name, name, Outcome.PASSED))
        elif rest.startswith("SKIPPED"):
            self.keep(Case(name, name, Outcome.SKIPPED))

    def finish(self) -> Reading:
        totals = self._totals
        whole = totals.get("all.tcl")
        for match in [whole] if whole else totals.values():
            assert match is not None
            failed = int(match["failed"])
            self.tally.add(passed=int(match["passed"]), failed=failed, skipped=int(match["skipped"]))
            self.ok &= not failed
        failing = [case for case in self.cases if case.outcome in BAD]
        self.ok &= not failing
        reading = super().finish()
        counts = reading.counts
        reading.complete = counts is not None and counts.total == len(self.cases)
        if self._error and (not self.closed or not self.ok):
            reading.build_errors.append(BuildError(self._error[0], *self._spot))
            reading.finished = not self.open
            reading.started = True
        return reading


ROWS = text_rows(
    r"""
tcl TclTestReader weight=2 tcltest
  words    tclsh  |  tcltest
  sign     ^\S+:\tTotal\t\d{1,9}\tPassed\t\d{1,9}\tSkipped\t\d{1,9}\tFailed\t\d{1,9}$
  sign     ^==== \S+ (?:.{0,300} )?FAILED$
  sign     ^\+{4} \S+ (?:PASSED|SKIPPED)
  sign     ^---- Result (?:was|should have been)
  sign     ^Tests running in interp:
  sign     ^ {4}\(file "[^"]{1,300}" line \d{1,9}\)$
  broken   ==== \S+ .{1,300} FAILED$
  apart    ␣{4}\(file \"[^\"\n]{1,300}\" line \d{1,9}\)$
""",
    TclTestReader,
)

"""Read the output of Alcotest and OUnit."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.reading import Reading

_ALCO = re.compile(r"(?:>| ) ?(?:│ )?\[(?P<status>OK|FAIL|SKIP)\] +(?P<rest>\S.*?)(?: *│)?$")
_ALCO_BOX = re.compile(r"[│|] \[FAIL\] +(?P<rest>\S.*?) *[│|]$")
_ALCO_END = re.compile(
    r"(?:(?P<failed>\d{1,9}) (?:failures?|errors?)!"
    r"|Test Successful) in [\d.]+s\. (?P<total>\d{1,9}) tests? run\.$"
)
_ALCO_OUTCOMES = {"OK": Outcome.PASSED, "FAIL": Outcome.FAILED, "SKIP": Outcome.SKIPPED}
_INDEXED = re.compile(r"(?P<suite>\S.*?) +(?P<index>\d{1,9}) +(?P<name>\S.*?)\.?$")


class AlcotestReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._tests: dict[str, Case] = {}
        self._block: Block | None = None
        self._current = ""

    def feed(self, line: str) -> None:
        if line.startswith("Testing ") and line.endswith(("'.", "`.", '".', ".")) and "`" in line:
            self.open = True
        elif line.startswith("Invalid request (no tests to run"):
            self._none = True
        elif match := _ALCO_END.match(line):
            self._end(int(match["failed"] or 0), int(match["total"]))
        elif line.startswith(("│ [FAIL]", "| [FAIL]")) and (match := _ALCO_BOX.match(line)):
            self._put(match["rest"], Outcome.FAILED)
            self._block = Block()
        elif self._block is not None:
            self._add_detail(line)
        elif "[" in line[:6] and (match := _ALCO.match(line)):
            self._put(match["rest"], _ALCO_OUTCOMES[match["status"]])
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _put(self, rest: str, outcome: Outcome) -> None:
        match = _INDEXED.match(rest)
        name = match["name"] if match else rest
        identity = f"{match['suite']}::{match['index']}::{name}" if match else rest
        self._current = identity
        self._tests[identity] = Case(identity, name, outcome)

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        if line.startswith(("Logs saved to", " ───", "└", "┌")):
            if not line.startswith("└"):
                self._block = None
            return
        if not line.strip().startswith(("Called from", "Re-raised at", "Raised at")):
            self._block.add(line.strip())
            case = self._tests[self._current]
            self._tests[self._current] = Case(case.id, case.name, case.outcome, message=self._block.text())

    def _end(self, failed: int, total: int) -> None:
        self._block = None
        skipped = sum(case.outcome is Outcome.SKIPPED for case in self._tests.values())
        self.close(passed=total - failed, failed=failed, skipped=skipped)

    _none = False

    def finish(self) -> Reading:
        for case in self._tests.values():
            self.keep(case)
        if self._none and not self.closed and not self._tests:
            self.close()
        return super().finish()


_OUNIT = re.compile(
    r"(?:FAILED: )?Cases: (?P<cases>\d{1,9}) Tried: (?P<tried>\d{1,9}) Errors: (?P<errors>\d{1,9}) "
    r"Failures: (?P<failures>\d{1,9}) "
    r"Skip: *(?P<skip>\d{1,9}) Todo: *(?P<todo>\d{1,9})(?: Timeouts: *(?P<late>\d{1,9}))?"
)
_OUNIT_OK = re.compile(r"(?:OK|SUCCESS|SKIPPED): Cases: (?P<cases>\d{1,9})(?P<rest> .*)?$")
_OUNIT_LEFT = re.compile(r"(?:Skip(?:ped)?|Todo): *(\d{1,9})")  # not failures
_OUNIT_RAN = re.compile(r"Ran: (?P<ran>\d{1,9}) tests in: [\d.]+ [Ss]econds?\.$")
_OUNIT_HEAD = re.compile(r"(?P<status>Error|Failure): (?P<name>\S.*?)\.?$")
_OUNIT_PLACE = re.compile(r'File "(?P<file>[^"]+)", lines? (?P<line>\d{1,9})')


class OUnitReader(Program):
    _block: Block | None = None
    _ran = -1
    _ruled = False

    def feed(self, line: str) -> None:
        ruled, self._ruled = self._ruled, line.startswith("=" * 40)
        if match := _OUNIT_RAN.match(line):
            self._ran, self.open, self._block = int(match["ran"]), True, None
        elif self._ran >= 0 and line.strip() == "OK":
            self.close(passed=self._ran)
            self._ran = -1
        elif self._ran >= 0 and (match := _OUNIT_OK.match(line)):
            skipped = min(sum(map(int, _OUNIT_LEFT.findall(match["rest"] or ""))), int(match["cases"]))
            self.close(passed=int(match["cases"]) - skipped, skipped=skipped)
            self._ran, self._block = -1, None
        elif match := _OUNIT.match(line):
            totals = {key: int(number or 0) for key, number in match.groupdict().items()}
            failed, errors = totals["failures"] + totals["late"], totals["errors"]
            skipped = totals["skip"] + totals["todo"]
            self.close(
                passed=totals["tried"] - failed - errors - skipped,
                failed=failed,
                errors=errors,
                skipped=skipped,
            )
            self._ran, self._block = -1, None
        elif ruled and (match := _OUNIT_HEAD.match(line)):
            self.open = True
            self.keep(Case(match["name"], match["name"], Outcome.FAILED))
            self._block = Block()
        elif self._block is not None:
            self._add_detail(line)
        elif line and not line.strip(".FESTO"):
            self.open = True
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        place = _OUNIT_PLACE.match(line)
        if line.startswith(("-----", "=====")):
            self._block = None
        elif place:
            if not self.cases[-1].line and not place["file"].endswith(".log"):
                self.explain(file=place["file"], line=int(place["line"]))
        elif line.strip() and not line.startswith(("Raised at", "Called from", "Re-raised at", "Error: ")):
            self._block.add(line.strip())
            self.explain(message=self._block.text())


ROWS = text_rows(
    r"""
ocaml AlcotestReader weight=2 alcotest
  words    dune  |  alcotest
  sign     ^Testing `
  sign     ^(?:\d{1,9} (?:failures?|errors?)!|Test Successful) in [\d.]+s\. \d{1,9} tests? run\.
  sign     ^(?:>| ) ?\[(?:OK|FAIL|SKIP)\] +\S
  sign     ^This run has ID [`'\"]
  sign     ^[│|] \[FAIL\]␣
  begins   Testing [`']
  ends     (?:\d{1,9} (?:failures?|errors?)!|Test Successful) in␣
  apart    {OCAML}
ocaml OUnitReader weight=3 ounit
  words    ounit  |  dune
  sign     ^Ran: \d{1,9} tests in: [\d.]+ [Ss]econd
  sign     ^(?:FAILED: )?Cases: \d{1,9} Tried: \d{1,9} Errors: \d{1,9}␣
  apart    {OCAML}
""",
    AlcotestReader,
    OUnitReader,
)

"""Read the output of R's testthat and Julia's Test."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program
from tdd_orchestrator.testlog.parsers.ruled import RuledReader, text_rows
from tdd_orchestrator.testlog.reading import Reading

_R_SUM = re.compile(
    r"\[ FAIL (?P<fail>\d{1,9}) \| WARN \d{1,9} \| SKIP (?P<skip>\d{1,9}) \| PASS (?P<ok>\d{1,9}) \]"
)
_R_CASE = re.compile(
    r"(?:(?:──|--) )?(?:\d{1,9}\. )?(?P<status>Failure"
    r"|Error)(?: \('?(?P<file>[^\s:()']+):(?P<line>\d{1,9})(?::\d{1,9})?'?\))?: (?P<name>.*)$"
)
_R_OLD = re.compile(
    r"(?:──|--) \d{1,9}\. (?P<status>Failure|Error): (?P<name>.*?) \(@(?P<file>[^#]+)#(?P<line>\d{1,9})\)"
)
_R_PARSE = re.compile(r"\s*(?P<file>[^\s:]+\.[rR]):(?P<line>\d{1,9}):\d{1,9}: (?P<message>unexpected .*)$")


class ThatReader(Program):
    _block: Block | None = None
    _numbers: dict[str, int] | None = None
    _halted = False
    _red = False  # its list of failures was seen

    def feed(self, line: str) -> None:
        if line.startswith("[ FAIL ") and (match := _R_SUM.match(line)):
            self._numbers, self._block, self.open = (
                {k: int(v) for k, v in match.groupdict().items()},
                None,
                True,
            )
        elif line[:2] in ("──", "--", "Fa", "Er") and (match := _R_OLD.match(line) or _R_CASE.match(line)):
            self._case(match)
        elif line[:2] in ("══", "──") or line.startswith("Skip ("):
            self._block = None
            self.closed += line.startswith("══ DONE")
            self._red |= line.startswith("══ Failed")
        elif "| F W S  OK |" in line:
            self.open = True
        elif line == "Execution halted":
            self._halted = True
        elif self._block is not None:
            if line.strip() == "Backtrace:":
                self._block = None
            else:
                self._block.add(line.strip())
                self.explain(message=self._block.text())
        elif match := _R_PARSE.match(line):
            self.build.errors.append(BuildError(match["message"], match["file"], int(match["line"])))

    def _case(self, match: re.Match[str]) -> None:
        parts = match.groupdict()
        if not parts.get("file") and match["name"].startswith("Test failures"):
            return
        outcome = Outcome.FAILED if match["status"] == "Failure" else Outcome.ERROR
        name = match["name"].strip(" ─-")
        self.open = True
        if not any(case.name == name for case in self.cases):
            self.keep(Case(name, name, outcome, parts.get("file") or "", int(parts.get("line") or 0)))
            self._block = Block()

    def finish(self) -> Reading:
        totals = self._numbers
        if not (totals["fail"] if totals else self._red or not self.closed):
            self.cases = [case for case in self.cases if case.file]  # the others were printed by a test
        if totals is not None:
            self.close(passed=totals["ok"], failed=totals["fail"], skipped=totals["skip"])
        elif self.closed:
            self.open = False
            self.ok &= not self.cases
        reading = super().finish()
        if self.closed and not totals and not self.cases:
            reading.unnamed, reading.counts, reading.no_tests = 1, None, False
        if self._halted and self.build.errors and not self.closed:
            reading.finished, reading.claims_ok = True, False
        return reading


class JuliaReader(RuledReader):
    """Reads the table's first row, which is the total; its columns are named in the head."""

    _head = ""

    def feed(self, line: str) -> None:
        if self._head:
            self._row(line)
            self._head = ""
        elif line.startswith("Test Summary:") and "|" in line:
            self._head = line
        super().feed(line)

    def _row(self, line: str) -> None:
        if "|" not in line:
            return
        totals = {}
        start = self._head.index("|") + 1
        for column in self._head[start:].split():
            end = self._head.index(column, start) + len(column)
            digits = line[start:end].split()
            totals[column] = int(digits[-1]) if digits and digits[-1].isdigit() else 0
            start = end
        self.close(
            passed=totals.get("Pass", 0),
            failed=totals.get("Fail", 0),
            errors=totals.get("Error", 0),
            skipped=totals.get("Broken", 0),
        )


ROWS = text_rows(
    r"""
r ThatReader weight=2 testthat
  words    testthat  |  Rscript
  sign     ^\[ FAIL \d{1,9} \| WARN \d{1,9} \| SKIP \d{1,9} \| PASS \d{1,9} \]
  sign     ^(?:(?:──|--) )?(?:\d{1,9}\. )?(?:Failure|Error) \('?[^\s:()']{1,300}:\d{1,9}
  sign     ^. \| F W S  OK \| Context
  sign     ^══ (?:DONE|Failed|Results|Failed tests|Skipped|Skipped tests) ═
  sign     ^\s*[^\s:]{1,300}\.[rR]:\d{1,9}:\d{1,9}: unexpected␣
  sign     ^Execution halted$
  apart    Execution halted$
julia JuliaReader weight=2 julia-test
  words    julia
  status   Error During Test=error
  case     (?P<name>\S.*?): (?P<status>Test Failed|Error During Test) at (?P<file>[^\s:]+):(?P<line>\d{1,9})
  stop     Stacktrace:.*|\s*|Test Summary:.*
  sign     ^Test Summary: .{0,100}\|
  sign     : (?:Test Failed|Error During Test) at \S+:\d{1,9}$
  apart    ERROR: (?:LoadError|Package \S+ errored during testing)
""",
    ThatReader,
    JuliaReader,
)

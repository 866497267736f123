"""Read the output of C test programs: Check, CUnit, Unity."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows

_CHECKED = re.compile(r"\d{1,9}%: Checks: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9})$")
_CHECK_CASE = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?P<status>[PFES]):(?P<group>[^:]*):(?P<name>[^:]*):"
    r"(?P<index>-?\d{1,9}): (?P<message>.*)$"
)
_CHECK_OUTCOMES = {"P": Outcome.PASSED, "F": Outcome.FAILED, "E": Outcome.ERROR, "S": Outcome.FAILED}


class CheckReader(Program):
    _listing = False

    def feed(self, line: str) -> None:
        if line.startswith("Running suite(s): "):
            self.open, self._listing = True, False
        elif "%: Checks: " in line and (match := _CHECKED.match(line)):
            checks, failed, errors = map(int, match.groups())
            self.close(passed=checks - failed - errors, failed=failed, errors=errors)
            self._listing = True
        elif self._listing and (match := _CHECK_CASE.match(line)):
            index = match["index"]
            identity = f"{match['group']}::{match['name']}" + (
                f"[{index}]" if index not in ("0", "-1") else ""
            )
            outcome = _CHECK_OUTCOMES[match["status"]]
            message = "" if outcome is Outcome.PASSED else match["message"]
            self.keep(Case(identity, match["name"], outcome, match["file"], int(match["line"]), message))
        elif not self.open and not self._listing:
            self.build.feed(line)


_CUNIT_FAILED = re.compile(r"Suite (?P<suite>.+?), Test (?P<name>.+) had failures:$")
_CUNIT_TEST = re.compile(r"  Test: (?P<name>.+?) ?\.\.\. ?(?P<status>passed|FAILED)?")
_CUNIT_PLACE = re.compile(r" {2,8}\d{1,9}\. (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}) {1,2}- (?P<message>.*)$")
_CUNIT_ROW = re.compile(r"\s*tests\s+(\d{1,9})\s+(\d{1,9})\s+(\d{1,9})\s+(\d{1,9})(?:\s+(\d{1,9}|n/a))?\s*$")


class CUnitReader(Program):
    _suite = ""
    _summing = False

    def feed(self, line: str) -> None:
        if line.startswith("     CUnit - A "):
            self.open, self._summing = True, False
        elif line.startswith(("Run Summary:", "--Run Summary:")):
            self._summing = True
        elif self._summing and (match := _CUNIT_ROW.match(line)):
            total, ran, passed, failed = (int(match[index]) for index in range(1, 5))
            self.close(passed=passed, failed=failed, skipped=max(0, total - ran))
            self._summing = False
        elif line.startswith("Suite: "):
            self._suite = line[7:].strip()
        elif line.startswith("Suite ") and (match := _CUNIT_FAILED.match(line)):
            self.keep(Case(f"{match['suite']}::{match['name']}", match["name"], Outcome.FAILED))
        elif line.startswith("  Test: ") and (match := _CUNIT_TEST.match(line)):
            outcome = Outcome.FAILED if line.endswith("FAILED") else Outcome.PASSED
            if line.endswith(("FAILED", "passed")):
                self.keep(Case(f"{self._suite}::{match['name']}", match["name"], outcome))
        elif self.cases and not self.cases[-1].file and (match := _CUNIT_PLACE.match(line)):
            if self.cases[-1].outcome is Outcome.FAILED:
                self.explain(file=match["file"], line=int(match["line"]), message=match["message"])
        elif not self.open and not self.closed:
            self.build.feed(line)


_UNITY = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?P<name>[^:]+):(?P<status>PASS|FAIL"
    "|IGNORE)(?:: ?(?P<message>.*))?$"
)
_UNITY_SUM = re.compile(r"(\d{1,9}) Tests (\d{1,9}) Failures (\d{1,9}) Ignored\s*$")
_UNITY_OUTCOMES = {"PASS": Outcome.PASSED, "FAIL": Outcome.FAILED, "IGNORE": Outcome.SKIPPED}


class UnityReader(Program):
    def feed(self, line: str) -> None:
        if line.count(":") > 2 and (match := _UNITY.match(line)):
            self.open = True
            outcome = _UNITY_OUTCOMES[match["status"]]
            message = (match["message"] or "") if outcome is Outcome.FAILED else ""
            self.keep(Case(match["name"], match["name"], outcome, match["file"], int(match["line"]), message))
        elif " Tests " in line and (match := _UNITY_SUM.match(line)):
            total, failed, ignored = map(int, match.groups())
            self.close(passed=total - failed - ignored, failed=failed, skipped=ignored)
        elif not self.open and not self.closed:
            self.build.feed(line)


ROWS = text_rows(
    r"""
c CheckReader weight=2 check
  sign     ^Running suite\(s\):␣
  sign     ^\d{1,9}%: Checks: \d{1,9}, Failures: \d{1,9}, Errors: \d{1,9}$
  sign     ^[^\s:]{1,300}:\d{1,9}:[PFES]:[^:]*:[^:]*:-?\d{1,9}:␣
  begins   Running suite\(s\):␣
  ends     \d{1,9}%: Checks: \d
  apart    {C_BUILD}
  dies     {SIGNALLED}
c CUnitReader weight=2 cunit
  sign     ^     CUnit - A␣
  sign     ^(?:--)?Run Summary: +Type
  sign     ^\s+tests\s+\d{1,9}\s+\d{1,9}\s+\d{1,9}\s+\d{1,9}
  sign     ^Suite .{1,200}, Test .{1,200} had failures:$
  sign     ^  Test: .{1,200}\.\.\.
  begins   ␣    CUnit - A unit testing framework
  ends     (?:--)?Run Summary: +Type
  apart    {C_BUILD}
  dies     {SIGNALLED}
c UnityReader weight=2 unity
  sign     ^[^\s:]{1,300}:\d{1,9}:[^:]{1,200}:(?:PASS|FAIL|IGNORE)\b
  sign     ^\d{1,9} Tests \d{1,9} Failures \d{1,9} Ignored
  apart    {C_BUILD}
  dies     {SIGNALLED}
""",
    CheckReader,
    CUnitReader,
    UnityReader,
)

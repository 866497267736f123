"""Read the output of C and C++ test programs: CppUTest, Criterion, Qt Test."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import MESSAGE_LIMIT, bad, numbers
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows

_CPPUTEST = re.compile(
    r"(?:OK|Errors) \((?:(?P<failed>\d{1,9}) failures?, )?(?P<total>\d{1,9}) tests?, (?P<ran>\d{1,9}) ran, "
)
_CPPUTEST_FAIL = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): error: Failure in (?:IGNORE_)?TEST\((?P<name>[^)]*)\)"
)


class CppUTestReader(Program):
    _explaining = False

    def feed(self, line: str) -> None:
        if ": error: Failure in " in line and (match := _CPPUTEST_FAIL.match(line)):
            name = f"TEST({match['name']})"
            self.keep(Case(name, name, Outcome.FAILED, match["file"], int(match["line"])))
            self.open = self._explaining = True
        elif line.startswith(("OK (", "Errors (")) and (match := _CPPUTEST.match(line)):
            failed, total, ran = int(match["failed"] or 0), int(match["total"]), int(match["ran"])
            totals = numbers(line)
            ignored = totals.get("ignored", 0)
            self.close(passed=max(0, min(ran, total) - failed), failed=failed, skipped=ignored)
        elif line.startswith("Errors (ran nothing, "):
            self.close()
        elif self._explaining:
            self._explaining = bool(line.strip())
            self.explain(message=f"{self.cases[-1].message}\n{line.strip()}".strip())
        elif not self.open and not self.closed:
            self.build.feed(line)


_CRITERION = re.compile(r"\[(?P<status>PASS|FAIL|SKIP|RUN )\] (?P<name>[^:\s]+::[^:\s]+)")
_CRITERION_SUM = re.compile(
    r"\[====\] Synthesis: Tested: (?P<tested>\d{1,9}) \| Passing: (?P<passing>\d{1,9}) \|"
    r" Failing: (?P<failing>\d{1,9}) "
    r"\| Crashing: (?P<crashing>\d{1,9})"
)
_CRITERION_PLACE = re.compile(r"\[----\] (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): (?P<message>.*)$")


class CriterionReader(Program):
    _spot: tuple[str, int] = ("", 0)
    _message = ""

    def feed(self, line: str) -> None:
        if not line.startswith("["):
            if not self.open and not self.closed:
                self.build.feed(line)
        elif match := _CRITERION.match(line):
            self._case(match["status"], match["name"])
        elif match := _CRITERION_PLACE.match(line):
            if not self._message:
                self._spot, self._message = (match["file"], int(match["line"])), match["message"]
        elif line.startswith("[----] ") and self._message and len(self._message) < MESSAGE_LIMIT:
            self._message += "\n" + line[7:].strip()
        elif match := _CRITERION_SUM.match(line):
            totals = {key: int(number) for key, number in match.groupdict().items()}
            self.close(passed=totals["passing"], failed=totals["failing"], errors=totals["crashing"])

    def _case(self, status: str, name: str) -> None:
        self.open = True
        if status == "RUN ":
            return
        outcome = {"PASS": Outcome.PASSED, "FAIL": Outcome.FAILED, "SKIP": Outcome.SKIPPED}[status]
        if outcome is Outcome.FAILED:
            self.keep(Case(name, name, outcome, *self._spot, message=self._message))
        else:
            self.keep(Case(name, name, outcome))
        self._spot, self._message = ("", 0), ""


_QT = re.compile(
    "(?P<status>PASS  |FAIL! |XFAIL |XPASS |SKIP  |BPASS |BFAIL "
    r"|QFATAL) : (?P<name>[^\s(]{1,300}\([^()]{0,300}\))(?: (?P<message>.*))?$"
)
_QT_OUTCOMES = {
    "PASS": Outcome.PASSED,
    "FAIL!": Outcome.FAILED,
    "XPASS": Outcome.FAILED,
    "QFATAL": Outcome.FAILED,
    "SKIP": Outcome.SKIPPED,
    "BPASS": Outcome.SKIPPED,
    "BFAIL": Outcome.SKIPPED,
}
_QT_PLACE = re.compile(r"   Loc: \[(?P<file>[^(]+)\((?P<line>\d{1,9})\)\]")


class QtReader(Program):
    def feed(self, line: str) -> None:
        if line.startswith("********* Start testing of "):
            self.open = True
        elif line.startswith("Totals: "):
            totals = numbers(line)
            skipped = totals.get("skipped", 0) + totals.get("blacklisted", 0)
            self.close(passed=totals.get("passed", 0), failed=totals.get("failed", 0), skipped=skipped)
            self.open = True  # until "Finished testing"
        elif line.startswith("********* Finished testing of "):
            self.open = False
        elif match := _QT.match(line):
            outcome = _QT_OUTCOMES.get(match["status"].strip())
            if outcome:
                message = (match["message"] or "") if outcome is Outcome.FAILED else ""
                self.keep(Case(match["name"], match["name"], outcome, message=message))
        elif line.startswith("   ") and bad(self.cases[-1:]):
            place = _QT_PLACE.match(line)
            if place:
                self.explain(file=place["file"], line=int(place["line"]))
            else:
                self.explain(message=f"{self.cases[-1].message}\n{line.strip()}")
        elif not self.open and not self.closed:
            self.build.feed(line)


ROWS = text_rows(
    r"""
c++ CppUTestReader weight=2 cpputest
  sign     ^(?:OK|Errors) \((?:(?:\d{1,9} failures?|ran nothing), )?\d{1,9} tests?, \d{1,9} ran,␣
  sign     ^[^\s:]{1,300}:\d{1,9}: error: Failure in (?:IGNORE_)?TEST\(
  apart    terminate called (?:after throwing an instance of|without an active exception)
c CriterionReader weight=2 criterion
  sign     ^\[====\] Synthesis: Tested:␣
  sign     ^\[(?:PASS|FAIL|RUN )\] [^:\s]{1,200}::
  sign     ^\[----\] [^\s:]{1,300}:\d{1,9}:␣
c++ QtReader weight=2 qttest
  sign     ^\*{9} (?:Start|Finished) testing of␣
  sign     ^Totals: \d{1,9} passed, \d{1,9} failed
  sign     ^(?:PASS  |FAIL! |XFAIL |SKIP  ) : \S
""",
    CppUTestReader,
    CriterionReader,
    QtReader,
)

"""Read the output of CTest and of automake's ``make check``."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BAD, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program, place
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

ENDINGS = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".py", ".rs")

_CTEST = re.compile(r" {0,12}\d{1,9}/\d{1,9} Test +#(?P<number>\d{1,9}): (?P<rest>.+)$")
_CTEST_STATUS = re.compile(
    r"(?:\*\*\*| {2,4})(?P<status>Passed|Failed|Timeout|Skipped|Not Run(?: \(Disabled\))?|Exception: ?[^\d]*?"
    r"|Exception|Subprocess (?:aborted|killed|terminated)|Child aborted|Bad Command|Invalid)\b"
)
_CTEST_SUM = re.compile(r"\d{1,9}% tests passed, (?P<failed>\d{1,9}) tests? failed out of (?P<total>\d{1,9})")
_CTEST_LISTED = re.compile(r"\t +(?P<number>\d{1,9}) - (?P<name>.+) \((?P<status>[^()]+(?:\([^()]*\))?)\)")


class CTestReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._tests: dict[str, tuple[str, Outcome, str]] = {}  # number: name, outcome, word
        self._output: dict[str, Block] = {}
        self._last = ""
        self._list = ""  # failed, or did not run
        self._disabled: set[str] = set()

    def feed(self, line: str) -> None:
        if " Test " in line and (match := _CTEST.match(line)):
            self._test(match["number"], match["rest"])
        elif "tests passed," in line and (match := _CTEST_SUM.match(line)):
            self._sum(int(match["failed"]), int(match["total"]))
        elif line.startswith("Test project "):
            self.open, self._list = True, ""
        elif line.startswith("No tests were found"):
            self.close()
        elif line.startswith(("The following tests FAILED", "The following tests did not run")):
            self._list = line
        elif self._list and line.startswith("\t") and (match := _CTEST_LISTED.match(line)):
            self._listed(match)
        elif self.open:
            self._add_output(line)
        elif not self.closed:
            self.build.feed(line)

    def _test(self, number: str, rest: str) -> None:
        match = _CTEST_STATUS.search(rest)
        if match is None:
            return
        name = rest[: match.start()].rstrip(" .")
        status = match["status"]
        outcome = Outcome.FAILED
        if status == "Passed":
            outcome = Outcome.PASSED
        elif status == "Skipped" or "Disabled" in rest:
            outcome = Outcome.SKIPPED
        self._tests[number] = (
            name,
            outcome,
            status if status == "Passed" else rest[match.start("status") :].strip(),
        )
        self._last = number if outcome in BAD else ""

    def _add_output(self, line: str) -> None:
        head, _, text = line.partition(": ")
        if head.isdigit():
            if not text.startswith(("Test command:", "Working Directory:", "Test timeout computed")):
                self._output.setdefault(head, Block()).add(text)
        elif self._last and line.strip() and not line.startswith("    Start "):
            self._output.setdefault(self._last, Block()).add(line)
        else:
            self._last = ""

    def _listed(self, match: re.Match[str]) -> None:
        number, name = match["number"], match["name"]
        outcome = Outcome.FAILED if "FAILED" in self._list else Outcome.SKIPPED
        known = self._tests.get(number)
        status = match["status"] if known is None or known[2] == "Passed" else known[2]
        self._tests[number] = (name, outcome, status)
        if match["status"] == "Disabled":
            self._disabled.add(number)

    def _sum(self, failed: int, total: int) -> None:
        self._last = ""
        self._totals = (failed, total)
        self.open, self.closed = False, self.closed + 1
        self.ok &= failed == 0

    _totals: tuple[int, int] = (0, 0)

    def finish(self) -> Reading:
        failed, total = self._totals
        skipped = sum(outcome is Outcome.SKIPPED for _, outcome, _ in self._tests.values())
        if self._totals[1]:
            counted = skipped - len(self._disabled)
            self.tally.add(passed=total - failed - counted, failed=failed, skipped=skipped)
        for number, (name, outcome, status) in self._tests.items():
            message = self._output[number].text() if outcome in BAD and number in self._output else ""
            file, line = place(message, *ENDINGS)
            message = message or (status if outcome in BAD else "")
            self.keep(Case(name, name, outcome, file, line, message))
        return super().finish()


ROWS = text_rows(
    r"""
c++ CTestReader weight=6 ctest
  words    ctest
  sign     ^ {0,12}\d{1,9}/\d{1,9} Test +#\d{1,9}:␣
  sign     ^\d{1,9}% tests passed, \d{1,9} tests? failed out of \d{1,9}
  sign     ^Test project /
  sign     ^ {4,12}Start +\d{1,9}:␣
  sign     ^No tests were found!!!
  begins   Test project /
  ends     \d{1,9}% tests passed, |No tests were found!!!|Total Tests: \d
  apart    {C_BUILD}
  dies     {SIGNALLED}
c RuledReader weight=3 automake
  words    make check
  status   PASS=passed  |  SKIP=skipped  |  XFAIL=xfailed  |  ERROR=error
  count    # (?:PASS: +(?P<passed>\d{1,9})|SKIP: +(?P<skipped>\d{1,9})|XFAIL: +(?P<xfailed>\d{1,9})
           |FAIL: +(?P<failed>\d{1,9})|XPASS: +(?P<xpassed>0|(?P<bad>\d{1,9})))
  total    # ERROR: +(?P<errors>\d{1,9})
  work     # TOTAL: +\d{1,9}
  case     (?P<status>PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): (?P<name>\S.*)
  sign     ^# (?:TOTAL|XFAIL|XPASS): +\d{1,9}$
  sign     ^Testsuite summary for␣
  apart    configure: error: \S
c RuledReader weight=4 dejagnu
  words    runtest
  status   PASS=passed  |  XFAIL=xfailed  |  KFAIL=xfailed  |  UNRESOLVED=error  |  ERROR=error
             |  UNTESTED=skipped  |  UNSUPPORTED=skipped
  total    \t\t=== .*Summary ===(?P<failed>)(?P<skipped>)
  work     \t\t=== .*
  count    # of (?:expected passes\t+(?P<passed>\d{1,9})|unexpected failures\t+(?P<failed>\d{1,9})
           |(?:expected|known) failures\t+(?P<xfailed>\d{1,9})
           |(?:unexpected|unknown) successes\t+(?P<xpassed>(?P<bad>\d{1,9}))
           |unresolved testcases\t+(?P<errors>\d{1,9})
           |(?:untested testcases|unsupported tests)\t+(?P<skipped>\d{1,9}))
  case     (?P<status>PASS|FAIL|XPASS|XFAIL|KPASS|KFAIL|UNRESOLVED|UNTESTED|UNSUPPORTED): (?P<name>\S.*)
  case     (?P<status>ERROR): tcl error sourcing (?P<name>(?P<file>\S+?))\.?
  skip     ERROR: tcl error code .*
  reason   ERROR: tcl error code .*\nERROR: (?P<message>.*)
  red      ERROR: (?!tcl error ).*
  stop     .*
  sign     ^\t\t=== \S.{0,200} (?:tests|Summary) ===$
  sign     ^# of (?:expected passes|unexpected failures|unexpected successes|unresolved testcases)\t
  sign     ^Running target \S
""",
    CTestReader,
)

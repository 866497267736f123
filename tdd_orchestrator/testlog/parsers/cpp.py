"""Read the output of C++ test programs: Catch2 and doctest."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program, numbers
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

_WIDE = 60  # characters of a rule; the runners draw 79
_ALL = re.compile(
    r"All tests passed \((?:\d{1,9} assertions? in )?(?P<cases>\d{1,9}) test cases?\)$"
    r"|All tests passed \(\d{1,9} asserts? in (?P<ut>\d{1,9}) tests?\)$"
)
_TOTALS = re.compile(r"test cases: +\d{1,9} \|")
_PLACED = re.compile(
    r"(?P<file>[^\s:][^:]*(?::[^:\d][^:]*)?):(?P<line>\d{1,9}): (?P<status>FAILED|failed|PASSED"
    r"|passed|SKIPPED|skipped)\b:? ?(?P<rest>.*)$"
)
_COMPACT = re.compile(
    r"(?P<status>Failed|Passed) (?:all |both )?(?P<cases>\d{1,9}) test cases?(?: with|, failed|, \d{1,9})"
)


class CatchReader(Program):
    """Names stand between dashed lines, results after a dotted line, totals after a line of ``=``."""

    def __init__(self) -> None:
        super().__init__()
        self._after_rule = False  # the line before was a line of =
        self._loose = ""  # totals without a rule before them: valid if nothing follows
        self._name: list[str] = []
        self._in_name = False
        self._block: Block | None = None
        self._spot = ("", 0)
        self._named: set[tuple[int, str]] = set()  # the run and the test

    def feed(self, line: str) -> None:
        rule = line[:_WIDE]
        if self._after_rule and line:
            self._after_rule = False
            if self._totals(line):
                return
        if rule == "=" * _WIDE:
            self._result()
            self._after_rule = True
        elif rule == "-" * _WIDE:
            self._in_name = not self._in_name
            self._result()
            if self._in_name:
                self._name = []
        elif self._in_name:
            self._name.append(line)
        elif rule == "." * _WIDE:
            pass
        elif line.startswith("~~~~~~~") or line.endswith("host application."):
            self.open = True
        elif line.startswith(("All tests passed", "Failed ", "Passed ", "test cases:", "No tests ran")):
            self._loose = line
        elif line.startswith(("Filters: ", "Randomness seeded to", "RNG seed: ")):
            self.open = True
        else:
            self._text(line)

    def _text(self, line: str) -> None:
        if ": " in line[1:] or line.endswith(":"):
            match = _PLACED.match(line)
            if match:
                self._result()
                self._begin(match)
                return
        if self._block is not None:
            if line.strip().startswith(("SIGSEGV", "SIGABRT", "SIGTERM", "SIGFPE", "SIGILL", "SIGINT")):
                self.crashed = line.strip()
            self._block.add(line.strip())
        elif not self.open and not self.closed:
            self.build.feed(line)
        if line.strip() and not line.startswith("assertions:") and not _IGNORED.match(line):
            self._loose = ""

    def _begin(self, match: re.Match[str]) -> None:
        if match["status"].lower() != "failed":
            return
        self.open = True
        self._block, self._spot = Block(), (match["file"], int(match["line"]))
        if match["rest"]:
            self._block.add(match["rest"])

    def _result(self) -> None:
        if self._block is None:
            return
        name = self._name[0].strip() if self._name else ""
        message, (file, line) = self._block.text(), self._spot
        self._block = None
        if name and (self.closed, name) not in self._named:
            self._named.add((self.closed, name))
            kind = _THROWN.search(message)
            self.keep(Case(name, name, Outcome.FAILED, file, line, message, kind[1] if kind else ""))
        elif not name:
            self._spot = (file, line)
            self._nameless = Case(f"{file}:{line}", f"{file}:{line}", Outcome.FAILED, file, line, message)

    _nameless: Case | None = None

    def _totals(self, line: str) -> bool:
        match = _ALL.match(line)
        if match:
            self.close(passed=int(match["cases"] or match["ut"]))
        elif line.startswith("No tests ran") or line.startswith("No test cases matched"):
            self.close()
        elif _TOTALS.match(line):
            totals = numbers(line.replace("failed as expected", "expected"))
            self.close(
                passed=totals.get("passed", 0),
                failed=totals.get("failed", 0),
                skipped=totals.get("skipped", 0),
                xfailed=totals.get("expected", 0),
            )
        else:
            return False
        self._loose = ""
        return True

    def _compact(self) -> None:
        line = self._loose
        if not line or self._totals(line):
            return
        match = _COMPACT.match(line)
        if match:
            number = int(match["cases"])
            self.close(
                passed=number * (match["status"] == "Passed"), failed=number * (match["status"] == "Failed")
            )

    def finish(self) -> Reading:
        self._result()
        self._compact()
        if not self.cases and self._nameless and not self.ok:
            self.cases.append(self._nameless)
        return super().finish()


_IGNORED = re.compile(r"(?:g?make(?:\[\d{1,9}\])?: |ninja: )")
_THROWN = re.compile(r"\bof type '?([\w:]+)'?")

ROWS = text_rows(
    r"""
c++ CatchReader weight=2 catch2
  words    catch2
  sign     ^\S.{0,200} is a Catch2? v[\d.]+\S* host application\.$
  sign     ^test cases: +\d{1,9} \|.{0,80}\b(?:passed|failed)
  sign     ^assertions: +\d{1,9} \|
  sign     ^All tests passed \(\d{1,9} assertions? in \d{1,9} test cases?\)$
  sign     ^[^\s:]{1,300}:\d{1,9}: (?:FAILED|PASSED):$
  sign     ^No tests ran$|^No test cases matched '
  sign     ^(?:Passed|Failed) (?:all |both )?\d{1,9} test cases?(?: with|,)␣
  sign     ^[^\s:]{1,300}:\d{1,9}: (?:failed|passed):␣
  broken   Failed (?:all |both )?\d{1,9} test cases?, failed (?:all |both )?\d{1,9} assertions?\.$
  apart    {C_BUILD}
  dies     {SIGNALLED}
c++ RuledReader weight=2 first=yes doctest (C++)
  suite    TEST CASE: {2}(?P<name>.*)
  suite    ␣{2}(?P<name>Scenario: .*)
  case     (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): (?:FATAL )?ERROR: (?P<message>(?P<dead>.*CRASHED)?.*)
  case     (?P<file>[^\s(][^(]*)\((?P<line>\d{1,9})\): (?:FATAL )?ERROR: (?P<message>(?P<dead>.*CRASHED)?.*)
  work     \[doctest\] doctest version.*
  count    \[doctest\] test cases: +\d{1,9} \| +(?P<passed>\d{1,9}) passed \| +(?P<failed>\d{1,9}) failed
           (?: \| +(?P<skipped>\d{1,9}) skipped)?.*
  total    \[doctest\] Status: (?:SUCCESS.*|(?P<bad>F)AILURE.*)
  stop     ={60}.*|\[doctest\] .*
  sign     ^\[doctest\] doctest version is␣
  sign     ^\[doctest\] test cases:␣
  sign     ^\[doctest\] Status:␣
  sign     ^TEST CASE:  \S
  begins   \[doctest\] doctest version is␣
  ends     \[doctest\] Status:␣
  apart    {C_BUILD}
  dies     {SIGNALLED}
""",
    CatchReader,
)

"""Read the output of Minitest, Rails and test-unit; Ruby's places and exceptions."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block, leading_digits, numbers, path_before, place
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.reading import Reading

_EXCEPTION = re.compile(r"(?P<type>(?:[A-Z]\w*::)*[A-Z]\w*)(?::(?: (?P<message>.*))?)?$")
HEADING = re.compile(r"(?P<type>(?:[A-Z]\w*::)*[A-Z]\w*):$")
_LIB = (
    "/gems/",
    "/rubygems",
    "/usr/lib/ruby/",
    "/ruby/3",
    "/ruby/2",
    "/vendor/bundle/",
    "<internal:",
    "/share/rubygems",
)


def ruby_place(line: str) -> tuple[str, int]:
    """Return ``./spec/calc_spec.rb`` and 8 for ``# ./spec/calc_spec.rb:8:in `block'``; ("", 0) for a
    gem's frame."""
    file, number = place(line, ".rb", ".feature", ".rake", ".ru", ".cr")
    return ("", 0) if any(part in line for part in _LIB) else (file.removeprefix("./"), number)


_MINI_SUM = re.compile(
    r"\d{1,9} (?:runs|tests), \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors, \d{1,9} skips$"
)
_MINI_HEAD = re.compile(r" {0,3}\d{1,9}\) (?P<status>Failure|Error|Skipped):$")
_MINI_FAIL = re.compile(r"(?P<name>\S.*?#\S.*?) \[(?P<file>[^\]]+?):(?P<line>\d{1,9})\]:?$")
_MINI_VERBOSE = re.compile(r"(?P<name>\S+#\S.*?) = [\d.]+ s = (?P<mark>[.FES])$")
_MINI_MARKS = {".": Outcome.PASSED, "F": Outcome.FAILED, "E": Outcome.ERROR, "S": Outcome.SKIPPED}
_RAILS_FAIL = re.compile(r"(?P<status>Failure|Error|Skipped):$")  # also minitest-reporters' default one
_SPEC_LINE = re.compile(r" {2}(?P<name>\S.*?) +(?P<mark>PASS|FAIL|ERROR|SKIP) \(\d+\.\d+s\)$")
_SPEC_MARKS = {
    "PASS": Outcome.PASSED,
    "FAIL": Outcome.FAILED,
    "ERROR": Outcome.ERROR,
    "SKIP": Outcome.SKIPPED,
}


class MinitestReader(Program):
    """Also reads Rails, which prints a failure at once, without a number."""

    def __init__(self) -> None:
        super().__init__()
        self._status = ""  # of the failure whose name comes next
        self._block: Block | None = None
        self._typed = self._indented = False
        self._named: dict[str, Case] = {}

    def feed(self, line: str) -> None:
        if line.startswith("# Running") or line.startswith("Run options: "):
            self.open = True
        elif line.startswith("Finished "):
            self._ending, self.open, self._block = True, True, None
        elif self._ending and "assertions, " in line and _MINI_SUM.match(line):
            self._sum(line)
        elif match := (_MINI_HEAD.match(line) if self._ending else None) or _RAILS_FAIL.match(line):
            self._status, self._block = match["status"], None
        elif self._status and line.strip():
            self._name(line)
        elif line.endswith("s)") and (match := _SPEC_LINE.match(line)):
            self._spec(match["name"], _SPEC_MARKS[match["mark"]])
        elif self._block is not None:
            self._add_detail(line)
        elif " = " in line and (match := _MINI_VERBOSE.match(line)):
            self._put(Case(match["name"], match["name"], _MINI_MARKS[match["mark"]]))
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _name(self, line: str) -> None:
        kind_of_failure, self._status = self._status, ""
        match = _MINI_FAIL.match(line)
        outcome = {"Failure": Outcome.FAILED, "Error": Outcome.ERROR, "Skipped": Outcome.SKIPPED}[
            kind_of_failure
        ]
        name = match["name"] if match else line.strip().rstrip(":")
        file, number = (match["file"], int(match["line"])) if match else ("", 0)
        self._block, self._typed, self._indented = Block(), outcome is not Outcome.ERROR, False
        self._last = Case(name, name, outcome, file, number)
        self._put(self._last)

    def _spec(self, name: str, outcome: Outcome) -> None:
        """Read a line of minitest-reporters' spec reporter; a failure's details follow it."""
        self._last = Case(name, name, outcome)
        self._put(self._last)
        bad = outcome in (Outcome.FAILED, Outcome.ERROR)
        self._block, self._typed, self._indented = (Block() if bad else None), False, True

    _last: Case = Case("", "", Outcome.FAILED)
    _ending = False  # the line with the time has been printed

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        last, text = self._last, line.strip()
        if line.startswith(("bin/rails test ", "rails test ")):
            self._block = None
            return
        if not text:
            return
        if self._indented and self._typed and line[0] != " ":
            self._block = None  # the next test's class
            return
        file, number, kind = last.file, last.line, last.exception
        if line.startswith("    ") and not number and ".rb:" in line:
            file, number = ruby_place(text)
        elif not self._typed:
            self._typed = True
            match = _EXCEPTION.match(text)
            kind = match["type"] if match else ""
            self._block.add((match["message"] or "") if match else text)
        elif not (line.startswith("    ") and ".rb:" in line):
            self._block.add(text)
        self._last = Case(last.id, last.name, last.outcome, file, number, self._block.text(), kind)
        self._put(self._last)

    def _put(self, case: Case) -> None:
        self._named[case.id] = case

    def _sum(self, line: str) -> None:
        totals = numbers(line)
        total = totals.get("runs", totals.get("tests", 0))
        self._ending = False
        failed, errors, skipped = totals["failures"], totals["errors"], totals["skips"]
        self.close(passed=total - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped)
        self._block = None

    def finish(self) -> Reading:
        for case in self._named.values():
            self.keep(case)
        return super().finish()


_UNIT_SUM = re.compile(
    r"\d{1,9} tests, \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors, \d{1,9} pendings, "
    r"\d{1,9} omissions, \d{1,9} notifications$"
)
_UNIT_HEAD = re.compile(r"(?P<status>Failure|Error|Omission|Pending|Notification): (?P<rest>.+)$")
_UNIT_NAME = re.compile(r"(?P<name>.+?\([^()]+\))(?:: ?(?P<message>.*))?$")
_UNIT_NAME_LAST = re.compile(r"(?P<message>.*) \[(?P<name>.+\([^()]+\))\]$")
_UNIT_OUTCOMES = {
    "Failure": Outcome.FAILED,
    "Error": Outcome.ERROR,
    "Omission": Outcome.SKIPPED,
    "Pending": Outcome.SKIPPED,
}
_CODE = re.compile(r"(?: {2}=> | {5}) {0,6}\d{1,9}: ?|  => +\d{1,9}: ")


class UnitReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._ruled = False  # the line before was a rule of =
        self._block: Block | None = None

    def feed(self, line: str) -> None:
        ruled, self._ruled = self._ruled, line.startswith("=" * 60)
        if self._ruled:
            self._block = None
        elif line.startswith("Loaded suite ") or line == "Started":
            self.open = True
        elif "notifications" in line and _UNIT_SUM.match(line):
            self._sum(line)
        elif ruled and (match := _UNIT_HEAD.match(line)):
            self._head(match["status"], match["rest"])
        elif self._block is not None:
            self._add_detail(line)
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _head(self, status: str, rest: str) -> None:
        outcome = _UNIT_OUTCOMES.get(status)
        if outcome is None:
            return
        trailing = _UNIT_NAME_LAST.match(rest)
        match = trailing or _UNIT_NAME.match(rest)
        name = match["name"] if match else rest
        self._block = Block()
        kind = ""
        message = (match["message"] or "") if match else ""
        if outcome is Outcome.ERROR and (typed := _EXCEPTION.match(message)):
            kind, message = typed["type"], typed["message"] or ""
        if message:
            self._block.add(message)
        self.keep(Case(name, name, outcome, message=message, exception=kind))

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        last = self.cases[-1]
        at = line.find(".rb:")
        if at > 0 and ":in " in line and not line.startswith("     "):
            if not last.line and not any(part in line for part in _LIB):
                file, digits = path_before(line, at) + ".rb", leading_digits(line, at + 4)
                self.explain(file=file, line=int(digits or 0))
        elif not _CODE.match(line) and line.strip():
            typed = _EXCEPTION.match(line.strip()) if last.outcome is Outcome.ERROR else None
            if typed and not last.exception and not self._block.lines:
                self.explain(exception=typed["type"])
                line = typed["message"] or ""
            self._block.add(line.strip())
            self.explain(message=self._block.text())

    def _sum(self, line: str) -> None:
        totals = numbers(line)
        skipped = totals["pendings"] + totals["omissions"]
        failed, errors = totals["failures"], totals["errors"]
        self.close(
            passed=totals["tests"] - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped
        )
        self._block = None


ROWS = text_rows(
    r"""
ruby MinitestReader weight=2 minitest
  words    minitest  |  rails test  |  bin/rails
  sign     ^\d{1,9} (?:runs|tests), \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors, \d{1,9} skips$
  sign     ^# Running(?: tests(?: with run options .{0,200})?)?:?$
  sign     ^Finished tests in [\d.]+s, [\d.]+ tests/s
  sign     ^Run options: .{0,200}--seed \d{1,9}
  sign     ^\S+#\S.{0,300} = [\d.]+ s = [.FES]$
  sign     ^ {0,3}\d{1,9}\) (?:Failure|Error|Skipped):$
  begins   Run options: .*--seed
  ends     \d{1,9} (?:runs|tests), \d{1,9} assertions,␣
  apart    {RUBY}
ruby UnitReader weight=2 test-unit
  words    test-unit
  sign     ^\d{1,9} tests, \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors, \d{1,9} pendings,␣
  sign     ^Loaded suite␣
  sign     ^\d{1,3}(?:\.\d{1,9})?% passed$
  sign     ^\d[\d.]{0,12} tests/s, \d[\d.]{0,12} assertions/s$
  sign     ^Started$
  sign     ^(?:Failure|Error|Omission|Pending): .{1,300}\(\w[\w:]*\)
  begins   Loaded suite␣
  ends     \d{1,9} tests, \d{1,9} assertions,␣
  apart    {RUBY}
""",
    MinitestReader,
    UnitReader,
)

"""Read Jest's default reporters (27 to 30): PASS and FAIL files, ``●`` blocks, a table of totals."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading, Runs

_FILE = re.compile(r"^(PASS|FAIL) +(\S.*?)(?: \(\d[\d.]* m?s(?:, [^()]{0,60})?\))?$")
_BLOCK = re.compile(r"^  ● +(\S.*)$")
_CASE = re.compile(r"^( {2,40})([✓✕○✎√×]) (.*)$")
_TIME = re.compile(r" \(\d[\d.]* (?:ms|s|m)\)$")
_TOTALS = re.compile(
    r"^(Test Suites|Tests): {1,7}((?:\d+ [a-z]+, ){0,6}\d+ of \d+ total|(?:\d+ [a-z]+, ){0,6}\d+ total)$"
)
_NUMBER = re.compile(r"(\d+) ([a-z]+)")
_NOT_TESTS = ("Console", "Cannot log after tests are done", "Deprecation Warning", "process.exit called")
_IS_FILE = re.compile(r"\.[cm]?[jt]sx?$")
_CUT = "files passed twice, and more of them than its totals say, so a run before it has no end"
_MARKS = {"✓": Outcome.PASSED, "√": Outcome.PASSED, "✕": Outcome.FAILED, "×": Outcome.FAILED}


class JestReader(Runs):
    def _begin(self) -> None:
        self._file = ""
        self._started = False
        self._suites: list[tuple[int, str]] = []
        self._passed: dict[str, Case] = {}
        self._failed: dict[str, Case] = {}
        self._traces: dict[str, JsTrace] = {}
        self._loading: list[tuple[str, JsTrace]] = []
        self._trace: JsTrace | None = None
        self._broken_suites = -1
        self._crashed = ""
        self._good_files: set[int] = set()  # their hashes
        self._listed = 0  # files that passed, by their lines and by the totals
        self._good_suites = 0

    def feed(self, line: str) -> None:
        if not line:
            return
        first = line[0]
        if first in "PF" and (match := _FILE.match(line)):
            self._started, self._trace = True, None
            self._file, self._suites = match[2], []
            if first == "P" and len(self._good_files) < CASE_LIMIT and _IS_FILE.search(match[2]):
                self._listed += 1
                self._good_files.add(hash(match[2]))
        elif first == "T" and (match := _TOTALS.match(line)):
            self._total(match[1], match[2])
        elif first == " " and (match := _BLOCK.match(line)):
            self._block(match[1].rstrip())
        elif self._trace is not None and (first == " " or self._crashed):
            if line.startswith("    RETRY ERRORS ") and not self._trace.message:
                self._failed = {
                    title: case
                    for title, case in self._failed.items()
                    if self._traces[title] is not self._trace
                }
            self._trace.feed(line)
        elif first == " " and self._file:
            self._tree(line)
        elif first == "●" and "alidation Error" in line:
            self._trace = JsTrace()
            self._loading.append(("", self._trace))
        elif line.startswith("No tests found, exiting with code "):
            self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))

    def _block(self, title: str) -> None:
        self._started = True
        self._trace = JsTrace()
        if title.startswith("process.exit called with "):
            self._crashed = title
        elif title == "Test suite failed to run":
            if all(file != self._file for file, _ in self._loading):
                self._loading.append((self._file, self._trace))
        elif not title.startswith(_NOT_TESTS) and title not in self._failed:
            leaf = title.rpartition(" › ")[2]
            self._failed[title] = Case(
                f"{self._file}::{title}", title, Outcome.FAILED, self._file, message=leaf
            )
            self._traces[title] = self._trace

    def _tree(self, line: str) -> None:
        match = _CASE.match(line)
        if not match:
            depth = len(line) - len(line.lstrip(" "))
            self._suites = [suite for suite in self._suites if suite[0] < depth]
            self._suites.append((depth, line.strip()))
            return
        self._started = True
        outcome = _MARKS.get(match[2], Outcome.SKIPPED)
        depth = len(match[1])
        leaf = match[3].removeprefix("skipped ").removeprefix("todo ")
        if leaf[-1:] == ")":
            leaf = _TIME.sub("", leaf)
        name = " › ".join([name for level, name in self._suites if level < depth] + [leaf])
        if outcome is not Outcome.FAILED:
            identity = f"{self._file}::{name}"
            self._passed[identity] = Case(identity, name, outcome, self._file)

    def _total(self, what: str, text: str) -> None:
        totals = {key: int(number) for number, key in _NUMBER.findall(text)}
        if what == "Test Suites":
            self._broken_suites = totals.get("failed", 0)
            self._good_suites = sum(
                number for key, number in totals.items() if key not in ("failed", "total")
            )
        elif self._broken_suites >= 0:
            self._close(totals)

    def _close(self, totals: dict[str, int]) -> None:
        counts = Counts(
            totals.get("passed", 0),
            totals.get("failed", 0),
            skipped=totals.get("skipped", 0) + totals.get("todo", 0) + totals.get("pending", 0),
        )
        if not self._started and not self._loading and self._done and self._done[-1].counts == counts:
            self._begin()  # with --bail the totals are printed twice
            return
        again = self._listed > len(self._good_files)
        if again and self._listed > self._good_suites and not counts.failed:
            self._crashed = self._crashed or _CUT
        cases, errors = self._cases(), self._build_errors()
        if self._broken_suites and not counts.failed and not errors:
            errors = [BuildError("A test suite failed to run.")]
        self._close_run(
            counts,
            cases,
            build_errors=errors,
            claims_ok=not counts.failed and not self._broken_suites,
            no_tests=counts.total == 0 and not self._broken_suites,
            crashed=self._crashed,
        )

    def _cases(self) -> list[Case]:
        failed = [self._traces[title].explain(case) for title, case in self._failed.items()]
        return failed + list(self._passed.values())

    def _build_errors(self) -> list[BuildError]:
        return [trace.build_error(file) for file, trace in self._loading]

    def _end(self) -> None:
        if self._started or self._loading:
            self._done.append(
                Reading(
                    cases=self._cases(),
                    build_errors=self._build_errors(),
                    started=self._started,
                    crashed=self._crashed,
                )
            )


ROWS = text_rows(
    r"""
javascript JestReader weight=2 jest
  words    jest  |  react-scripts  |  vue-cli-service
  sign     ^Test Suites: (?:\d+ [a-z]+, ){0,6}(?:\d+ of )?\d+ total$
  sign     ^Tests: {7}(?:\d+ [a-z]+, ){0,6}\d+ total$
  sign     ^Snapshots: {3}
  sign     ^Ran all test suites
  sign     ^(?:PASS|FAIL) {1,2}(?:\S{1,40} )?\S+\.[cm]?[jt]sx?(?: \(|$)
  sign     ^  ● +\S
  sign     ^No tests found, exiting with code \d
  sign     ^● Validation Error
  passes   (?: {2,}+(?:✓|√) [^\n]*+\n|(?:\n|PASS [^\n]*+\n| {2,}+[A-Za-z][^\n]*+\n){1,6} {2,}+(?:✓
           |√) [^\n]*+\n)
  dies     {CRASHED}
  apart    ␣{4}at .{1,300}[/\\]jest-(?:config|util)[/\\]build[/\\]|Error: Jest: Got error running global
""",
    JestReader,
)

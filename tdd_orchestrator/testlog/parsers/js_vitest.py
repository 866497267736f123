"""Read Vitest's output (1 to 4): ``RUN``, a tree or dots, ``FAIL`` blocks, and a table of totals."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import Reading, Runs

_RUN = re.compile(r"^ (?:RUN|DEV) +v\d+\.\d")
_FAIL = re.compile(r"^ FAIL +(\S.*)$")
_ROW = re.compile(r"^ {1,6}(Test Files|Tests|Errors) {2}(.*)$")
_NUMBER = re.compile(r"(\d+) ([a-z]+(?: fail)?)")
_CASE = re.compile(r"^ {1,3}([✓↓]) ((?:\|[^|]{1,60}\| )?\S{1,300}\.\w{2,4} > .*)$")
_TIME = re.compile(r" +\d+m?s$")
_BANNER = re.compile(r"^⎯{3,} ([A-Z][A-Za-z ]{1,40}?)(?: \d+)? ⎯{3,}$")
_MARKS = {"✓": Outcome.PASSED, "↓": Outcome.SKIPPED}
_REDS = 20  # failures kept, in case the end does not name them
# a failed test or file in the list of results
_RED = re.compile(r"^ {1,6}× (\S.*)$|^ ❯ (\S+ \(.*\b[1-9]\d{0,8} failed.*\).*)$|^ FAIL {2}(\S+ > .*)$")


class VitestReader(Runs):
    def _begin(self) -> None:
        self._started = False
        self._banner = ""
        self._cases: dict[str, Case] = {}
        self._red: list[str] = []
        self._traces: dict[str, JsTrace] = {}
        self._loading: dict[str, JsTrace] = {}
        self._unhandled: list[JsTrace] = []
        self._trace: JsTrace | None = None
        self._files: dict[str, int] | None = None
        self._counts: Counts | None = None
        self._finished = False
        self._errors = 0
        self._crashed = ""
        self._no_tests = False

    def feed(self, line: str) -> None:
        if not line:
            return
        if line[0] == " ":
            if _RUN.match(line):
                self._next()
                self._started = True
            elif match := _ROW.match(line):
                self._table(match[1], match[2])
            elif self._banner and (match := _FAIL.match(line)):
                self._fail(match[1].rstrip())
            elif self._trace is not None:
                self._trace.feed(line)
            elif match := _CASE.match(line):
                self._case(match[1], match[2])
            elif len(self._red) < _REDS and (match := _RED.match(line)):
                self._red.append(_TIME.sub("", match[1] or match[2] or match[3]).rstrip())
        elif line[0] == "⎯":
            self._trace = None
            if match := _BANNER.match(line):
                self._open(match[1])
        elif line.startswith("No test files found, exiting with code "):
            self._started = self._finished = self._no_tests = True
        elif self._trace is not None:
            self._trace.feed(line)
            if line.startswith("Caused by: Error: Worker exited unexpectedly"):
                self._crashed = line[11:]
            elif line.startswith("Error: [vitest-pool]") or line.startswith(
                "Error: Worker exited unexpectedly"
            ):
                self._crashed = line

    def _open(self, banner: str) -> None:
        self._banner = banner
        if banner in ("Unhandled Error", "Startup Error", "Unhandled Rejection", "Uncaught Exception"):
            self._trace = JsTrace()
            if banner == "Startup Error":
                self._loading[""] = self._trace
            else:
                self._unhandled.append(self._trace)

    def _fail(self, name: str) -> None:
        if self._trace is None or self._trace.message:
            self._trace = JsTrace()
        file, arrow, _ = name.partition(" > ")
        if not arrow:
            self._loading.setdefault(name.partition(" [ ")[0].strip(), self._trace)
            return
        file = file.rpartition("| ")[2].strip()
        self._cases[name] = Case(name, name, Outcome.FAILED, file)
        self._traces[name] = self._trace

    def _case(self, mark: str, text: str) -> None:
        name = _TIME.sub("", text)
        self._cases.setdefault(name, Case(name, name, _MARKS[mark], name.partition(" > ")[0]))

    def _table(self, what: str, text: str) -> None:
        totals = {key: int(number) for number, key in _NUMBER.findall(text)}
        if what == "Test Files":
            self._files = totals
        elif self._files is None:
            return
        elif what == "Errors":
            self._errors = totals.get("error", 0) + totals.get("errors", 0)
        else:
            self._counts = Counts(
                totals.get("passed", 0),
                totals.get("failed", 0),
                skipped=totals.get("skipped", 0) + totals.get("todo", 0),
                xfailed=totals.get("expected fail", 0),
            )
            self._finished = True
            self._trace, self._banner = None, ""

    def _end(self) -> None:
        if not self._started and not self._finished:
            return
        cases = [
            self._traces[name].explain(case) if name in self._traces else case
            for name, case in self._cases.items()
        ]
        errors = [trace.build_error(file) for file, trace in self._loading.items()]
        red_files = (self._files or {}).get("failed", 0)
        counts = self._counts
        reading = Reading(counts, cases, errors, started=True, finished=self._finished, crashed=self._crashed)
        if self._red and counts and not counts.failed and not red_files:  # an end that is not this run's own
            cases += [Case(name, name, Outcome.FAILED) for name in self._red]
        if self._finished:
            reading.claims_ok = not red_files and not self._errors and not (counts and counts.failed)
            reading.no_tests = self._no_tests or bool(counts and not counts.total and not red_files)
            if self._no_tests and self._unhandled:  # a global setup failed
                reading.build_errors += [trace.build_error("") for trace in self._unhandled]
                reading.no_tests = False
            if red_files and not errors and not self._traces and counts and not counts.failed:
                reading.build_errors.append(BuildError("A test file failed to load."))
            reading.complete = bool(counts) and len(cases) == counts.total if counts else False
        self._done.append(reading)


ROWS = text_rows(
    r"""
javascript VitestReader weight=2 vitest
  words    vitest
  sign     ^ (?:RUN|DEV) +v\d+\.\d+\.\d+
  sign     ^ Test Files {2}(?:\d+ [a-z]+|no tests)
  sign     ^ {6}Tests {2}(?:\d+ [a-z]+|no tests)
  sign     ^ {3}Duration {2}\d
  sign     ^⎯{3,} (?:Failed|Unhandled|Startup)␣
  sign     ^ FAIL {2}\S+ >␣
  passes   \n{0,6} {1,3}(?:✓|↓) (?:\|[^|\n]{1,60}\| )?[^ \n]+\.[A-Za-z]{2,4} > [^\n]*\n
  dies     {CRASHED}
  begins   ␣RUN  v\d
  ends     ␣{3}(?:Duration|Time) {2}\d
  apart    ⎯{2,40} Startup Error ⎯{2,40}$
""",
    VitestReader,
)

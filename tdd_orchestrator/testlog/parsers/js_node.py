"""Read node:test's spec and dot reporters."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import Reading, Runs

_SPEC_TOTAL = re.compile(r"^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+)")
_SPEC_CASE = re.compile(r"^( *)([✔✖﹣⚠]) (.*?) \((\d[\d.]*)ms\)(?: # (.*))?$")
_SPEC_PLACE = re.compile(r"^test at (\S.*):(\d+):(\d+)$")


class NodeSpecReader(Runs):
    """Reads ``✔`` and ``✖`` lines, ``ℹ`` totals, then ``failing tests:`` with a place and a message each."""

    def _begin(self) -> None:
        self._started = False
        self._totals: dict[str, int] = {}
        self._passed: list[tuple[int, str]] = []
        self._red: dict[str, JsTrace] = {}
        self._suites: dict[tuple[int, str], int] = {}  # failed tests when each open one began
        self._failed: list[tuple[Case, JsTrace]] = []
        self._listing = False
        self._place: tuple[str, int] | None = None
        self._trace: JsTrace | None = None
        self._loose = JsTrace()
        self._dotted = False  # the dot reporter: it counts nothing, and ends with a list where there is one

    def feed(self, line: str) -> None:
        if not line.strip():
            return
        if line[0] == "ℹ" and (match := _SPEC_TOTAL.match(line)):
            if match[1] == "tests" and self._totals:
                self._next()
            self._totals[match[1]] = int(match[2])
            self._trace = None
        elif line in ("✖ failing tests:", "Failed tests:"):
            self._listing = True
            self._dotted = line[0] == "F"
        elif self._listing and (match := _SPEC_PLACE.match(line)):
            self._place, self._trace = (match[1], int(match[2])), None
        elif match := _SPEC_CASE.match(line):
            self._case(len(match[1]), match[2], match[3], match[5] or "")
        elif line.startswith("▶ ") and self._totals and not self._listing:
            self._next()
            self._started = True
            self._suites[0, line[2:]] = 0
        elif (name := line.lstrip()).startswith("▶ "):
            self._started = True
            self._suites[len(line) - len(name), name[2:]] = len(self._red)
        elif self._trace is not None:
            self._trace.feed(line)
        else:
            self._loose.feed(line)

    def _case(self, depth: int, mark: str, name: str, comment: str) -> None:
        if self._totals and not self._listing:
            self._next()
        self._started = True
        if len(self._red) > self._suites.pop((depth, name), len(self._red)):
            self._trace = None  # the end of a suite, red for a test of it that was listed
            return
        if self._listing and self._place:
            self._trace = JsTrace()
            file, number = self._place
            self._failed.append((Case(f"{file}::{name}", name, Outcome.FAILED, file, number), self._trace))
            self._place = None
        elif mark == "✖" and not comment.startswith(("TODO", "SKIP")):
            self._trace = self._red.setdefault(name, JsTrace())
        elif mark == "✔" and not comment:
            self._passed.append((depth, name))
            self._trace = None

    def _end(self) -> None:
        if not (self._started or self._totals):
            return
        totals = self._totals
        cases = [trace.explain(case) for case, trace in self._failed]
        if not cases:
            cases = [trace.explain(Case(name, name, Outcome.FAILED)) for name, trace in self._red.items()]
        reading = Reading(None, cases, started=True, finished="duration_ms" in totals or self._dotted)
        if totals:
            bad = totals.get("fail", 0) + totals.get("cancelled", 0)
            skipped = totals.get("skipped", 0) + totals.get("todo", 0)
            reading.counts = Counts(totals.get("pass", 0), bad, skipped=skipped)
            reading.no_tests = reading.counts.total == 0
            files = [name for _, name in self._passed if is_test_file(name)]
            if files and not bad and len(files) == totals.get("pass", 0):
                reading.counts, reading.no_tests = Counts(skipped=skipped), True
        if self._loose.exception:
            reading.build_errors = [self._loose.build_error(c.name) for c in cases if is_test_file(c.name)]
        if reading.build_errors:
            reading.cases = [case for case in cases if not is_test_file(case.name)]
        self._done.append(reading)


def is_test_file(name: str) -> bool:
    """Whether the name is a file: node:test lists a file without tests, or crashed before any, as a test."""
    return name.endswith((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")) and " " not in name


ROWS = text_rows(
    r"""
javascript NodeSpecReader weight=2 node-test
  sign     ^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d
  sign     ^ *[✔✖﹣] .* \(\d[\d.]*ms\)
  sign     ^▶ \S
  sign     ^(?:✖ failing|Failed) tests:$
  sign     ^[.X]*X[.X]*$
  sign     ^test at \S+:\d+:\d+$
""",
    NodeSpecReader,
)

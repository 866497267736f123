"""Read the output of Mocha, and of Cypress, which prints a Mocha summary for each spec file."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import Reading, Runs

_TOTAL = re.compile(r"^ {2}(\d+) (passing|pending|failing)(?: \(\d[\d.]*[a-z]{1,2}\))?$")
_CASE = re.compile(r"^( {2,60})(?:([✓✔√]|-)|(\d+)\)) (\S.*)$")
_ITEM = re.compile(r"^ {2}(\d+)\) (\S.*)$")
_DOTS = re.compile(r"^ {2}[.․,!]+$")
_SLOW = re.compile(r" \(\d+m?s\)$")


class MochaReader(Runs):
    """The summary counts and lists; a test line after it begins the next run."""

    def _begin(self) -> None:
        self._started = False
        self._totals: dict[str, int] | None = None
        self._suites: list[tuple[int, str]] = []
        self._passed: dict[str, Case] = {}
        self._failed: list[tuple[str, JsTrace]] = []
        self._titles: list[str] | None = None  # of the failure whose heading is being read
        self._loading: JsTrace | None = None
        self._no_files = False
        self._red = False  # a failed test was seen in the tree or among the dots
        self._rested = False  # a blank line came after the totals, as Mocha's epilogue has it

    def feed(self, line: str) -> None:
        if not line.strip():
            self._rested |= self._totals is not None
            return
        if line[0] == " ":
            if match := _TOTAL.match(line):
                self._total(int(match[1]), match[2])
            elif self._totals is not None and "failing" in self._totals:
                self._failure(line)
            elif self._loading is not None:
                self._loading.feed(line)
            elif line.startswith(" Exception during run: "):
                self._loading = JsTrace()
                self._loading.feed(line[len(" Exception during run: ") :])
            else:
                self._tree(line)
        elif line.startswith("Error: No test files found"):
            self._no_files = True
        elif self._totals is not None and self._failed and self._titles is None:
            self._failed[-1][1].feed(line)
        elif self._loading is not None:
            self._loading.feed(line)

    def _total(self, number: int, status: str) -> None:
        if status == "passing":
            if self._totals is not None:
                self._next()
            self._totals = {}
        if self._totals is not None:
            self._totals[status] = number
            self._rested = False
            self._suites = []

    def _failure(self, line: str) -> None:
        """Read `` 1) suite``, ``       test:`` and the error; a tree line after the last one is the
        next run's."""
        match = _ITEM.match(line)
        if match and int(match[1]) == len(self._failed) + 1 and self._totals and match[1]:
            self._titles = []
            line = "    " + match[2]
        elif self._titles is None:
            if (
                len(self._failed) >= (self._totals or {}).get("failing", 0)
                and _CASE.match(line)
                and not match
            ):
                self._next()
                self._tree(line)
            elif self._failed:
                self._failed[-1][1].feed(line)
            return
        assert self._titles is not None
        self._titles.append(line.strip())
        if line.endswith(":"):
            name = " ".join(self._titles)[:-1]
            self._failed.append((name, JsTrace()))
            self._titles = None

    def _tree(self, line: str) -> None:
        match = _CASE.match(line)
        if not match:
            self._red |= bool(_DOTS.match(line)) and "!" in line
            depth = len(line) - len(line.lstrip(" "))
            if depth % 2 == 0:
                self._suites = [suite for suite in self._suites if suite[0] < depth]
                self._suites.append((depth, line.strip()))
            return
        if self._totals is not None and not match[3]:
            self._next()
        self._started = True
        if match[3]:
            self._red = True
            return
        depth = len(match[1])
        leaf = _SLOW.sub("", match[4]) if match[4][-1:] == ")" else match[4]
        name = " ".join([title for level, title in self._suites if level < depth] + [leaf])
        outcome = Outcome.SKIPPED if match[2] == "-" else Outcome.PASSED
        self._passed[name] = Case(name, name, outcome)

    def _end(self) -> None:
        totals, failed = (
            self._totals,
            [trace.explain(Case(n, n, Outcome.FAILED)) for n, trace in self._failed],
        )
        cases = failed + list(self._passed.values())
        if totals is None:
            errors = [self._loading.build_error(self._loading.place())] if self._loading else []
            if self._no_files:
                self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
            elif self._started or errors:
                self._done.append(Reading(cases=cases, build_errors=errors, started=self._started))
            return
        counts = Counts(totals["passing"], totals.get("failing", 0), skipped=totals.get("pending", 0))
        self._done.append(
            Reading(
                counts,
                cases,
                started=True,
                finished="failing" in totals or self._rested or not self._red,
                no_tests=counts.total == 0,
                complete=len(cases) == counts.total,
            )
        )


class CypressReader:
    """Mocha's summaries, one for each spec file, between ``(Run Starting)`` and ``(Run Finished)``."""

    def __init__(self) -> None:
        self._mocha = MochaReader()
        self._inside = self._finished = False

    def feed(self, line: str) -> None:
        text = line.strip()
        if text.startswith("Running: ") or text == "(Run Starting)":
            self._inside = True
        elif text in ("(Results)", "(Screenshots)", "(Video)"):
            self._inside = False
        elif text == "(Run Finished)":
            self._finished, self._inside = True, False
        elif self._inside:
            self._mocha.feed(line)

    def finish(self) -> Reading:
        reading = self._mocha.finish()
        reading.started = True
        reading.finished = self._finished and reading.finished
        return reading


ROWS = text_rows(
    r"""
javascript MochaReader weight=2 mocha
  words    mocha  |  _mocha  |  nyc mocha  |  c8 mocha
  sign     ^ {2}\d+ (?:passing|failing)(?: \(\d[\d.]*[a-z]{1,2}\))?$
  sign     ^ {2,40}[✓✔√] \S
  sign     ^ {2,40}\d+\) \S
  sign     ^ {2}\d+ pending$
  sign     ^ Exception during run:␣
  sign     ^Error: No test files found
  passes   (?: {2,}+(?:✓|✔|√) [^\n]*+\n|(?:\n| {2,}+[A-Za-z][^\n]*+\n){1,6} {2,}+(?:✓|✔|√) [^\n]*+\n)
  dies     {CRASHED}
  broken   ␣?Exception during run: |✖ ERROR: |Error: No test files found
javascript CypressReader weight=6 cypress
  words    cypress
  sign     ^ {2}\(Run (?:Starting|Finished)\)$
  sign     ^ {2}\(Results\)$
  sign     ^ {2}Running: {2}\S
""",
    MochaReader,
    CypressReader,
)

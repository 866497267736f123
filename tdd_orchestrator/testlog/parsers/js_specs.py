"""Read the output of Jasmine and lab: dots, a list of failures, a line of counts."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.js_trace import JsTrace
from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.reading import Reading, Runs, summed

_SPECS = re.compile(r"^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$")
_NUMBERED = re.compile(r"^(\d+)\) (\S.*)$")


class JasmineReader(Runs):
    def _begin(self) -> None:
        self._started = False
        self._section = ""
        self._failed: list[tuple[str, JsTrace]] = []
        self._loading: JsTrace | None = None

    def feed(self, line: str) -> None:
        if line == "Started":
            self._started = True
        elif line in ("Failures:", "Pending:") or line.startswith("Suite error:"):
            self._section = line
            if line[0] == "S":
                self._loading = JsTrace()
        elif match := _SPECS.match(line):
            self._close(int(match[1]), int(match[2]), int(match[3] or 0))
        elif self._section == "Failures:" and (match := _NUMBERED.match(line)):
            self._failed.append((match[2].rstrip(), JsTrace()))
        elif self._loading is not None and line != "No specs found":
            self._loading.feed(line)
        elif line == "No specs found":
            self._close(0, 0, 0)
        elif self._section == "Failures:" and self._failed and line.strip() not in ("Message:", "Stack:"):
            self._failed[-1][1].feed(line)

    def _close(self, specs: int, failures: int, pending: int) -> None:
        cases = [trace.explain(Case(name, name, Outcome.FAILED)) for name, trace in self._failed]
        failures = max(failures, len(cases))
        errors = [self._loading.build_error("")] if self._loading else []
        counts = Counts(max(0, specs - failures - pending), failures, skipped=pending)
        no_tests = specs == 0 and not errors
        self._done.append(Reading(counts, cases, errors, started=True, finished=True, no_tests=no_tests))
        self._begin()

    def _end(self) -> None:
        if self._started:
            cases = [trace.explain(Case(name, name, Outcome.FAILED)) for name, trace in self._failed]
            self._done.append(Reading(cases=cases, started=True))


_LAB_END = re.compile(
    r"^(?:(\d+) of (\d+) tests? failed|(\d+) tests? (?:complete|passed))(?: \((\d+) skipped\))?$"
)
_LAB_ITEM = re.compile(r"^ {2}(\d+)\) (\S.*):$")
_LAB_CASE = re.compile(r"^[✔✖-] \d+\) (\S.*)$")


class LabReader:
    def __init__(self) -> None:
        self._failed: list[tuple[str, JsTrace]] = []
        self._listing = False
        self._done: list[Reading] = []
        self._started = False
        self._loading: JsTrace | None = None
        self._file = ""

    def feed(self, line: str) -> None:
        if line == "Failed tests:":
            self._listing = self._started = True
        elif match := _LAB_END.match(line):
            self._close(int(match[1] or 0), int(match[2] or 0), int(match[3] or 0), int(match[4] or 0))
        elif self._listing and (match := _LAB_ITEM.match(line)):
            self._failed.append((match[2], JsTrace()))
        elif _LAB_CASE.match(line):
            self._started = True
        elif line.startswith("Error requiring file: "):
            self._loading, self._file = JsTrace(), line[len("Error requiring file: ") :]
        elif line.startswith("The pattern provided (-P or --pattern) didn't match any files"):
            self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
        elif self._loading is not None:
            self._loading.feed(line)
        elif self._failed and self._listing:
            self._failed[-1][1].feed(line)

    def _cases(self) -> list[Case]:
        return [trace.explain(Case(name, name, Outcome.FAILED)) for name, trace in self._failed]

    def _close(self, failed: int, of: int, passed: int, skipped: int) -> None:
        counts = Counts(passed or of - failed, failed, skipped=skipped)
        self._done.append(
            Reading(counts, self._cases(), started=True, finished=True, no_tests=counts.total == 0)
        )
        self._failed, self._listing, self._started = [], False, False

    def finish(self) -> Reading:
        errors: list[BuildError] = [self._loading.build_error(self._file)] if self._loading else []
        if errors or self._started:
            self._done.append(Reading(cases=self._cases(), build_errors=errors, started=self._started))
        return summed(self._done) if self._done else Reading()


ROWS = text_rows(
    r"""
javascript JasmineReader weight=2 jasmine
  words    jasmine
  sign     ^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$
  sign     ^Randomized with seed \d+
  sign     ^Finished in \d[\d.]* seconds?$
  sign     ^Incomplete: (?:No specs found|fit\(\))
  sign     ^Suite error:␣
  sign     ^Ran in parallel with \d+ workers$
  begins   Randomized with seed \d{1,9}\nStarted$
  ends     \d{1,9} specs?, \d{1,9} failures?|Incomplete: |Overall: |No specs found
javascript LabReader weight=2 lab
  words    lab
  sign     ^\d+ of \d+ tests? failed
  sign     ^\d+ tests? complete(?: \(\d+ skipped\))?$
  sign     ^Leaks:␣
  sign     ^Test duration: \d
  sign     ^Failed tests:$
  sign     ^[✔✖-] \d+\) \S
  sign     ^Error requiring file:␣
  sign     ^The pattern provided \(-P or --pattern\)
  broken   Error requiring file:␣
""",
    JasmineReader,
    LabReader,
)

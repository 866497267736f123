"""Mocha, and what prints like it: Cypress (a Mocha summary for each spec file), Jasmine, lab."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.runners.reading import Reading, TextRow, signs, summed
from tdd_orchestrator.runners.text.js_trace import JsTrace

_TOTAL = re.compile(r"^ {2}(\d+) (passing|pending|failing)(?: \(\d[\d.]*[a-z]{1,2}\))?$")
_CASE = re.compile(r"^( {2,60})(?:([✓✔√]|-)|(\d+)\)) (\S.*)$")
_ITEM = re.compile(r"^ {2}(\d+)\) (\S.*)$")
_DOTS = re.compile(r"^ {2}[.․,!]+$")
_SLOW = re.compile(r" \(\d+m?s\)$")


class MochaReader:
    """The epilogue counts and lists; a test line after it begins the next run."""

    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._begin()

    def _begin(self) -> None:
        self._started = False
        self._told: dict[str, int] | None = None
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
            self._rested |= self._told is not None
            return
        if line[0] == " ":
            if match := _TOTAL.match(line):
                self._total(int(match[1]), match[2])
            elif self._told is not None and "failing" in self._told:
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
        elif self._told is not None and self._failed and self._titles is None:
            self._failed[-1][1].feed(line)
        elif self._loading is not None:
            self._loading.feed(line)

    def _total(self, number: int, word: str) -> None:
        if word == "passing":
            if self._told is not None:
                self._end()
                self._begin()
            self._told = {}
        if self._told is not None:
            self._told[word] = number
            self._rested = False
            self._suites = []

    def _failure(self, line: str) -> None:
        """`` 1) suite`` / ``       test:`` / the error; a tree line beyond the last failure is the next run's."""
        match = _ITEM.match(line)
        if match and int(match[1]) == len(self._failed) + 1 and self._told and match[1]:
            self._titles = []
            line = "    " + match[2]
        elif self._titles is None:
            if len(self._failed) >= (self._told or {}).get("failing", 0) and _CASE.match(line) and not match:
                self._end()
                self._begin()
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
        if self._told is not None and not match[3]:
            self._end()
            self._begin()
        self._started = True
        if match[3]:
            self._red = True
            return
        depth = len(match[1])
        name = " ".join([title for level, title in self._suites if level < depth] + [_SLOW.sub("", match[4])])
        outcome = Outcome.SKIPPED if match[2] == "-" else Outcome.PASSED
        self._passed[name] = Case(name, name, outcome)

    def _end(self) -> None:
        told, failed = self._told, [trace.explain(Case(n, n, Outcome.FAILED)) for n, trace in self._failed]
        cases = failed + list(self._passed.values())
        if told is None:
            errors = [self._loading.build_error(self._loading.place())] if self._loading else []
            if self._no_files:
                self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
            elif self._started or errors:
                self._done.append(Reading(cases=cases, build_errors=errors, started=self._started))
            return
        counts = Counts(told["passing"], told.get("failing", 0), skipped=told.get("pending", 0))
        self._done.append(
            Reading(
                counts,
                cases,
                started=True,
                finished="failing" in told or self._rested or not self._red,
                no_tests=counts.total == 0,
                complete=len(cases) == counts.total,
            )
        )

    def finish(self) -> Reading:
        self._end()
        return summed(self._done) if self._done else Reading()


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


_SPECS = re.compile(r"^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$")
_NUMBERED = re.compile(r"^(\d+)\) (\S.*)$")


class JasmineReader:
    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._begin()

    def _begin(self) -> None:
        self._started = False
        self._section = ""
        self._failed: list[tuple[str, JsTrace]] = []
        self._loading: JsTrace | None = None

    def feed(self, line: str) -> None:
        if line == "Started":
            self._started = True
        elif line in ("Failures:", "Pending:", "Suite error:"):
            self._section = line
        elif match := _SPECS.match(line):
            self._close(int(match[1]), int(match[2]), int(match[3] or 0))
        elif self._section == "Failures:" and (match := _NUMBERED.match(line)):
            self._failed.append((match[2].rstrip(), JsTrace()))
        elif line == "No specs found":
            self._close(0, 0, 0)
        elif self._section == "Failures:" and self._failed and line.strip() not in ("Message:", "Stack:"):
            self._failed[-1][1].feed(line)

    def _close(self, specs: int, failures: int, pending: int) -> None:
        cases = [trace.explain(Case(name, name, Outcome.FAILED)) for name, trace in self._failed]
        failures = max(failures, len(cases))
        counts = Counts(max(0, specs - failures - pending), failures, skipped=pending)
        self._done.append(Reading(counts, cases, started=True, finished=True, no_tests=specs == 0))
        self._begin()

    def finish(self) -> Reading:
        if self._started:
            cases = [trace.explain(Case(name, name, Outcome.FAILED)) for name, trace in self._failed]
            self._done.append(Reading(cases=cases, started=True))
        return summed(self._done) if self._done else Reading()


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


_MOCHA_SIGNS = (
    r"^ {2}\d+ (?:passing|failing)(?: \(\d[\d.]*[a-z]{1,2}\))?$",
    r"^ {2,40}[✓✔√] \S",
    r"^ {2,40}\d+\) \S",
    r"^ {2}\d+ pending$",
)
ROWS = (
    TextRow(
        "mocha",
        "javascript",
        MochaReader,
        signs(*_MOCHA_SIGNS, r"^ Exception during run: ", r"^Error: No test files found"),
        ("mocha", "_mocha", "nyc mocha", "c8 mocha"),
        weight=2,
    ),
    TextRow(
        "cypress",
        "javascript",
        CypressReader,
        signs(r"^ {2}\(Run (?:Starting|Finished)\)$", r"^ {2}\(Results\)$", r"^ {2}Running: {2}\S"),
        ("cypress",),
        weight=6,
    ),
    TextRow(
        "jasmine",
        "javascript",
        JasmineReader,
        signs(
            _SPECS.pattern,
            r"^Randomized with seed \d+",
            r"^Finished in \d[\d.]* seconds?$",
            r"^Incomplete: (?:No specs found|fit\(\))",
        ),
        ("jasmine",),
        weight=2,
    ),
    TextRow(
        "lab",
        "javascript",
        LabReader,
        signs(
            r"^\d+ of \d+ tests? failed",
            r"^\d+ tests? complete(?: \(\d+ skipped\))?$",
            r"^Leaks: ",
            r"^Test duration: \d",
            r"^Failed tests:$",
            r"^[✔✖-] \d+\) \S",
            r"^Error requiring file: ",
            r"^The pattern provided \(-P or --pattern\)",
        ),
        ("lab",),
        weight=2,
    ),
)

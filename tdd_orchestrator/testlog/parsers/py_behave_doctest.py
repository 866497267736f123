"""Read the output of behave (scenarios) and doctest (examples)."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import Trace
from tdd_orchestrator.testlog.reading import Reading, Runs

_SCENARIOS = re.compile(
    r"^(\d+) scenarios? passed, (\d+) failed(?:, (\d+) error)?, (\d+) skipped(?:, (\d+) untested)?"
)
_SCENARIO = re.compile(r"^ {2,8}(?:Scenario|Scenario Outline|Example): (.*?) *(?:# \S+:\d+)?$")
_LISTED = re.compile(r"^  (\S+?):(\d+)  (.*)$")
_STEP_FAILED = re.compile(r"^\s+(?:ASSERT FAILED|Assertion Failed): (.*)$")


class BehaveReader(Runs):
    """Counts scenarios. The closing lists name what failed; the steps above explain it."""

    def _begin(self) -> None:
        self._started = False
        self._scenario = ""
        self._traces: dict[str, Trace] = {}
        self._messages: dict[str, str] = {}
        self._bad: list[Case] = []
        self._listing: Outcome | None = None
        self._no_features = False
        self._config = ""

    def feed(self, line: str) -> None:
        if match := _SCENARIOS.match(line):
            self._close(*(int(number or 0) for number in match.groups()))
        elif match := _SCENARIO.match(line):
            self._started, self._scenario = True, match[1].strip()
            self._traces[self._scenario] = Trace()
        elif line in ("Failing scenarios:", "Errored scenarios:"):
            self._listing = Outcome.FAILED if line[0] == "F" else Outcome.ERROR
        elif self._listing and (match := _LISTED.match(line)):
            name = match[3].strip()
            self._bad.append(Case(f"{match[1]}::{name}", name, self._listing, match[1], int(match[2])))
        elif line.startswith("USING RUNNER: behave"):
            self._started = True
        elif line.startswith("ConfigError: No steps directory") or line.startswith(
            "ConfigError: No feature files"
        ):
            self._no_features = True
        elif line.startswith(("ConfigError: ", "ParserError: ", "Parser failure", "Failed to parse ")):
            self._config = line
        elif match := _STEP_FAILED.match(line):
            self._messages.setdefault(self._scenario, match[1])
        elif self._scenario and line.startswith("      "):
            self._traces[self._scenario].feed(line[6:])

    def _close(self, passed: int, failed: int, error: int, skipped: int, untested: int) -> None:
        cases = []
        for case in self._bad:
            case = replace(case, message=self._messages.get(case.name, ""), line=0, file="")
            trace = self._traces.get(case.name)
            cases.append(trace.explain(case) if trace and trace.exception else case)
        counts = Counts(passed, failed, error, skipped + untested)
        self._close_run(counts, cases, build_errors=self._broken(), complete=False)

    def _broken(self) -> list[BuildError]:
        return [BuildError(self._config)] if self._config else []

    def _end(self) -> None:
        if self._no_features:
            self._done.append(Reading(started=True, finished=True, no_tests=True))
        elif self._started or self._config:
            self._done.append(Reading(build_errors=self._broken(), started=self._started))


_WHERE = re.compile(r'^File "([^"]{1,500})", line (\d+|\?), in (\S+)$')
_FAILURES = re.compile(r"^\*\*\*Test Failed\*\*\* (\d+) failures?\.$")
_ENDED = re.compile(r"^(\d+) passed(?: and (\d+) failed)?\.$")
_HEADING = re.compile(r"^\d+ items? (had failures|passed all tests|had no tests):$")
_PASSED = re.compile(r"^ *\d+ tests? in (\S+)$")


def _number(line: str) -> int:
    """Return a line's number; 0 for that of an example in ``__test__``, which doctest does not know."""
    return int(line) if line.isdigit() else 0


class DoctestReader:
    """Reads ``python -m doctest``: no output without failures; examples are grouped by object, which it lists
    where it is verbose."""

    def __init__(self) -> None:
        self._cases: dict[str, Case] = {}
        self._current = ""
        self._heading = ""
        self._read = Reading()
        self._passed = 0

    def feed(self, line: str) -> None:
        if match := _WHERE.match(line):
            name = self._current = match[3]
            known = self._cases.get(name)
            if known is None or known.outcome is Outcome.PASSED:  # in a run before this one
                self._cases[name] = Case(name, name, Outcome.FAILED, match[1], _number(match[2]))
            self._read.started = True
        elif line in (
            "Expected:",
            "Got:",
            "Exception raised:",
            "Expected nothing",
            "Failed example:",
            "Trying:",
        ):
            self._heading = line
            self._read.started = True
        elif _FAILURES.match(line):
            self._read.finished, self._read.claims_ok, self._current = True, False, ""
        elif match := _HEADING.match(line):
            self._heading, self._current = match[1], ""
            self._read.complete |= match[1] != "had failures"  # which it lists without -v as well
        elif self._heading == "passed all tests" and (match := _PASSED.match(line)):
            self._cases.setdefault(match[1], Case(match[1], match[1], Outcome.PASSED))
        elif match := _ENDED.match(line):
            self._passed, self._current = int(match[1]), ""
        elif line == "Test passed.":
            self._read.finished, self._read.claims_ok = True, self._read.claims_ok is not False
        elif self._current and line.startswith("    "):
            self._explain(line[4:])

    def _explain(self, text: str) -> None:
        case = self._cases[self._current]
        if self._heading in ("Expected:", "Got:"):
            message = (
                f"{case.message} {self._heading} {text}"
                if self._heading not in case.message
                else case.message
            )
            self._cases[self._current] = replace(case, message=message.strip())
        elif self._heading == "Exception raised:" and text[:1].isalpha() and not text.startswith("Traceback"):
            kind = text.partition(": ")[0]
            if kind.replace(".", "").isidentifier():
                self._cases[self._current] = replace(case, exception=kind, message=text)

    def finish(self) -> Reading:
        self._read.cases = list(self._cases.values())
        self._read.complete &= self._read.finished
        if self._read.claims_ok and self._passed and not self._cases:
            self._read.counts = Counts(self._passed)
        return self._read


ROWS = text_rows(
    r"""
python BehaveReader weight=2 behave
  words    behave
  sign     ^USING RUNNER: behave
  sign     ^\d+ scenarios? passed, \d+ failed,␣
  sign     ^\d+ features? passed, \d+ failed,␣
  sign     ^(?:Failing|Errored) scenarios:$
  sign     ^  Scenario(?: Outline)?: .* # \S+\.feature:\d+$
  begins   USING RUNNER: behave
  ends     \d{1,9} features? passed,␣
python DoctestReader weight=2 doctest
  words    doctest
  sign     ^\*\*\*Test Failed\*\*\* \d+ failures?\.$
  sign     ^(?:Trying|Expecting|Failed example):$
  sign     ^\d+ items? (?:had failures|passed all tests|had no tests):$
  sign     ^\d+ passed and \d+ failed\.$
  sign     ^Test passed\.$
""",
    BehaveReader,
    DoctestReader,
)

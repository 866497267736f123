"""Read the output of cargo nextest: its status lines, and each test's output between them."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, numbers
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading

_STARTING = re.compile(r" {2,12}Starting (?P<number>\d{1,9}) tests? across \d{1,9} binar")
_STATUS = re.compile(
    " {1,16}(?P<status>PASS|FAIL|LEAK|LEAK-FAIL|ABORT|SIG[A-Z]+|TIMEOUT|TMT|XFAIL"
    r"|FLAKY \d{1,9}/\d{1,9}|TRY \d{1,9} [A-Z-]+|FL-FAIL) "
    r"+\[ *[><]?(?P<seconds>\d{1,9}(?:\.\d{1,9})?)s\](?: \( *\d{1,9}/\d{1,9}\))? +(?P<name>.+)$"
)
_SUMMARY = re.compile(
    r" {2,16}Summary \[ *[\d.]+s\] +(?:\d{1,9}/)?(?P<run>\d{1,9}) tests? run: (?P<rest>.*)$"
)
_OUTPUT = re.compile(r"(?:--- STD(?:OUT|ERR): +(?P<name>.+?) ---$| {1,4}(?:stdout|stderr|output) ─)")
_PANIC = re.compile(
    r" *thread '[^']{0,300}'(?: \(\d{1,9}\))? panicked at (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):\d{1,9}:?$"
)
_OF_TRY = re.compile(r"TRY \d{1,9} ")


class Nextest:
    def __init__(self) -> None:
        self.started = False
        self._number = 0
        self._open = 0  # runs without an end yet
        self._counts: Counts | None = None
        self._ok = True
        self._outcomes: dict[str, Outcome] = {}
        self._seconds: dict[str, float] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._blocks: dict[str, Block] = {}
        self._name = ""  # the test that the output is of
        self._in_message = False

    def feed(self, line: str) -> bool:
        """Read a line; True if it is nextest's, or a test's output that nextest shows."""
        if not self.started:
            match = _STARTING.match(line) if "Starting " in line else None
            if match is None:
                return False
            self.started, self._number, self._open = True, int(match["number"]), 1
            return True
        if "Starting " in line and (match := _STARTING.match(line)):
            self._number += int(match["number"])
            self._open += 1
        elif line.startswith("  ") and (match := _STATUS.match(line)):
            self._status(match)
        elif line.startswith("  ") and (match := _SUMMARY.match(line)):
            self._sum(match["rest"])
        elif match := _OUTPUT.match(line):
            self._name = match["name"] or self._name
            self._in_message = False
        elif self._name:
            self._output(line)
        return True

    def _status(self, match: re.Match[str]) -> None:
        status, name = match["status"], match["name"].strip()
        self._name, self._in_message = name, False
        if len(self._outcomes) >= CASE_LIMIT:
            return
        self._seconds[name] = float(match["seconds"])
        status = _OF_TRY.sub("", status)
        good = status in ("PASS", "LEAK", "XFAIL") or status.startswith("FLAKY")
        self._outcomes[name] = Outcome.PASSED if good else Outcome.FAILED

    def _output(self, line: str) -> None:
        match = _PANIC.match(line) if "panicked at" in line else None
        if match and self._name not in self._places:
            self._places[self._name] = (match["file"].strip(), int(match["line"]))
            self._blocks[self._name] = Block()
            self._in_message = True
        elif self._in_message:
            if line.strip().startswith(("note: run with", "stack backtrace")):
                self._in_message = False
            else:
                self._blocks[self._name].add(line.strip())

    def _sum(self, rest: str) -> None:
        totals = numbers(rest)
        failed = totals.get("failed", 0) + totals.get("timed", 0) + totals.get("exec", 0)
        failed += sum(number for key, number in totals.items() if key == "errored")
        counts = Counts(passed=totals.get("passed", 0), failed=failed, skipped=totals.get("skipped", 0))
        self._counts = self._counts.plus(counts) if self._counts else counts
        self._ok &= not failed
        self._open -= 1

    def finish(self) -> Reading:
        cases = [
            Case(
                name.replace(" ", "::"),
                name,
                outcome,
                *self._places.get(name, ("", 0)),
                message=self._blocks[name].text()
                if outcome is Outcome.FAILED and name in self._blocks
                else "",
                seconds=self._seconds.get(name, 0.0),
            )
            for name, outcome in self._outcomes.items()
        ]
        ran = self._counts.total - self._counts.skipped if self._counts else 0
        return Reading(
            counts=self._counts,
            cases=cases,
            started=True,
            finished=self._counts is not None and self._open <= 0,
            claims_ok=self._ok and ran >= self._number if self._counts else None,
            no_tests=self._counts is not None and not ran,
            complete=len(cases) == ran and ran > 0,
        )

"""Read Cucumber's messages, one JSON object a line."""

from __future__ import annotations

import json
from typing import Any

from tdd_orchestrator.model.report import BuildError, Case, Outcome, count_outcomes
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading

_GOOD = frozenset({"PASSED", "SKIPPED"})


class MessageReader:
    """Gives a scenario the outcome of its steps; of several attempts the last counts."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, str]] = {}  # of pickles: name and file
        self._pickles: dict[str, str] = {}  # of test cases
        self._attempts: dict[str, str] = {}  # test cases that have begun
        self._steps: dict[str, list[tuple[str, str]]] = {}
        self._number = dict.fromkeys(Outcome, 0)
        self._bad: list[Case] = []
        self._read = Reading()

    def feed(self, line: str) -> None:
        if not line.startswith('{"'):
            return
        try:
            message = json.loads(line)
            for kind, facts in message.items():
                self._read_message(kind, facts)
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            return

    def _read_message(self, kind: str, facts: dict[str, Any]) -> None:
        if kind == "pickle":
            self._names[facts["id"]] = (str(facts["name"]), str(facts.get("uri") or ""))
        elif kind == "testCase":
            self._pickles[facts["id"]] = facts["pickleId"]
        elif kind == "testRunStarted":
            self._read.started = True
        elif kind == "testCaseStarted":
            self._attempts[facts["id"]] = facts["testCaseId"]
        elif kind == "testStepFinished":
            result = facts["testStepResult"]
            step = (str(result["status"]), str(result.get("message") or ""))
            self._steps.setdefault(facts["testCaseStartedId"], []).append(step)
        elif kind == "testCaseFinished" and not facts.get("willBeRetried"):
            self._ended(facts["testCaseStartedId"])
        elif kind == "parseError":
            self._read.build_errors.append(BuildError(str(facts.get("message") or "")[:2_000]))
        elif kind == "testRunFinished":
            self._read.finished, self._read.claims_ok = True, bool(facts["success"])

    def _ended(self, attempt: str) -> None:
        steps = self._steps.pop(attempt, [])
        name, file = self._names.get(self._pickles.get(self._attempts.pop(attempt, ""), ""), ("", ""))
        failure = next((message or status for status, message in steps if status not in _GOOD), None)
        skipped = any(status == "SKIPPED" for status, _ in steps)
        outcome = Outcome.FAILED if failure is not None else Outcome.SKIPPED if skipped else Outcome.PASSED
        self._number[outcome] += 1
        if failure is not None and len(self._bad) < CASE_LIMIT:
            self._bad.append(Case(f"{file}::{name}", name, outcome, file, message=failure[:2_000]))

    def finish(self) -> Reading:
        number, reading = self._number, self._read
        if reading.finished or any(number.values()):
            reading.counts = count_outcomes(number)
            reading.no_tests = reading.finished and not reading.counts.total and bool(reading.claims_ok)
        reading.cases = self._bad
        return reading


ROWS = text_rows(
    r"""
any MessageReader weight=2 cucumber messages
  sign     ^\{"testCaseFinished":\{
  sign     ^\{"testRunStarted":\{
  sign     ^\{"testRunFinished":\{
  sign     ^\{"parseError":\{
  event    {"testCase  |  {"testStepFinished"  |  {"testRun  |  {"parseError"  |  {"pickle"
""",
    MessageReader,
)

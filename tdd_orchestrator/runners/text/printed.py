"""A report (JSON, JSON lines, XML) that a runner printed on its output, between whatever else there was."""

from __future__ import annotations

import json

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.runners.formats.json_reports import from_json, told
from tdd_orchestrator.runners.formats.junit import read_junit
from tdd_orchestrator.runners.formats.xml import Refused
from tdd_orchestrator.runners.reading import Reading, TextRow, signs, summed

_LIMIT = 32 << 20  # characters held


class JsonOutputReader:
    """Holds the lines from one that opens an object; at each line that may close it, the object is tried."""

    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._held: list[str] = []
        self._size = 0

    def feed(self, line: str) -> None:
        if self._held:
            self._held.append(line)
            self._size += len(line)
            if line.startswith("]" if self._held[0] == "[" else "}"):
                self._try(line)
            elif self._size > _LIMIT:
                self._drop()
        elif line.startswith("{") or line == "[":
            self._held, self._size = [line], len(line)
            if line.rstrip().endswith("}"):
                self._try(line)

    def _try(self, line: str) -> None:
        try:
            found = from_json(json.loads("\n".join(self._held)))
        except (ValueError, RecursionError):
            if len(self._held) == 1:
                self._drop()
            return
        if found:
            self._done.append(found[1])
        self._drop()

    def _drop(self) -> None:
        self._held, self._size = [], 0

    def finish(self) -> Reading:
        if self._held and not self._done and self._size > 200:
            self._done.append(Reading(started=True))
        return summed(self._done) if self._done else Reading()


class MochaStreamReader:
    """Mocha's ``json-stream``: one array a line, closed by ``end``. What it cannot tell, it does not say."""

    def __init__(self) -> None:
        self._cases: list[Case] = []
        self._read = Reading()

    def feed(self, line: str) -> None:
        if not line.startswith('["'):
            return
        try:
            word, facts = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(facts, dict):
            return
        if word == "start":
            self._read.started = True
        elif word in ("pass", "fail"):
            name, file = str(facts.get("fullTitle")), str(facts.get("file") or "")
            outcome = Outcome.PASSED if word == "pass" else Outcome.FAILED
            case = Case(f"{file}::{name}", name, outcome, file, message=str(facts.get("err") or ""))
            self._cases.append(told(case, "", str(facts.get("stack") or "")) if facts.get("stack") else case)
        elif word == "end":
            numbers = [int(facts.get(name) or 0) for name in ("passes", "failures", "pending")]
            self._read.counts = Counts(numbers[0], numbers[1], skipped=numbers[2])
            self._read.finished, self._read.no_tests = True, not sum(numbers)

    def finish(self) -> Reading:
        self._read.cases = self._cases
        return self._read


class XmlOutputReader:
    """JUnit XML on the output (Mocha's xunit, node:test's junit): from its root's opening to its closing."""

    def __init__(self) -> None:
        self._short = ""  # what says that not all tests ran
        self._done: list[Reading] = []
        self._held: list[str] = []
        self._size = 0

    def feed(self, line: str) -> None:
        if not self._held:
            if line.startswith(("<testsuite ", "<testsuites>", "<testsuites ")):
                self._held, self._size = [line], len(line)
            return
        self._held.append(line)
        self._size += len(line)
        if "bats warning: Executed " in line:
            self._short = line.strip()
        root = "</testsuites>" if self._held[0].startswith("<testsuites") else "</testsuite>"
        closed = line.rstrip().endswith(root) and not line.startswith(" ")
        if closed or self._size > _LIMIT:
            self._close()

    def _close(self) -> None:
        document, self._held = "\n".join(self._held), []
        try:
            self._done.append(read_junit(document.encode("utf-8", "replace"))[0])
        except Refused:
            self._done.append(Reading(started=True))

    def finish(self) -> Reading:
        if self._held:
            self._close()
        reading = summed(self._done) if self._done else Reading()
        if not (reading.counts and reading.counts.bad):
            reading.crashed = reading.crashed or self._short
        return reading


ROWS = (
    TextRow(
        "mocha json-stream",
        "javascript",
        MochaStreamReader,
        signs(r'^\["(?:start|end)",\{"(?:total|suites)":', r'^\["(?:pass|fail)",\{"title":'),
        weight=2,
    ),
    TextRow(
        "xml",
        "any",
        XmlOutputReader,
        signs(r"^<testsuites?[ >]", r"^\s*<testcase ", r"^</testsuites?>"),
        weight=1,
    ),
    TextRow(
        "json",
        "any",
        JsonOutputReader,
        signs(
            r'^\{"(?:numFailedTestSuites|numTotalTestSuites|stats|config|results)":',
            r'^  "(?:stats|numTotalTests|numFailedTests|testResults|suites|results|failures|tests)": ',
            r'^\{"version":"[\d.]{1,20}\w{0,20}","(?:messages|examples)":\[',  # RSpec
            r'^\{"(?:duration|errors|successes|failures|pendings)":(?:\d|\[|\{)',  # busted
            r'^  "id": "Criterion v\d',
            r'^ {4,12}"keyword": "(?:Feature|Scenario|Scenario Outline)",$',  # Cucumber
        ),
        weight=1,
    ),
)

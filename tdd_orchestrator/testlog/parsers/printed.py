"""Read a report (JSON, JSON lines, XML) that a runner printed among other output."""

from __future__ import annotations

import json
import re

from tdd_orchestrator.testlog.formats.json_reports import from_json
from tdd_orchestrator.testlog.formats.junit import ROOTS
from tdd_orchestrator.testlog.formats.xml import Refused
from tdd_orchestrator.testlog.formats.xml_tables import FORMATS, read_xml
from tdd_orchestrator.testlog.reading import Reading, TextRow, signs, summed

_LIMIT = 32 << 20  # characters of a report
_BLANK = re.compile(r"[ \t]*")

_DECODER = json.JSONDecoder()
_HEAD = 20  # lines of an object by which a report is known
_REPORTS = signs(
    r'^\{"(?:numFailedTestSuites|numTotalTestSuites|stats|config|results)":',
    r'^  "(?:stats|numTotalTests|numFailedTests|testResults|suites|results|failures|tests)": ',
    r'^\{"version":"[\d.]{1,20}\w{0,20}","(?:messages|examples)":\[',  # RSpec
    r'^\{"(?:duration|errors|successes|failures|pendings)":(?:\d|\[|\{)',  # busted
    r'^  "id": "Criterion v\d',
    r'^ {4,12}"keyword": "(?:Feature|Scenario|Scenario Outline)",$',  # Cucumber
)


class JsonOutputReader:
    """Collects lines from one that opens an object, and tries to parse it at each closing line.

    Other output, or another report, may follow on the object's last line.
    """

    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._lines: list[str] = []
        self._size = 0
        self._next = 0  # the size of the next try: twice the last one, so that all tries are linear

    def feed(self, line: str) -> None:
        if self._lines:
            self._lines.append(line)
            self._size += len(line)
            if self._size > _LIMIT:
                self._drop()
            elif self._size >= self._next and line.startswith("]" if self._lines[0] == "[" else "}"):
                self._try()
        elif line.startswith("{") or line == "[":
            self._lines, self._size = [line], len(line)
            if "}" in line:
                self._try()

    def _try(self) -> None:
        text, at = "\n".join(self._lines), 0
        try:
            while text.startswith(("{", "["), at):
                value, end = _DECODER.raw_decode(text, at)
                if found := from_json(value):
                    self._done.append(found[1])
                at = _BLANK.match(text, end).end()  # type: ignore[union-attr]
        except (ValueError, RecursionError):
            if not at:
                self._next = 2 * self._size
                if len(self._lines) == 1 and text.rstrip().endswith("}"):
                    self._drop()
                return
        self._drop()
        for line in text[at:].split("\n"):
            self.feed(line)

    def _drop(self) -> None:
        self._lines, self._size, self._next = [], 0, 0

    def _is_report(self) -> bool:
        """Whether the lines that were collected begin a known report."""
        return any(sign.search(line) for line in self._lines[:_HEAD] for sign in _REPORTS)

    def finish(self) -> Reading:
        if self._next:
            self._try()
        if self._lines and self._size > 200 and (not self._done or self._is_report()):
            self._done.append(Reading(started=True))
        return summed(self._done)


_ROOTS = "|".join(sorted(ROOTS.union(*(form.roots for form in FORMATS))))
_TESTS = "|".join(sorted({"testcase"}.union(tests.tag for form in FORMATS for tests in form.tests)))
_OPEN = re.compile(rf"<({_ROOTS})[\s>]")
_PRINTED = re.compile(r"^(?!\s*<)[^\n]*?$", re.MULTILINE)  # a line that no element begins
_RAW = re.compile(r"<(?!/\w|!\[CDATA\[)|&(?!#?\w{1,12};)")


class XmlOutputReader:
    """Collects a printed report (Mocha's xunit, node:test's junit, Catch2's xml) between its root's tags."""

    def __init__(self) -> None:
        self._short = ""  # the line that says that not all tests ran
        self._done: list[Reading] = []
        self._lines: list[str] = []
        self._close = ""  # the closing of the root that is open
        self._size = 0

    def feed(self, line: str) -> None:
        if not self._lines:
            found = _OPEN.match(line)
            if found is None:
                return
            self._close, self._size = f"</{found[1]}>", 0
        self._lines.append(line)
        self._size += len(line)
        if "bats warning: Executed " in line:
            self._short = line.strip()
        if line.startswith(self._close) or self._closes(line):
            self._lines[-1] = line[: line.rindex(self._close) + len(self._close)]
            self._read()
        elif self._size > _LIMIT:
            self._read()

    def _closes(self, line: str) -> bool:
        if len(self._lines) == 1:
            return self._close in line  # all of it is one line, and what others print may stand behind it
        return not line.startswith(" ") and line.rstrip().endswith(self._close)

    def _read(self) -> None:
        document, self._lines = "\n".join(self._lines), []
        reading = _read_xml(document)
        if not reading.finished:  # perhaps because of what a test printed in between
            plain = _PRINTED.sub(lambda line: _RAW.sub(" ", line[0]), document)
            reading = _read_xml(plain) if plain != document else reading
        if reading.started:
            self._done.append(reading)

    def finish(self) -> Reading:
        if self._lines:
            self._read()
        reading = summed(self._done)
        if not (reading.counts and reading.counts.bad):
            reading.crashed = reading.crashed or self._short
        return reading


def _read_xml(document: str) -> Reading:
    source = document.encode("utf-8", "replace")
    try:
        found = read_xml(source, source[:8_192])
    except Refused:
        return Reading(started=True)
    return found[0] if found else Reading()


ROWS = (
    TextRow(
        "xml",
        "any",
        XmlOutputReader,
        signs(rf"^<(?:{_ROOTS})[ >]", rf"^\s*<(?:{_TESTS})[ >]", rf"^</(?:{_ROOTS})>"),
        weight=1,
        document=True,
    ),
    TextRow("json", "any", JsonOutputReader, _REPORTS, weight=1, document=True),
)

"""Read TeamCity's service messages: ``##teamcity[testFailed name='x' message='y']``.

They have no counts: tests are counted as they end. A run is complete when every suite that began has
ended; without suites, when the announced number of tests (``testCount``) has ended.
"""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome, count_outcomes
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import CASE_LIMIT, DETAIL_LIMIT, Reading

_MESSAGE = re.compile(r"\s{0,40}##teamcity\[(\w{1,40}) (.*)\]$")
_FIELD = re.compile(r"(\w{1,40}) ?= ?'((?:[^'|]|\|.)*)'")
_ESCAPED = re.compile(r"\|(0x[0-9A-Fa-f]{4}|.)")
_LETTERS = {"n": "\n", "r": "\r", "x": "\x85", "l": "\u2028", "p": "\u2029"}


class TeamCityReader:
    def __init__(self) -> None:
        self._suites: list[str] = []
        self._any_suite = False
        self._open: dict[str, Outcome] = {}
        self._bad: list[Case] = []
        self._number = dict.fromkeys(Outcome, 0)
        self._announced = -1
        self._began = 0
        self._started = False

    def feed(self, line: str) -> None:
        if "##teamcity[" in line and (match := _MESSAGE.match(line)):
            self._read_message(match[1], {name: _plain(text) for name, text in _FIELD.findall(match[2])})

    def _read_message(self, kind: str, fields: dict[str, str]) -> None:
        name = fields.get("name", "")
        key = f"{fields.get('flowId', '')} {name}"
        if kind == "testCount" and fields.get("count", "").isdigit():
            self._announced = max(0, self._announced) + int(fields["count"][:9])
            self._started = True
        elif kind == "testSuiteStarted":
            self._suites.append(name)
            self._any_suite = self._started = True
        elif kind == "testSuiteFinished" and self._suites:
            self._suites.pop()
        elif kind == "testStarted":
            self._began += 1
            self._open[key], self._started = Outcome.PASSED, True
        elif kind in ("testFailed", "testIgnored"):
            self._settle(kind, key, fields)
        elif kind == "testFinished" and key in self._open:
            self._number[self._open.pop(key)] += 1

    def _settle(self, kind: str, key: str, fields: dict[str, str]) -> None:
        self._started = True
        loose = key not in self._open  # some print no start of a skipped test
        failed = kind == "testFailed"
        if failed and self._open.get(key) is not Outcome.FAILED and len(self._bad) < CASE_LIMIT:
            name = fields.get("name", "")
            detail = fields.get("details", "")[:DETAIL_LIMIT]
            case = Case(f"{' > '.join(self._suites)}::{name}", name, Outcome.FAILED)
            self._bad.append(
                Case(case.id, name, case.outcome, message=fields.get("message", "").strip(), detail=detail)
            )
        outcome = Outcome.FAILED if failed else Outcome.SKIPPED
        if loose:
            self._number[outcome] += 1
        elif self._open[key] is not Outcome.FAILED:
            self._open[key] = outcome

    def finish(self) -> Reading:
        counts = count_outcomes(self._number)
        ended = counts.total
        over = not self._open and not self._suites
        whole = self._any_suite or ended >= self._announced >= 0
        reading = Reading(counts if ended else None, self._bad, started=self._started)
        if self._started and over and whole:
            reading.counts, reading.finished, reading.no_tests = counts, True, not ended
        return reading


def _plain(text: str) -> str:
    return _ESCAPED.sub(_letter, text) if "|" in text else text


def _letter(match: re.Match[str]) -> str:
    mark = match[1]
    return chr(int(mark, 16)) if len(mark) > 1 else _LETTERS.get(mark, mark)


ROWS = text_rows(
    r"""
any TeamCityReader weight=2 teamcity
  sign     ^\s{0,40}##teamcity\[test(?:Started|Finished)␣
  sign     ^\s{0,40}##teamcity\[test(?:Failed|Ignored)␣
  sign     ^\s{0,40}##teamcity\[testSuite(?:Started|Finished)␣
  sign     ^\s{0,40}##teamcity\[testCount␣
  event    ##teamcity[
""",
    TeamCityReader,
)

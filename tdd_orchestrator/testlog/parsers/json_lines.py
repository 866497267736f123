"""Read event streams of one JSON value a line: Mocha's json-stream, node-tap's jsonstream, Japa's ndjson."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, Outcome, count_outcomes
from tdd_orchestrator.testlog.formats.json_reports import explain_case
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import BAD_LIMIT, CASE_LIMIT, Reading

Facts = dict[str, Any]
_MOST = 10**9  # larger numbers are no counts


@dataclass(frozen=True, slots=True)
class Stream:
    """The table entry of a stream. ``line``: how its lines begin.

    Each function takes a line's event name and its facts: ``starts`` and ``ends`` say whether a run
    begins or ends, ``case`` returns a test that ended, ``fault`` a failure outside tests, ``counts``
    the totals in the run's last line, if it has them.
    """

    line: str
    starts: Callable[[str, Facts], bool]
    ends: Callable[[str, Facts], bool]
    case: Callable[[str, Facts], Case | None]
    counts: Callable[[Facts], Counts] | None = None
    fault: Callable[[str, Facts], str] = lambda event, facts: ""


class StreamReader:
    form: Stream

    def __init__(self) -> None:
        self._cases: list[Case] = []
        self._number = dict.fromkeys(Outcome, 0)
        self._stated = Counts()
        self._reading = Reading()

    def feed(self, line: str) -> None:
        if not line.startswith(self.form.line):
            return
        try:
            value = json.loads(line)
            event, facts = value if isinstance(value, list) else (str(value.get("event", "")), value)
            self._read_event(event, facts)
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            return

    def _read_event(self, event: str, facts: Facts) -> None:
        reading, form = self._reading, self.form
        if form.starts(event, facts):
            reading.started, reading.finished = True, False
        case = form.case(event, facts)
        if case is not None:
            self._number[case.outcome] += 1
            if len(self._cases) < (BAD_LIMIT if case.outcome in BAD else CASE_LIMIT):
                self._cases.append(case)
        if fault := form.fault(event, facts):
            reading.build_errors.append(BuildError(fault[:2_000]))
        if form.ends(event, facts):
            self._stated = self._stated.plus(form.counts(facts)) if form.counts else self._stated
            reading.finished = True
        if facts.get("hasError") is True or (event == "end" and facts.get("ok") is False):
            reading.claims_ok = False

    def finish(self) -> Reading:
        reading, number = self._reading, self._number
        reading.cases = self._cases
        reading.started |= bool(self._cases)
        if reading.finished:
            reading.counts = self._stated if self.form.counts else count_outcomes(number)
            reading.no_tests = not reading.counts.total and reading.claims_ok is not False
        return reading


def _number(facts: Facts, *names: str) -> int:
    return sum(_count(facts.get(name, 0)) for name in names)


def _count(value: object) -> int:
    """Return the value as a count. Raises ValueError if it is none: then the line is not the runner's."""
    if type(value) is not int or not 0 <= value < _MOST:
        raise ValueError(value)
    return value


def _made(name: str, file: str, outcome: Outcome, text: str = "", stack: str = "") -> Case:
    case = Case(f"{file}::{name}" if file else name, name, outcome, file, message=text)
    return explain_case(case, text, stack) if stack else case


def _mocha_case(event: str, facts: Facts) -> Case | None:
    if event not in ("pass", "fail"):
        return None
    outcome = Outcome.PASSED if event == "pass" else Outcome.FAILED
    text, stack = str(facts.get("err") or ""), str(facts.get("stack") or "")
    return _made(str(facts.get("fullTitle")), str(facts.get("file") or ""), outcome, text, stack)


def _mocha_counts(facts: Facts) -> Counts:
    return Counts(_number(facts, "passes"), _number(facts, "failures"), skipped=_number(facts, "pending"))


_POINTS = {"pass": Outcome.PASSED, "fail": Outcome.FAILED, "skip": Outcome.SKIPPED, "todo": Outcome.SKIPPED}


def _tap_case(event: str, facts: Facts) -> Case | None:
    if event not in _POINTS:
        return None
    diagnosis = facts.get("diag") or {}
    file, _, _ = str(facts["fullname"]).partition(" > ")
    stack = "".join(f"at {line}\n" for line in str(diagnosis.get("stack") or "").splitlines())
    case = _made(
        str(facts["fullname"]), "", _POINTS[event], str(facts["name"]), stack if event == "fail" else ""
    )
    return replace(case, file=case.file or file)


def _tap_fault(event: str, facts: Facts) -> str:
    """Return the failure of a file or test without failed assertions: not loaded, or a bad exit code."""
    alone = event == "end" and facts.get("ok") is False and not facts.get("failures")
    return f"{facts.get('name')}: exit code {(facts.get('diag') or {}).get('exitCode')}" if alone else ""


def _japa_case(event: str, facts: Facts) -> Case | None:
    if event != "test:end":
        return None
    errors = facts.get("errors") or []
    left_out = facts.get("isSkipped") or facts.get("isTodo")
    outcome = Outcome.FAILED if errors else Outcome.SKIPPED if left_out else Outcome.PASSED
    error = errors[0].get("error") if errors else {}
    name = str(facts["title"].get("expanded") or facts["title"].get("original"))
    text, stack = str(error.get("message") or ""), str(error.get("stack") or "")
    return _made(name, str(facts.get("relativePath") or ""), outcome, text, stack)


def _japa_fault(event: str, facts: Facts) -> str:
    """Return the error of a suite's or group's hook, which belongs to no test."""
    errors = (facts.get("errors") or []) if event in ("suite:end", "group:end") else []
    return str(errors[0]["error"].get("message") or event) if errors else ""


def _japa_counts(facts: Facts) -> Counts:
    total = facts["aggregates"]
    passed, failed, skipped, broken = (
        _number(total, "passed"),
        _number(total, "failed"),
        _number(total, "skipped", "todo"),
        _number(total, "regression"),
    )
    return Counts(passed, failed, skipped=skipped, xfailed=broken)


class MochaStream(StreamReader):
    form = Stream(
        '["',
        starts=lambda event, facts: event == "start",
        ends=lambda event, facts: event == "end",
        case=_mocha_case,
        counts=_mocha_counts,
    )


class TapStream(StreamReader):
    form = Stream(
        '["',
        starts=lambda event, facts: event == "start" and facts["level"] == 0,
        ends=lambda event, facts: event == "end" and facts["level"] == 0,
        case=_tap_case,
        fault=_tap_fault,
    )


class JapaStream(StreamReader):
    form = Stream(
        '{"',
        starts=lambda event, facts: event == "suite:start",
        ends=lambda event, facts: isinstance(facts.get("aggregates"), dict),
        case=_japa_case,
        counts=_japa_counts,
        fault=_japa_fault,
    )


ROWS = text_rows(
    r"""
javascript MochaStream weight=2 mocha json-stream
  sign     ^\["(?:start|end)",\{"(?:total|suites)":
  sign     ^\["(?:pass|fail)",\{"title":
  event    ["
  begins   \["start",\{"total":
  ends     \["end",\{"suites":
javascript TapStream weight=2 node-tap jsonstream
  sign     ^\["(?:start|end)",\{"name":".{0,400}?"level":\d
  sign     ^\["(?:pass|fail|skip|todo)",\{"ok":
  event    ["
  begins   \["start",\{"name":"TAP Tests","level":0
  ends     \["end",\{"name":"TAP Tests","level":0
javascript JapaStream weight=2 japa ndjson
  sign     ^\{"event":"(?:suite|group|test):(?:start|end)",
  sign     ^\{"aggregates":\{"total":\d
  event    {"event":"  |  {"aggregates":
""",
    MochaStream,
    TapStream,
    JapaStream,
)

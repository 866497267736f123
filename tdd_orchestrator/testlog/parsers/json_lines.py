"""Runs told as they go, one JSON value a line: Mocha's json-stream, node-tap's jsonstream, Japa's ndjson."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.formats.json_reports import told
from tdd_orchestrator.testlog.reading import (
    BAD_LIMIT,
    CASE_LIMIT,
    LineReader,
    Reading,
    TextRow,
    events,
    signs,
    whole,
)

Facts = dict[str, Any]
_MOST = 10**9  # tests; numbers from here on are no counts


@dataclass(frozen=True, slots=True)
class Stream:
    """``line``: how its lines begin. Each function is given a line's word and its facts: ``starts`` whether a
    run begins, ``ends`` whether it is over, ``case`` a test that ended, ``fault`` what failed beside tests,
    ``counts`` the numbers of the run in its last line, where it tells them."""

    line: str
    starts: Callable[[str, Facts], bool]
    ends: Callable[[str, Facts], bool]
    case: Callable[[str, Facts], Case | None]
    counts: Callable[[Facts], Counts] | None = None
    fault: Callable[[str, Facts], str] = lambda word, facts: ""


class StreamReader:
    form: Stream

    def __init__(self) -> None:
        self._cases: list[Case] = []
        self._number = dict.fromkeys(Outcome, 0)
        self._told = Counts()
        self._read = Reading()

    def feed(self, line: str) -> None:
        if not line.startswith(self.form.line):
            return
        try:
            value = json.loads(line)
            word, facts = value if isinstance(value, list) else (str(value.get("event", "")), value)
            self._hear(word, facts)
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            return

    def _hear(self, word: str, facts: Facts) -> None:
        reading, form = self._read, self.form
        if form.starts(word, facts):
            reading.started, reading.finished = True, False
        case = form.case(word, facts)
        if case is not None:
            self._number[case.outcome] += 1
            if len(self._cases) < (BAD_LIMIT if case.outcome in BAD else CASE_LIMIT):
                self._cases.append(case)
        if fault := form.fault(word, facts):
            reading.build_errors.append(BuildError(fault[:2_000]))
        if form.ends(word, facts):
            self._told = self._told.plus(form.counts(facts)) if form.counts else self._told
            reading.finished = True
        if facts.get("hasError") is True or (word == "end" and facts.get("ok") is False):
            reading.claims_ok = False

    def finish(self) -> Reading:
        reading, number = self._read, self._number
        reading.cases = self._cases
        reading.started |= bool(self._cases)
        if reading.finished:
            listed = Counts(number[Outcome.PASSED], number[Outcome.FAILED], 0, number[Outcome.SKIPPED])
            reading.counts = self._told if self.form.counts else listed
            reading.no_tests = not reading.counts.total and reading.claims_ok is not False
        return reading


def stream(form: Stream) -> Callable[[], LineReader]:
    """A reader for the form."""
    return type("Stream", (StreamReader,), {"form": form})


def _number(facts: Facts, *names: str) -> int:
    return sum(_count(facts.get(name, 0)) for name in names)


def _count(value: object) -> int:
    """Raises ValueError where it is none: a line that has such is not the runner's own."""
    if type(value) is not int or not 0 <= value < _MOST:
        raise ValueError(value)
    return value


def _made(name: str, file: str, outcome: Outcome, text: str = "", stack: str = "") -> Case:
    case = Case(f"{file}::{name}" if file else name, name, outcome, file, message=text)
    return told(case, text, stack) if stack else case


def _mocha_case(word: str, facts: Facts) -> Case | None:
    if word not in ("pass", "fail"):
        return None
    outcome = Outcome.PASSED if word == "pass" else Outcome.FAILED
    text, stack = str(facts.get("err") or ""), str(facts.get("stack") or "")
    return _made(str(facts.get("fullTitle")), str(facts.get("file") or ""), outcome, text, stack)


def _mocha_counts(facts: Facts) -> Counts:
    return Counts(_number(facts, "passes"), _number(facts, "failures"), skipped=_number(facts, "pending"))


_POINTS = {"pass": Outcome.PASSED, "fail": Outcome.FAILED, "skip": Outcome.SKIPPED, "todo": Outcome.SKIPPED}


def _tap_case(word: str, facts: Facts) -> Case | None:
    if word not in _POINTS:
        return None
    diagnosis = facts.get("diag") or {}
    file, _, _ = str(facts["fullname"]).partition(" > ")
    stack = "".join(f"at {line}\n" for line in str(diagnosis.get("stack") or "").splitlines())
    case = _made(
        str(facts["fullname"]), "", _POINTS[word], str(facts["name"]), stack if word == "fail" else ""
    )
    return replace(case, file=case.file or file)


def _tap_fault(word: str, facts: Facts) -> str:
    """A file or a test that failed by itself: it could not be loaded, or its process ended badly."""
    alone = word == "end" and facts.get("ok") is False and not facts.get("failures")
    return f"{facts.get('name')}: exit code {(facts.get('diag') or {}).get('exitCode')}" if alone else ""


def _japa_case(word: str, facts: Facts) -> Case | None:
    if word != "test:end":
        return None
    errors = facts.get("errors") or []
    left_out = facts.get("isSkipped") or facts.get("isTodo")
    outcome = Outcome.FAILED if errors else Outcome.SKIPPED if left_out else Outcome.PASSED
    error = errors[0].get("error") if errors else {}
    name = str(facts["title"].get("expanded") or facts["title"].get("original"))
    text, stack = str(error.get("message") or ""), str(error.get("stack") or "")
    return _made(name, str(facts.get("relativePath") or ""), outcome, text, stack)


def _japa_fault(word: str, facts: Facts) -> str:
    """Hooks of a suite or a group; their errors have no test."""
    errors = (facts.get("errors") or []) if word in ("suite:end", "group:end") else []
    return str(errors[0]["error"].get("message") or word) if errors else ""


def _japa_counts(facts: Facts) -> Counts:
    total = facts["aggregates"]
    passed, failed, skipped, broken = (
        _number(total, "passed"),
        _number(total, "failed"),
        _number(total, "skipped", "todo"),
        _number(total, "regression"),
    )
    return Counts(passed, failed, skipped=skipped, xfailed=broken)


ROWS = (
    TextRow(
        "mocha json-stream",
        "javascript",
        stream(
            Stream(
                '["',
                starts=lambda word, facts: word == "start",
                ends=lambda word, facts: word == "end",
                case=_mocha_case,
                counts=_mocha_counts,
            )
        ),
        signs(r'^\["(?:start|end)",\{"(?:total|suites)":', r'^\["(?:pass|fail)",\{"title":'),
        weight=2,
        events=events('["'),
        whole=whole(begins=r'\["start",\{"total":', ends=r'\["end",\{"suites":'),
    ),
    TextRow(
        "node-tap jsonstream",
        "javascript",
        stream(
            Stream(
                '["',
                starts=lambda word, facts: word == "start" and facts["level"] == 0,
                ends=lambda word, facts: word == "end" and facts["level"] == 0,
                case=_tap_case,
                fault=_tap_fault,
            )
        ),
        signs(r'^\["(?:start|end)",\{"name":".{0,400}?"level":\d', r'^\["(?:pass|fail|skip|todo)",\{"ok":'),
        weight=2,
        events=events('["'),
        whole=whole(
            begins=r'\["start",\{"name":"TAP Tests","level":0', ends=r'\["end",\{"name":"TAP Tests","level":0'
        ),
    ),
    TextRow(
        "japa ndjson",
        "javascript",
        stream(
            Stream(
                '{"',
                starts=lambda word, facts: word == "suite:start",
                ends=lambda word, facts: isinstance(facts.get("aggregates"), dict),
                case=_japa_case,
                counts=_japa_counts,
                fault=_japa_fault,
            )
        ),
        signs(r'^\{"event":"(?:suite|group|test):(?:start|end)",', r'^\{"aggregates":\{"total":\d'),
        weight=2,
        events=events('{"event":"', '{"aggregates":'),
    ),
)

"""The tests of tape and its kin, whose points are assertions: a comment above them names the test."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.js_trace import JsTrace
from tdd_orchestrator.testlog.parsers.tap_point import Point, explained
from tdd_orchestrator.testlog.reading import BAD_LIMIT, CASE_LIMIT

_LEFT_OUT = re.compile(r"(?:SKIP|TODO) (.+)")
_EXITED = "test exited without ending: "


@dataclass(slots=True)
class _Test:
    title: str
    outcome: Outcome | None = None  # None: no point was seen
    failed: Point | None = None  # the first one


class TitledTests:
    """Collect points under the comments above them. ``used``: whether they are tests at all, which shows
    at the first point: one that a title precedes, in a run with a version and without a plan before it."""

    def __init__(self) -> None:
        self.used: bool | None = None
        self._open = _Test("")
        self._tests: list[_Test] = []
        self._unnamed = Counts()

    def title(self, text: str) -> None:
        if self.used is False:
            return
        self._close()
        left_out = _LEFT_OUT.fullmatch(text)
        self._open = _Test(left_out[1] if left_out else text, Outcome.SKIPPED if left_out else None)

    def begin(self, *, titled: bool) -> None:
        """Decide, at the first point, whether titles name tests."""
        if self.used is None:
            self.used = titled and bool(self._open.title)

    def add(self, point: Point) -> None:
        name = point.case.name
        if name.startswith(_EXITED) and name.removeprefix(_EXITED) != self._open.title:
            return  # it never began
        outcome = point.case.outcome
        self.count(_counted(outcome))
        if outcome is Outcome.FAILED and self._open.failed is None:
            self._open.failed = point

    def count(self, assertions: Counts) -> None:
        """Add assertions to the test that is open: it is as good as the worst that was not skipped."""
        test = self._open
        if assertions.failed or test.outcome is Outcome.FAILED:
            test.outcome = Outcome.FAILED
        elif assertions.passed or test.outcome is Outcome.PASSED:
            test.outcome = Outcome.PASSED
        elif assertions.skipped:
            test.outcome = Outcome.SKIPPED

    def _close(self) -> None:
        """Keep the open test, or count it where very many are kept."""
        test = self._open
        if test.outcome is None:
            return
        limit = BAD_LIMIT if test.outcome is Outcome.FAILED else CASE_LIMIT
        if len(self._tests) < limit:
            self._tests.append(test)
        else:
            self._unnamed = self._unnamed.plus(_counted(test.outcome))

    def results(self, thrown: JsTrace) -> tuple[list[Case], Counts]:
        """Return the tests as cases, and their counts. ``thrown``: what was printed outside the points."""
        self._close()
        self._open = _Test("")
        counts = _counted(*(test.outcome for test in self._tests)).plus(self._unnamed)
        return [_case(test, thrown) for test in self._tests], counts


def _counted(*outcomes: Outcome | None) -> Counts:
    number = Counter(outcomes)
    return Counts(number[Outcome.PASSED], number[Outcome.FAILED], skipped=number[Outcome.SKIPPED])


def _case(test: _Test, thrown: JsTrace) -> Case:
    case = Case(test.title, test.title, test.outcome or Outcome.PASSED)
    if test.failed is None:
        return case
    point, name = test.failed, test.failed.case.name
    if name.startswith(_EXITED):
        return thrown.explain(replace(case, message=name))
    found = explained(point)
    message = found.message if found.message in ("", name) else f"{name}: {found.message}"
    lines = [f"{key}: {point.yaml[key]}" for key in ("operator", "expected", "actual") if key in point.yaml]
    return replace(
        case,
        message=message or name,
        exception=found.exception or "AssertionError",
        file=found.file,
        line=found.line,
        detail="\n".join([*lines, point.yaml.get("stack", ""), found.detail]).strip(),
    )

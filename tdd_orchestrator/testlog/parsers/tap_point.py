"""Test points of TAP: words, YAML blocks and numbers, and the titles that tape and its kin print above them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace

from tdd_orchestrator.model.report import Case, Counts, Outcome, count_outcomes
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import BAD_LIMIT, CASE_LIMIT

_DIRECTIVE = re.compile(r"(?:^| )# ?(skip|todo)\w*\b ?(.*)$", re.IGNORECASE)
_TIME = re.compile(r" # time=\d[\d.]*m?s$")
_GROUP = re.compile(r"(?: # time=\d[\d.]*m?s)? \{$")  # Vitest: its points come after it, to a brace
_PLACE = re.compile(
    r"\s*\(?(?:from function [`'].{1,200}?' )?in (?P<test>test )?file (?P<file>\S{1,300}), line "
    r"(?P<line>\d{1,7})[,)]"
)
_WORDS_LIMIT = 20


class Diagnosis(JsTrace):
    """The lines below a point. Those of bats begin with where it failed; all that come after the place say
    why."""

    def __init__(self) -> None:
        super().__init__()
        self._places: list[str] = []
        self._why: list[str] = []

    def feed(self, line: str) -> None:
        place = _PLACE.match(line) if not self._message and not self._why else None
        if place:
            self._places.append(line.strip())
            if place["test"]:
                self.file, self.line = place["file"], int(place["line"])
        elif not self._places:
            super().feed(line)
        elif line.strip() and len(self._why) < _WORDS_LIMIT:
            self._why.append(line.strip()[:500])

    def explain(self, case: Case) -> Case:
        if not self._places:
            return super().explain(case)
        said, place = "\n".join(self._why), "\n".join(self._places)
        return replace(
            case, message=said or place, detail=f"{place}\n{said}".strip(), file=self.file, line=self.line
        )


@dataclass(slots=True)
class Point:
    case: Case
    depth: int
    group: bool = False
    yaml: dict[str, str] = field(default_factory=dict)
    children: int = 0  # points one level deeper that belong to it
    inner: Point | None = None  # the first red one among them
    _trace: Diagnosis | None = field(default=None, init=False)

    @property
    def bare(self) -> bool:
        """Whether no line below it was read."""
        return self._trace is None

    @property
    def trace(self) -> Diagnosis:
        """The lines below it: made when asked for, since most points have passed."""
        if self._trace is None:
            self._trace = Diagnosis()
        return self._trace


def died(point: Point) -> bool:
    """A red file without a red test: it ended in the middle."""
    if point.case.outcome is not Outcome.FAILED:
        return False
    return point.inner is None or point.inner.depth > point.depth + 4


def is_group(text: str) -> bool:
    return text[-1:] == "{" and bool(_GROUP.search(text))


def words(text: str) -> str:
    """What a point is called, without its time and a group's brace. Most have neither, and are not
    searched."""
    if "#" in text:
        text = _TIME.sub("", text)
    return _GROUP.sub("", text) if text[-1:] == "{" else text


def outcome_and_name(failed: bool, text: str) -> tuple[Outcome, str]:
    directive = _DIRECTIVE.search(text) if "#" in text else None
    name = text[: directive.start()] if directive else text
    name = name.strip().replace("\\#", "#")
    if directive:
        return Outcome.SKIPPED, name
    return (Outcome.FAILED if failed else Outcome.PASSED), name


def explained(point: Point) -> Case:
    """The message, type and place from the YAML block, or from the lines below the point."""
    if point.case.outcome is not Outcome.FAILED:
        return point.case
    while point.inner is not None:
        name, point = point.case, point.inner
        point.case = replace(point.case, id=name.id, name=name.name, message=point.case.name)
    yaml = point.yaml
    if not yaml and point.bare:
        return point.case
    trace = JsTrace()
    said = yaml.get("error") or yaml.get("message") or ""
    if not said and "expected" in yaml:
        said = f"expected: {yaml['expected']} actual: {yaml.get('actual', '')}"
    case = point.trace.explain(point.case)
    if not yaml:
        return case
    for frame in yaml.get("stack", "").split("\n"):
        trace.feed("at " + frame.removeprefix("at "))
    place = JsTrace()
    place.feed("at " + (yaml.get("at") or yaml.get("location") or ""))
    fields = dict(part.split(": ", 1) for part in yaml.get("at", "").split("\n") if ": " in part)
    line = int(fields["lineNumber"]) if fields.get("lineNumber", "").isdigit() else 0
    return replace(
        case,
        message=said or point.trace.message or yaml.get("diff", "") or point.case.message,
        exception=yaml.get("name") or yaml.get("type") or case.exception,
        file=fields.get("fileName") or trace.file or place.file or case.file,
        line=line or trace.line or place.line or case.line,
    )


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
    return count_outcomes(filter(None, outcomes))


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


class Numbers:
    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []  # of the same stretches, which neither overlap nor touch, in order

    def add(self, first: int, last: int) -> int:
        """How many of the numbers from ``first`` to ``last`` are new."""
        if self._ends and first == self._ends[-1] + 1:  # as it mostly is
            self._ends[-1] = last
            return last - first + 1
        low, high = bisect_left(self._ends, first - 1), bisect_right(self._starts, last + 1)
        starts, ends = self._starts[low:high], self._ends[low:high]
        known = sum(
            max(0, min(end, last) - max(start, first) + 1) for start, end in zip(starts, ends, strict=True)
        )
        self._starts[low:high] = [min([first, *starts])]
        self._ends[low:high] = [max([last, *ends])]
        return last - first + 1 - known

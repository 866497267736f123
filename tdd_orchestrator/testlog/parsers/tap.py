"""TAP, versions 12 to 14, as raw producers, node:test, tap, tape, AVA, Mocha and QUnit print it.

Points are counted by the totals in the closing comments where there are any, else by themselves. A number
that came before is another's output, unless it brings bad news.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome, count
from tdd_orchestrator.testlog.parsers.js_node import is_test_file
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.tap_point import (
    Numbers,
    Point,
    TitledTests,
    died,
    explained,
    is_group,
    outcome_and_name,
    words,
)
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.parsers.whole import UNREPORTED
from tdd_orchestrator.testlog.reading import BAD_LIMIT, CASE_LIMIT, Passed, Reading, Runs, results

_POINT = re.compile(r"^( *)(not )?ok\b(?: {1,5}(\d{1,9}))?(?: -)?(?:[ \t](.*))?$")
_PLAN = re.compile(r"^( *)1\.\.(\d{1,9})(?: *# ?(.*))?$")
_TOTAL = re.compile(
    r"^# (tests|suites|pass|passed|fail|failed|cancelled|skipped|skip|todo|duration_ms) +(\d{1,9})"
)
_UNLOADED = "setup_file failed"  # bats: a file that does not load, or whose set-up does not end
_NOTHING = re.compile(r"Bail out! Error: No tests (?:were run|matched )")
_SUBTEST = re.compile(r"^ *# Subtest: ")
_KEY = re.compile(r"^ *([A-Za-z_]\w*): *(.*)$")


@dataclass(slots=True)
class _Level:
    """One level of nesting: its plan, the numbers it has had, whether one of its points failed."""

    depth: int
    plan: int = -1
    points: int = 0
    numbers: Numbers = field(default_factory=Numbers)
    ended: bool = False  # its plan came behind its last point


class TapReader(Runs):
    def _begin(self) -> None:
        self._levels: dict[int, _Level] = {}
        self._points: list[Point] = []
        self._inside: dict[int, Point] = {}  # depth: the first red point there that has no parent yet
        self._last: Point | None = None
        self._yaml = -1  # indentation of the open YAML block
        self._key = ""
        self._unseen = Counts()  # points that were not shown, or not kept
        self._totals: dict[str, int] = {}
        self._bail = ""
        self._version = self._closed = self._node_tap = self._tape = False
        self._loose = JsTrace()
        self._titled = TitledTests()

    def feed(self, line: str) -> None:
        if self._yaml >= 0:
            self._yaml_line(line)
        elif match := _POINT.match(line):
            self._point(len(match[1]), bool(match[2]), match[3], match[4] or "")
        elif match := _PLAN.match(line):
            self._plan(len(match[1]), int(match[2]), match[3] or "")
        elif line.lstrip(" ") == "---" and self._last is not None:
            self._yaml, self._key = len(line) - 3, ""
        elif line.startswith("TAP version "):
            self._new_run()
            self._version = True
        elif line == "No test files found":
            self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
        elif line.startswith("Bail out!"):
            self._bail = line
            if _NOTHING.match(line):  # as QUnit says it
                self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
                self._begin()
            elif line.startswith("Bail out! Error: Failed to load file "):
                self._done.append(Reading(build_errors=[BuildError(line[10:].strip())]))
                self._begin()
        elif line.lstrip(" ").startswith("#"):
            self._remark(line)
        elif self._last is not None and line.startswith("  ") and self._last.case.outcome is Outcome.FAILED:
            self._last.trace.feed(line)
        else:
            self._loose.feed(line)

    def _new_run(self) -> None:
        if self._points or self._levels or self._version:
            self._next()

    def _remark(self, line: str) -> None:
        if _SUBTEST.match(line):
            self._titled.used = False
        if match := _TOTAL.match(line):
            self._totals[match[1]] = int(match[2])
            self._closed |= match[1] in ("pass", "passed", "fail", "failed", "duration_ms")
            self._tape |= line.startswith("# pass  ")
        elif line.startswith("# { total: "):
            self._closed = self._node_tap = True
        elif _SUBTEST.match(line):
            self._titled.used = False
        elif line.startswith("# "):
            self._titled.title(line[2:].strip())
            if self._wants_words():
                assert self._last is not None
                self._last.trace.feed(line[2:])
        if line.startswith("# ") and not self._titled.used:
            self._loose.feed(line[2:])

    def _wants_words(self) -> bool:
        """The last point failed, and nothing says yet why."""
        last = self._last
        return last is not None and last.case.outcome is Outcome.FAILED and not last.trace.message

    def _plan(self, depth: int, number: int, comment: str) -> None:
        level = self._levels.setdefault(depth, _Level(depth))
        if depth == 0 and level.plan >= 0 and (self._closed or level.points):
            self._new_run()
            level = self._levels.setdefault(0, _Level(0))
        level.plan, level.ended = number, level.points >= number > 0
        self._last = None

    def _point(self, depth: int, failed: bool, number: str | None, text: str) -> None:
        level = self._levels.get(depth)
        again = (
            level is not None and level.ended and number == "1"
        )  # a file behind a file, each with its plan
        if depth == 0 and (again or (self._closed and self._totals and not self._node_tap)):
            self._new_run()
            level = None
        if level is None:
            level = self._levels[depth] = _Level(depth)
        if number and not level.numbers.add(int(number), int(number)) and not failed and depth == 0:
            return
        level.points += 1
        outcome, name = outcome_and_name(failed, words(text))
        point = Point(Case(name, name, outcome), depth, group=is_group(text))
        if depth == 0:
            self._under_title(point, titled=self._version and level.plan < 0)
        if len(self._levels) > 1:
            point.children = self._levels[depth + 4].points if depth + 4 in self._levels else 0
            for deeper in [one for one in self._levels if one > depth]:
                del self._levels[deeper]
                point.inner = self._inside.pop(deeper, point.inner)
        if outcome is Outcome.FAILED:
            self._inside.setdefault(depth, point)
        self._last = point
        if len(self._points) < (BAD_LIMIT if outcome is Outcome.FAILED else CASE_LIMIT):
            self._points.append(point)
        elif depth == 0 and not (point.group or is_test_file(name)):
            self._unseen = self._unseen.plus(count([point.case]))

    def _under_title(self, point: Point, *, titled: bool) -> None:
        if self._titled.used is None:
            self._titled.begin(titled=titled)
            self._loose = JsTrace() if self._titled.used else self._loose  # it was fed the titles
        if self._titled.used:
            self._titled.add(point)

    def passed(self, more: Passed) -> None:
        level = self._levels.setdefault(0, _Level(0))
        fresh = level.numbers.add(more.first, more.last)
        level.points += fresh
        bad = more.failed if fresh else 0
        left_out = min(more.skipped, fresh - bad)
        unseen = Counts(fresh - bad - left_out, bad, skipped=left_out)
        self._unseen = self._unseen.plus(unseen)
        if self._titled.used:
            self._titled.count(unseen)

    def _yaml_line(self, line: str) -> None:
        assert self._last is not None
        text = line.strip()
        if text == "..." and len(line) - len(line.lstrip()) <= self._yaml + 1:
            self._yaml = -1
            return
        indent = len(line) - len(line.lstrip(" "))
        match = _KEY.match(line) if indent <= self._yaml + 2 else None
        if _POINT.match(line) and indent < self._yaml:
            self._yaml = -1  # the block was never closed
            self.feed(line)
            return
        if match:
            self._key = match[1]
            value = match[2].strip()
            self._last.yaml[self._key] = "" if value[:1] in ("|", ">") else value.strip("'\"")
        elif self._key and len(self._last.yaml[self._key]) < 4_000:
            self._last.yaml[self._key] += ("\n" if self._last.yaml[self._key] else "") + text

    def _end(self) -> None:
        top = self._levels.get(0, _Level(0))
        if not (self._points or self._version or top.plan >= 0):
            return
        titled = self._titled.used and (self._tape or not self._totals)
        tests = [] if titled else self._tests()
        cases = [explained(point) for point in tests]
        counts = self._counts(cases)
        if titled:
            cases, counts = self._titled.results(self._loose)
        reading = Reading(None, cases, started=True, crashed=self._bail)
        reading.counts = counts
        reading.finished = self._closed or top.plan >= 0
        if top.plan >= 0 and top.points < top.plan and not self._totals:
            reading.crashed = reading.crashed or UNREPORTED.format(top.points, top.plan)
        failed = any(point.depth == 0 and point.case.outcome is Outcome.FAILED for point in self._points)
        if failed or self._unseen.failed:
            reading.claims_ok = False
        self._judge_files(reading, tests)
        reading.build_errors += [
            BuildError(one.message, one.file, one.line, detail=one.detail)
            for one in cases
            if one.name == _UNLOADED
        ]
        reading.no_tests = not reading.build_errors and reading.counts.total == 0
        reading.complete = len(cases) == reading.counts.total
        self._done.append(reading)

    def _tests(self) -> list[Point]:
        """The points that are tests: not suites, not the assertions inside a test, not files."""
        if any("failureType" in point.yaml or "duration_ms" in point.yaml for point in self._points):
            return [point for point in self._points if point.yaml.get("type") != "suite"]
        if any(point.group for point in self._points):
            return [point for point in self._points if not point.group]
        files = [point for point in self._points if point.depth == 0 and is_test_file(point.case.name)]
        if files and (self._node_tap or any(point.children for point in files)):  # tap 18, and before it
            self._totals = {}  # of files
            return self._tests_of_files()
        return [point for point in self._points if point.depth == 0]

    def _tests_of_files(self) -> list[Point]:
        """The points one level below those of files, each with its file; and files without any, or that died."""
        tests: list[Point] = []
        inside: list[Point] = []
        for point in self._points:
            if point.depth == 4:
                inside.append(point)
            elif point.depth == 0:
                for one in inside if is_test_file(point.case.name) else ():
                    one.case = replace(one.case, file=point.case.name)
                tests += inside
                inside = []
                if not point.children or died(point):
                    tests.append(point)
        return tests + inside

    def _counts(self, cases: list[Case]) -> Counts:
        totals = self._totals
        if "pass" in totals or "passed" in totals or "fail" in totals or "failed" in totals:
            bad = totals.get("fail", totals.get("failed", 0)) + totals.get("cancelled", 0)
            bad = bad or sum(1 for case in cases if case.outcome is Outcome.FAILED)
            skipped = totals.get("skipped", totals.get("skip", 0)) + totals.get("todo", 0)
            if not totals.keys() & {
                "skipped",
                "skip",
                "todo",
            }:  # Mocha counts those neither as tests nor by themselves
                skipped = sum(case.outcome is Outcome.SKIPPED for case in cases)
            return Counts(totals.get("pass", totals.get("passed", 0)), bad, skipped=skipped)
        return count(cases).plus(self._unseen)

    def _judge_files(self, reading: Reading, tests: list[Point]) -> None:
        """A file that stands for itself: red, it could not be loaded or died; green, it held no test."""
        alone = [point for point in tests if is_test_file(point.case.name)]
        if not alone or reading.counts is None:
            return
        for point in alone:
            if point.case.outcome is not Outcome.FAILED:
                continue
            signal = point.yaml.get("signal", "~")
            if signal not in ("~", "null", ""):
                reading.crashed = reading.crashed or f"{point.case.name} ended by {signal}"
            elif died(point) and point.children:
                reading.crashed = reading.crashed or f"{point.case.name} ended before its tests did"
            elif self._loose.exception:
                reading.build_errors.append(self._loose.build_error(point.case.name))
            elif "error" in point.yaml and "failureType" not in point.yaml and not point.children:  # Vitest
                reading.build_errors.append(BuildError(point.yaml["error"].strip(), point.case.name))
        if reading.build_errors:
            names = {error.file for error in reading.build_errors}
            reading.cases = [case for case in reading.cases if case.name not in names]
            if not reading.cases or all(case.outcome is Outcome.PASSED for case in reading.cases):
                reading.counts = replace(reading.counts, failed=0, errors=len(names))
        elif reading.counts.bad == 0 and len(alone) == reading.counts.passed:
            reading.counts = replace(reading.counts, passed=0)


_PASS = r"ok [0-9]+ [^\n#{]*(?<!\.[jt]s)(?<!\.[cm][jt]s)\n"
_NODE = r"  ---\n  duration_ms: [0-9.]+\n(?:  type: 'test'\n|)  \.\.\.\n"

_REST = (
    r"[0-9]+(?: [^\n#]*[^\n#{ ])?(?: ?# ?(?:[Ss][Kk][Ii][Pp]|[Tt][Oo][Dd][Oo]|time=)[^\n]*)?"
    r"(?<!\.[jt]s)(?<!\.[cm][jt]s)\n"
)
_YAML = r"  ---\n(?:  [^\n]*\n)*?  \.\.\.\n"

# a result of any kind, with its YAML block or its remarks; other comments behind it may be titles
_RESULT = (
    rf"(?:not ok {_REST}(?:{_YAML}|(?:# (?!(?:tests|suites|pass|passed|fail|failed|cancelled|skipped|skip"
    rf"|todo|duration_ms) |Subtest: |\{{ total: )[^\n]*\n)*)|ok {_REST}(?:{_YAML})?(?:#  [^\n]*\n)*)"
)
_EACH = r"(not )?ok ([0-9]+)(?: [^\n#]*(# ?(?:[Ss][Kk][Ii][Pp]|[Tt][Oo][Dd][Oo]))?)?"

_TABLE = text_rows(
    r"""
any TapReader numbered=yes tap
  words    tap  |  tape  |  qunit
  sign     ^TAP version 1\d$
  sign     ^(?:not )?ok {1,5}\d+(?:[ \t]|$)
  sign     ^1\.\.\d+(?: *#.*)?$
  sign     ^# (?:tests|pass|fail) +\d+$
  sign     ^ {4,40}(?:not )?ok \d+ -␣
  sign     ^# \{ total: \d+
  sign     ^Bail out!
  sign     ^No test files found$
  passes   (?:{PASS}|# Subtest: [^\n]*\n{PASS}{NODE_LINES})
  mark     ok␣
  event    ok␣  |  not ok␣  |  1..  |  # tests␣  |  # pass␣  |  # fail␣
  dies     {CRASHED}
  begins   TAP version 1[34]$
  ends     1\.\.\d{1,9}(?: .*)?$
  apart    {NODE}
""",
    TapReader,
    PASS=_PASS,
    NODE_LINES=_NODE,
)
ROWS = (replace(_TABLE[0], results=results(_RESULT, _EACH)),)

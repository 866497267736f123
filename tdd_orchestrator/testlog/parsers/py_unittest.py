"""Read the output of unittest and its descendants: nose2, Django's runner, xmlrunner.

A run is closed by a rule, ``Ran 3 tests in 0.001s``, and ``OK`` or ``FAILED (failures=1)``. Its beginning is not
printed, so each closing ends one run. A similar line without a rule before it was printed by a test.
"""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import RuledReader, text_rows
from tdd_orchestrator.testlog.parsers.traces import Trace
from tdd_orchestrator.testlog.reading import Reading, Runs

_TITLE = re.compile(r"^(FAIL|ERROR|UNEXPECTED SUCCESS)( \[\d+\.\d+s\])?: (\S.*)$")
_RAN = re.compile(r"^Ran (\d+) tests? in \d+(?:\.\d+)?s$")
_END = re.compile(r"^(OK|FAILED|PASSED|NO TESTS RAN)(?: \(([a-zA-Z =,\d]{1,200})\))?$")
_VERBOSE = re.compile(
    r"^ {0,4}([\w.]+ \([\w.<>]+\)(?: \[[^\]]{0,200}\])?(?: \([^)]{0,200}\))?)(?: \.\.\. ?(.*))?$"
)
_NOSE2 = re.compile(r"^((?:\w+\.)+\w+(?::\d+)?|\w+:\d+)(?:(?: .{1,300}?)? \.\.\. ?(.*))?$")
"""A function, or a row of @params; the row's values follow ``:1``, on lines of their own or on this one."""
_RESULT = re.compile(
    r"(?:^|\.\.\. |(?<=\W))(ok|FAIL|ERROR|skipped .{0,300}|skipped|expected failure|unexpected success)$"
)
_RESULTS = {
    "ok": Outcome.PASSED, "FAIL": Outcome.FAILED, "ERROR": Outcome.ERROR, "skipped": Outcome.SKIPPED,
    "expected failure": Outcome.XFAILED, "unexpected success": Outcome.FAILED,
}  # fmt: skip
_CUT = "more tests passed than it says it ran, so a run before it has no end"
_LETTERS = re.compile(r"^[.FEsxu]+$")
_UNPICKLED = re.compile(
    r"^(\w+ \([\w.]+\)) failed:$"
)  # Django's parallel runner, when a result cannot travel
_NUMBER = re.compile(r"([a-zA-Z ]+)=(\d+)")
_LOADING = (
    "unittest.loader._FailedTest", "unittest.loader.ModuleImportFailure", "nose2.loader.", "_ErrorHolder",
)  # fmt: skip
_NOT_RUN = ("setUpClass (", "tearDownClass (", "setUpModule (", "tearDownModule (")


class UnittestReader(Runs):
    names: tuple[re.Pattern[str], ...] = (_VERBOSE,)  # the lines that begin a test's result

    def _begin(self) -> None:
        self._cases: dict[str, Case] = {}
        self._traces: dict[str, Trace] = {}
        self._open = ""  # the failure whose trace is being read
        self._rule = ""  # the rule that was the line before: = or -
        self._titled = ""
        self._ran = -1
        self._pending = ""
        self._started = False
        self._letters = ""  # the progress, where it is one line
        self._unrun = 0  # skips of whole classes and modules, not counted as tests
        self._listed = 0  # tests that passed by their own lines
        self._timed = False  # xmlrunner's titles, which say how long the test took

    def feed(self, line: str) -> None:
        if not line:
            return
        first = line[0]
        if first in "=-" and 69 <= len(line) <= 80 and line.count(first) == len(line):
            if first == "=":
                self._open = ""
            elif self._titled:
                self._open, self._titled = self._titled, ""
            self._rule = first
            return
        rule, self._rule = self._rule, ""
        if not self._cases and _LETTERS.match(line):
            self._letters = line
        if rule == "-" and (ran := _RAN.match(line)):
            self._ran, self._open = int(ran[1]), ""
        elif rule == "=" and (title := _TITLE.match(line)):
            self._timed = bool(title[2])
            self._failure(title[1], title[3].rstrip())
        elif self._ran >= 0 and (end := _END.match(line)):
            self._close(end[1], end[2] or "")
        elif self._open:
            self._traces[self._open].feed(line)
        elif match := _UNPICKLED.match(line):
            case = Case(match[1], match[1], Outcome.FAILED)
            self._done.append(Reading(cases=[case], started=True, finished=True, claims_ok=False))
        elif not self._titled:
            self._verbose(line)

    def _failure(self, kind: str, name: str) -> None:
        self._started = True
        phase = "collect" if any(mark in name for mark in _LOADING) else ""
        if self._timed:
            name = _dotted(name)
        self._titled = name
        outcome = Outcome.ERROR if kind == "ERROR" else Outcome.FAILED
        message = "unexpected success" if kind.startswith("U") else ""
        parent = self._cases.get(_test_of(name))
        if parent is not None and parent.id != name and parent.outcome in (Outcome.FAILED, Outcome.ERROR):
            del self._cases[parent.id]
        self._cases[name] = Case(name, name, outcome, message=message, phase=phase)
        self._traces[name] = Trace()

    def _verbose(self, line: str) -> None:
        if match := next(filter(None, (pattern.match(line) for pattern in self.names)), None):
            self._pending, self._started = match[1], True
            rest = match[2]
            if rest is None:
                return
        else:
            rest = line
        if line.startswith(_NOT_RUN) and " ... skipped " in line:
            self._unrun += 1
        if self._pending and (result := _RESULT.search(rest[-320:])):
            status = "skipped" if result[1].startswith("skipped") else result[1]
            self._listed += match is not None and rest == "ok"
            self._cases[self._pending] = Case(self._pending, self._pending, _RESULTS[status])
            if not result.start() or result[0].startswith("... "):
                self._pending = ""  # only the result stands here: the next line is of another test

    def _close(self, status: str, numbers: str) -> None:
        totals = {name.strip(): int(number) for name, number in _NUMBER.findall(numbers)}
        for name, trace in self._traces.items():
            self._cases[name] = trace.explain(self._cases[name])
        cases = list(self._cases.values())
        failed, errors = totals.get("failures", 0), totals.get("errors", 0)
        skipped, xfailed = totals.get("skipped", 0), totals.get("expected failures", 0)
        xpassed = totals.get("unexpected successes", 0)
        bad = {_test_of(case.name) for case in cases if case.name in self._traces}
        outside = sum(1 for name in bad if name.startswith(_NOT_RUN))
        red = min(failed + errors + xpassed, len(bad)) if bad else failed + errors + xpassed
        passed = max(0, self._ran - (red - outside) - (skipped - self._unrun) - xfailed)
        letters = self._letters
        by_letter = [letters.count(letter) for letter in "FEsxu"]
        if letters and len(letters) >= self._ran and by_letter == [failed, errors, skipped, xfailed, xpassed]:
            passed = letters.count(".")
        counts = Counts(passed, failed, errors, skipped, xfailed, xpassed)
        loading = [
            self._traces[case.name].build_error(case.name) for case in cases if case.phase == "collect"
        ]
        self._close_run(
            counts,
            cases,
            build_errors=loading,
            claims_ok=status == "OK",
            no_tests=self._ran == 0 and not failed + errors,
            crashed=_CUT if self._listed > self._ran and not counts.bad else "",
        )

    def _end(self) -> None:
        if self._started or self._ran >= 0:
            cases = [
                self._traces[case.name].explain(case) if case.name in self._traces else case
                for case in self._cases.values()
            ]
            self._done.append(Reading(cases=cases, started=True))


class Nose2Reader(UnittestReader):
    names = (_VERBOSE, _NOSE2)


_PROGRESS = re.compile(r"([.EFsxu]{1,100000})(?:={70})?$")


class TestToolsReader(RuledReader):
    """Counts what ran and failed; the letters of its progress count the rest."""

    __test__ = False

    def feed(self, line: str) -> None:
        if self.open and "skipped" not in self._counts and (match := _PROGRESS.match(line)):
            self._counts |= {"skipped": match[1].count("s"), "xfailed": match[1].count("x")}
        elif self.open or line.startswith("Tests running..."):
            super().feed(line)


def _test_of(name: str) -> str:
    """Return the test of a sub-test: the first two words of ``test_x (m.C.test_x) [message] (i=1)``."""
    end = name.find(")")
    return name[: end + 1] if end > 0 else name


def _dotted(name: str) -> str:
    """Return xmlrunner's dotted path of a test: the text in brackets, or before a loader's."""
    test, _, path = name.partition(" (")
    path = path.partition(")")[0]
    return path if path.endswith(f".{test}") and not any(mark in path for mark in _LOADING) else test


ROWS = text_rows(
    r"""
python UnittestReader weight=2 unittest
  words    unittest
  sign     ^Ran \d+ tests? in \d+(?:\.\d+)?s$
  sign     ^(?:FAIL|ERROR): (?:\w+ \([\w.<>]+\)|_ErrorHolder$)
  sign     ^(?:OK|FAILED|NO TESTS RAN)(?: \((?:(?:failures|errors|skipped|expected failures
           |unexpected successes)=\d+(?:, )?){1,5}\))?$
  sign     ^\w+ \([\w.]+\)(?: \.\.\. .*)?$
# subunit2pyunit
  sign     ^(?:\w+\.){2,20}\w+ \.\.\. (?:ok|FAIL|ERROR|expected failure|unexpected success|skipped .*)$
  passes   {PASSES}
# it died itself, no test of its
  apart    ␣ File ".{1,300}[/\\]unittest[/\\]__main__\.py", line \d
python UnittestReader weight=2 django
  words    manage.py  |  django-admin
  sign     ^Found \d+ test\(s\)\.$
  sign     ^System check identified (?:no|\d+) issues?
  sign     {UNPICKLED}
  sign     ^(?:Creating|Destroying|Using existing) test database
  signs    unittest
  passes   {PASSES}
python Nose2Reader weight=2 nose2
  words    nose2
  sign     \(nose2\.loader\.\w+
  signs    unittest
  passes   {PASSES}
python UnittestReader weight=2 xmlrunner
  words    xmlrunner
  sign     ^(?:Running tests\.\.\.|Generating XML reports\.\.\.)$
  signs    unittest
  passes   {PASSES}
python UnittestReader weight=2 absltest
  sign     ^Running tests under Python \d[\d.]*:␣
  sign     ^\[ {1,10}(?:RUN|OK|FAILED|SKIPPED) {1,10}\] [\w.]+
  signs    unittest
python TestToolsReader weight=2 first=yes testtools
  total    OK|(?P<bad>FAILED) \(failures=(?P<failed>\d{1,9})\)
  count    Ran (?P<total>\d{1,9}) tests? in \d[\d.]*s
  unread   ERROR: unittest\.loader\._FailedTest.*
  case     (?:FAIL|ERROR|UNEXPECTED SUCCESS): (?P<name>\S.*)
  work     Tests running\.{3}
  sign     ^Tests running\.{3}$
  sign     ^[.EFsxu]{1,9999}={70}$
  sign     ^(?:FAIL|ERROR|UNEXPECTED SUCCESS): [\w.]+(?: \([\w.]+\))?$
  signs    unittest
""",
    UnittestReader,
    Nose2Reader,
    TestToolsReader,
    PASSES=r"[A-Za-z0-9_]+ \([A-Za-z0-9_.]+\) \.\.\. ok\n",
    UNPICKLED=_UNPICKLED.pattern,
)

"""Read the output of AVA and of Cucumber (JavaScript and Ruby print alike)."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JsTrace
from tdd_orchestrator.testlog.reading import Reading, Runs

_AVA_CASE = re.compile(
    r"^ {2}(?:[✔√] \[expected fail\]|([✔√]|[✘×] \[fail\]:|- \[skip\]|- \[todo\]"
    r"|[✘×] \[unexpected pass\]:|✖(?! (?:No tests found|Couldn|Exiting due|Timed out|Error loading|\S+ exited))"
    r")) (\S.*?) *$"
)
"""A result. Version 3 prints ✖ alone before what failed, and as later ones ✘ before what is no test."""
_AVA_END = re.compile(
    r"^ {2}(\d+) (tests?|known|uncaught|unhandled|tests? remaining|uncaught)"
    r" (passed|failed|skipped|todo|failures?|exceptions?|rejections?)$"
)
_AVA_REASONS = (
    " Error thrown in test", " Test was expected to fail, but succeeded", " Rejected promise",
    " Test finished without",
)  # fmt: skip
_AVA_ERRORS = ("Error thrown in test", "Rejected promise returned by test", "Test finished without")
"""How AVA explains a failure that no assertion of its own made."""
_AVA_THROWN = re.compile(r"^ {2}(\w+) \{\n(?: {4}.*\n)*? {4}message: (['\"`])(.*)\2,$", re.M)
"""An error as AVA prints it where all of its stack belongs to the project."""
_AVA_EXCERPT = re.compile(r" {2,}\d+: |  [\w./\\-]+\.\w+:\d+$")
_TIMED = re.compile(r" \(\d[\d.]*m?s\)$")


class AvaReader(Runs):
    """Reads results; after a rule the failures; after another the counts of each kind."""

    def _begin(self) -> None:
        self._started = False
        self._passed: list[Case] = []
        self._skipped = self._expected = 0
        self._failed: dict[str, JsTrace] = {}
        self._trace: JsTrace | None = None
        self._totals: dict[str, int] = {}
        self._loading: list[tuple[str, JsTrace]] = []
        self._crashed = self._timed_out = ""
        self._ruled = False

    def feed(self, line: str) -> None:
        if not line.strip():
            return
        if match := _AVA_END.match(line):
            self._totals[match[3].rstrip("s") if match[2] == "known" else match[3]] = int(match[1])
            self._trace = None
        elif match := _AVA_CASE.match(line):
            if self._totals:
                self._next()
            self._case(match[1] or "xfail", match[2])
        elif line.strip() == "─":
            self._ruled, self._trace = True, None
        elif line.startswith("  Uncaught exception in "):
            self._trace = JsTrace()
            self._loading.append((line[len("  Uncaught exception in ") :].strip(), self._trace))
        elif line.startswith(("  ✘ Exiting due to process.exit()", "  ✖ Exiting due to process.exit()")):
            self._crashed = line.strip(" ✘✖")
        elif line.startswith(("  ✘ Timed out while running tests", "  ✘ Exiting due to SIGINT")):
            self._timed_out = line.strip(" ✘")
        elif (line.startswith("  ✘ No tests found in ") and not self._started) or (
            line.startswith("  ✘ Couldn")
            and line.endswith(("find any files to test", "find any matching tests"))
        ):
            self._done.append(Reading(Counts(), started=True, finished=True, no_tests=True))
        elif self._ruled and line.startswith("  ") and line[2] != " " and self._is_title(line.strip()):
            self._trace = self._failed[line.strip()]
        elif self._trace is not None and not _AVA_EXCERPT.match(line):
            self._trace.feed(line)

    def _is_title(self, text: str) -> bool:
        """Whether a line is a failed test's title; the list of results prints a short message behind it."""
        if text in self._failed:
            return True
        longer = next((name for name in self._failed if name.startswith(f"{text} ")), "")
        if not longer or self._failed[longer].placed:
            return False
        self._failed = {text if name == longer else name: trace for name, trace in self._failed.items()}
        return True

    def _case(self, mark: str, text: str) -> None:
        self._started, self._trace = True, None
        name = _TIMED.sub("", text)
        if mark in "✔√":
            self._passed.append(Case(name, name, Outcome.PASSED))
        elif mark == "xfail":
            self._expected += 1
        elif mark.startswith("-"):
            self._skipped += 1
        else:
            for reason in _AVA_REASONS:
                name = name.partition(reason)[0]
            self._failed[name] = JsTrace()

    def _end(self) -> None:
        cases = [_ava_failure(name, trace) for name, trace in self._failed.items()]
        cases += self._passed
        totals = self._totals
        broken = sum(totals.get(key, 0) for key in ("exception", "exceptions", "rejection", "rejections"))
        errors = [trace.build_error(file) for file, trace in self._loading]
        if not (self._started or totals or errors or self._crashed or self._timed_out):
            return
        reading = Reading(None, cases, errors, started=True, finished=bool(totals))
        reading.crashed, reading.timed_out = self._crashed, self._timed_out
        if totals:
            reading.counts = Counts(
                totals.get("passed", len(self._passed)),
                totals.get("failed", 0),
                skipped=totals.get("skipped", 0) + totals.get("todo", 0),
                xfailed=totals.get("failure", 0) or self._expected,
            )
            reading.claims_ok = not totals.get("failed") and not broken
            reading.no_tests = not reading.counts.total and not broken
        self._done.append(reading)


def _ava_failure(name: str, trace: JsTrace) -> Case:
    """Return a failed test; unless AVA says that the test threw, one of its assertions failed."""
    case = trace.explain(Case(name, name, Outcome.FAILED))
    if not case.exception and (thrown := _AVA_THROWN.search(case.detail)):
        return replace(case, exception=thrown[1], message=thrown[3].replace("\\'", "'"))
    if not trace.placed or any(words in case.detail for words in _AVA_ERRORS):
        return case
    return replace(case, exception="AssertionError")


ROWS = text_rows(
    r"""
javascript AvaReader weight=2 ava
  words    ava
  sign     ^ {2}✘ \[fail\]:␣
  sign     ^ {2}\d+ tests? (?:passed|failed|skipped|todo)$
  sign     ^ {2}─$
  sign     ^ {2}✘ (?:Couldn.t find any (?:files to test|matching tests)|No tests found in \S)
  sign     ^ {2}Uncaught exception in \S+$
  sign     ^ {2}✘ (?:Exiting due to process\.exit|\S+ exited with a non-zero|Timed out while)
  sign     ^ {2}✔ \S
  dies     {CRASHED}
  broken   ␣{2}✘ Error loading \S
javascript RuledReader weight=2 first=yes cucumber
  words    cucumber-js  |  cucumber
  trace    js
  section  Failures:
  work     Warnings:
  listed   \d+\) (?:Scenario|Scenario Outline|Example): (?P<name>.*?)(?: \(attempt \d+[^)]{0,40}\))? #
            (?P<suite>(?P<file>\S+)):(?P<line>\d+)
  case     cucumber (?P<suite>(?P<file>\S+)):(?P<line>\d+) # (?:Scenario|Scenario Outline|Example): (?P<name>.*)
  total    (?P<total>\d+) scenarios?(?: \((?:(?:, )?(?:(?P<passed>\d+) passed|(?P<skipped>\d+) skipped
           |(?P<failed>\d+) failed|(?P<failed2>\d+) undefined|(?P<failed3>\d+) ambiguous|(?P<failed4>\d+) pending
           |(?P<failed5>\d+) unknown))+\))?
  skip     \s*[✔✖?-] .*
  sign     ^\d+ scenarios?(?: \(.*\))?$
  sign     ^\d+ steps?(?: \(.*\))?$
  sign     ^\d+m\d\d\.\d{3}s
  sign     ^\d+\) Scenario(?: Outline)?: .* # \S+:\d+$
""",
    AvaReader,
)

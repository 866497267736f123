"""Read the output of Emacs ERT in batch mode (``ert-run-tests-batch``)."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block
from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading, summed

_HEADER = re.compile(r"Running (\d{1,9}) tests \(\d{4}-\d\d-\d\d [\d:]{8}[^,)]{0,20}(?:, selector .*)?\)$")
_RESULT = re.compile(
    " {0,3}(passed|PASSED|failed|FAILED|skipped"
    r"|ABORTED) {1,9}\d{1,9}/\d{1,9} {1,2}(\S.*?)(?: \(\d[\d.]* sec\))?$"
)
_END = re.compile(
    r"(?:Aborted: )?Ran (\d{1,9}) tests, (\d{1,9}) results as expected(?:, (\d{1,9}) unexpected)?"
    r"(?:, (\d{1,9}) skipped)? \("
)
_KNOWN = re.compile(r"(\d{1,9}) expected failures$")
_LISTED = re.compile(r" {3}(FAILED|PASSED|ABORTED) {2}(\S.*)$")
_CONDITION = re.compile(r"Test (\S.*) condition:$")
_DEBUGGER = re.compile(
    r"Debugger entered--Lisp error: (\(.*)$|(?:Symbol's value as variable is void"
    "|Cannot open load file): (.*)$"
)
_TYPE = re.compile(r"\(([\w-]+)")
_OUTCOMES = {"passed": Outcome.PASSED, "PASSED": Outcome.XPASSED, "failed": Outcome.XFAILED,
    "FAILED": Outcome.FAILED,
             "skipped": Outcome.SKIPPED, "ABORTED": Outcome.ERROR}  # fmt: skip


class ErtReader:
    """Small letters mark expected results, capitals unexpected ones."""

    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._errors: list[BuildError] = []
        self._begin()

    def _begin(self) -> None:
        self._started = False
        self._cases: dict[str, Case] = {}
        self._why: dict[str, Block] = {}
        self._open: Block | None = None
        self._counts: Counts | None = None

    def feed(self, line: str) -> None:
        if self._open is not None and line.startswith("    "):
            self._open.add(line.strip())
            return
        self._open = None
        if _HEADER.match(line):
            self._end()
            self._started = True
        elif match := _RESULT.match(line):
            self._case(match[2], _OUTCOMES[match[1]])
        elif match := _CONDITION.match(line):
            self._open = self._why.setdefault(match[1], Block())
        elif match := _END.match(line):
            total, expected, unexpected, skipped = (int(number or 0) for number in match.groups())
            self._counts = Counts(
                expected, unexpected, skipped=skipped or max(0, total - expected - unexpected)
            )
        elif self._counts is not None and (match := _KNOWN.match(line)):
            known = min(int(match[1]), self._counts.passed)
            self._counts = Counts(
                self._counts.passed - known, self._counts.failed, skipped=self._counts.skipped, xfailed=known
            )
        elif self._counts is not None and (match := _LISTED.match(line)):
            self._case(match[2], _OUTCOMES[match[1]])
        elif (match := _DEBUGGER.match(line)) and not self._started:
            text = match[1] or line
            kind = _TYPE.match(text)
            self._errors.append(BuildError(text.strip(), exception=kind[1] if kind else ""))

    def _case(self, name: str, outcome: Outcome) -> None:
        if outcome is Outcome.XPASSED:
            outcome = Outcome.FAILED  # ERT counts it so
        if len(self._cases) < CASE_LIMIT or outcome is Outcome.FAILED:
            self._cases[name] = Case(name, name, outcome)

    def _end(self) -> None:
        if self._started or self._counts is not None:
            cases = [self._explained(case) for case in self._cases.values()]
            reading = Reading(self._counts, cases, started=True, finished=self._counts is not None)
            if self._counts is not None:
                reading.claims_ok = not self._counts.bad
                reading.no_tests = not self._counts.total
                reading.complete = self._counts.total == len(cases)
            self._done.append(reading)
        self._begin()

    def _explained(self, case: Case) -> Case:
        block = self._why.get(case.name)
        if block is None:
            return case
        text = block.text()
        kind = _TYPE.match(text)
        return Case(case.id, case.name, case.outcome, message=text, exception=kind[1] if kind else "")

    def finish(self) -> Reading:
        self._end()
        if self._errors:
            self._done.append(Reading(build_errors=self._errors, finished=False))
        return summed(self._done) if self._done else Reading()


ROWS = text_rows(
    r"""
elisp ErtReader weight=2 ert
  words    ert  |  ert-run-tests-batch-and-exit
  sign     ^Running (\d{1,9}) tests \(\d{4}-\d\d-\d\d [\d:]{8}[^,)]{0,20}(?:, selector .*)?\)$
  sign     ^ {0,3}(?:passed|PASSED|failed|FAILED|skipped|ABORTED) {1,9}\d{1,9}/\d{1,9} {1,2}\S
  sign     ^(?:Aborted: )?Ran \d{1,9} tests, \d{1,9} results as expected
  sign     ^Debugger entered--Lisp error: \(
  sign     ^Test \S.{0,300} condition:$
  begins   Running \d{1,9} tests \(\d{4}-\d\d-\d\d␣
  ends     Ran \d{1,9} tests, \d{1,9} results as expected
  apart    Debugger entered--Lisp error: \(
""",
    ErtReader,
)

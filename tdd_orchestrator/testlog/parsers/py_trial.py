"""Read the output of Twisted's trial."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import Case, Counts, Outcome
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import Trace
from tdd_orchestrator.testlog.reading import Reading, Runs

_RAN = re.compile(r"^Ran (\d+) tests? in \d+(?:\.\d+)?s$")
_END = re.compile(r"^(PASSED|FAILED)(?: \(([a-zA-Z =,\d]{1,200})\))?$")
_SUMMARY = re.compile(r"^\d+(?:\.\d+)?(?:e-\d+)? (\d+) (\d+) (\d+) (\d+) (\d+)$")
"""Its reporter for programs: seconds, tests, tests, errors, failures, skips."""
_NUMBER = re.compile(r"([a-zA-Z ]+)=(\d+)")
_TRIAL_RESULT = re.compile(r"^( +)(.{1,200}?) \.\.\. *\[(OK|FAIL|ERROR|SKIPPED|TODO|SUCCESS!\?!)\]$")
_TRIAL_OUTCOMES = {
    "OK": Outcome.PASSED, "FAIL": Outcome.FAILED, "ERROR": Outcome.ERROR, "SKIPPED": Outcome.SKIPPED,
    "TODO": Outcome.XFAILED, "SUCCESS!?!": Outcome.XPASSED,
}  # fmt: skip
_TRIAL_NAME = re.compile(r"^[\w.<>-]+$")


class TrialReader(Runs):
    """Reads results right-aligned in brackets; below each failure's trace stand the tests it hit."""

    def _begin(self) -> None:
        self._cases: dict[str, Case] = {}
        self._kind = ""
        self._trace = Trace()
        self._ruled = False
        self._ran = -1
        self._started = False

    def feed(self, line: str) -> None:
        if not line:
            return
        if line[0] in "=-" and len(line) == 79 and line.count(line[0]) == 79:
            self._ruled, self._kind = True, ""
            return
        ruled, self._ruled = self._ruled, False
        if ruled and (ran := _RAN.match(line)):
            self._ran = int(ran[1])
        elif self._ran >= 0 and (end := _END.match(line)):
            self._close(end[1] == "PASSED", self._parse_counts(end[2] or ""))
        elif self._ran >= 0 and (end := _SUMMARY.match(line)):
            tests, _, errors, failures, skips = map(int, end.groups())
            bad = errors + failures
            self._close(not bad, Counts(max(0, tests - bad - skips), failures, errors, skips))
        elif ruled and line[0] == "[" and line.rstrip("]")[1:] in _TRIAL_OUTCOMES:
            self._kind, self._trace = line[1:-1], Trace()
        elif self._kind and self._trace.exception and _TRIAL_NAME.match(line) and self._kind != "TODO":
            case = Case(line, line, _TRIAL_OUTCOMES[self._kind])
            self._cases[line] = replace(
                self._trace.explain(case), exception=self._trace.exception.removeprefix("builtins.")
            )
        elif self._kind:
            self._trace.feed(line)
        elif line[0] == " " and _TRIAL_RESULT.match(line):
            self._started = True

    def _parse_counts(self, numbers: str) -> Counts:
        totals = {name.strip(): int(number) for name, number in _NUMBER.findall(numbers)}
        return Counts(
            totals.get("successes", 0),
            totals.get("failures", 0),
            totals.get("errors", 0),
            totals.get("skips", 0),
            totals.get("expectedFailures", 0),
            totals.get("unexpectedSuccesses", 0),
        )

    def _close(self, good: bool, counts: Counts) -> None:
        cases = [case for case in self._cases.values() if case.outcome in (Outcome.FAILED, Outcome.ERROR)]
        self._close_run(counts, cases, claims_ok=good, no_tests=self._ran == 0, complete=False)

    def _end(self) -> None:
        if self._started or self._ran >= 0:
            self._done.append(Reading(cases=list(self._cases.values()), started=True))


ROWS = text_rows(
    r"""
python TrialReader weight=3 trial
  words    trial
  sign     ^( +)(.{1,200}?) \.\.\. *\[(OK|FAIL|ERROR|SKIPPED|TODO|SUCCESS!\?!)\]$
  sign     ^(?:PASSED|FAILED) \((?:\w{1,20}=\d+, ){0,5}successes=\d+\)$
  sign     ^\[(?:FAIL|ERROR|SKIPPED|TODO|SUCCESS!\?!)\]$
  sign     ^Ran \d+ tests? in \d+\.\d+s$
  sign     ^\d+\.\d{5,}(?:e-\d+)?(?: \d+){5}$
""",
    TrialReader,
)

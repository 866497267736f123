"""Read the output of TestNG."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import numbers
from tdd_orchestrator.testlog.parsers.java_trace import Trace
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows

_TESTNG = re.compile(
    r"Total tests run: (?P<run>\d{1,9})(?:, Passes: \d{1,9})?, Failures: (?P<failed>\d{1,9}), "
    r"Skips: (?P<skipped>\d{1,9})"
)
_TESTNG_CASE = re.compile(r"(?P<status>PASSED|FAILED|SKIPPED)(?: CONFIGURATION)?: (?:@\w+ )?(?P<name>\S.*)$")
_TESTNG_OUTCOMES = {"PASSED": Outcome.PASSED, "FAILED": Outcome.FAILED, "SKIPPED": Outcome.SKIPPED}


class NgReader(Program):
    """Reads TestNG's text reporter, which names results at verbosity 2 and above."""

    _trace: Trace | None = None

    def feed(self, line: str) -> None:
        if match := _TESTNG_CASE.match(line):
            self.open = True
            outcome = _TESTNG_OUTCOMES[match["status"]]
            name = match["name"].removesuffix(" on instance null(null)")
            self.keep(Case(name, name, outcome))
            self._trace = Trace() if outcome is Outcome.FAILED else None
        elif match := _TESTNG.match(line):
            totals = {key: int(number) for key, number in match.groupdict().items()}
            config = "Configuration Failures" in line
            self.close(
                passed=totals["run"] - totals["failed"] - totals["skipped"],
                failed=totals["failed"],
                skipped=totals["skipped"],
            )
            self.ok &= not config
            self._trace = None
        elif line.startswith("Configuration Failures: ") and numbers(line.replace(":", "")):
            self.ok &= line.startswith("Configuration Failures: 0")
        elif self._trace is not None and line.startswith("==="):
            self._trace = None
        elif self._trace is not None:
            self._trace.feed(line)
            trace = self._trace
            self.explain(file=trace.file, line=trace.line, message=trace.message, exception=trace.type)
        elif not self.open and not self.closed:
            self.build.feed(line)


ROWS = text_rows(
    r"""
java NgReader weight=2 testng
  words    org.testng.TestNG
  sign     ^Total tests run: \d{1,9}, (?:Passes: \d{1,9}, )?Failures: \d{1,9}, Skips: \d{1,9}
  sign     ^PASSED: [\w.]+$
""",
    NgReader,
)

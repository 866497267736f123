"""Read the output of TestNG, which names results at verbosity 2 and above."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

ROWS = text_rows(
    r"""
java RuledReader weight=2 testng
  words    org.testng.TestNG
  trace    java
  status   PASSED=passed  |  SKIPPED=skipped
  case     (?P<status>PASSED|FAILED|SKIPPED)(?: CONFIGURATION)?: (?:@\w+ )?
           (?P<name>\S.*?)(?: on instance null\(null\))?
  total    Total tests run: (?P<total>\d{1,9})(?:, Passes: \d{1,9})?, Failures: (?P<failed>\d{1,9}),
            Skips: (?P<skipped>\d{1,9}).*
  red      Configuration Failures: [1-9].*
  stop     ===.*
  sign     ^Total tests run: \d{1,9}, (?:Passes: \d{1,9}, )?Failures: \d{1,9}, Skips: \d{1,9}
  sign     ^PASSED: [\w.]+$
""",
)

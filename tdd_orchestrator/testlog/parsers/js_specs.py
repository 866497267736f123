"""Read the output of Jasmine and lab: dots, a list of failures, a line of counts."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.parsers.ruled import RuledReader

ROWS = text_rows(
    r"""
javascript RuledReader weight=2 jasmine
  words    jasmine
  trace    js
  total    (?P<total>\d+) specs?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending specs?)?
  total    No specs found
  section  Failures:
  work     Started|Pending:
  unread   Suite error:.*
  listed   \d+\) (?P<name>\S.*)
  skip     \s*(?:Message|Stack):
  sign     ^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$
  sign     ^Randomized with seed \d+
  sign     ^Finished in \d[\d.]* seconds?$
  sign     ^Incomplete: (?:No specs found|fit\(\))
  sign     ^Suite error:␣
  sign     ^Ran in parallel with \d+ workers$
  begins   Randomized with seed \d{1,9}\nStarted$
  ends     \d{1,9} specs?, \d{1,9} failures?|Incomplete: |Overall: |No specs found
javascript RuledReader weight=2 lab
  words    lab
  trace    js
  total    (?P<failed>\d+) of (?P<ran>\d+) tests? failed(?: \((?P<skipped>\d+) skipped\))?
  total    (?P<passed>\d+) tests? (?:complete|passed)(?: \((?P<skipped>\d+) skipped\))?
  total    The pattern provided \(-P or --pattern\) didn't match any files.*
  section  Failed tests:
  listed   ␣{2}\d+\) (?P<name>\S.*):
  work     [✔✖-] \d+\) \S.*
  unread   Error requiring file: (?P<file>.*)
  sign     ^\d+ of \d+ tests? failed
  sign     ^\d+ tests? complete(?: \(\d+ skipped\))?$
  sign     ^Leaks:␣
  sign     ^Test duration: \d
  sign     ^Failed tests:$
  sign     ^[✔✖-] \d+\) \S
  sign     ^Error requiring file:␣
  sign     ^The pattern provided \(-P or --pattern\)
  broken   Error requiring file:␣
""",
    RuledReader,
)

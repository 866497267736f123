"""Read the output of C and C++ test programs: CppUTest, Criterion, Qt Test."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.parsers.ruled import RuledReader

ROWS = text_rows(
    r"""
c++ RuledReader weight=2 cpputest
  case     (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): error: Failure in (?:IGNORE_)?(?P<name>TEST\([^)]*\)).*
  total    Errors \(ran nothing, .*|(?:OK|Errors) \((?:(?P<failed>\d{1,9}) failures?, )?\d{1,9} tests?,
            (?P<ran>\d{1,9}) ran, (?:.*?(?P<skipped>\d{1,9}) ignored)?.*
  stop     \s*
  sign     ^(?:OK|Errors) \((?:(?:\d{1,9} failures?|ran nothing), )?\d{1,9} tests?, \d{1,9} ran,␣
  sign     ^[^\s:]{1,300}:\d{1,9}: error: Failure in (?:IGNORE_)?TEST\(
  apart    terminate called (?:after throwing an instance of|without an active exception)
c RuledReader weight=2 criterion
  status   PASS=passed  |  SKIP=skipped
  work     \[RUN \] [^:\s]+::[^:\s]+.*
  case     \[(?P<status>PASS|FAIL|SKIP)\] (?P<name>[^:\s]+::[^:\s]+).*
  ahead    \[----\] (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): (?P<message>.*)
  ahead    \[----\]\s*(?P<message>.*)
  total    \[====\] Synthesis: Tested: \d{1,9} \| Passing: (?P<passed>\d{1,9}) \| Failing: (?P<failed>\d{1,9})
            \| Crashing: (?P<errors>\d{1,9}).*
  skip     .*
  sign     ^\[====\] Synthesis: Tested:␣
  sign     ^\[(?:PASS|FAIL|RUN )\] [^:\s]{1,200}::
  sign     ^\[----\] [^\s:]{1,300}:\d{1,9}:␣
c++ RuledReader weight=2 qttest
  status   PASS=passed  |  SKIP=skipped  |  BPASS=skipped  |  BFAIL=skipped
  work     \*{9} Start testing of .*|Totals: .*
  total    Totals: (?P<passed>\d{1,9}) passed, (?P<failed>\d{1,9}) failed, (?P<skipped>\d{1,9}) skipped
           (?:, (?P<skipped2>\d{1,9}) blacklisted)?.*\n\*{9} Finished testing of .*
  stop     XFAIL .*
  case     (?P<status>PASS|FAIL!|XPASS|SKIP|BPASS|BFAIL|QFATAL) *: (?P<name>[^\s(]{1,300}\([^()]{0,300}\))
           (?: (?P<message>.*))?
  place    ␣{3}Loc: \[(?P<file>[^(]+)\((?P<line>\d{1,9})\)\].*
  skip     (?! {3}).*
  sign     ^\*{9} (?:Start|Finished) testing of␣
  sign     ^Totals: \d{1,9} passed, \d{1,9} failed
  sign     ^(?:PASS  |FAIL! |XFAIL |SKIP  ) : \S
""",
    RuledReader,
)

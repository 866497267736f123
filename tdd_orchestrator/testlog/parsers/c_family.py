"""Read the output of C and C++ test programs: CppUTest, Criterion, Qt Test, Check, CUnit, Unity."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

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
c RuledReader weight=2 after=yes check
  status   P=passed  |  E=error
  work     Running suite\(s\): .*
  total    \d{1,9}%: Checks: (?P<total>\d{1,9}), Failures: (?P<failed>\d{1,9}), Errors: (?P<errors>\d{1,9})
  listed   (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?P<status>[PFES]):(?P<suite>[^:]*):(?P<name>[^:]*):
           (?:0|-1|(?P<index>-?\d{1,9})): (?P<message>.*)
  sign     ^Running suite\(s\):␣
  sign     ^\d{1,9}%: Checks: \d{1,9}, Failures: \d{1,9}, Errors: \d{1,9}$
  sign     ^[^\s:]{1,300}:\d{1,9}:[PFES]:[^:]*:[^:]*:-?\d{1,9}:␣
  begins   Running suite\(s\):␣
  ends     \d{1,9}%: Checks: \d
  apart    {C_BUILD}
  dies     {SIGNALLED}
c RuledReader weight=2 cunit
  status   passed=passed
  work     ␣{5}CUnit - A .*|(?:--)?Run Summary:.*
  total    \s*suites .*\n\s*tests\s+(?P<total>\d{1,9})\s+(?P<ran>\d{1,9})\s+(?P<passed>\d{1,9})
           \s+(?P<failed>\d{1,9})(?:\s+(?:\d{1,9}|n/a))?\s*
  suite    Suite: (?P<name>.*)
  case     Suite (?P<suite>.+?), Test (?P<name>.+) had failures:
  case     ␣ Test: (?P<name>.+?) ?\.\.\. ?.*?(?P<status>passed|FAILED)
  place    ␣{2,8}\d{1,9}\. (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}) {1,2}- (?P<message>.*)
  skip     .*
  sign     ^     CUnit - A␣
  sign     ^(?:--)?Run Summary: +Type
  sign     ^\s+tests\s+\d{1,9}\s+\d{1,9}\s+\d{1,9}\s+\d{1,9}
  sign     ^Suite .{1,200}, Test .{1,200} had failures:$
  sign     ^  Test: .{1,200}\.\.\.
  begins   ␣    CUnit - A unit testing framework
  ends     (?:--)?Run Summary: +Type
  apart    {C_BUILD}
  dies     {SIGNALLED}
c RuledReader weight=2 unity
  status   PASS=passed  |  IGNORE=skipped
  case     (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?P<name>[^:]+):(?P<status>PASS|FAIL|IGNORE)
           (?:: ?(?P<message>.*))?
  total    (?P<total>\d{1,9}) Tests (?P<failed>\d{1,9}) Failures (?P<skipped>\d{1,9}) Ignored\s*
  sign     ^[^\s:]{1,300}:\d{1,9}:[^:]{1,200}:(?:PASS|FAIL|IGNORE)\b
  sign     ^\d{1,9} Tests \d{1,9} Failures \d{1,9} Ignored
  apart    {C_BUILD}
  dies     {SIGNALLED}
""",
)

"""Read small JavaScript runners and reporters: Jasmine, lab, Japa, poku, tap, TAP formatters."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

ROWS = text_rows(
    r"""
javascript RuledReader weight=2 first=yes japa
  total    Tests {2}(?:(?P<passed>\d{1,9}) passed|(?=\S))?(?:(?:, )?(?P<failed>\d{1,9}) failed)?(?:
           (?:, )?(?P<xfailed>\d{1,9}) regressions?)?(?:(?:, )?(?P<skipped>\d{1,9}) skipped)?(?:
           (?:, )?\d{1,9} todo)? \((?P<total>\d{1,9})\)
  unread   ␣{3}at \(syntax error\) .*
  case     ␣{2}❯ (?:default / )?(?P<name>\S.*)
  work     ␣{2,8}[✔✖●] \S.* \(\d[\d.]*m?s\)|[✔✖◼●]+| ERRORS
  sign     ^{total}$
  sign     ^ {2}❯ default / \S
  sign     ^ Time {2}\d
  sign     ^ {3}at \(syntax error\)␣
javascript RuledReader weight=2 first=yes poku
  words    poku
  total    ␣?PASS › (?P<passed>\d{1,9}) {1,3}FAIL › (?P<failed>\d{1,9})(?: {1,3}SKIP › (?P<skipped>\d{1,9}))?
           |Finished in ±\S+ seconds
  count    (?P<passed>\d{1,9}) test file\(s\) passed|(?P<failed>\d{1,9}) test file\(s\) failed
  case     \d{1,9}\) (?P<name>\S+\.[cm]?[jt]sx?)(?: › \S.*)?
  work     (?:›|◌) \S.*| {2}[◌●] \S.*
  sign     ^ ?PASS › (?:\d{1,9}) {1,3}FAIL › (?:\d{1,9})(?: {1,3}SKIP › (?:\d{1,9}))?
  sign     ^Start at  ›  \d
  sign     ^Duration  ›  \d
  sign     ^\d+ test file\(s\) (?:passed|failed)
  sign     ^Finished in ±
javascript RuledReader weight=2 again=yes first=yes node-tap
  total    # \{ total: (?P<total>\d{1,9}), pass: (?P<passed>\d{1,9})(?:, fail: (?P<failed>\d{1,9}))?(?:,
            (?:skip|todo): (?P<skipped>\d{1,9}))?(?:, todo: \d{1,9})? \}
  count    Suites: {3}\d{1,9} pass {2}(?:0|(?P<bad>\d{1,9})) fail {2}.*
  case     ✖ (?P<name>\S.*)
  work     Asserts: {2}\d.*| FAIL {2}\S.*
  sign     ^Asserts: {2}\d+ pass {2}\d+ fail␣
  sign     ^Suites: {3}\d+ pass {2}\d+ fail␣
  sign     ^{total}$
  broken   Suites: {3}\d{1,9} pass {2}[1-9]\d{0,8} fail {2}
javascript RuledReader weight=3 first=yes tap-spec
  words    tap-spec
  total    ␣ duration: {2}\S+
  count    ␣ total: +(?P<total>\d{1,9})|  passing: +(?P<passed>\d{1,9})|  failing: +(?P<failed>\d{1,9})
  total    ␣{2}✖ No tests found
  case     ␣{2,6}✖ (?P<name>\S.*)
  work     ␣{4}[✔✖] \S.*
  sign     ^  total: {4,5}\d+$
  sign     ^  passing: {2,3}\d+$
  sign     ^  failing: {2,3}\d+$
  sign     ^  duration: {2}\d\S*$
  sign     ^ {2}✖ No tests found$
javascript RuledReader weight=2 first=yes tap-dot
  words    tap-dot
  total    ␣ (?:Pass!|Failed Tests: .*)
  count    ␣ (?P<total>\d{1,9}) tests?|  (?P<passed>\d{1,9}) passed|  (?P<failed>\d{1,9}) failed
  work     ␣{2}[.x]+
  sign     ^  \d+ tests?$
  sign     ^  \d+ passed$
  sign     ^  (?:Pass!|Failed Tests: +There (?:was|were) \d)
javascript RuledReader weight=2 first=yes tap-difflet
  words    tap-difflet
  total    (?P<passed>\d{1,9}) passing \(\d+ms\)
  count    (?P<failed>\d{1,9}) failing
  case     ␣{4}⨯ (?P<name>\S.*)
  work     ␣{4}✓ \S.*
  sign     ^\d{1,9} passing \(\d+ms\)$
  sign     ^ {4}⨯ \S
  sign     ^ {4}✓ \S
javascript RuledReader weight=2 after=yes first=yes tap-summary
  words    tap-summary
  total    fail: (?P<failed>\d{1,9})
  count    pass: (?P<passed>\d{1,9})|assertions: (?P<total>\d{1,9})
  case     ␣{2}✖ (?P<name>\S.*)
  work     # (?:Tests|Summary)
  sign     ^planned: \d+$
  sign     ^assertions: \d+$
  sign     ^fail: \d+$
  sign     ^[✔✖] .{1,300} \[pass: \d+, fail: \d+, duration:␣
javascript RuledReader weight=4 first=yes jasmine-terminal
  total    (?:SUCCESS|FAILURE): (?P<total>\d{1,9}) specs?, (?P<failed>\d{1,9}) failures?,
            (?P<skipped>\d{1,9}) skipped, \d{1,9} disabled in \S.*
  sign     ^{total}$
javascript RuledReader weight=4 first=yes jasmine-spec-reporter
  words    jasmine
  total    Executed \d{1,9} of (?P<total>\d{1,9}) specs?(?: SUCCESS
           | INCOMPLETE)?(?: \((?P<failed>\d{1,9}) FAILED\))?(?: \((?P<skipped>\d{1,9}) PENDING\))?
           (?: \(\d{1,9} SKIPPED\))? in \S.*
  case     ␣{2,60}✗ (?P<name>\S.*)
  work     Jasmine started
  sign     ^Jasmine started$
  sign     ^{total}$
  sign     ^(?:SUCCESS|FAILURE): (?:\d{1,9}) specs?, (?:\d{1,9}) failures?,
            (?:\d{1,9}) skipped, \d{1,9} disabled in \S.*$
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
)

"""Read small JavaScript runners and reporters: Japa, poku, tap, TAP formatters, Jasmine's packages."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.parsers.tabled import TabledReader

ROWS = text_rows(
    r"""
javascript TabledReader weight=2 japa
  work     ␣{2,8}[✔✖●] \S.* \(\d[\d.]*m?s\)|[✔✖◼●]+| ERRORS
  red      ␣{2}❯ (?:default / )?(?P<name>\S.*)
  unloaded ␣{3}at \(syntax error\) .*
  closing  Tests {2}(?:(?P<passed>\d{1,9}) passed|(?=\S))?(?:(?:, )?(?P<failed>\d{1,9}) failed)?(?:
           (?:, )?(?P<xfailed>\d{1,9}) regressions?)?(?:(?:, )?(?P<skipped>\d{1,9}) skipped)?(?:
           (?:, )?\d{1,9} todo)? \((?P<total>\d{1,9})\)
  sign     ^{closing}$
  sign     ^ {2}❯ default / \S
  sign     ^ Time {2}\d
  sign     ^ {3}at \(syntax error\)␣
javascript TabledReader weight=2 poku
  words    poku
  work     (?:›|◌) \S.*| {2}[◌●] \S.*
  counts   (?P<passed>\d{1,9}) test file\(s\) passed|(?P<failed>\d{1,9}) test file\(s\) failed
  red      \d{1,9}\) (?P<name>\S+\.[cm]?[jt]sx?)(?: › \S.*)?
  closing  ␣?PASS › (?P<passed>\d{1,9}) {1,3}FAIL › (?P<failed>\d{1,9})(?: {1,3}SKIP › (?P<skipped>\d{1,9}))?
           |Finished in ±\S+ seconds
  sign     ^ ?PASS › (?:\d{1,9}) {1,3}FAIL › (?:\d{1,9})(?: {1,3}SKIP › (?:\d{1,9}))?
  sign     ^Start at  ›  \d
  sign     ^Duration  ›  \d
  sign     ^\d+ test file\(s\) (?:passed|failed)
  sign     ^Finished in ±
javascript TabledReader weight=2 again=yes node-tap
  work     Asserts: {2}\d.*| FAIL {2}\S.*
  counts   Suites: {3}\d{1,9} pass {2}(?:0|(?P<bad>\d{1,9})) fail {2}.*
  red      ✖ (?P<name>\S.*)
  closing  # \{ total: (?P<total>\d{1,9}), pass: (?P<passed>\d{1,9})(?:, fail: (?P<failed>\d{1,9}))?(?:,
            (?:skip|todo): (?P<skipped>\d{1,9}))?(?:, todo: \d{1,9})? \}
  sign     ^Asserts: {2}\d+ pass {2}\d+ fail␣
  sign     ^Suites: {3}\d+ pass {2}\d+ fail␣
  sign     ^{closing}$
  broken   Suites: {3}\d{1,9} pass {2}[1-9]\d{0,8} fail {2}
javascript TabledReader weight=3 tap-spec
  words    tap-spec
  work     ␣{4}[✔✖] \S.*
  counts   ␣ total: +(?P<total>\d{1,9})|  passing: +(?P<passed>\d{1,9})|  failing: +(?P<failed>\d{1,9})
  red      ␣{2,6}✖ (?P<name>\S.*)
  none     ␣{2}✖ No tests found
  closing  ␣ duration: {2}\S+
  sign     ^  total: {4,5}\d+$
  sign     ^  passing: {2,3}\d+$
  sign     ^  failing: {2,3}\d+$
  sign     ^  duration: {2}\d\S*$
  sign     ^ {2}✖ No tests found$
javascript TabledReader weight=2 tap-dot
  words    tap-dot
  work     ␣{2}[.x]+
  counts   ␣ (?P<total>\d{1,9}) tests?|  (?P<passed>\d{1,9}) passed|  (?P<failed>\d{1,9}) failed
  closing  ␣ (?:Pass!|Failed Tests: .*)
  sign     ^  \d+ tests?$
  sign     ^  \d+ passed$
  sign     ^  (?:Pass!|Failed Tests: +There (?:was|were) \d)
javascript TabledReader weight=2 tap-difflet
  words    tap-difflet
  work     ␣{4}✓ \S.*
  counts   (?P<failed>\d{1,9}) failing
  red      ␣{4}⨯ (?P<name>\S.*)
  closing  (?P<passed>\d{1,9}) passing \(\d+ms\)
  sign     ^\d{1,9} passing \(\d+ms\)$
  sign     ^ {4}⨯ \S
  sign     ^ {4}✓ \S
javascript TabledReader weight=2 after=yes tap-summary
  words    tap-summary
  work     # (?:Tests|Summary)
  counts   pass: (?P<passed>\d{1,9})|assertions: (?P<total>\d{1,9})
  red      ␣{2}✖ (?P<name>\S.*)
  closing  fail: (?P<failed>\d{1,9})
  sign     ^planned: \d+$
  sign     ^assertions: \d+$
  sign     ^fail: \d+$
  sign     ^[✔✖] .{1,300} \[pass: \d+, fail: \d+, duration:␣
javascript TabledReader weight=4 jasmine-terminal
  closing  (?:SUCCESS|FAILURE): (?P<total>\d{1,9}) specs?, (?P<failed>\d{1,9}) failures?,
            (?P<skipped>\d{1,9}) skipped, \d{1,9} disabled in \S.*
  sign     ^{closing}$
javascript TabledReader weight=4 jasmine-spec-reporter
  words    jasmine
  work     Jasmine started
  red      ␣{2,60}✗ (?P<name>\S.*)
  closing  Executed \d{1,9} of (?P<total>\d{1,9}) specs?(?: SUCCESS
           | INCOMPLETE)?(?: \((?P<failed>\d{1,9}) FAILED\))?(?: \((?P<skipped>\d{1,9}) PENDING\))?
           (?: \(\d{1,9} SKIPPED\))? in \S.*
  sign     ^Jasmine started$
  sign     ^{closing}$
  sign     ^(?:SUCCESS|FAILURE): (?:\d{1,9}) specs?, (?:\d{1,9}) failures?,
            (?:\d{1,9}) skipped, \d{1,9} disabled in \S.*$
""",
    TabledReader,
)

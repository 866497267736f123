"""Read small Python runners: green, zope.testrunner, stestr, ward, mamba, TestSlide, Avocado, Robot Framework
..."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

ROWS = text_rows(
    r"""
python RuledReader weight=3 first=yes green
  words    green
  total    (?:OK|(?P<bad>FAILED)) \((?=\w+=)(?:errors=(?P<errors>\d{1,9}))?(?:
           (?:, )?expected_failures=(?P<xfailed>\d{1,9}))?(?:(?:, )?failures=(?P<failed>\d{1,9}))?(?:
           (?:, )?passes=(?P<passed>\d{1,9}))?(?:(?:, )?skips=(?P<skipped>\d{1,9}))?(?:
           (?:, )?unexpected_successes=(?P<xpassed>\d{1,9}))?\)
  total    No Tests Found
  case     (?:Failure|Error) in (?P<name>\S.*)
  work     Ran \d{1,9} tests? in \S+s using \d{1,9} process(?:es)?
  sign     ^Ran \d{1,9} tests? in \S+s using \d{1,9} process(?:es)?$
  sign     ^{total}$
  sign     ^(?:Failure|Error) in \S+$
  sign     ^Skipped \S+ -␣
python RuledReader weight=3 first=yes zope.testrunner
  words    zope-testrunner
  total    ␣ Ran (?P<total>\d{1,9}) tests with (?P<failed>\d{1,9}) failures, (?P<errors>\d{1,9}) errors
           (?: and|,) (?P<skipped>\d{1,9}) skipped in .*|Total: \d{1,9} tests, \d{1,9} failures, (?:0
           |(?P<bad>\d{1,9})) errors and \d{1,9} skipped in .*
  unread   Test-modules with import problems:
  case     (?:Failure|Error) in test (?P<name>\S.*)
  work     Running \S+ tests:
  sign     ^  Ran (?:\d{1,9}) tests with (?:\d{1,9}) failures, (?:\d{1,9}) errors(?: and
           |,) (?:\d{1,9}) skipped in .*$
  sign     ^Total: \d{1,9} tests, \d{1,9} failures, (?:0|(?:\d{1,9})) errors and \d{1,9} skipped in .*$
  sign     ^Test-modules with import problems:$
  sign     ^  Set up \S+ in \d
python RuledReader weight=3 first=yes named=yes stestr
  words    stestr
  total    ␣- Failed: (?P<failed>\d{1,9})
  count    ␣- Passed: (?P<passed>\d{1,9})| - Skipped: (?P<skipped>\d{1,9})
           | - Expected Fail: (?P<xfailed>\d{1,9})
  total    No tests were successful during the run
  case     \{\d{1,9}\} (?P<name>\S.*) \[[^\]]{0,40}\] \.{3} (?:FAILED|inprogress)
  work     \{\d{1,9}\} \S.* \.{3} (?:ok|SKIPPED.*)
  sign     ^\{\d{1,9}\} \S.* \.{3} (?:ok|FAILED|SKIPPED|inprogress)
  sign     ^ - Passed: \d
  sign     ^ - Failed: \d
  sign     ^ - Worker \d{1,9} \(
python RuledReader weight=3 first=yes ward
  words    ward
  total    ─{2,200} (?:SUCCESS|NO TESTS FOUND|(?P<bad>FAILED)) in \d[\d.]* seconds ─{2,200}
  count    │ {1,9}(?:(?P<passed>\d{1,9}) {2}Pass|(?P<failed>\d{1,9}) {2}Fail|(?P<skipped>\d{1,9}) {2}Skip
           |(?P<xfailed>\d{1,9}) {2}Expected Fail).*│
  case     ␣(?:FAIL|XPAS) {2}\S+?:\d{1,9} (?P<name>.*?)(?: {1,200}\d{1,3}%)?
  suite    ─{2,200} (?P<name>(?!Ward \d)\S.*?) ─{2,200}
  case     ␣ Failed at .*
  work     Found \d{1,9} tests? and \d{1,9} fixtures? in .*| (?:PASS|SKIP|XFAI) {2}\S+:\d.*
  sign     ^─{2,200} Ward \d
  sign     ^Found \d{1,9} tests? and \d{1,9} fixtures? in␣
  sign     ^│ {1,9}\d{1,9} {2}Tests␣
  sign     ^ (?:PASS|FAIL|SKIP|XFAI|XPAS) {2}\S+:\d{1,9}␣
  begins   ─{2,200} Ward \d
  ends     ─{2,200} (?:SUCCESS|NO TESTS FOUND|FAILED) in \d[\d.]* seconds ─
python RuledReader weight=5 after=yes first=yes mamba
  words    mamba
  total    (?:(?P<failed>\d{1,9}) examples? failed of )?(?P<ran>\d{1,9})(?: examples?)? ran
            (?:\((?P<skipped>\d{1,9}) pending\) )?in \d[\d.]* seconds
  case     ␣{2}\d{1,9}\) (?P<name>\S.*)
  work     ␣{2,12}[✓✗] (?:it|_it) \S.*
  sign     ^{total}$
  sign     ^ {2,12}[✓✗] _?it \S
python RuledReader weight=3 first=yes testslide
  words    testslide
  total    ␣ Not executed: \d{1,9} .*
  count    ␣ (?:Successful: (?P<passed>\d{1,9})|Failed: (?P<failed>\d{1,9})|Skipped: (?P<skipped>\d{1,9})) .*
  case     ␣ \d{1,9}\) (?P<name>\S.*)
  work     ␣ \S.*: PASS
  sign     ^Executed \d{1,9} examples? in \d
  sign     ^  Successful: \d{1,9}␣
  sign     ^  Not executed: \d{1,9}␣
  sign     ^https://testslide\.
python RuledReader weight=3 first=yes avocado
  words    avocado
  total    RESULTS {4}: PASS (?P<passed>\d{1,9}) \| ERROR (?P<errors>\d{1,9}) \| FAIL (?P<failed>\d{1,9})
            \| SKIP (?P<skipped>\d{1,9}) \| WARN \d{1,9} \| INTERRUPT (?:0|(?P<bad>\d{1,9})) \| CANCEL \d{1,9}
  total    No tests found for given test references: .*
  case     ␣\(\d{1,9}/\d{1,9}\) (?P<name>\S+):  (?:FAIL|ERROR|INTERRUPTED)\b.*
  work     ␣\(\d{1,9}/\d{1,9}\) \S.*: STARTED
  sign     ^{total}$
  sign     ^JOB (?:ID|LOG|TIME) {2,5}:␣
  sign     ^ \(\d{1,9}/\d{1,9}\) \S+: STARTED$
  sign     ^No tests found for given test references:␣
python RuledReader weight=4 first=yes xdoctest
  words    xdoctest
  total    === (?:(?P<failed>\d{1,9}) failed)?(?:(?:, )?(?P<passed>\d{1,9}) passed)?(?:
           (?:, )?(?P<skipped>\d{1,9}) skipped)?(?:(?:, )?\d{1,9} warnings?)? in \d[\d.]* seconds ===
  case     \* FAILURE: (?P<name>\S.*)
  work     running \d{1,9} test\(s\)|={6} <exec> ={6}
  sign     ^={6} </?exec> ={6}$
  sign     ^\* DOCTEST :␣
  sign     ^\* (?:SUCCESS|FAILURE|SKIPPED): \S+::
  sign     ^running \d{1,9} test\(s\)$
  sign     ^{total}$
python RuledReader weight=2 robot
  words    robot  |  pabot
  status   PASS=passed  |  SKIP=skipped
  case     (?P<name>.{1,400}?)(?: :: .*?)? *\| (?P<status>FAIL) \|\n(?![-=]{60}|\d+ (?:critical )?tests?[ ,])(?:(?P<type>[A-Z]\w*(?:\.\w+)*): )?
           (?P<message>.*)
  case     (?P<name>.{1,400}?)(?: :: .*?)? *\| (?P<status>FAIL|PASS|SKIP) \|\n(?!\d+ (?:critical )?tests?[ ,]).*
  case     -{60,}\nFAIL: (?P<suite>.*)\.(?P<name>[^.]*)
  section  \d+ (?:critical )?tests?(?: total)?, (?P<passed>\d+) passed, (?P<failed>\d+) failed
           (?:, (?P<skipped>\d+) skipped)?
  end      Output: {2}.*
  total    \[ ERROR \] .* contains no tests.*(?P<failed>)(?P<skipped>)
  unread   \[ ERROR \] (?P<message>.*)
  suite    ={60,}\n(?!.* \| (?:PASS|FAIL|SKIP) \|)(?P<name>.*?)(?: :: .*)?
  reason   FAIL: .*\n(?:(?P<type>[A-Z]\w*(?:\.\w+)*): )?(?P<message>.*)
  stop     .*
  sign     ^.{1,400} \| (?:PASS|FAIL|SKIP) \|$
  sign     ^\d+ tests?(?: total)?, \d+ passed, \d+ failed
  sign     ^(?:Output|Log|Report):  .*(?:output\.xml|log\.html|report\.html)$
  sign     ^\[ ERROR \] \S
  broken   Try --help for usage information\.$
""",
)

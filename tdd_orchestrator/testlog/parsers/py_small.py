"""Read small Python runners: green, zope.testrunner, testtools, stestr, ward, mamba, TestSlide, Avocado
..."""

from __future__ import annotations

import re

from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.parsers.tabled import Form, TabledReader

_WARD_HEADING = re.compile(r"─{2,200} (?P<name>\S.*?) ─{2,200} *$")
_LETTERS = re.compile(r"([.EFsxu]{1,100000})(?:={70})?$")


class TestToolsReader(TabledReader):
    """Counts what ran and failed; the letters of its progress count the rest."""

    __test__ = False
    form = Form.of(
        {
            "work": r"Tests running\.{3}",
            "counts": r"Ran (?P<total>\d{1,9}) tests? in \d[\d.]*s",
            "red": r"(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?P<name>\S.*)",
            "unloaded": r"ERROR: unittest\.loader\._FailedTest.*",
            "closing": r"OK|(?P<bad>FAILED) \(failures=(?P<failed>\d{1,9})\)",
        }
    )

    def feed(self, line: str) -> None:
        if self._started and "skipped" not in self._totals and (match := _LETTERS.match(line)):
            self._totals |= {"skipped": match[1].count("s"), "xfailed": match[1].count("x")}
        elif self._started or line.startswith("Tests running..."):
            super().feed(line)


class WardReader(TabledReader):
    """Reads failures whose name stands only above their details in most progress styles."""

    def _begin(self) -> None:
        super()._begin()
        self._heading = ""
        self._headings: list[str] = []

    def feed(self, line: str) -> None:
        if match := _WARD_HEADING.match(line):
            self._heading = match["name"]
        elif self._heading and line.startswith("  Failed at "):
            self._headings.append(self._heading)
            self._heading = ""
        super().feed(line)

    def _close(self) -> None:
        for name in self._headings if not self._red else ():
            self._name(name)
        super()._close()


ROWS = text_rows(
    r"""
python TabledReader weight=3 green
  words    green
  work     Ran \d{1,9} tests? in \S+s using \d{1,9} process(?:es)?
  red      (?:Failure|Error) in (?P<name>\S.*)
  none     No Tests Found
  closing  (?:OK|(?P<bad>FAILED)) \((?=\w+=)(?:errors=(?P<errors>\d{1,9}))?(?:
           (?:, )?expected_failures=(?P<xfailed>\d{1,9}))?(?:(?:, )?failures=(?P<failed>\d{1,9}))?(?:
           (?:, )?passes=(?P<passed>\d{1,9}))?(?:(?:, )?skips=(?P<skipped>\d{1,9}))?(?:
           (?:, )?unexpected_successes=(?P<xpassed>\d{1,9}))?\)
  sign     ^Ran \d{1,9} tests? in \S+s using \d{1,9} process(?:es)?$
  sign     ^{closing}$
  sign     ^(?:Failure|Error) in \S+$
  sign     ^Skipped \S+ -␣
python TabledReader weight=3 zope.testrunner
  words    zope-testrunner
  work     Running \S+ tests:
  red      (?:Failure|Error) in test (?P<name>\S.*)
  unloaded Test-modules with import problems:
  closing  ␣ Ran (?P<total>\d{1,9}) tests with (?P<failed>\d{1,9}) failures, (?P<errors>\d{1,9}) errors
           (?: and|,) (?P<skipped>\d{1,9}) skipped in .*|Total: \d{1,9} tests, \d{1,9} failures, (?:0
           |(?P<bad>\d{1,9})) errors and \d{1,9} skipped in .*
  sign     ^  Ran (?:\d{1,9}) tests with (?:\d{1,9}) failures, (?:\d{1,9}) errors(?: and
           |,) (?:\d{1,9}) skipped in .*$
  sign     ^Total: \d{1,9} tests, \d{1,9} failures, (?:0|(?:\d{1,9})) errors and \d{1,9} skipped in .*$
  sign     ^Test-modules with import problems:$
  sign     ^  Set up \S+ in \d
python TabledReader weight=3 stestr
  words    stestr
  work     \{\d{1,9}\} \S.* \.{3} (?:ok|SKIPPED.*)
  counts   ␣- Passed: (?P<passed>\d{1,9})| - Skipped: (?P<skipped>\d{1,9})
           | - Expected Fail: (?P<xfailed>\d{1,9})
  red      \{\d{1,9}\} (?P<name>\S.*) \[[^\]]{0,40}\] \.{3} (?:FAILED|inprogress)
  none     No tests were successful during the run
  closing  ␣- Failed: (?P<failed>\d{1,9})
  sign     ^\{\d{1,9}\} \S.* \.{3} (?:ok|FAILED|SKIPPED|inprogress)
  sign     ^ - Passed: \d
  sign     ^ - Failed: \d
  sign     ^ - Worker \d{1,9} \(
python WardReader weight=3 ward
  words    ward
  work     Found \d{1,9} tests? and \d{1,9} fixtures? in .*| (?:PASS|SKIP|XFAI) {2}\S+:\d.*
  counts   │ {1,9}(?:(?P<passed>\d{1,9}) {2}Pass|(?P<failed>\d{1,9}) {2}Fail|(?P<skipped>\d{1,9}) {2}Skip
           |(?P<xfailed>\d{1,9}) {2}Expected Fail).*│
  red      ␣(?:FAIL|XPAS) {2}\S+?:\d{1,9} (?P<name>.*?)(?: {1,200}\d{1,3}%)?
  closing  ─{2,200} (?:SUCCESS|NO TESTS FOUND|(?P<bad>FAILED)) in \d[\d.]* seconds ─{2,200}
  sign     ^─{2,200} Ward \d
  sign     ^Found \d{1,9} tests? and \d{1,9} fixtures? in␣
  sign     ^│ {1,9}\d{1,9} {2}Tests␣
  sign     ^ (?:PASS|FAIL|SKIP|XFAI|XPAS) {2}\S+:\d{1,9}␣
  begins   ─{2,200} Ward \d
  ends     ─{2,200} (?:SUCCESS|NO TESTS FOUND|FAILED) in \d[\d.]* seconds ─
python TabledReader weight=5 after=yes mamba
  words    mamba
  work     ␣{2,12}[✓✗] (?:it|_it) \S.*
  red      ␣{2}\d{1,9}\) (?P<name>\S.*)
  closing  (?:(?P<failed>\d{1,9}) examples? failed of )?(?P<ran>\d{1,9})(?: examples?)? ran
            (?:\((?P<skipped>\d{1,9}) pending\) )?in \d[\d.]* seconds
  sign     ^{closing}$
  sign     ^ {2,12}[✓✗] _?it \S
python TabledReader weight=3 testslide
  words    testslide
  work     ␣ \S.*: PASS
  counts   ␣ (?:Successful: (?P<passed>\d{1,9})|Failed: (?P<failed>\d{1,9})|Skipped: (?P<skipped>\d{1,9})) .*
  red      ␣ \d{1,9}\) (?P<name>\S.*)
  closing  ␣ Not executed: \d{1,9} .*
  sign     ^Executed \d{1,9} examples? in \d
  sign     ^  Successful: \d{1,9}␣
  sign     ^  Not executed: \d{1,9}␣
  sign     ^https://testslide\.
python TabledReader weight=3 avocado
  words    avocado
  work     ␣\(\d{1,9}/\d{1,9}\) \S.*: STARTED
  red      ␣\(\d{1,9}/\d{1,9}\) (?P<name>\S+):  (?:FAIL|ERROR|INTERRUPTED)\b.*
  none     No tests found for given test references: .*
  closing  RESULTS {4}: PASS (?P<passed>\d{1,9}) \| ERROR (?P<errors>\d{1,9}) \| FAIL (?P<failed>\d{1,9})
            \| SKIP (?P<skipped>\d{1,9}) \| WARN \d{1,9} \| INTERRUPT (?:0|(?P<bad>\d{1,9})) \| CANCEL \d{1,9}
  sign     ^{closing}$
  sign     ^JOB (?:ID|LOG|TIME) {2,5}:␣
  sign     ^ \(\d{1,9}/\d{1,9}\) \S+: STARTED$
  sign     ^No tests found for given test references:␣
python TabledReader weight=4 xdoctest
  words    xdoctest
  work     running \d{1,9} test\(s\)|={6} <exec> ={6}
  red      \* FAILURE: (?P<name>\S.*)
  closing  === (?:(?P<failed>\d{1,9}) failed)?(?:(?:, )?(?P<passed>\d{1,9}) passed)?(?:
           (?:, )?(?P<skipped>\d{1,9}) skipped)?(?:(?:, )?\d{1,9} warnings?)? in \d[\d.]* seconds ===
  sign     ^={6} </?exec> ={6}$
  sign     ^\* DOCTEST :␣
  sign     ^\* (?:SUCCESS|FAILURE|SKIPPED): \S+::
  sign     ^running \d{1,9} test\(s\)$
  sign     ^{closing}$
""",
    TabledReader,
    WardReader,
)

"""Read small Python runners: green, zope.testrunner, testtools, stestr, ward, mamba, TestSlide, Avocado
..."""

from __future__ import annotations

import re

from tdd_orchestrator.testlog.parsers.tabled import Compiled, Form, TabledReader, tabled, unnamed
from tdd_orchestrator.testlog.reading import TextRow, signs, whole

_GREEN_END = (
    r"(?:OK|(?P<bad>FAILED)) \((?=\w+=)(?:errors=(?P<errors>\d{1,9}))?(?:(?:, )?expected_failures="
    r"(?P<xfailed>\d{1,9}))?"
    r"(?:(?:, )?failures=(?P<failed>\d{1,9}))?(?:(?:, )?passes=(?P<passed>\d{1,9}))?(?:(?:, "
    r")?skips=(?P<skipped>\d{1,9}))?"
    r"(?:(?:, )?unexpected_successes=(?P<xpassed>\d{1,9}))?\)"
)
_ZOPE_END = (
    r"  Ran (?P<total>\d{1,9}) tests with (?P<failed>\d{1,9}) failures, (?P<errors>\d{1,9}) errors(?: and|,) "
    r"(?P<skipped>\d{1,9}) skipped in .*"
)
_ZOPE_TOTAL = (
    r"Total: \d{1,9} tests, \d{1,9} failures, (?:0|(?P<bad>\d{1,9})) errors and \d{1,9} skipped in .*"
)
_MAMBA_END = (
    r"(?:(?P<failed>\d{1,9}) examples? failed of )?(?P<ran>\d{1,9})(?: examples?)? ran "
    r"(?:\((?P<skipped>\d{1,9}) pending\) )?in \d[\d.]* seconds"
)
_AVOCADO_END = (
    r"RESULTS {4}: PASS (?P<passed>\d{1,9}) \| ERROR (?P<errors>\d{1,9}) \| FAIL (?P<failed>\d{1,9})"
    r" \| SKIP (?P<skipped>\d{1,9}) \| WARN \d{1,9} \| INTERRUPT (?:0|(?P<bad>\d{1,9})) \| CANCEL \d{1,9}"
)
_XDOCTEST_END = (
    r"=== (?:(?P<failed>\d{1,9}) failed)?(?:(?:, )?(?P<passed>\d{1,9}) passed)?(?:(?:, )?"
    r"(?P<skipped>\d{1,9}) skipped)?"
    r"(?:(?:, )?\d{1,9} warnings?)? in \d[\d.]* seconds ==="
)
_WARD_HEADING = re.compile(r"─{2,200} (?P<name>\S.*?) ─{2,200} *$")
_LETTERS = re.compile(r"([.EFsxu]{1,100000})(?:={70})?$")


class TestToolsReader(TabledReader):
    """Counts what ran and failed; the letters of its progress count the rest."""

    __test__ = False
    form = Compiled.of(
        Form(
            work=r"Tests running\.{3}",
            counts=r"Ran (?P<total>\d{1,9}) tests? in \d[\d.]*s",
            red=r"(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?P<name>\S.*)",
            broken=r"ERROR: unittest\.loader\._FailedTest.*",
            ends=r"OK|(?P<bad>FAILED) \(failures=(?P<failed>\d{1,9})\)",
        )
    )

    def feed(self, line: str) -> None:
        if self._started and "skipped" not in self._totals and (match := _LETTERS.match(line)):
            self._totals |= {"skipped": match[1].count("s"), "xfailed": match[1].count("x")}
        elif self._started or line.startswith("Tests running..."):
            super().feed(line)


class WardReader(TabledReader):
    """Reads failures whose name stands only above their details in most progress styles."""

    form = Compiled.of(
        Form(
            work=r"Found \d{1,9} tests? and \d{1,9} fixtures? in .*| (?:PASS|SKIP|XFAI) {2}\S+:\d.*",
            counts=r"│ {1,9}(?:(?P<passed>\d{1,9}) {2}Pass|(?P<failed>\d{1,9}) {2}Fail"
            r"|(?P<skipped>\d{1,9}) {2}Skip"
            r"|(?P<xfailed>\d{1,9}) {2}Expected Fail).*│",
            red=r" (?:FAIL|XPAS) {2}\S+?:\d{1,9} (?P<name>.*?)(?: {1,200}\d{1,3}%)?",
            ends=r"─{2,200} (?:SUCCESS|NO TESTS FOUND|(?P<bad>FAILED)) in \d[\d.]* seconds ─{2,200}",
        )
    )

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


ROWS = (
    TextRow(
        "green",
        "python",
        tabled(
            Form(
                work=r"Ran \d{1,9} tests? in \S+s using \d{1,9} process(?:es)?",
                red=r"(?:Failure|Error) in (?P<name>\S.*)",
                none=r"No Tests Found",
                ends=_GREEN_END,
            )
        ),
        signs(
            r"^Ran \d{1,9} tests? in \S+s using \d{1,9} process(?:es)?$",
            rf"^{unnamed(_GREEN_END)}$",
            r"^(?:Failure|Error) in \S+$",
            r"^Skipped \S+ - ",
        ),
        ("green",),
        weight=3,
    ),
    TextRow(
        "zope.testrunner",
        "python",
        tabled(
            Form(
                work=r"Running \S+ tests:",
                red=r"(?:Failure|Error) in test (?P<name>\S.*)",
                broken=r"Test-modules with import problems:",
                ends=rf"{_ZOPE_END}|{_ZOPE_TOTAL}",
            )
        ),
        signs(
            rf"^{unnamed(_ZOPE_END)}$",
            rf"^{unnamed(_ZOPE_TOTAL)}$",
            r"^Test-modules with import problems:$",
            r"^  Set up \S+ in \d",
        ),
        ("zope-testrunner",),
        weight=3,
    ),
    TextRow(
        "stestr",
        "python",
        tabled(
            Form(
                work=r"\{\d{1,9}\} \S.* \.{3} (?:ok|SKIPPED.*)",
                counts=(
                    r" - Passed: (?P<passed>\d{1,9})| - Skipped: (?P<skipped>\d{1,9})"
                    r"| - Expected Fail: (?P<xfailed>\d{1,9})"
                ),
                red=r"\{\d{1,9}\} (?P<name>\S.*) \[[^\]]{0,40}\] \.{3} (?:FAILED|inprogress)",
                none=r"No tests were successful during the run",
                ends=r" - Failed: (?P<failed>\d{1,9})",
            )
        ),
        signs(
            r"^\{\d{1,9}\} \S.* \.{3} (?:ok|FAILED|SKIPPED|inprogress)",
            r"^ - Passed: \d",
            r"^ - Failed: \d",
            r"^ - Worker \d{1,9} \(",
        ),
        ("stestr",),
        weight=3,
    ),
    TextRow(
        "ward",
        "python",
        WardReader,
        signs(
            r"^─{2,200} Ward \d",
            r"^Found \d{1,9} tests? and \d{1,9} fixtures? in ",
            r"^│ {1,9}\d{1,9} {2}Tests ",
            r"^ (?:PASS|FAIL|SKIP|XFAI|XPAS) {2}\S+:\d{1,9} ",
        ),
        ("ward",),
        weight=3,
        whole=whole(
            begins=r"─{2,200} Ward \d",
            ends=r"─{2,200} (?:SUCCESS|NO TESTS FOUND|FAILED) in \d[\d.]* seconds ─",
        ),
    ),
    TextRow(
        "mamba",
        "python",
        tabled(
            Form(
                work=r" {2,12}[✓✗] (?:it|_it) \S.*",
                red=r" {2}\d{1,9}\) (?P<name>\S.*)",
                ends=_MAMBA_END,
                after=True,
            )
        ),
        signs(rf"^{unnamed(_MAMBA_END)}$", r"^ {2,12}[✓✗] _?it \S"),
        ("mamba",),
        weight=5,
    ),
    TextRow(
        "testslide",
        "python",
        tabled(
            Form(
                work=r"  \S.*: PASS",
                counts=(
                    r"  (?:Successful: (?P<passed>\d{1,9})|Failed: (?P<failed>\d{1,9})"
                    r"|Skipped: (?P<skipped>\d{1,9})) .*"
                ),
                red=r"  \d{1,9}\) (?P<name>\S.*)",
                ends=r"  Not executed: \d{1,9} .*",
            )
        ),
        signs(
            r"^Executed \d{1,9} examples? in \d",
            r"^  Successful: \d{1,9} ",
            r"^  Not executed: \d{1,9} ",
            r"^https://testslide\.",
        ),
        ("testslide",),
        weight=3,
    ),
    TextRow(
        "avocado",
        "python",
        tabled(
            Form(
                work=r" \(\d{1,9}/\d{1,9}\) \S.*: STARTED",
                red=r" \(\d{1,9}/\d{1,9}\) (?P<name>\S+):  (?:FAIL|ERROR|INTERRUPTED)\b.*",
                none=r"No tests found for given test references: .*",
                ends=_AVOCADO_END,
            )
        ),
        signs(
            rf"^{unnamed(_AVOCADO_END)}$",
            r"^JOB (?:ID|LOG|TIME) {2,5}: ",
            r"^ \(\d{1,9}/\d{1,9}\) \S+: STARTED$",
            r"^No tests found for given test references: ",
        ),
        ("avocado",),
        weight=3,
    ),
    TextRow(
        "xdoctest",
        "python",
        tabled(
            Form(
                work=r"running \d{1,9} test\(s\)|={6} <exec> ={6}",
                red=r"\* FAILURE: (?P<name>\S.*)",
                ends=_XDOCTEST_END,
            )
        ),
        signs(
            r"^={6} </?exec> ={6}$",
            r"^\* DOCTEST : ",
            r"^\* (?:SUCCESS|FAILURE|SKIPPED): \S+::",
            r"^running \d{1,9} test\(s\)$",
            rf"^{unnamed(_XDOCTEST_END)}$",
        ),
        ("xdoctest",),
        weight=4,
    ),
)

"""Read small runners of C and C++, and Perl's yath: their counts and failures."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.tabled import Form, tabled, unnamed
from tdd_orchestrator.testlog.reading import TextRow, signs

_CPPUNIT_END = (
    r"OK \((?P<passed>\d{1,9})(?: tests?)?\)"
    r"|Run: {1,2}(?P<total>\d{1,9}) {3}(?:Failure total: \d{1,9} {3})?Failures: "
    r"(?P<failed>\d{1,9}) {3}Errors: (?P<errors>\d{1,9})"
)
_UNITTESTPP_END = (
    r"Success: (?P<passed>\d{1,9}) tests passed\.|"
    r"FAILURE: (?P<failed>\d{1,9}) out of (?P<total>\d{1,9}) tests failed.*"
)
_YATH_END = r" {4}--> {2}Result: (?:PASSED|(?P<bad>FAILED)) {2}<--"

ROWS = (
    TextRow(
        "cppunit",
        "c++",
        tabled(
            Form(
                work=r"(?:!!!FAILURES!!!|Failures !!!|\S+::\S+ : \w+|[.FE]*[FE][.FE]*)",
                red=r"(?:\d{1,9}\) test|Test name): (?P<name>\S+).*",
                ends=_CPPUNIT_END,
                after=True,
            )
        ),
        signs(
            r"^Run: {1,2}\d{1,9} {3}(?:Failure total: \d{1,9} {3})?Failures: \d{1,9} {3}Errors: \d{1,9}$",
            r"^(?:!!!FAILURES!!!|Failures !!!)$",
            r"^\d{1,9}\) test: \S",
            r"^Test name: \S+::",
            r"^OK \(\d{1,9}(?: tests?)?\)$",
        ),
        weight=4,
    ),
    TextRow(
        "unittest++",
        "c++",
        tabled(
            Form(
                red=r".{1,400}: error: Failure in (?P<name>\w+): .*",
                ends=_UNITTESTPP_END,
            )
        ),
        signs(
            rf"^(?:{unnamed(_UNITTESTPP_END)})$",
            r"^[^\s:]{1,300}:\d{1,9}:\d{1,9}: error: Failure in \w+: ",
            r"^Test time: \d[\d.]* seconds\.$",
        ),
        weight=4,
    ),
    TextRow(
        "yath",
        "perl",
        tabled(
            Form(
                work=r"[(\[{<!] ?[ A-Z!]{4,8} ?[)\]}>!] {2}job {1,3}\d.*|The following jobs failed:",
                counts=(
                    r" {4,6}Fail Count: (?P<failed>\d{1,9})| {4,6}File Count: (?P<total>\d{1,9})"
                    r"|Assertion Count: (?P<checks>\d{1,9})"
                ),
                red=r"\| [0-9A-F-]{36} \| (?P<name>\S+) {1,200}\|.*",
                ends=_YATH_END,
            )
        ),
        signs(
            r"^\( (?:PASSED|FAILED|LAUNCH) \) {2}job {1,3}\d",
            r"^ {20,40}Yath Result Summary$",
            rf"^{unnamed(_YATH_END)}$",
        ),
        ("yath",),
        weight=3,
    ),
)

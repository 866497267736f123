"""Read small runners of C and C++, and Perl's yath: their counts and failures."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.parsers.tabled import TabledReader

ROWS = text_rows(
    r"""
c++ TabledReader weight=4 after=yes cppunit
  work     (?:!!!FAILURES!!!|Failures !!!|\S+::\S+ : \w+|[.FE]*[FE][.FE]*)
  red      (?:\d{1,9}\) test|Test name): (?P<name>\S+).*
  closing  OK \((?P<passed>\d{1,9})(?: tests?)?\)|Run: {1,2}(?P<total>\d{1,9}) {3}
           (?:Failure total: \d{1,9} {3})?Failures: (?P<failed>\d{1,9}) {3}Errors: (?P<errors>\d{1,9})
  sign     ^Run: {1,2}\d{1,9} {3}(?:Failure total: \d{1,9} {3})?Failures: \d{1,9} {3}Errors: \d{1,9}$
  sign     ^(?:!!!FAILURES!!!|Failures !!!)$
  sign     ^\d{1,9}\) test: \S
  sign     ^Test name: \S+::
  sign     ^OK \(\d{1,9}(?: tests?)?\)$
c++ TabledReader weight=4 unittest++
  red      .{1,400}: error: Failure in (?P<name>\w+): .*
  closing  Success: (?P<passed>\d{1,9}) tests passed\.|FAILURE: (?P<failed>\d{1,9}) out of (?P<total>\d{1,9})
            tests failed.*
  sign     ^{closing}$
  sign     ^[^\s:]{1,300}:\d{1,9}:\d{1,9}: error: Failure in \w+:␣
  sign     ^Test time: \d[\d.]* seconds\.$
perl TabledReader weight=3 yath
  words    yath
  work     [(\[{<!] ?[ A-Z!]{4,8} ?[)\]}>!] {2}job {1,3}\d.*|The following jobs failed:
  counts   ␣{4,6}Fail Count: (?P<failed>\d{1,9})| {4,6}File Count: (?P<total>\d{1,9})
           |Assertion Count: (?P<checks>\d{1,9})
  red      \| [0-9A-F-]{36} \| (?P<name>\S+) {1,200}\|.*
  closing  ␣{4}--> {2}Result: (?:PASSED|(?P<bad>FAILED)) {2}<--
  sign     ^\( (?:PASSED|FAILED|LAUNCH) \) {2}job {1,3}\d
  sign     ^ {20,40}Yath Result Summary$
  sign     ^{closing}$
""",
    TabledReader,
)

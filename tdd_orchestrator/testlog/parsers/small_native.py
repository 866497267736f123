"""Read small runners of C and C++, and Perl's yath: their counts and failures."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

ROWS = text_rows(
    r"""
c++ RuledReader weight=4 after=yes first=yes cppunit
  total    OK \((?P<passed>\d{1,9})(?: tests?)?\)|Run: {1,2}(?P<total>\d{1,9}) {3}
           (?:Failure total: \d{1,9} {3})?Failures: (?P<failed>\d{1,9}) {3}Errors: (?P<errors>\d{1,9})
  case     (?:\d{1,9}\) test|Test name): (?P<name>\S+).*
  work     (?:!!!FAILURES!!!|Failures !!!|\S+::\S+ : \w+|[.FE]*[FE][.FE]*)
  sign     ^Run: {1,2}\d{1,9} {3}(?:Failure total: \d{1,9} {3})?Failures: \d{1,9} {3}Errors: \d{1,9}$
  sign     ^(?:!!!FAILURES!!!|Failures !!!)$
  sign     ^\d{1,9}\) test: \S
  sign     ^Test name: \S+::
  sign     ^OK \(\d{1,9}(?: tests?)?\)$
c++ RuledReader weight=4 first=yes unittest++
  total    Success: (?P<passed>\d{1,9}) tests passed\.|FAILURE: (?P<failed>\d{1,9}) out of (?P<total>\d{1,9})
            tests failed.*
  case     .{1,400}: error: Failure in (?P<name>\w+): .*
  sign     ^{total}$
  sign     ^[^\s:]{1,300}:\d{1,9}:\d{1,9}: error: Failure in \w+:␣
  sign     ^Test time: \d[\d.]* seconds\.$
perl RuledReader weight=3 first=yes yath
  words    yath
  total    ␣{4}--> {2}Result: (?:PASSED|(?P<bad>FAILED)) {2}<--
  count    ␣{4,6}Fail Count: (?P<failed>\d{1,9})| {4,6}File Count: (?P<total>\d{1,9})
           |Assertion Count: (?P<checks>\d{1,9})
  case     \| [0-9A-F-]{36} \| (?P<name>\S+) {1,200}\|.*
  work     [(\[{<!] ?[ A-Z!]{4,8} ?[)\]}>!] {2}job {1,3}\d.*|The following jobs failed:
  sign     ^\( (?:PASSED|FAILED|LAUNCH) \) {2}job {1,3}\d
  sign     ^ {20,40}Yath Result Summary$
  sign     ^{total}$
""",
)

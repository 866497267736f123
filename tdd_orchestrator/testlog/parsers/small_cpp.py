"""Read CppUnit and UnitTest++: their counts and failures. JUnit 4 closes like CppUnit; the row that stands first counts."""

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
""",
)

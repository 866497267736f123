"""Read the output of clojure.test, which counts assertions: tests are counted by their names."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

ROWS = text_rows(
    r"""
clojure RuledReader weight=3 first=yes clojure.test
  words    lein  |  clojure
  status   ERROR=error
  total    Ran (?P<ran>\d{1,9}) tests containing \d{1,9} assertions\.\n(?:0|(?P<bad>\d{1,9})) failures,
            (?:0|(?P<bad2>\d{1,9})) errors\.
  work     Testing .*|Ran \d{1,9} tests containing \d{1,9} assertions\.
  case     (?P<status>FAIL|ERROR) in \((?P<name>[^()]+)\) \((?P<file>[^():]+):(?P<line>\d{1,9})\)
  stop     \s*
  sign     ^Ran \d{1,9} tests containing \d{1,9} assertions\.$
  sign     ^\d{1,9} failures, \d{1,9} errors\.$
  sign     ^(?:FAIL|ERROR) in \(
  apart    (?:Syntax error \S+ing .{0,300}at|Execution error .{0,300}at) .{0,300}\(\S+:\d{1,9}
           (?::\d{1,9})?\)\.$
""",
)

"""Read the output of Minitest, Rails and test-unit."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

ROWS = text_rows(
    r"""
ruby RuledReader weight=2 last=yes minitest
  words    minitest  |  rails test  |  bin/rails
  status   Error=error  |  Skipped=skipped  |  .=passed  |  E=error  |  S=skipped  |  PASS=passed  |  ERROR=error
             |  SKIP=skipped
  section  Finished .*
  end      (?P<total>\d{1,9}) (?:runs|tests), \d{1,9} assertions, (?P<failed>\d{1,9}) failures,
            (?P<errors>\d{1,9}) errors, (?P<skipped>\d{1,9}) skips
  work     # Running.*|Run options: .*
  case     ␣{0,3}(?:\d{1,9}\) )?(?P<status>Failure|Error|Skipped):\n
           (?P<name>\S.*?#\S.*?) \[(?P<file>[^\]]+?):(?P<line>\d{1,9})\]:?
  case     ␣{0,3}(?:\d{1,9}\) )?(?P<status>Failure|Error|Skipped):\n(?P<name>\S.*?):?
  case     (?P<indent> {2})(?P<name>\S.*?) +(?P<status>PASS|FAIL|ERROR|SKIP) \(\d+\.\d+s\)
  case     (?P<name>\S+#\S.*?) = [\d.]+ s = (?P<status>[.FES])
  reason   (?:\S+#\S+:| {2}\S.* +(?:FAIL|ERROR) \(.*\))\n(?P<type>(?:[A-Z]\w*::)*[A-Z]\w*):(?: +(?P<message>.*))?
  place    {RUBY_FRAME}
  skip     ␣{4}.*\.rb:.*
  stop     (?:bin/)?rails test .*| {0,3}(?:\d{1,9}\) )?(?:Failure|Error|Skipped):
  sign     ^\d{1,9} (?:runs|tests), \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors, \d{1,9} skips$
  sign     ^# Running(?: tests(?: with run options .{0,200})?)?:?$
  sign     ^Finished tests in [\d.]+s, [\d.]+ tests/s
  sign     ^Run options: .{0,200}--seed \d{1,9}
  sign     ^\S+#\S.{0,300} = [\d.]+ s = [.FES]$
  sign     ^ {0,3}\d{1,9}\) (?:Failure|Error|Skipped):$
  begins   Run options: .*--seed
  ends     \d{1,9} (?:runs|tests), \d{1,9} assertions,␣
  apart    {RUBY}
ruby RuledReader weight=2 test-unit
  words    test-unit
  status   Error=error  |  Omission=skipped  |  Pending=skipped
  total    (?P<total>\d{1,9}) tests, \d{1,9} assertions, (?P<failed>\d{1,9}) failures, (?P<errors>\d{1,9}) errors,
            (?P<skipped>\d{1,9}) pendings, (?P<skipped2>\d{1,9}) omissions, \d{1,9} notifications
  work     Loaded suite .*|Started
  case     ={60,}\n(?P<status>Failure|Error|Omission|Pending): (?P<message>.*) \[(?P<name>.+\([^()]+\))\]
  reason   Error: .+?\([^()]+\):?\n\s*(?P<type>(?:[A-Z]\w*::)*[A-Z]\w*)(?::(?: (?P<message>.*))?)?
  case     ={60,}\n(?P<status>Error): (?P<name>.+?\([^()]+\)):
            (?P<type>(?:[A-Z]\w*::)*[A-Z]\w*)(?::(?: (?P<message>.*))?)?
  case     ={60,}\n(?P<status>Failure|Error|Omission|Pending): (?P<name>.+?\([^()]+\))(?:: ?(?P<message>.*))?
  stop     ={60,}
  place    {RUBY_FRAME}
  skip     (?: {2}=> | {5}) {0,6}\d{1,9}: ?.*|  => +\d{1,9}: .*|\S.*\.rb:.*:in .*
  sign     ^\d{1,9} tests, \d{1,9} assertions, \d{1,9} failures, \d{1,9} errors, \d{1,9} pendings,␣
  sign     ^Loaded suite␣
  sign     ^\d{1,3}(?:\.\d{1,9})?% passed$
  sign     ^\d[\d.]{0,12} tests/s, \d[\d.]{0,12} assertions/s$
  sign     ^Started$
  sign     ^(?:Failure|Error|Omission|Pending): .{1,300}\(\w[\w:]*\)
  begins   Loaded suite␣
  ends     \d{1,9} tests, \d{1,9} assertions,␣
  apart    {RUBY}
""",
)

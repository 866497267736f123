"""Read the output of the runners of Dart and Zig."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.ruled import text_rows

ROWS = text_rows(
    r"""
dart RuledReader weight=3 dart-test
  words    dart  |  flutter
  total    (?:\d{1,9}:)?\d{1,9}:\d{1,9} \+(?P<passed>\d{1,9})(?: ~(?P<skipped>\d{1,9}))?
           (?: -(?P<failed>\d{1,9}))?: (?:All tests passed!|Some tests failed\.|All tests skipped\.|No tests ran\.).*
  total    No tests (?:ran|match).*
  case     (?:\d{1,9}:)?\d{1,9}:\d{1,9} \+\d[^:]*: (?:(?P<suite>(?P<file>[^:]*\.dart)): )?
           (?P<name>.*?)(?: - did not complete)? \[E\]
  work     (?:\d{1,9}:)?\d{1,9}:\d{1,9} \+\d.*
  place    \s*(?!package:(?:test|matcher)|dart:)(?P<file>\S+\.dart)[: ](?P<line>\d{1,9}):\d{1,9} .*
  skip     .*(?:\.dart[: ].*|\.dart.* main.*|package:.*\.dart.*)
  sign     ^(?:\d{1,9}:)?\d{1,9}:\d{1,9} \+\d{1,9}(?: ~\d{1,9})?(?: -\d{1,9})?:␣
zig RuledReader zig-test
  words    zig
  status   OK=passed  |  SKIP=skipped
  total    (?P<passed>\d{1,9}) passed; (?P<skipped>\d{1,9}) skipped; (?P<failed>\d{1,9}) failed\.
  total    All (?P<passed>\d{1,9}) tests passed\.
  case     \d{1,9}/\d{1,9} (?P<name>\S.*?)\.\.\.(?P<message>(?P<status>OK$|SKIP|FAIL).*)
  case     \d{1,9}/\d{1,9} (?P<name>\S.*?)\.\.\..*\n(?P<message>FAIL.*)
  case     error: '(?P<name>\S.*?)' failed: (?P<message>.*)
  place    (?!.*/lib/std/)(?:.*[\s"'`()=,;|<>\[\]{}])?(?P<file>[^\s"'`()=,;|<>\[\]{}]+\.zig):(?P<line>\d{1,9}).*
  skip     .*
  sign     ^\d{1,9} passed; \d{1,9} skipped; \d{1,9} failed\.$
  sign     ^All \d{1,9} tests passed\.$
  sign     ^\d{1,9}/\d{1,9} \S.{0,200}\.\.\.(?:OK|FAIL|SKIP)
""",
)

"""Read the output of ExUnit."""

from __future__ import annotations

from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.parsers.ruled import RuledReader

ROWS = text_rows(
    r"""
elixir RuledReader weight=2 exunit
  words    mix  |  exunit
  section  Finished in .*
  end      (?:(?P<total>\d{1,9}) doctests?, )?(?:(?P<total2>\d{1,9}) propert(?:y|ies), )?
           (?:(?P<total3>\d{1,9}) features?, )?(?:(?P<total4>\d{1,9}) tests?, )?(?P<failed>\d{1,9}) failures?
           (?:, (?:(?P<skipped>\d{1,9}) excluded|(?P<errors>\d{1,9}) invalid|(?P<skipped2>\d{1,9}) skipped))*
  total    There are no tests to run.*
  work     Running ExUnit with seed.*|[.*?]+
  case     ␣{0,3}\d{1,9}\) (?P<name>(?:test|doctest|property|feature) .+?) \((?P<suite>[\w.]+)\)
  case     ␣{0,3}\d{1,9}\) (?P<name>(?P<suite>[\w.]+): failure on setup_all callback, .*)
  unread   \*\* \((?P<type>Mix(?:\.\w+)*|UndefinedFunctionError|ArgumentError|Code\.LoadError)\) (?P<message>.*)
  place    ␣{5}(?P<file>\S+\.exs?):(?P<line>\d{1,9})
  test     ␣{7}(?!.*__ex_unit__/)(?:\([\w .-]+\) )?(?P<frame>(?P<file>\S+\.exs):(?P<line>\d{1,9})): .*
  reason   ␣{7}(?:\([\w .-]+\) )?(?P<frame>\S+\.exs?:\d{1,9}): .*
  reason   ␣{5}\*\* \((?P<type>[\w.]+)\) (?P<message>.*)
  skip     (?! {5}).*| {7}\(.*|\s*stacktrace:
  sign     ^(?:\d{1,9} (?:doctests?|property|properties), )*\d{1,9} tests?, \d{1,9} failures?\b(?!, \d{1,9}
            error)
  sign     ^Finished in [\d.]+ seconds(?: \([\d.]+s (?:on load|async))?
  sign     ^Running ExUnit with seed
  sign     ^Randomized with seed \d{1,9}$
  sign     ^ {0,3}\d{1,9}\) (?:test|doctest|property) .{1,300} \([\w.]+\)$
  sign     ^== Compilation error in file␣
  sign     ^\*\* \((?:Mix|CompileError|SyntaxError|TokenMissingError)\)?
  begins   Running ExUnit with seed
  ends     (?:\d{1,9} (?:doctests?|property|properties|features?|tests?), )+\d{1,9} failures?\b
           |There are no tests to run
  apart    == Compilation error in file .{1,300} ==$|\*\* \((?:Mix|Mix\.Error|CompileError|SyntaxError
           |TokenMissingError|MismatchedDelimiterError|Code\.LoadError)\)␣
""",
    RuledReader,
)

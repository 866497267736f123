"""Read the output of LuaUnit and busted."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Outcome
from tdd_orchestrator.testlog.parsers.ruled import RuledReader, text_rows
from tdd_orchestrator.testlog.reading import Reading


class BustedReader(RuledReader):
    """Reads files that could not be loaded, which busted counts as errors, as build errors."""

    def finish(self) -> Reading:
        reading = super().finish()
        unread = [
            case
            for case in self.cases
            if case.outcome is Outcome.ERROR and case.name.endswith((".lua", ".moon"))
        ]
        reading.cases = [case for case in self.cases if case not in unread]
        reading.build_errors[:0] = [BuildError(one.message or one.name, one.file, one.line) for one in unread]
        if unread and reading.counts:
            reading.counts = replace(reading.counts, errors=max(0, reading.counts.errors - len(unread)))
        return reading


ROWS = text_rows(
    r"""
lua RuledReader weight=2 last=yes luaunit
  words    luaunit
  status   Ok=passed  |  ok=passed  |  ERROR=error  |  Tests with errors:=error  |  SKIP=skipped
  total    (?:# )?Ran \d{1,9} tests in [\d.]+ seconds, (?P<passed>\d{1,9}) success(?:es)?
           (?:, (?P<failed>\d{1,9}) failures?)?(?:, (?P<errors>\d{1,9}) errors?)?(?:, (?P<skipped>\d{1,9}) skipped)?.*
  section  Failed tests:|(?P<status>Tests with errors:)
  work     (?:# )?Started on .*|[.FES]+
  case     (?P<status>ok|not ok) +\d{1,9}\t(?P<name>\S+).*
  case     ␣{4}(?P<name>\S+) \.\.\. (?P<status>Ok|FAIL|ERROR|SKIP).*
  skip     ␣{4}\S+ \.\.\. .*
  listed   \d{1,9}\) (?P<name>\S+)
  stop     (?:# )?stack traceback.*|\s*
  place    (?:#\s+)?(?P<file>[^\s:]+\.lua):(?P<line>\d{1,9}): (?P<message>.*)
  sign     ^(?:# )?Ran \d{1,9} tests in [\d.]+ seconds, \d{1,9} success
  sign     ^(?:Failed tests|Tests with errors):$
  sign     ^(?:not )?ok +\d{1,9}\t\S
  sign     ^(?:# )?Started on \w{3} \w{3}
  sign     ^ {4}\S+ \.\.\. (?:Ok|FAIL|ERROR)$
  begins   (?:# )?Started on \w{3} \w{3}
  ends     (?:# )?Ran \d{1,9} tests in␣
  apart    {LUA}
lua BustedReader weight=2 after=yes busted
  words    busted
  status   Error=error  |  Pending=skipped
  total    (?P<passed>\d{1,9}) success(?:es)? / (?P<failed>\d{1,9}) failures? / (?P<errors>\d{1,9}) errors?
            / (?P<skipped>\d{1,9}) pending : .*
  work     [●◼✱◌+*.!-]+
  case     (?P<status>Failure|Error|Pending) (?:→|->) (?P<suite>(?P<file>\S.*?)) @ (?P<line>\d{1,9})\n(?P<name>.*)
  case     (?P<status>Error) (?:→|->) (?P<name>(?P<file>\S+\.(?:lua|moon))):(?P<line>\d{1,9}): (?P<message>.+)
  stop     stack traceback:.*|(?:Failure|Error|Pending) (?:→|->) .* @ \d{1,9}
  skip     \S+\.(?:lua|moon)
  test     (?:[^:]*[\s'"`(])?(?P<file>[^\s:]+\.(?:lua|moon)):(?P<line>\d{1,9}): (?P<message>.*)
  sign     ^\d{1,9} success(?:es)? / \d{1,9} failures? / \d{1,9} errors? / \d{1,9} pending :␣
  sign     ^(?:Failure|Error|Pending) (?:→|->) \S.{0,300} @ \d{1,9}$
  sign     ^[●◼✱◌]{1,400}$
  dies     {CRASHED}
  apart    {LUA}
""",
    BustedReader,
)

"""Read the output of ExUnit."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block, numbers, place
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.reading import Reading

_EX_SUM = re.compile(
    r"(?:\d{1,9} (?:doctests?|property|properties|features?"
    r"|tests?), )*\d{1,9} failures?(?:, \d{1,9} (?:excluded|invalid|skipped))*$"
)
_EX_HEAD = re.compile(
    r" {0,3}\d{1,9}\) (?P<name>(?:test|doctest|property|feature) .+?) \((?P<module>[\w.]+)\)$"
)
_EX_ALL = re.compile(r" {0,3}\d{1,9}\) (?P<name>(?P<module>[\w.]+): failure on setup_all callback, .*)$")
_EX_PLACE = re.compile(r" {5}(?P<file>\S+\.exs?):(?P<line>\d{1,9})$")
_EX_FRAME = re.compile(r" {7}(?:\([\w .-]+\) )?(\S+\.exs?:\d{1,9}): ")
_EX_TYPE = re.compile(r" {5}\*\* \((?P<type>[\w.]+)\) (?P<message>.*)$")
_EX_BUILD = re.compile(
    r"(?:== Compilation error in file (?P<file>\S+) ==|\*\* \((?P<type>Mix(?:\.\w+)*|Mix\.Error"
    r"|UndefinedFunctionError|ArgumentError|Code\.LoadError)\) (?P<message>.*))$"
)


class ExUnitReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._block: Block | None = None
        self._trace = False
        self._file = ""
        self._mix: BuildError | None = None

    def feed(self, line: str) -> None:
        if self._ending and line[:1].isdigit() and _EX_SUM.match(line):
            self._sum(line)
        elif line.startswith(("Running ExUnit with seed", "Finished in ")):
            self.open, self._block = True, None
            self._ending = line.startswith("Finished in ")
        elif match := _EX_HEAD.match(line) or _EX_ALL.match(line):
            self.open, self._trace = True, False
            name = match["name"]
            self._block = Block()
            self.keep(Case(f"{match['module']}::{name}", name, Outcome.FAILED))
        elif self._block is not None:
            self._add_detail(line)
        elif line.startswith("There are no tests to run"):
            self.close()
        elif line and not line.strip(".*?"):
            self.open = True
        elif not self.open and not self.closed:
            self._compile(line)

    def _compile(self, line: str) -> None:
        match = _EX_BUILD.match(line)
        if match and match["file"]:
            self._file = match["file"]
        elif match:
            self._mix = self._mix or BuildError(match["message"], exception=match["type"] or "")
        self.build.feed(line)

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        if self._trace:
            if frame := _EX_FRAME.match(line):
                self.explain(frames=(frame[1], *self.cases[-1].frames))  # printed innermost first
            if " (test)" in line or not self._framed:
                file, number = place(line, ".exs")
                if file:
                    self.explain(file=file, line=number)
                    self._framed = True
            self._trace = line.startswith("       ")
            return
        if line.strip() == "stacktrace:":
            self._trace, self._framed = True, False
        elif (match := _EX_PLACE.match(line)) and not self.cases[-1].line:
            self.explain(file=match["file"], line=int(match["line"]))
        elif match := _EX_TYPE.match(line):
            self._block.add(match["message"])
            self.explain(exception=match["type"], message=self._block.text())
        elif line.startswith("     "):
            self._block.add(line.strip())
            self.explain(message=self._block.text())

    _framed = False
    _ending = False  # the line with the time has been printed

    def _sum(self, line: str) -> None:
        self._ending = False
        totals = numbers(line)
        total = sum(_number(line, noun) for noun in ("test", "doctest", "property", "feature"))
        failed, skipped = totals.get("failures", 0), totals.get("skipped", 0)
        excluded, invalid = totals.get("excluded", 0), totals.get("invalid", 0)
        passed = total - failed - skipped - excluded - invalid
        self.close(passed=passed, failed=failed, errors=invalid, skipped=skipped + excluded)
        self._none = total - excluded <= 0
        self._block = None

    _none = False

    def finish(self) -> Reading:
        reading = super().finish()
        if not self.closed and not self.open and not reading.build_errors and self._mix:
            reading.build_errors, reading.finished = [self._mix], True
        reading.no_tests = reading.no_tests or (self.closed > 0 and self._none and self.ok)
        return reading


def _number(line: str, kind: str) -> int:
    plural = {"property": "properties"}.get(kind, f"{kind}s")
    match = re.search(rf"(?:^|, )(\d{{1,9}}) (?:{kind}|{plural})\b", line)
    return int(match[1]) if match else 0


ROWS = text_rows(
    r"""
elixir ExUnitReader weight=2 exunit
  words    mix  |  exunit
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
    ExUnitReader,
)

"""Read the output of Hspec, tasty and HUnit."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block, numbers
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows

_HSPEC_SUM = re.compile(r"\d{1,9} examples?, \d{1,9} failures?(?:, \d{1,9} pending)?$")
_HSPEC_HEAD = re.compile(r" {2}\d{1,9}\) (?P<name>\S.*)$")
_HS_PLACE = re.compile(r"\s*(?P<file>[^\s:]+\.(?:hs|lhs)):(?P<line>\d{1,9})(?::\d{1,9})?:? *$")
_HS_TYPE = re.compile(r"\s*uncaught exception: (?P<type>\S+)(?: \((?P<message>.*)\)?)?")


class HspecReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._failures = False
        self._spot = ("", 0)
        self._block: Block | None = None
        self._ending = False  # the line with the time was the last one

    def feed(self, line: str) -> None:
        if line == "Failures:":
            self._failures = self.open = True
        elif line.startswith(("Randomized with seed ", "Finished in ")):
            self.open, self._block, self._failures = True, None, False
            self._ending = line.startswith("Finished in ")
        elif self._ending and " example" in line and _HSPEC_SUM.match(line):
            self._ending = False
            totals = numbers(line)
            total, failed, pending = totals["examples"], totals["failures"], totals.get("pending", 0)
            self.close(passed=total - failed - pending, failed=failed, skipped=pending)
        elif self._failures:
            self._failure(line)
        elif line.rstrip().endswith(("]", "PENDING")) and (
            " FAILED [" in line or "[✔]" in line or "[✘]" in line
        ):
            self.open = True
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _failure(self, line: str) -> None:
        if place := _HS_PLACE.match(line):
            self._spot, self._block = (place["file"], int(place["line"])), None
        elif match := _HSPEC_HEAD.match(line):
            name = match["name"]
            self.keep(Case(name, name, Outcome.FAILED, *self._spot))
            self._spot, self._block = ("", 0), Block()
        elif line.startswith("  To rerun use:"):
            self._block = None
        elif self._block is not None and line.strip():
            kind = _HS_TYPE.match(line)
            self._block.add(line.strip())
            self.explain(
                message=self._block.text(), exception=kind["type"] if kind else self.cases[-1].exception
            )


_TASTY = re.compile(r"(?P<indent> +)(?P<name>\S.*?): +(?P<status>OK|FAIL|SKIP)(?: \([\d.]+s\))?$")
_TASTY_BAD = re.compile(r"(?P<failed>\d{1,9}) out of (?P<total>\d{1,9}) tests failed \([\d.]+s\)$")
_TASTY_ALL = re.compile(r"All (?P<total>\d{1,9}) tests passed \([\d.]+s\)$")
_TASTY_OUTCOMES = {"OK": Outcome.PASSED, "FAIL": Outcome.FAILED, "SKIP": Outcome.SKIPPED}


class TastyReader(Program):
    _block: Block | None = None
    _depth = 0
    _skipped = 0  # of this run: its closing line does not count them by themselves

    def feed(self, line: str) -> None:
        if match := _TASTY_BAD.match(line):
            self._end(int(match["total"]), int(match["failed"]))
        elif match := _TASTY_ALL.match(line):
            self._end(int(match["total"]))
        elif match := _TASTY.match(line):
            outcome = _TASTY_OUTCOMES[match["status"]]
            self.open, self._depth = True, len(match["indent"])
            self.keep(Case(match["name"], match["name"], outcome))
            self._skipped += outcome is Outcome.SKIPPED
            self._block = Block() if outcome is Outcome.FAILED else None
        elif self._block is not None and len(line) - len(line.lstrip()) > self._depth:
            place = _HS_PLACE.match(line)
            if place and not self.cases[-1].line:
                self.explain(file=place["file"], line=int(place["line"]))
            elif not line.strip().startswith("Use -p "):
                self._block.add(line.strip())
                self.explain(message=self._block.text())
        elif line.strip():
            self._block = None
            if not self.open and not self.closed:
                self.build.feed(line)

    def _end(self, total: int, failed: int = 0) -> None:
        skipped, self._skipped, self._block = self._skipped, 0, None
        self.close(passed=total - failed - skipped, failed=failed, skipped=skipped)


_HUNIT = re.compile(
    r"Cases: (?P<cases>\d{1,9}) {2}Tried: (?P<tried>\d{1,9}) {2}Errors: (?P<errors>\d{1,9}) "
    r"{2}Failures: (?P<failures>\d{1,9})$"
)
_HUNIT_HEAD = re.compile(r"### (?P<status>Failure|Error) in: (?P<path>\S.*)$")


class HUnitReader(Program):
    _block: Block | None = None

    def feed(self, line: str) -> None:
        if match := _HUNIT.match(line):
            totals = {key: int(number) for key, number in match.groupdict().items()}
            bad = totals["failures"] + totals["errors"]
            self.close(passed=totals["tried"] - bad, failed=totals["failures"], errors=totals["errors"])
            self.open = totals["tried"] < totals["cases"]
            self._block = None
        elif match := _HUNIT_HEAD.match(line):
            self.open = True
            outcome = Outcome.FAILED if match["status"] == "Failure" else Outcome.ERROR
            self.keep(Case(match["path"], match["path"], outcome))
            self._block = Block()
        elif self._block is not None and line.strip():
            place = _HS_PLACE.match(line)
            if place:
                self.explain(file=place["file"], line=int(place["line"]))
            else:
                self._block.add(line.strip())
                self.explain(message=self._block.text())
        elif not self.open and not self.closed:
            self.build.feed(line)


ROWS = text_rows(
    r"""
haskell HspecReader weight=2 hspec
  words    hspec  |  stack  |  cabal  |  runghc  |  runhaskell
  sign     ^\d{1,9} examples?, \d{1,9} failures?(?:, \d{1,9} pending)?$
  sign     ^Finished in [\d.]+ seconds$
  sign     ^ {2}To rerun use: --match␣
  sign     ^Randomized with seed \d{1,9}$
  sign     ^ {2,20}\S.{0,200} (?:FAILED \[\d{1,9}\]|\[[✔✘]\])$
  apart    {HASKELL}
haskell TastyReader weight=2 tasty
  words    tasty  |  stack  |  cabal
  sign     ^(?:All \d{1,9} tests passed|\d{1,9} out of \d{1,9} tests failed) \([\d.]+s\)$
  sign     ^ {2,20}\S.{0,200}: +(?:OK|FAIL)(?: \([\d.]+s\))?$
  sign     ^ {4,24}Use -p '
  apart    {HASKELL}
haskell HUnitReader weight=2 hunit
  sign     ^Cases: \d{1,9} {2}Tried: \d{1,9} {2}Errors: \d{1,9} {2}Failures: \d{1,9}
  sign     ^### (?:Failure|Error) in:␣
  apart    {HASKELL}
""",
    HspecReader,
    TastyReader,
    HUnitReader,
)

"""Read the output of LuaUnit and busted."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block, numbers, place
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows
from tdd_orchestrator.testlog.reading import Reading

_RAN = re.compile(r"(?:# )?Ran (?P<ran>\d{1,9}) tests in [\d.]+ seconds, (?P<rest>\d{1,9} success.*)$")
_ITEM = re.compile(r"\d{1,9}\) (?P<name>\S+)$")
_TAP = re.compile(r"(?P<status>ok|not ok) +\d{1,9}\t(?P<name>\S+)")
_VERBOSE = re.compile(r" {4}(?P<name>\S+) \.\.\. (?P<status>Ok|FAIL|ERROR|SKIP)?")
_PLACED = re.compile(r"(?:#\s+)?(?P<file>[^\s:]+\.lua):(?P<line>\d{1,9}): (?P<message>.*)$")
_OUTCOMES = {"Ok": Outcome.PASSED, "FAIL": Outcome.FAILED, "ERROR": Outcome.ERROR, "SKIP": Outcome.SKIPPED}


class LuaUnitReader(Program):
    _section = ""
    _block: Block | None = None
    _passed: list[str]

    def __init__(self) -> None:
        super().__init__()
        self._named: dict[str, Case] = {}

    def feed(self, line: str) -> None:
        if "Ran " in line[:6] and (match := _RAN.match(line)):
            self._sum(int(match["ran"]), match["rest"])
        elif line in ("Failed tests:", "Tests with errors:"):
            self._section, self._block, self.open = line, None, True
        elif line.startswith(("Started on ", "# Started on ")):
            self.open = True
        elif match := _TAP.match(line):
            outcome = Outcome.PASSED if match["status"] == "ok" else Outcome.FAILED
            self._put(match["name"], outcome)
        elif line.startswith("    ") and (match := _VERBOSE.match(line)):
            if match["status"]:
                self._put(match["name"], _OUTCOMES[match["status"]])
        elif self._section and (match := _ITEM.match(line)):
            self._put(match["name"], Outcome.FAILED if self._section.startswith("Failed") else Outcome.ERROR)
        elif self._block is not None:
            self._add_detail(line)
        elif line and not line.strip(".FES"):
            self.open = True
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _put(self, name: str, outcome: Outcome) -> None:
        self.open = True
        self._name = name
        self._named[name] = Case(name, name, outcome)
        self._block = Block() if outcome in (Outcome.FAILED, Outcome.ERROR) else None

    _name = ""

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        if line.startswith(("stack traceback:", "# stack traceback")) or not line.strip():
            self._block = None
            return
        case = self._named[self._name]
        match = _PLACED.match(line) if not case.line else None
        self._block.add(match["message"] if match else line.strip())
        file, number = (match["file"], int(match["line"])) if match else (case.file, case.line)
        self._named[self._name] = Case(case.id, case.name, case.outcome, file, number, self._block.text())

    def _sum(self, ran: int, rest: str) -> None:
        totals = numbers(rest)
        self.close(
            passed=totals.get("successes", 0),
            failed=totals.get("failures", 0),
            errors=totals.get("errors", 0),
            skipped=totals.get("skipped", 0),
        )
        self._section, self._block = "", None

    def finish(self) -> Reading:
        for case in self._named.values():
            self.keep(case)
        return super().finish()


_BUSTED_SUM = re.compile(
    r"(?P<ok>\d{1,9}) success(?:es)? / (?P<failed>\d{1,9}) failures? / (?P<errors>\d{1,9}) errors? "
    r"/ (?P<pending>\d{1,9}) pending : "
)
_BUSTED_HEAD = re.compile(r"(?P<status>Failure|Error|Pending) (?:→|->) (?P<file>\S.*?) @ (?P<line>\d{1,9})$")
_BUSTED_UNREAD = re.compile(r"Error (?:→|->) (?P<file>\S+\.(?:lua|moon)):(?P<line>\d{1,9}): (?P<message>.+)$")
_BUSTED_OUTCOMES = {"Failure": Outcome.FAILED, "Error": Outcome.ERROR, "Pending": Outcome.SKIPPED}


class BustedReader(Program):
    _head: re.Match[str] | None = None
    _block: Block | None = None

    def __init__(self) -> None:
        super().__init__()
        self._unloaded: list[int] = []

    def feed(self, line: str) -> None:
        if " / " in line and (match := _BUSTED_SUM.match(line)):
            totals = {key: int(number) for key, number in match.groupdict().items()}
            self.close(
                passed=totals["ok"],
                failed=totals["failed"],
                errors=totals["errors"],
                skipped=totals["pending"],
            )
            self._head = self._block = None
        elif match := _BUSTED_HEAD.match(line):
            self._head, self._block = match, None
        elif match := _BUSTED_UNREAD.match(line):
            self._head = self._block = None
            self._unloaded.append(len(self.cases))
            file = match["file"]
            self.keep(Case(file, file, Outcome.ERROR, file, int(match["line"]), match["message"]))
        elif self._head is not None:
            self._name(line.strip())
        elif self._block is not None:
            self._add_detail(line)
        elif line and not line.strip("●◼✱◌+-*.!"):
            self.open = True
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _name(self, name: str) -> None:
        assert self._head is not None
        head, self._head = self._head, None
        outcome = _BUSTED_OUTCOMES[head["status"]]
        self._block = Block()
        if outcome is Outcome.ERROR and name.endswith((".lua", ".moon")):  # the file could not be loaded
            self._unloaded.append(len(self.cases))
        self.keep(Case(f"{head['file']}::{name}", name, outcome, head["file"], int(head["line"])))

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        if line.startswith("stack traceback:"):
            self._block = None
            return
        if not self._block.lines:
            file, number = place(line, ".lua", ".moon")
            if file:
                line = line.partition(f":{number}: ")[2] or line
                self.explain(file=file, line=number)
        self._block.add(line.strip())
        self.explain(message=self._block.text())

    def finish(self) -> Reading:
        reading = super().finish()
        for index in reversed(self._unloaded):
            case = reading.cases.pop(index)
            reading.build_errors.insert(0, BuildError(case.message or case.name, case.file, case.line))
        if self._unloaded and reading.counts:
            reading.counts = replace(
                reading.counts, errors=max(0, reading.counts.errors - len(self._unloaded))
            )
        return reading


ROWS = text_rows(
    r"""
lua LuaUnitReader weight=2 luaunit
  words    luaunit
  sign     ^(?:# )?Ran \d{1,9} tests in [\d.]+ seconds, \d{1,9} success
  sign     ^(?:Failed tests|Tests with errors):$
  sign     ^(?:not )?ok +\d{1,9}\t\S
  sign     ^(?:# )?Started on \w{3} \w{3}
  sign     ^ {4}\S+ \.\.\. (?:Ok|FAIL|ERROR)$
  begins   (?:# )?Started on \w{3} \w{3}
  ends     (?:# )?Ran \d{1,9} tests in␣
  apart    {LUA}
lua BustedReader weight=2 busted
  words    busted
  sign     ^\d{1,9} success(?:es)? / \d{1,9} failures? / \d{1,9} errors? / \d{1,9} pending :␣
  sign     ^(?:Failure|Error|Pending) (?:→|->) \S.{0,300} @ \d{1,9}$
  sign     ^[●◼✱◌]{1,400}$
  dies     {CRASHED}
  apart    {LUA}
""",
    LuaUnitReader,
    BustedReader,
)

"""Read the output of Pest (2 and 3; --parallel and --compact too), by itself and under artisan."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.php_stop import PEST_STOPPED, REFUSED, WORKER, PhpWatch
from tdd_orchestrator.testlog.parsers.program import Block, Program, numbers
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

_SUM = re.compile(r" {2}Tests: {2,6}(?P<rest>.+)$")
_CASE = re.compile(r" {2}(?P<mark>[✓⨯✗!\-→…↓x]) (?P<name>\S.*?)(?: {2,}[\d.]+s)?\s*$")
_GROUP = re.compile(r" {3}(?:PASS|FAIL|WARN|TODO|DEPR|NOTI) {2}(?P<name>\S+)(?: - \d{1,9} todos?)?\s*$")
_FAIL = re.compile(
    r" {2,3}(?:FAILED|• FAILED) {1,2}(?P<group>\S+) >(?: (?P<name>\S.*?))?(?: {2,}(?P<type>[A-Z]\w*))?\s*$"
)
_AT = re.compile(r" {1,3}at (?P<file>\S+?\.php):(?P<line>\d{1,9})$")
_NONE = re.compile(r" {2,3}INFO {1,2}No (?:\"dirty\" )?tests found\.$")
_COUNTED = (
    "passed", "failed", "skipped", "todo", "todos", "incomplete", "pending", "risky", "warning", "warnings",
    "deprecated", "notice", "notices",
)  # fmt: skip
_CUT = "more tests were listed than its closing line counts, so a run before it has no end"
_QUOTED = re.compile(r"`([^`]+)`")  # the list of tests leaves these quotes out
_MARKS = {
    "✓": Outcome.PASSED, "⨯": Outcome.FAILED, "✗": Outcome.FAILED, "x": Outcome.FAILED, "!": Outcome.PASSED,
    "-": Outcome.SKIPPED, "→": Outcome.SKIPPED, "…": Outcome.SKIPPED, "↓": Outcome.SKIPPED,
}  # fmt: skip


class PestReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self.build: PhpWatch = PhpWatch()
        self._group = ""
        self._block: Block | None = None
        self._detail: list[Case] = []
        self._first = 0  # of this run, among the cases
        self._listing = False  # between a class's heading and the empty line below its tests
        self._listed = 0
        self._cut = ""

    def feed(self, line: str) -> None:
        self._listing &= bool(line.strip())
        self._listed += self._listing and _CASE.match(line) is not None
        if match := _GROUP.match(line):
            self._group, self.open, self._block, self._listing = match["name"], True, None, True
        elif line.startswith("  Tests: ") and (match := _SUM.match(line)):
            self._sum(match["rest"])
        elif match := _FAIL.match(line):
            self._fail(match["group"], _QUOTED.sub(r"\1", match["name"] or ""), match["type"] or "")
        elif self._block is not None:
            self._add_detail(line)
        elif match := _CASE.match(line):
            name = _name_of(match["mark"], match["name"])
            self.keep(Case(f"{self._group}::{name}", name, _MARKS[match["mark"]]))
        elif _NONE.match(line):
            self.close()
        elif self.open:
            self.build.feed_own(line)
        elif not self.closed:
            self.build.feed(line)

    def _fail(self, group: str, name: str, thrown: str) -> None:
        """Begin a failure; without a name it is the class itself, which could not be set up."""
        identity = f"{group}::{name}" if name else group
        self._detail.append(Case(identity, name or group, Outcome.FAILED, exception=thrown))
        self._block = Block()

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        case = self._detail[-1]
        at = _AT.match(line)
        if at and not case.line:
            self._detail[-1] = replace(case, file=at["file"], line=int(at["line"]))
        elif not case.line and line.strip():
            self._block.add(line.strip())
            self._detail[-1] = replace(case, message=self._block.text())

    def _sum(self, rest: str) -> None:
        totals = numbers(rest)
        skipped = sum(totals.get(key, 0) for key in ("skipped", "todo", "incomplete", "pending"))
        passed = sum(totals.get(key, 0) for key in ("passed", "risky", "warnings", "deprecated", "notice"))
        self.close(passed=passed, failed=totals.get("failed", 0), skipped=skipped)
        if self._listed > sum(totals.get(key, 0) for key in _COUNTED):
            self._cut = f"{_CUT}: {rest}"
        self._listed = 0
        for case in self._unlisted():
            self.keep(case)
        self._detail, self._block, self._first = [], None, len(self.cases)

    def _unlisted(self) -> list[Case]:
        """Match details with listed tests, and return those without one.

        Both are in the order of the run; long names are cut off in both, at different lengths.
        """
        exact = {case.id: case for case in self._detail}
        rest: dict[str, deque[Case]] = {}
        ours = [index for index, case in enumerate(self.cases) if case.outcome is Outcome.FAILED]
        ours = [index for index in ours if index >= self._first]
        listed = {self.cases[index].id for index in ours}
        for case in self._detail:
            if case.id not in listed:
                rest.setdefault(case.id.partition("::")[0], deque()).append(case)
        for index in ours:
            case = self.cases[index]
            better = exact.get(case.id)
            others = rest.get(case.id.partition("::")[0])
            if better is None and others and _alike(others[0].name, case.name):
                better = others.popleft()
            if better:
                self.cases[index] = replace(better, id=case.id, name=case.name)
        return [case for others in rest.values() for case in others]

    def finish(self) -> Reading:
        if self.open or not self.closed:
            self.crashed = self.build.died
        reading = super().finish()
        if self.ok and not reading.crashed:
            reading.crashed = self._cut
        return reading


def _name_of(mark: str, text: str) -> str:
    """Return the name without the warning or reason behind an arrow, and the group before one."""
    if mark in "✓⨯✗x":
        return text
    parts = text.split(" → ")
    if mark == "!":
        return " → ".join(parts[:-1]) or text
    last = next((number for number, part in enumerate(parts) if part.startswith("it ")), 0)
    return " → ".join(parts[: last + 1])


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    cut = shorter.removesuffix("…")
    return (cut != shorter and longer.startswith(cut)) or longer.partition(" with ")[0] == shorter


ROWS = text_rows(
    r"""
php PestReader weight=3 pest
  words    pest  |  artisan
  sign     ^ {2}Tests: {2,6}\d{1,9} (?:passed|failed|skipped|todo|risky|incomplete|warning|deprecated|notice)
  sign     ^ {3}(?:PASS|FAIL|WARN|DEPR|NOTI) {2}\S
  sign     ^ {2}[✓⨯] \S
  sign     ^ {2,3}FAILED {1,2}\S
  sign     ^ {2,3}INFO {1,2}(?:{REFUSED}|No (?:\"dirty\" )?tests found\.$)
  sign     ^ {2,3}ERROR {1,2}\S
  sign     ^ {2,3}(?:(?:[A-Z]\w*\\){1,20}[A-Z]\w* ?|(?:[A-Z]\w*)?(?:Error|Exception) )$
  sign     ^{WORKER}
  apart    {PHP}|{STOPPED}
""",
    PestReader,
    REFUSED=REFUSED,
    WORKER=WORKER,
    STOPPED=PEST_STOPPED,
)

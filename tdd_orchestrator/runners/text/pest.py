"""What Pest prints."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners.reading import TextRow, signs, whole
from tdd_orchestrator.runners.text.gather import Block, numbers
from tdd_orchestrator.runners.text.program import Program
from tdd_orchestrator.runners.text.whole import PHP

_PEST_SUM = re.compile(r" {2}Tests: {2,6}(?P<rest>.+)$")
_PEST_CASE = re.compile(r" {2}(?P<mark>[✓⨯✗!\-→…↓x]) (?P<name>\S.*?)(?: {2,}[\d.]+s)?\s*$")
_PEST_GROUP = re.compile(r" {3}(?P<word>PASS|FAIL|WARN|TODO) {2}(?P<name>\S+)")
_PEST_FAIL = re.compile(r" {2,3}(?:FAILED|• FAILED) {1,2}(?P<name>\S.*?)(?: {2,}(?P<type>[A-Z]\w*))?\s*$")
_PEST_AT = re.compile(r" {1,3}at (?P<file>\S+?\.php):(?P<line>\d{1,9})$")
_PEST_MARKS = {
    "✓": Outcome.PASSED, "⨯": Outcome.FAILED, "✗": Outcome.FAILED, "x": Outcome.FAILED, "!": Outcome.PASSED,
    "-": Outcome.SKIPPED, "→": Outcome.SKIPPED, "…": Outcome.SKIPPED, "↓": Outcome.SKIPPED,
}  # fmt: skip


class PestReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._group = ""
        self._block: Block | None = None
        self._detail: list[Case] = []

    def feed(self, line: str) -> None:
        if match := _PEST_GROUP.match(line):
            self._group, self.open, self._block = match["name"], True, None
        elif line.startswith("  Tests: ") and (match := _PEST_SUM.match(line)):
            self._sum(match["rest"])
        elif match := _PEST_FAIL.match(line):
            group, _, name = match["name"].rpartition(" > ")
            self._detail.append(Case(f"{group}::{name}", name, Outcome.FAILED, exception=match["type"] or ""))
            self._block = Block()
        elif self._block is not None:
            self._say(line)
        elif match := _PEST_CASE.match(line):
            name = match["name"].split(" → ", 1)[0]
            self.keep(Case(f"{self._group}::{name}", name, _PEST_MARKS[match["mark"]]))
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _say(self, line: str) -> None:
        assert self._block is not None
        case = self._detail[-1]
        at = _PEST_AT.match(line)
        if at and not case.line:
            self._detail[-1] = replace(case, file=at["file"], line=int(at["line"]))
        elif not case.line and line.strip():
            self._block.add(line.strip())
            self._detail[-1] = replace(case, message=self._block.text())

    def _sum(self, rest: str) -> None:
        told = numbers(rest)
        skipped = sum(told.get(word, 0) for word in ("skipped", "todo", "incomplete", "pending"))
        passed = told.get("passed", 0) + sum(
            told.get(word, 0) for word in ("risky", "warnings", "deprecated")
        )
        self.close(passed=passed, failed=told.get("failed", 0), skipped=skipped)
        spare = {case.name.split(" with ", 1)[0]: case for case in self._detail}
        for index, case in enumerate(self.cases):
            better = next((one for one in self._detail if one.name == case.name), None) or spare.get(
                case.name
            )
            if case.outcome is Outcome.FAILED and better:
                self.cases[index] = replace(better, id=case.id, name=case.name)
        known = {case.name for case in self.cases}
        for case in self._detail:
            if case.name not in known:
                self.keep(case)
        self._detail, self._block = [], None


ROWS = (
    TextRow(
        "pest",
        "php",
        PestReader,
        signs(
            r"^ {2}Tests: {2,6}\d{1,9} (?:passed|failed|skipped|todo|risky)",
            r"^ {3}(?:PASS|FAIL|WARN) {2}\S",
            r"^ {2}[✓⨯] \S",
            r"^ {2,3}FAILED {1,2}\S",
        ),
        ("pest", "artisan"),
        3,
        whole=whole(apart=PHP),
    ),
)

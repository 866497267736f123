"""Read the output of ``meson test``."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BAD, Case, Outcome
from tdd_orchestrator.testlog.parsers.c_build import ENDINGS
from tdd_orchestrator.testlog.parsers.program import Block, Program, place
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

_MESON_OUTCOMES = {
    "OK": Outcome.PASSED, "FAIL": Outcome.FAILED, "ERROR": Outcome.ERROR, "TIMEOUT": Outcome.FAILED,
    "INTERRUPT": Outcome.ERROR, "SKIP": Outcome.SKIPPED, "EXPECTEDFAIL": Outcome.XFAILED,
    "UNEXPECTEDPASS": Outcome.XPASSED,
}  # fmt: skip
_MESON_TOTALS = {
    "Ok": "passed", "Expected Fail": "xfailed", "Fail": "failed", "Unexpected Pass": "xpassed",
    "Skipped": "skipped", "Timeout": "failed",
}  # fmt: skip
_MESON_HEAD = re.compile(r" {0,6}(?P<number>\d{1,9})/\d{1,9} (?P<rest>.+)$")
_MESON_TOTAL = re.compile(
    r"(?P<status>Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout): +(?P<number>\d{1,9})\s*$"
)


class MesonReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._tests: dict[str, Case] = {}
        self._numbers: dict[str, int] = {}
        self._number = ""
        self._block: Block | None = None

    def feed(self, line: str) -> None:
        if line.startswith("――――"):
            self._block = Block() if "✀" in line and self._number else None
        elif self._block is not None:
            self._block.add(line)
            self._tests[self._number] = _with(self._tests[self._number], self._block.text())
        elif "/" in line[:12] and (match := _MESON_HEAD.match(line)) and self._test(match):
            return
        elif match := _MESON_TOTAL.match(line):
            self.open = True
            field = _MESON_TOTALS[match["status"]]
            self._numbers[field] = self._numbers.get(field, 0) + int(match["number"])
        elif line.startswith("No tests defined"):
            self.close()
        elif line.startswith("Could not rebuild"):
            self.build.stopped = self.build.stopped or line
        elif not self._tests:
            self.build.feed(line)

    def _test(self, match: re.Match[str]) -> bool:
        words = match["rest"].split()
        at = next((i for i in range(len(words) - 1, 0, -1) if words[i] in _MESON_OUTCOMES), 0)
        if not at or not words[at + 1 :] or not words[at + 1].endswith("s"):
            if words[-1] == "RUNNING":
                self.open = True
            return words[-1] == "RUNNING"
        self.open = True
        name = " ".join(words[:at])
        outcome = _MESON_OUTCOMES[words[at]]
        self._number = match["number"]
        if self._number in self._tests and self._tests[self._number].name == name:
            return True  # repeated in the summary of failures
        message = " ".join(words[at + 2 :]) if outcome in BAD else ""
        self._tests[self._number] = Case(name, name, outcome, message=message)
        return True

    def finish(self) -> Reading:
        for case in self._tests.values():
            self.keep(case)
        if self._numbers:
            totals = dict(self._numbers)
            xpassed = totals.pop("xpassed", 0)
            self.close(**totals)
            self.ok &= not xpassed
            if xpassed:
                self.tally.add(xpassed=xpassed)
        if not self.closed and self.build.stopped and not self.build.errors:
            self.open = True
        return super().finish()


def _with(case: Case, text: str) -> Case:
    if case.outcome not in BAD:
        return case
    file, line = place(text, *ENDINGS)
    return Case(case.id, case.name, case.outcome, file, line, text)


ROWS = text_rows(
    r"""
c MesonReader weight=6 meson
  words    meson test  |  meson
  sign     ^ {0,6}\d{1,9}/\d{1,9} \S.{0,300} (?:OK|FAIL|ERROR|TIMEOUT|SKIP|EXPECTEDFAIL
           |UNEXPECTEDPASS) +[\d.]+s
  sign     ^(?:Expected Fail|Unexpected Pass): +\d{1,9}
  sign     ^Full log written to .{1,300}testlog\.txt
  sign     ^No tests defined\.$
""",
    MesonReader,
)

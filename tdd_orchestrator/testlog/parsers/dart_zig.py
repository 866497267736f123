"""Read the output of the runners of Dart and Zig."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.gather import Block, place
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.row_table import text_rows

_DART = re.compile(
    r"(?:\d{1,9}:)?\d{1,9}:\d{1,9} \+(?P<ok>\d{1,9})(?: ~(?P<skip>\d{1,9}))?(?: -"
    r"(?P<bad>\d{1,9}))?: (?P<rest>.*)$"
)


class DartReader(Program):
    _block: Block | None = None
    _last: tuple[int, int, int] = (0, 0, 0)

    def feed(self, line: str) -> None:
        match = _DART.match(line) if ":" in line[:6] else None
        if match:
            self.open = True
            self._block = None
            self._last = (int(match["ok"]), int(match["bad"] or 0), int(match["skip"] or 0))
            self._rest(match["rest"])
        elif line.startswith("No tests ran") or line.startswith("No tests match"):
            self.close()
        elif self._block is not None:
            self._add_detail(line)
        elif not self.open:
            self.build.feed(line)

    def _rest(self, rest: str) -> None:
        if rest.startswith(
            ("All tests passed!", "Some tests failed.", "All tests skipped.", "No tests ran.")
        ):
            passed, failed, skipped = self._last
            self.close(passed=passed, failed=failed, skipped=skipped)
        elif rest.endswith(" [E]"):
            name = rest[:-4].removesuffix(" - did not complete")
            file = ""
            head, _, tail = name.partition(": ")
            if head.endswith(".dart"):
                file, name = head, tail
            self.keep(Case(f"{file}::{name}", name, Outcome.FAILED, file))
            self._block = Block()

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        text = line.strip()
        if ".dart" in text and (
            " main" in text or "package:" in text or ".dart:" in text or ".dart " in text
        ):
            found = re.match(r"(?P<file>\S+\.dart)[: ](?P<line>\d{1,9}):\d{1,9} ", text)
            if (
                found
                and not self.cases[-1].line
                and not text.startswith(("package:test", "package:matcher", "dart:"))
            ):
                self.explain(file=found["file"], line=int(found["line"]))
        elif text:
            self._block.add(text)
            self.explain(message=self._block.text())


_ZIG_SUM = re.compile(r"(?P<ok>\d{1,9}) passed; (?P<skip>\d{1,9}) skipped; (?P<bad>\d{1,9}) failed\.$")
_ZIG_ALL = re.compile(r"All (?P<ok>\d{1,9}) tests passed\.$")
_ZIG_CASE = re.compile(r"(?:\d{1,9}/\d{1,9} |error: ')(?P<name>\S.*?)(?:\.\.\.|' failed: )(?P<rest>.*)$")


class ZigReader(Program):
    _pending = ""  # a test whose result comes after what it printed

    def feed(self, line: str) -> None:
        if match := _ZIG_SUM.match(line):
            totals = {key: int(number) for key, number in match.groupdict().items()}
            self.close(passed=totals["ok"], failed=totals["bad"], skipped=totals["skip"])
        elif match := _ZIG_ALL.match(line):
            self.close(passed=int(match["ok"]))
        elif self._pending and line.startswith("FAIL"):
            self.keep(Case(self._pending, self._pending, Outcome.FAILED, message=line))
            self._pending = ""
        elif match := _ZIG_CASE.match(line):
            self.open = self.open or not self.closed
            rest, name = match["rest"], match["name"].strip()
            if rest == "OK":
                self.keep(Case(name, name, Outcome.PASSED))
            elif rest.startswith("SKIP"):
                self.keep(Case(name, name, Outcome.SKIPPED))
            elif rest.startswith("FAIL") or line.startswith("error: "):
                self.keep(Case(name, name, Outcome.FAILED, message=rest))
            else:
                self._pending = name
        elif self.cases and self.cases[-1].outcome is Outcome.FAILED and not self.cases[-1].line:
            file, number = place(line, ".zig")
            if file and "/lib/std/" not in file:
                self.explain(file=file, line=number)
        elif not self.open and not self.closed:
            self.build.feed(line)


ROWS = text_rows(
    r"""
dart DartReader weight=3 dart-test
  words    dart  |  flutter
  sign     ^(?:\d{1,9}:)?\d{1,9}:\d{1,9} \+\d{1,9}(?: ~\d{1,9})?(?: -\d{1,9})?:␣
zig ZigReader zig-test
  words    zig
  sign     ^\d{1,9} passed; \d{1,9} skipped; \d{1,9} failed\.$
  sign     ^All \d{1,9} tests passed\.$
  sign     ^\d{1,9}/\d{1,9} \S.{0,200}\.\.\.(?:OK|FAIL|SKIP)
""",
    DartReader,
    ZigReader,
)

"""Read the output of shellspec, shUnit2 and bats (its pretty form; its TAP is read as TAP)."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program, numbers
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

_SHELL_SUM = re.compile(r"\d{1,9} examples?, \d{1,9} failures?(?:, \d{1,9} \S.*)?$")
_SHELL_HEAD = re.compile(r" {2}(?P<number>\d{1,9})\) (?P<name>\S.*)$")
_SHELL_SUB = re.compile(r" {4,6}\d{1,9}\.\d{1,9}\) (?P<text>\S.*)$")
_SHELL_PLACE = re.compile(r"\s*# (?P<file>\S+):(?P<line>\d{1,9})(?:-\d{1,9})?$")
_SHELL_LIST = re.compile(
    r"shellspec (?P<file>\S+):(?P<line>\d{1,9})(?:-\d{1,9})? # (?P<number>\d{1,9}\)) "
    r"(?P<name>\S.*?) (?P<status>FAILED|SKIPPED|WARNED|FIXED|TODO|PENDING)\b.*$"
)


class ShellSpecReader(Program):
    _section = ""
    _block: Block | None = None
    _listed: list[re.Match[str]]

    def __init__(self) -> None:
        super().__init__()
        self._listed = []

    def feed(self, line: str) -> None:
        if line.startswith("Running: "):
            self.open = True
        elif (
            line.rstrip() in ("Examples:", "Failure examples:", "Pending examples:")
            or "examples / Errors" in line
        ):
            self._section, self.open = line, not self.closed
        elif line.startswith("Finished in "):
            self._section, self._block, self.open = "", None, True
        elif " example" in line and _SHELL_SUM.match(line):
            totals = numbers(line)
            failed = totals.get("failures", 0)
            skipped = totals.get("skips", totals.get("skipped", 0)) + totals.get(
                "pendings", totals.get("pending", 0)
            )
            self.close(passed=totals.get("examples", 0) - failed - skipped, failed=failed, skipped=skipped)
            self.ok &= not totals.get("errors", 0) and "abort" not in line
        elif match := _SHELL_LIST.match(line):
            self._listed.append(match)
        elif self._section:
            self._example(line)
        elif "syntax error" in line or not self.open:
            self.build.feed(line)

    def _example(self, line: str) -> None:
        if match := _SHELL_HEAD.match(line):
            self.keep(Case(match["name"], match["name"], Outcome.FAILED))
            self._block = Block()
        elif self._block is None:
            return
        elif (place := _SHELL_PLACE.match(line)) and not self.cases[-1].line:
            self.explain(file=place["file"], line=int(place["line"]))
        elif line.strip():
            sub = _SHELL_SUB.match(line)
            self._block.add(sub["text"] if sub else line.strip())
            self.explain(message=self._block.text())

    def finish(self) -> Reading:
        """Drop the examples that did not fail, according to the closing list."""
        if self.closed:
            statuses = {match["name"]: match["status"] for match in self._listed}
            failing = []
            for case in self.cases:
                if statuses.get(case.name, "FAILED") in ("FAILED", "FIXED"):
                    failing.append(case)
            self.cases = failing
        return super().finish()


ROWS = text_rows(
    r"""
shell RuledReader weight=2 bats
  words    bats
  status   ✓=passed  |  skipped=skipped
  total    \s*(?P<total>\d{1,9}) tests?, (?P<failed>\d{1,9}) failures?(?:, (?P<skipped>\d{1,9}) skipped)?
           (?: in [\d.]+ seconds?)?
  case     ␣- (?P<name>\S.*?) \((?P<status>skipped)(?:: .*)?\)
  case     .*?(?P<status>[✓✗]) (?P<name>\S.*?)(?: \[\d{1,9}\])?
  test     \s*\(?in test file (?P<file>[^,]+), line (?P<line>\d{1,9})\).*
  place    \s*\((?:in test file|from function [`'].{1,200}?' in (?:test )?file|in file)
            (?P<file>[^,]+), line (?P<line>\d{1,9})[,)]?.*
  skip     \s*\((?:from function|in) .*|(?!   ).*|.*\d/\d{1,9}
  sign     ^\d{1,9} tests?, \d{1,9} failures?(?:, \d{1,9} skipped)?(?: in [\d.]+ seconds?)?$
  sign     ^ [✓✗] \S
  sign     ^ {2,4}\((?:in test file|from function) .{1,300}, line \d{1,9}
shell ShellSpecReader weight=2 shellspec
  words    shellspec
  sign     ^Running: .{1,200}sh \[
  sign     ^\d{1,9} examples?, \d{1,9} failures?(?:, \d{1,9} (?:pending|skip|warning|error|fix)\w*)*$
  sign     ^shellspec \S+:\d{1,9}(?:-\d{1,9})? # \d{1,9}\)␣
  sign     ^ {4,6}\d{1,9}\.\d{1,9}\) \S
shell RuledReader first=yes shunit2
  words    shunit2
  section  Ran (?P<total>\d{1,9}) tests?\.
  end      (?:OK|(?P<bad>FAILED))(?: \([a-z=\d,]+\))?
  suite    (?P<name>test\w+)
  case     (?:shunit2:)?(?:ASSERT|ERROR|FATAL):(?P<message>.*)
  sign     ^Ran \d{1,9} tests?\.$
  sign     ^(?:OK|FAILED)(?: \((?:failures|skipped)=\d{1,9}\S*\))?$
  sign     ^(?:shunit2:)?ASSERT:
  sign     ^test\w+$
""",
    ShellSpecReader,
)

"""Read the output of RSpec, and of Crystal's spec, which prints the same shapes."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program, numbers, place
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.whole import RUBY_FRAME
from tdd_orchestrator.testlog.reading import Reading

_EXAMPLES = re.compile(
    r"\d{1,9} examples?, \d{1,9} failures?(?:, \d{1,9} pending)?(?:, \d{1,9} errors? occurred "
    "outside of examples)?$"
)
_CRYSTAL = re.compile(r"\d{1,9} examples, \d{1,9} failures, \d{1,9} errors, \d{1,9} pending$")
_FAILED = re.compile(
    r"(?:rspec|crystal spec) (?P<where>\S+:\d{1,9}|'[^']+'|\"[^\"]+\"|\S+\[[\d:,]+\]) # (?P<name>.+)$"
)
_HEAD = re.compile(r" {2,4}(?P<number>\d{1,9})(?P<sub>\.\d{1,9})?\) (?P<name>\S.*)$")
_TYPE = re.compile(r"(?P<type>(?:[A-Z]\w*::)*[A-Z]\w*):$")
_FRAME = re.compile(RUBY_FRAME)
_SECTIONS = {
    "Failures:": "failures",
    "Failed examples:": "list",
    "Pending: (Failures listed here are expected and do not affect your suite's status)": "pending",
    "Pending:": "pending",
}


class RSpecReader(Program):
    """Reads RSpec's documentation and progress formats, and Crystal's spec."""

    def __init__(self) -> None:
        super().__init__()
        self._section = ""
        self._open_cases: list[_Example] = []
        self._pending: list[str] = []
        self._loading: _Example | None = None
        self._loads: list[_Example] = []
        self._listed: list[str] = []
        self._outside_errors = 0

    def feed(self, line: str) -> None:
        if line in _SECTIONS:
            self._section, self._loading = _SECTIONS[line], None
            self.open = self.open or self._section != "list"
        elif line.startswith("An error occurred "):
            self._loading = _Example(line)
            self._loads.append(self._loading)
            self.open = True
        elif line.startswith("Finished in "):
            self._section, self._loading, self.open, self._ending = "", None, True, True
        elif self._ending and " example" in line and (_EXAMPLES.match(line) or _CRYSTAL.match(line)):
            self._sum(line)
        elif self._section == "list" and (match := _FAILED.match(line)):
            self._listed.append(match["name"])
        elif self._loading is not None:
            self._loading.feed(line)
        elif self._section in ("failures", "pending"):
            self._detail(line)
        elif line.startswith(("Run options: ", "Randomized with seed ", "Coverage report")):
            self.open = self.open or line.startswith("Run")
        elif (line and not line.strip(".F*E")) or (line.endswith(")") and " (FAILED - " in line):
            self.open = True
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _detail(self, line: str) -> None:
        match = _HEAD.match(line)
        if match and not match["sub"]:
            if self._section == "pending":
                self._pending.append(match["name"])
            else:
                self._open_cases.append(_Example(match["name"]))
        elif self._section == "failures" and self._open_cases:
            self._open_cases[-1].feed(line)

    def _sum(self, line: str) -> None:
        self._ending = False
        totals = numbers(line)
        total, failed = totals.get("examples", 0), totals.get("failures", 0)
        pending, crystal = totals.get("pending", 0), totals.get("errors", 0) if _CRYSTAL.match(line) else 0
        self.close(passed=total - failed - pending - crystal, failed=failed, errors=crystal, skipped=pending)
        self._outside_errors += totals.get("errors", 0) - crystal
        self.ok &= not totals.get("errors", 0)
        names = self._listed if len(self._listed) == len(self._open_cases) else []
        for index, example in enumerate(self._open_cases):
            name = example.name.removesuffix(" FIXED").removesuffix(" (FAILED - 1)")
            listed = names[index] if names else ""
            self.keep(example.case(listed if listed and name.startswith(listed) else name))
        for name in self._pending:
            self.keep(Case(name, name, Outcome.SKIPPED))
        self._open_cases, self._pending = [], []

    _ending = False  # the line with the time was the last one

    def finish(self) -> Reading:
        reading = super().finish()
        for load in self._loads if self._outside_errors or not self.closed else ():
            reading.build_errors.append(load.error())
        reading.finished = (self.closed > 0 and not self.open) or bool(self.build.errors and not self.open)
        if reading.build_errors:
            reading.no_tests = False
            reading.claims_ok = False
        return reading


class _Example:
    """One failed example, or one error outside of them, read line by line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._source = Block()
        self._message = Block()
        self._type = ""
        self._spot = ("", 0)
        self._code = False
        self._beside = ""  # the last line below the code: a message of one line

    def feed(self, line: str) -> None:
        text = line.strip()
        if text.startswith("# "):
            if self._code and self._beside:
                self._message.add(self._beside)
            self._code = False
            if not self._spot[1] and (match := _FRAME.match(text)):
                self._spot = match["file"], int(match["line"])
        elif text.startswith("Failure/Error:"):
            self._code = True
            self._source.add(text[14:].strip())
        elif self._code:
            self._code, self._beside = bool(text), text
        elif not self._type and not self._message.lines and (match := _TYPE.match(text)):
            self._type = match["type"]
        elif text or self._message.lines:
            self._message.add(text)

    def case(self, name: str) -> Case:
        message = self._message.text() or self._source.text()
        file, line = self._spot
        return Case(name, name, Outcome.FAILED, file, line, message, self._type)

    def error(self) -> BuildError:
        file, line = self._spot
        text = self._message.text()
        spot = place(text, ".rb")
        if not file and ("loading " in self.name or spot[0]):
            file = spot[0] or self.name.split("loading ")[-1].rstrip(".")
            line = spot[1]
        message = f"{self._type}: {text}" if self._type == "SyntaxError" else text or self.name
        return BuildError(message, file.removeprefix("./"), line, self._type)


ROWS = text_rows(
    r"""
ruby RSpecReader weight=2 rspec
  words    rspec  |  bundle exec rspec  |  crystal
  sign     ^\d{1,9} examples?, \d{1,9} failures?(?:, \d{1,9} (?:pending|errors? occurred outside))?
  sign     ^Finished in .{1,60} \(files took .{1,60} to load\)$
  sign     ^(?:rspec|crystal spec) \S+:\d{1,9} #␣
  sign     ^     Failure/Error: |^Failure/Error:␣
  sign     ^An error occurred (?:while loading|in a|outside)
  sign     ^Pending: \(Failures listed here are expected
  sign     ^Randomized with seed \d{1,9}$
  broken   {RUBY_DEAD}|Please use --help for a listing of valid options$
  dies     RSpec is shutting down and will print the summary report
           |\S{1,300}: failed to allocate memory \(NoMemoryError\)$
""",
    RSpecReader,
)

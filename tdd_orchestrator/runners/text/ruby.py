"""What RSpec, Minitest and test-unit print."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.runners.reading import Reading, TextRow, signs
from tdd_orchestrator.runners.text.c_family import Program
from tdd_orchestrator.runners.text.gather import Block, leading_digits, numbers, path_before, place

_EXCEPTION = re.compile(r"(?P<type>(?:[A-Z]\w*::)*[A-Z]\w*)(?::(?: (?P<message>.*))?)?$")
_HEADING = re.compile(r"(?P<type>(?:[A-Z]\w*::)*[A-Z]\w*):$")
_LIB = (
    "/gems/",
    "/rubygems",
    "/usr/lib/ruby/",
    "/ruby/3",
    "/ruby/2",
    "/vendor/bundle/",
    "<internal:",
    "/share/rubygems",
)


def ruby_place(line: str) -> tuple[str, int]:
    """``./spec/calc_spec.rb`` and 8 from ``# ./spec/calc_spec.rb:8:in `block'``; nothing for a gem's own frame."""
    file, number = place(line, ".rb", ".feature", ".rake", ".ru", ".cr")
    return ("", 0) if any(part in line for part in _LIB) else (file.removeprefix("./"), number)


_EXAMPLES = re.compile(
    r"\d+ examples?, \d+ failures?(?:, \d+ pending)?(?:, \d+ errors? occurred outside of examples)?$"
)
_CRYSTAL = re.compile(r"\d+ examples, \d+ failures, \d+ errors, \d+ pending$")
_FAILED = re.compile(
    r"(?:rspec|crystal spec) (?P<where>\S+:\d+|'[^']+'|\"[^\"]+\"|\S+\[[\d:,]+\]) # (?P<name>.+)$"
)
_HEAD = re.compile(r" {2,4}(?P<number>\d+)(?P<sub>\.\d+)?\) (?P<name>\S.*)$")
_SECTIONS = {
    "Failures:": "failures",
    "Failed examples:": "list",
    "Pending: (Failures listed here are expected and do not affect your suite's status)": "pending",
    "Pending:": "pending",
}


class RSpecReader(Program):
    """Also Crystal's spec, which prints the same shapes."""

    def __init__(self) -> None:
        super().__init__()
        self._section = ""
        self._open_cases: list[_Example] = []
        self._pending: list[str] = []
        self._loading: _Example | None = None
        self._loads: list[_Example] = []
        self._listed: list[str] = []
        self._told = 0

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
        told = numbers(line)
        total, failed = told.get("examples", 0), told.get("failures", 0)
        pending, crystal = told.get("pending", 0), told.get("errors", 0) if _CRYSTAL.match(line) else 0
        self.close(passed=total - failed - pending - crystal, failed=failed, errors=crystal, skipped=pending)
        self._told += told.get("errors", 0) - crystal
        self.ok &= not told.get("errors", 0)
        names = self._listed if len(self._listed) == len(self._open_cases) else []
        for index, example in enumerate(self._open_cases):
            name = example.name.removesuffix(" FIXED").removesuffix(" (FAILED - 1)")
            listed = names[index] if names else ""
            self.keep(example.case(listed if listed and name.startswith(listed) else name))
        self._late = bool(self._listed)
        for name in self._pending:
            self.keep(Case(name, name, Outcome.SKIPPED))
        self._open_cases, self._pending = [], []

    _late = False
    _ending = False  # the line with the time was the last one

    def finish(self) -> Reading:
        reading = super().finish()
        for load in self._loads if self._told or not self.closed else ():
            reading.build_errors.append(load.error())
        reading.finished = (self.closed > 0 and not self.open) or bool(self.build.errors and not self.open)
        if reading.build_errors:
            reading.no_tests = False
            reading.claims_ok = False
        return reading


class _Example:
    """One failed example, or one error outside of them: its lines one by one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._source = Block()
        self._said = Block()
        self._type = ""
        self._spot = ("", 0)
        self._code = False

    def feed(self, line: str) -> None:
        text = line.strip()
        if text.startswith("# "):
            if not self._spot[1]:
                self._spot = ruby_place(text)
        elif text.startswith("Failure/Error:"):
            self._code = True
            self._source.add(text[14:].strip())
        elif self._code:
            self._code = bool(text)
        elif not self._type and not self._said.lines and (match := _HEADING.match(text)):
            self._type = match["type"]
        elif text or self._said.lines:
            self._said.add(text)

    def case(self, name: str) -> Case:
        message = self._said.text() or self._source.text()
        file, line = self._spot
        return Case(name, name, Outcome.FAILED, file, line, message, self._type)

    def error(self) -> BuildError:
        file, line = self._spot
        text = self._said.text()
        spot = place(text, ".rb")
        if not file and ("loading " in self.name or spot[0]):
            file = spot[0] or self.name.split("loading ")[-1].rstrip(".")
            line = spot[1]
        message = f"{self._type}: {text}" if self._type == "SyntaxError" else text or self.name
        return BuildError(message, file.removeprefix("./"), line, self._type)


_MINI_SUM = re.compile(r"\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ skips$")
_MINI_HEAD = re.compile(r" {2}(?P<number> ?\d+)\) (?P<word>Failure|Error|Skipped):$")
_MINI_FAIL = re.compile(r"(?P<name>\S.*?#\S.*?) \[(?P<file>[^\]]+?):(?P<line>\d+)\]:$")
_MINI_VERBOSE = re.compile(r"(?P<name>\S+#\S.*?) = [\d.]+ s = (?P<mark>[.FES])$")
_MINI_MARKS = {".": Outcome.PASSED, "F": Outcome.FAILED, "E": Outcome.ERROR, "S": Outcome.SKIPPED}
_RAILS_FAIL = re.compile(r"(?P<word>Failure|Error):$")


class MinitestReader(Program):
    """Also Rails, which prints a failure at once, without a number."""

    def __init__(self) -> None:
        super().__init__()
        self._word = ""  # the kind of the failure whose name comes next
        self._block: Block | None = None
        self._typed = False
        self._named: dict[str, Case] = {}

    def feed(self, line: str) -> None:
        if line.startswith("# Running") or line.startswith("Run options: "):
            self.open = True
        elif line.startswith("Finished "):
            self._ending, self.open, self._block = True, True, None
        elif self._ending and "assertions, " in line and _MINI_SUM.match(line):
            self._sum(line)
        elif match := _MINI_HEAD.match(line) if self._ending else _RAILS_FAIL.match(line):
            self._word, self._block = match["word"], None
        elif self._word and line.strip():
            self._name(line)
        elif self._block is not None:
            self._say(line)
        elif " = " in line and (match := _MINI_VERBOSE.match(line)):
            self._put(Case(match["name"], match["name"], _MINI_MARKS[match["mark"]]))
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _name(self, line: str) -> None:
        word, self._word = self._word, ""
        match = _MINI_FAIL.match(line)
        outcome = {"Failure": Outcome.FAILED, "Error": Outcome.ERROR, "Skipped": Outcome.SKIPPED}[word]
        name = match["name"] if match else line.strip().rstrip(":")
        file, number = (match["file"], int(match["line"])) if match else ("", 0)
        self._block, self._typed = Block(), outcome is not Outcome.ERROR
        self._last = Case(name, name, outcome, file, number)
        self._put(self._last)

    _last: Case = Case("", "", Outcome.FAILED)
    _ending = False  # the line with the time has been printed

    def _say(self, line: str) -> None:
        assert self._block is not None
        last, text = self._last, line.strip()
        if line.startswith(("bin/rails test ", "rails test ")):
            self._block = None
            return
        if not text:
            return
        file, number, kind = last.file, last.line, last.exception
        if line.startswith("    ") and not number and ".rb:" in line:
            file, number = ruby_place(text)
        elif not self._typed:
            self._typed = True
            match = _EXCEPTION.match(text)
            kind = match["type"] if match else ""
            self._block.add((match["message"] or "") if match else text)
        elif not (line.startswith("    ") and ".rb:" in line):
            self._block.add(text)
        self._last = Case(last.id, last.name, last.outcome, file, number, self._block.text(), kind)
        self._put(self._last)

    def _put(self, case: Case) -> None:
        self._named[case.id] = case

    def _sum(self, line: str) -> None:
        told = numbers(line)
        total = told.get("runs", told.get("tests", 0))
        self._ending = False
        failed, errors, skipped = told["failures"], told["errors"], told["skips"]
        self.close(passed=total - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped)
        self._block = None

    def finish(self) -> Reading:
        for case in self._named.values():
            self.keep(case)
        return super().finish()


_UNIT_SUM = re.compile(
    r"\d+ tests, \d+ assertions, \d+ failures, \d+ errors, \d+ pendings, \d+ omissions, \d+ notifications$"
)
_UNIT_HEAD = re.compile(r"(?P<word>Failure|Error|Omission|Pending|Notification): (?P<rest>.+)$")
_UNIT_NAME = re.compile(r"(?P<name>.+?\([^()]+\))(?:: ?(?P<message>.*))?$")
_UNIT_LATE = re.compile(r"(?P<message>.*) \[(?P<name>.+\([^()]+\))\]$")
_UNIT_WORDS = {
    "Failure": Outcome.FAILED,
    "Error": Outcome.ERROR,
    "Omission": Outcome.SKIPPED,
    "Pending": Outcome.SKIPPED,
}
_CODE = re.compile(r"(?: {2}=> | {5}) {0,6}\d+: ?|  => +\d+: ")


class UnitReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._ruled = False  # the line before was a rule of =
        self._block: Block | None = None

    def feed(self, line: str) -> None:
        ruled, self._ruled = self._ruled, line.startswith("=" * 60)
        if self._ruled:
            self._block = None
        elif line.startswith("Loaded suite ") or line == "Started":
            self.open = True
        elif "notifications" in line and _UNIT_SUM.match(line):
            self._sum(line)
        elif ruled and (match := _UNIT_HEAD.match(line)):
            self._head(match["word"], match["rest"])
        elif self._block is not None:
            self._say(line)
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _head(self, word: str, rest: str) -> None:
        outcome = _UNIT_WORDS.get(word)
        if outcome is None:
            return
        late = _UNIT_LATE.match(rest)
        match = late or _UNIT_NAME.match(rest)
        name = match["name"] if match else rest
        self._block = Block()
        kind = ""
        message = (match["message"] or "") if match else ""
        if outcome is Outcome.ERROR and (typed := _EXCEPTION.match(message)):
            kind, message = typed["type"], typed["message"] or ""
        if message:
            self._block.add(message)
        self.keep(Case(name, name, outcome, message=message, exception=kind))

    def _say(self, line: str) -> None:
        assert self._block is not None
        last = self.cases[-1]
        at = line.find(".rb:")
        if at > 0 and ":in " in line and not line.startswith("     "):
            if not last.line and not any(part in line for part in _LIB):
                file, digits = path_before(line, at) + ".rb", leading_digits(line, at + 4)
                self.explain(file=file, line=int(digits or 0))
        elif not _CODE.match(line) and line.strip():
            typed = _EXCEPTION.match(line.strip()) if last.outcome is Outcome.ERROR else None
            if typed and not last.exception and not self._block.lines:
                self.explain(exception=typed["type"])
                line = typed["message"] or ""
            self._block.add(line.strip())
            self.explain(message=self._block.text())

    def _sum(self, line: str) -> None:
        told = numbers(line)
        skipped = told["pendings"] + told["omissions"]
        failed, errors = told["failures"], told["errors"]
        self.close(
            passed=told["tests"] - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped
        )
        self._block = None


ROWS = (
    TextRow(
        "rspec",
        "ruby",
        RSpecReader,
        signs(
            r"^\d+ examples?, \d+ failures?(?:, \d+ (?:pending|errors? occurred outside))?",
            r"^Finished in .{1,60} \(files took .{1,60} to load\)$",
            r"^(?:rspec|crystal spec) \S+:\d+ # ",
            r"^     Failure/Error: |^Failure/Error: ",
            r"^An error occurred (?:while loading|in a|outside)",
            r"^Pending: \(Failures listed here are expected",
        ),
        ("rspec", "bundle exec rspec", "crystal"),
        2,
    ),
    TextRow(
        "minitest",
        "ruby",
        MinitestReader,
        signs(
            r"^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ skips$",
            r"^# Running(?: tests)?:?$",
            r"^Run options: .{0,200}--seed \d+",
            r"^\S+#\S.{0,300} = [\d.]+ s = [.FES]$",
            r"^ {2} ?\d+\) (?:Failure|Error|Skipped):$",
        ),
        ("minitest", "rails test", "bin/rails"),
        2,
    ),
    TextRow(
        "test-unit",
        "ruby",
        UnitReader,
        signs(
            r"^\d+ tests, \d+ assertions, \d+ failures, \d+ errors, \d+ pendings, ",
            r"^Loaded suite ",
            r"^Started$",
            r"^(?:Failure|Error|Omission|Pending): .{1,300}\(\w[\w:]*\)",
        ),
        ("test-unit",),
        2,
    ),
)

"""Read the output of prove (TAP::Harness), with Test::More's diagnostics."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading, summed

_SCRIPT = re.compile(r"(?:\[\d\d:\d\d:\d\d\] )?(?P<file>\S+) \.{2,}(?: (?P<rest>.*))?$")
_FILE = re.compile(
    r"(?P<file>\S+)\s+\(Wstat: (?P<wstat>\d{1,9})(?: \([^)]*\))? Tests: (?P<tests>\d{1,9}) Failed: "
    r"(?P<failed>\d{1,9})\)$"
)
_FILES = re.compile(r"Files=(?P<files>\d{1,9}), Tests=(?P<tests>\d{1,9}), ")
_FAILED = re.compile(r"(?P<indent> *)# {3}Failed test(?: '(?P<name>.*)')?(?P<rest>.*)$")
_WHERE = re.compile(
    " *# {2,3}(?:(?:at|in) |Failed test .{0,300}?(?:at"
    r"|in) )(?P<file>\S+?)(?: at)? line (?P<line>\d{1,9})\.?$"
)
_POINT = re.compile(
    r"(?P<not>not )?ok (?P<number>\d{1,9})(?: - (?P<name>.*?))?(?: # (?P<mark>TODO|SKIP|skip|todo)\b.*)?$"
)
_DIED = re.compile(
    r"(?P<message>\S.*) at (?P<file>\S+) line (?P<line>\d{1,9})(?:, <\w*> (?:line|chunk) \d{1,9})?\.$"
)
_NOT_COMPILED = re.compile(
    r"Execution of \S+ aborted due to compilation errors|BEGIN failed--compilation aborted"
)
_LESS = re.compile(r"\(less (\d{1,9}) skipped subtests?: ")


class ProveReader:
    """Reads one run of prove after another; a script after a run's result belongs to the next run."""

    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._run = _Run()

    def feed(self, line: str) -> None:
        if self._run.over and ((" .." in line and _SCRIPT.match(line)) or _FAILED.match(line)):
            self._done.append(self._run.finish())
            self._run = _Run()
        self._run.feed(line)

    def finish(self) -> Reading:
        return summed([*self._done, self._run.finish()])


class _Run(Program):
    def __init__(self) -> None:
        super().__init__()
        self._script = ""
        self._diagnostics: list[tuple[str, str, int, Block]] = []  # name, file, line, message
        self._inner: tuple[str, int, Block] | None = None
        self._block: Block | None = None
        self._where_next = False
        self._points: dict[tuple[str, str], Case] = {}
        self._failed = 0
        self._empty = 0  # scripts that ran no test
        self._numbers: tuple[int, int] | None = None
        self._result = ""
        self._parse: list[str] = []
        self._skipped = 0
        self._last: BuildError | None = None  # the current script's last error or warning
        self._compiled = True
        self._died: dict[str, Case] = {}  # scripts that were compiled, and died as they ran
        self._dead: list[str] = []  # scripts that ended badly before their first test

    @property
    def over(self) -> bool:
        return self._numbers is not None and bool(self._result)

    def feed(self, line: str) -> None:
        if "# " in line and line.lstrip().startswith("# "):
            self._diagnostic(line)
        elif line.startswith("Result: "):
            self._result = line[8:].strip()
        elif line.startswith(("FAILED--Further testing stopped", "Bailout called.  Further testing stopped")):
            self.crashed = line  # even if all scripts that ran passed
        elif line.startswith("Files=") and (match := _FILES.match(line)):
            self._numbers = (int(match["files"]), int(match["tests"]))
        elif line.startswith(("Test Summary Report", "All tests successful")):
            self.open, self._failed, self._empty = True, 0, 0
            self._parse.clear()
            self._dead.clear()
        elif "(Wstat: " in line and (match := _FILE.match(line)):
            self._failed += int(match["failed"])
            self._empty += match["tests"] == "0"
            if match["wstat"] != "0" and match["tests"] == "0":
                self._dead.append(match["file"])
            elif match["failed"] != "0":
                self._died.pop(match["file"], None)  # its failing tests say enough
        elif line.startswith("  Parse errors: "):
            self._parse.append(line[16:])
        elif line.startswith("  TODO passed:"):
            pass  # nor a line of a compiler
        elif " .." in line and (match := _SCRIPT.match(line)):
            self._begin(match["file"], match["rest"] or "")
        elif line.startswith(("ok ", "not ok ")) and (match := _POINT.match(line)):
            self._point(match)
        else:
            self._block = None
            self.build.feed(line)
            self._ending(line)
        if "skipped subtest" in line and (less := _LESS.search(line)):
            self._skipped += int(less[1])

    def _ending(self, line: str) -> None:
        """Read how the current script ends. Its error may stand above its name: stderr is not buffered."""
        if " at " in line and (match := _DIED.match(line)):
            self._last = BuildError(match["message"], match["file"], int(match["line"]))
        if "compilation" in line and _NOT_COMPILED.match(line):
            self._compiled = False
        elif line.startswith("Dubious, test returned ") and self._script:
            if self._last and self._compiled:
                place = self._last.file, self._last.line, self._last.message
                self._died[self._script] = Case(
                    self._script, self._script, Outcome.ERROR, *place, phase="call"
                )
            self._end_script()
        elif line == "ok":
            self._end_script()

    def _end_script(self) -> None:
        self._last, self._compiled = None, True

    def _begin(self, script: str, rest: str) -> None:
        self.open, self._script, self._block = True, script, None
        if rest:
            self._end_script()

    def _point(self, match: re.Match[str]) -> None:
        if not self._script:
            return
        name = match["name"] or match["number"]
        mark = (match["mark"] or "").upper()
        outcome = Outcome.FAILED if match["not"] else Outcome.PASSED
        if mark == "SKIP":
            outcome = Outcome.SKIPPED
        elif mark == "TODO":
            outcome = Outcome.XFAILED if match["not"] else Outcome.XPASSED
        identity = f"{self._script}::{match['number']} {name}"
        self._points[self._script, match["number"]] = Case(identity, name, outcome, self._script)

    def _diagnostic(self, line: str) -> None:
        where = _WHERE.match(line)
        match = _FAILED.match(line)
        if match:
            self._block = Block()
            inner = bool(match["indent"])
            file, number = (where["file"], int(where["line"])) if where else ("", 0)
            if inner:
                self._inner = self._inner or (file, number, self._block)
            else:
                name = match["name"] or match["rest"].strip()
                self._diagnostics.append((name, file, number, self._block))
            self._where_next = not where
        elif where and self._where_next:
            self._where_next = False
            self._place(where["file"], int(where["line"]))
        elif line.lstrip().startswith(("# Looks like you", "# Subtest", "# Tests were run but")):
            self._block = None
        elif self._block is not None:
            self._block.add(line.lstrip()[1:].strip())

    def _place(self, file: str, number: int) -> None:
        if self._inner and self._inner[2] is self._block:
            self._inner = (file, number, self._inner[2])
        elif self._diagnostics:
            name, _, _, block = self._diagnostics[-1]
            self._diagnostics[-1] = (name, file, number, block)

    def finish(self) -> Reading:
        if self._numbers is not None and self._result:
            self._settle(self._numbers[1])
        else:
            self.cases = [case for case in self._points.values() if case.outcome is Outcome.FAILED]
        errors = self.build.errors if self._empty or not self.closed else []
        explained = {error.file for error in errors}
        died = {file: case for file, case in self._died.items() if file not in explained}
        for case in died.values():
            self.keep(case)
        if self.closed:
            self.tally.add(errors=len(died))
        reading = super().finish()
        reading.build_errors = [
            *errors,
            *(
                BuildError(f"{file} ended before its tests did", file)
                for file in self._dead
                if file not in explained and file not in died
            ),
        ]
        reading.claims_ok = self._result == "PASS" if self.closed else None
        reading.no_tests = self.closed > 0 and (self._result == "NOTESTS" or self._none)
        if not self.closed and errors and not self.open:
            reading.finished = True
        return reading

    _none = False

    def _settle(self, tests: int) -> None:
        points = list(self._points.values())
        totals = {outcome: sum(case.outcome is outcome for case in points) for outcome in Outcome}
        named = len(points) == tests and tests > 0
        skipped = totals[Outcome.SKIPPED] if named else self._skipped
        xfailed, xpassed = (totals[Outcome.XFAILED], totals[Outcome.XPASSED]) if named else (0, 0)
        passed = tests - self._failed - skipped - xfailed - xpassed
        self.close(passed=passed, failed=self._failed, skipped=skipped, xfailed=xfailed)
        if xpassed:
            self.tally.add(xpassed=xpassed)
        self._none = tests == 0 and self._result == "PASS"
        if not self._failed:
            self.cases = points if named else []
            return
        failing = [case for case in points if case.outcome is Outcome.FAILED]
        diagnostics = {name: (file, line, block) for name, file, line, block in reversed(self._diagnostics)}
        if len(failing) == self._failed:
            for case in points if named else failing:
                diagnostic = diagnostics.get(case.name) if case.outcome is Outcome.FAILED else None
                self.keep(self._explained(case.name, case.id, *diagnostic) if diagnostic else case)
            return
        for name, file, line, block in self._diagnostics:
            self.keep(self._explained(name, f"{file}::{name}", file, line, block))

    def _explained(self, name: str, identity: str, file: str, line: int, block: Block) -> Case:
        message = block.text()
        if not message and self._inner:
            message = self._inner[2].text()
        return Case(identity, name, Outcome.FAILED, file, line, message)


ROWS = text_rows(
    r"""
perl ProveReader weight=5 prove
  words    prove  |  dzil  |  make test
  sign     ^Result: (?:PASS|FAIL|NOTESTS)$
  sign     ^Files=\d{1,9}, Tests=\d{1,9},␣
  sign     ^\S+ \.{2,} (?:ok|skipped|Failed|Dubious)
  sign     ^\S*[./]\S* \.{2,} $
  sign     \(Wstat: \d{1,9}.{0,60} Tests: \d{1,9} Failed: \d{1,9}\)$
  sign     ^Test Summary Report$
  sign     ^Dubious, test returned \d{1,9}
  dies     {CRASHED}
  broken   Dubious, test returned \d{1,9} \(wstat \d|Failed \d{1,9}/\d{1,9} subtests␣
perl RuledReader weight=3 first=yes yath
  words    yath
  total    ␣{4}--> {2}Result: (?:PASSED|(?P<bad>FAILED)) {2}<--
  count    ␣{4,6}Fail Count: (?P<failed>\d{1,9})| {4,6}File Count: (?P<total>\d{1,9})
           |Assertion Count: (?P<checks>\d{1,9})
  case     \| [0-9A-F-]{36} \| (?P<name>\S+) {1,200}\|.*
  work     [(\[{<!] ?[ A-Z!]{4,8} ?[)\]}>!] {2}job {1,3}\d.*|The following jobs failed:
  sign     ^\( (?:PASSED|FAILED|LAUNCH) \) {2}job {1,3}\d
  sign     ^ {20,40}Yath Result Summary$
  sign     ^{total}$
""",
    ProveReader,
)

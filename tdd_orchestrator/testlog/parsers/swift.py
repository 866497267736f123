"""Read the output of XCTest (swift test, xcodebuild), Swift Testing and the package manager."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.swift_testing import LEAD, Modern, joined
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading

_CASE = re.compile(
    r"Test Case '(?P<name>[^']+)' (?P<status>started|passed|failed|skipped)(?: at | on |\."
    r"| \((?P<seconds>[\d.]+) seconds\))"
)
_ERROR = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): error: (?P<name>-?\[?[\w. ]+\]?) : (?P<message>.*)$"
)
_SUITE = re.compile(r"Test Suite '(?P<name>[^']+)' (?P<status>started|passed|failed)\b")
_EXECUTED = re.compile(
    r"\t? *Executed (?P<total>\d{1,9}) tests?,(?: with (?P<skipped>\d{1,9}) tests? skipped and)?"
    r"(?: with)? (?P<failed>\d{1,9}) failures? \((?P<odd>\d{1,9}) unexpected\)"
)
_APART = re.compile(r"\[(?P<at>\d{1,9})/(?P<of>\d{1,9})\] Testing (?P<name>\S+)$")  # --parallel
_SIGNAL = re.compile(r".{0,2000}?error: (?:Exited|Process '.{1,2000}' exited) with unexpected signal code")
_NOTE = re.compile(r"(?P<file>[^:\s][^:]{0,400}\.swift):(?P<line>\d{1,9}):\d{1,9}: note: (?P<message>.+)$")
_OUTCOMES = {"passed": Outcome.PASSED, "failed": Outcome.FAILED}
_UNDEFINED = re.compile(
    r"(?P<file>[^:\s][^:]{0,400}\.swift):(?P<line>\d{1,9}):\([^()]{1,400}\): (?P<message>undefined "
    "reference to .+)$"
)
_NO_TESTS = "error: no tests found; create a target in the 'Tests' directory"
_PLAIN = re.compile(
    r"error: (?P<message>'[^']{1,300}': .+|(?:Could not find Package\.swift|GitShellError"
    "|Failed to clone|link command failed).+)$"
)


class SwiftReader(Program):
    """Reads nested XCTest suites (the last ``Executed`` line is the total), and Swift Testing beside them."""

    def __init__(self) -> None:
        super().__init__()
        self._modern = Modern()
        self._running = ""
        self._issues: dict[str, tuple[str, int, Block]] = {}
        self._tests: dict[str, Outcome] = {}
        self._here: dict[str, Outcome] = {}  # of this process
        self._block: Block | None = None  # of the failure whose message may go on
        self._apart = (0, 0)  # with --parallel: tests started, total
        self._listed: list[str] = []
        self._depth = 0
        self._signal = self._fatal = ""
        self._empty = False
        self._note: BuildError | None = None

    def feed(self, line: str) -> None:
        if self._modern.feed(line):
            self._block = None
        elif "Test Case '" in line and (match := _last(_CASE, "Test Case '", line)):
            self._case(match["name"].strip("-[]").replace(" ", "."), match["status"])
        elif ": error: " in line and (match := _ERROR.match(line)) and self.open:
            self._issue(match["name"].strip("-[] ").replace(" ", "."), match)
        elif "Test Suite '" in line and (match := _last(_SUITE, "Test Suite '", line)):
            self._suite(match["status"])
        elif "Executed " in line and (match := _EXECUTED.match(line)):
            self._executed(int(match["total"]), int(match["skipped"] or 0), int(match["failed"]))
        elif "] Testing " in line and (match := _APART.match(line)):
            self._apart = (int(match["at"]), int(match["of"]))
            if len(self._listed) < CASE_LIMIT:
                self._listed.append(match["name"].partition(".")[2].replace("/", "."))
            self.open = True
        elif "unexpected signal code" in line and (match := _SIGNAL.match(line)):
            self._signal = self._signal or line[line.index("error: ") :].strip()
        elif "Fatal error: " in line:
            self._fatal = self._fatal or line.strip()
        elif self._block is not None and self._running:
            self._block.add(line)
        elif not self.open and not self.closed and not self._modern.runs:
            self._build(line)

    def _build(self, line: str) -> None:
        if line == _NO_TESTS:
            self._empty = True
        elif line.startswith("error: fatalError"):
            self.build.stopped = self.build.stopped or line
        elif line.startswith("error: ") and (match := _PLAIN.match(line)):
            self.build.errors.append(BuildError(match["message"]))
        elif "undefined reference" in line and (match := _UNDEFINED.match(line)):
            self.build.errors.append(_build_error(match))
        elif not self.build.feed(line) and ": note: " in line and (match := _NOTE.match(line)):
            self._note = self._note or _build_error(match)

    def _suite(self, status: str) -> None:
        self._block = None
        if status == "started" and self._apart[1] and self._running:
            self._left()  # another test's process, and the one before it died
        self.open = True
        self._depth = max(0, self._depth + (1 if status == "started" else -1))
        self.ok &= bool(self._depth) or status != "failed"

    def _left(self) -> None:
        """Fail the test that was running when its process ended."""
        self._tests[self._running] = Outcome.ERROR
        self._running, self._depth, self._here = "", 0, {}

    def _case(self, name: str, status: str) -> None:
        self.open, self._block = True, None
        self._running = name if status == "started" else ""
        if status == "started":
            return
        outcome = _OUTCOMES.get(status, Outcome.SKIPPED)
        for tests in (self._tests, self._here):
            if tests.get(name) is not Outcome.FAILED and (
                outcome is Outcome.FAILED or len(tests) < CASE_LIMIT
            ):
                tests[name] = outcome

    def _issue(self, name: str, match: re.Match[str]) -> None:
        block = Block()
        block.add(match["message"].removesuffix(" - "))
        self._block = block
        if name not in self._issues:
            file = "" if match["file"].startswith("<") else match["file"]
            self._issues[name] = (file, int(match["line"]) if file else 0, block)

    def _executed(self, total: int, skipped: int, failures: int) -> None:
        if self._depth:
            return
        named = sum(outcome is Outcome.FAILED for outcome in self._here.values())
        failed = min(named or failures, total)
        self._here = {}
        if self._apart[1]:  # closed by _count_apart
            self.ok &= not failed
        else:
            self.close(passed=total - failed - skipped, failed=failed, skipped=skipped)

    def _count_apart(self) -> None:
        """Close a --parallel run, which prints failed tests only."""
        started, total = self._apart
        for name in self._listed:
            self._tests.setdefault(name, Outcome.PASSED)
        values = list(self._tests.values())
        failed = values.count(Outcome.FAILED) + values.count(Outcome.ERROR)
        skipped = values.count(Outcome.SKIPPED)
        if started == total:
            self.close(passed=max(0, total - failed - skipped), failed=failed, skipped=skipped)

    def finish(self) -> Reading:
        torn = bool(self._running or self._depth)
        if self._running:
            self._left()
        if self._apart[1]:
            self._count_apart()
        cut = self._apart[0] < self._apart[1]
        self.crashed = self._signal and (self._fatal or self._signal)
        for name, outcome in self._tests.items():
            file, line, block = self._issues.get(name, ("", 0, Block()))
            bad = outcome in (Outcome.FAILED, Outcome.ERROR)
            message = block.text() or (self._fatal if outcome is Outcome.ERROR else "")
            self.keep(Case(name, name, outcome, file, line, message if bad else ""))
        self._modern.add_to(self)
        self.open = torn or cut or self._modern.open or (self.open and not self.closed)
        if self.build.stopped and not self.build.errors:
            self.build.errors.append(self._note or BuildError("the package manager gives no reason"))
        reading = super().finish()
        if self._empty:
            reading.started = reading.finished = reading.no_tests = True
        return reading


def _build_error(match: re.Match[str]) -> BuildError:
    return BuildError(match["message"], match["file"], int(match["line"]))


def _last(pattern: re.Pattern[str], marker: str, line: str) -> re.Match[str] | None:
    """Return the match of the line, or of its end behind a test's unfinished line."""
    at = line.rfind(marker)
    return pattern.match(line, at) if not at or line.endswith((")", ").")) or line[-1:].isdigit() else None


_NEW = (
    r"""[^ \n]{1,8} {1,2}Test (?:"[^"\n]+"(?: \(aka '[^'\n]+'\)|)|`[^`\n]+`\([^()\n]*\)|[^ "()\n]+\([^()\n]*\))"""
    r"(?: with [0-9]{1,9} test cases?|) (?:started|passed after [0-9.]+ seconds)\."
)  # of Swift Testing, whose tests run side by side
_OLD = r" passed \([0-9.]+ seconds\)\.?"

_TABLE = text_rows(
    r"""
swift SwiftReader weight=3 swift test
  words    swift  |  xcodebuild
  sign     ^Test Case '[^']{1,300}' (?:started|passed|failed|skipped)
  sign     ^Test Suite '[^']{1,300}' (?:started|passed|failed)
  sign     ^\t? *Executed \d{1,9} tests?, with␣
  sign     ^{LEAD}Test run with \d{1,9} tests?
  sign     ^{LEAD}Test (?:\"[^\"]{1,300}\"|[^\s()]{1,300}\(.{0,200}\)) (?:started|passed|failed
           |recorded an issue)
  sign     ^\[\d{1,9}/\d{1,9}\] Testing \w+\.\w+/\w+$
  sign     ^\S+\.swift:\d{1,9}:\d{1,9}: (?:error|note):␣
  sign     ^error: (?:fatalError$|'[^']{1,300}': |no tests found; create a target in the 'Tests'
           |Could not find Package\.swift |GitShellError|Failed to clone repository )
  sign     ^(?:Build complete! \([\d.]+s\)|Building for (?:debugging|production)\.\.\.)$
  passes   (?:Test Case '([^'\n]+)' started[^\n]*\nTest Case '\1'{OLD}\n|{NEW}\n)
  passed   (?:Test Case '(?:(?P<begun>[^'\n]+)' started[^\n]*|(?P<ended>[^'\n]+)'{OLD})|{NEW})\n
  begins   Test Suite '(?:All|Selected) tests' started at |{LEAD}Test run started\.$
  ends     Test Suite '(?:All|Selected) tests' (?:passed|failed) at |{LEAD}Test run with \d{1,9} tests?␣
  apart    \S{1,300}\.swift:\d{1,9}:\d{1,9}: error: |error: (?:fatalError$|'[^'\n]{1,300}':␣
           |Could not find Package\.swift |GitShellError)
""",
    SwiftReader,
    LEAD=LEAD,
    NEW=_NEW,
    OLD=_OLD,
)
ROWS = (replace(_TABLE[0], joined=joined),)

"""What XCTest (swift test, xcodebuild) and Swift Testing print."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners.reading import Reading, TextRow, signs, whole
from tdd_orchestrator.runners.text.gather import Block
from tdd_orchestrator.runners.text.program import Program

_CASE = re.compile(
    r"Test Case '(?P<name>[^']+)' (?P<word>started|passed|failed|skipped)(?: at | on |\.| \((?P<seconds>[\d.]+) seconds\))"
)
_ERROR = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): error: (?P<name>-?\[?[\w. ]+\]?) : (?P<message>.*)$"
)
_SUITE = re.compile(r"Test Suite '(?P<name>[^']+)' (?P<word>started|passed|failed)\b")
_EXECUTED = re.compile(
    r"\t? *Executed (?P<total>\d{1,9}) tests?,(?: with (?P<skipped>\d{1,9}) tests? skipped and)?(?: with)? (?P<failed>\d{1,9}) failures? \((?P<odd>\d{1,9}) unexpected\)"
)
_ST_TEST = re.compile(
    r"\S (?:Test (?:case passing \d{1,9} arguments? .{1,300} to )?)(?P<name>\"[^\"]+\"|[\w`.]+\(.*?\)) (?P<word>started|passed|failed|skipped|recorded an issue)(?P<rest>.*)$"
)
_ST_ISSUE = re.compile(
    r"(?: with \d{1,9} arguments? .{0,300})? at (?P<file>[^\s:]+):(?P<line>\d{1,9}):\d{1,9}: (?P<message>.*)$"
)
_ST_RUN = re.compile(
    r"\S Test run with (?P<total>\d{1,9}) tests?(?: in \d{1,9} suites?)? (?P<word>passed|failed) after "
)


class SwiftReader(Program):
    """Suites nest in XCTest: the last ``Executed`` line is the whole. Swift Testing runs apart, and is added."""

    def __init__(self) -> None:
        super().__init__()
        self._running = ""
        self._issues: dict[str, tuple[str, int, Block]] = {}
        self._tests: dict[str, Outcome] = {}
        self._modern: dict[str, Outcome] = {}
        self._executed: tuple[int, int, int] | None = None
        self._totals: list[tuple[int, int, int]] = []
        self._depth = 0
        self._run = ""

    def feed(self, line: str) -> None:
        if line.startswith("Test Case '") and (match := _CASE.match(line)):
            self._case(match["name"], match["word"])
        elif ": error: " in line and (match := _ERROR.match(line)) and self.open:
            self._issue(match["name"].strip("-[] ").replace(" ", "."), match)
        elif line.startswith("Test Suite '") and (match := _SUITE.match(line)):
            self._suite(match["word"])
        elif "Executed " in line and (match := _EXECUTED.match(line)):
            total, skipped, failures = int(match["total"]), int(match["skipped"] or 0), int(match["failed"])
            self._executed = (total, failures, skipped)
            if self._depth == 0:
                self._totals.append(self._executed)
        elif " Test " in line[:8] and (match := _ST_RUN.match(line)):
            self._end(int(match["total"]), match["word"])
        elif " Test " in line[:8] and (match := _ST_TEST.match(line)):
            self._test(match)
        elif " Test run started" in line[:20]:
            self.open, self._run = True, "open"
        elif (
            line.startswith(("Fatal error: ", "error: Exited with", "error: Process "))
            or ": Fatal error: " in line
        ):
            self.crashed = self.crashed or line.strip()
        elif not self.open and not self.closed:
            self.build.feed(line)

    def _suite(self, word: str) -> None:
        self.open = True
        self._depth = max(0, self._depth + (1 if word == "started" else -1))

    def _case(self, name: str, word: str) -> None:
        self.open = True
        name = name.strip("-[]").replace(" ", ".")
        if word == "started":
            self._running = name
            return
        self._running = ""
        self._tests[name] = {"passed": Outcome.PASSED, "failed": Outcome.FAILED}.get(word, Outcome.SKIPPED)

    def _issue(self, name: str, match: re.Match[str]) -> None:
        if name not in self._issues:
            block = Block()
            block.add(match["message"])
            self._issues[name] = (match["file"], int(match["line"]), block)

    def _test(self, match: re.Match[str]) -> None:
        name, word = match["name"].strip('"'), match["word"]
        self.open = True
        if word == "recorded an issue":
            issue = _ST_ISSUE.match(match["rest"])
            if issue:
                self._issue(name, issue)
        elif (word != "started" and not match["rest"].startswith(" with ")) or word == "failed":
            self._modern[name] = {"passed": Outcome.PASSED, "failed": Outcome.FAILED}.get(
                word, Outcome.SKIPPED
            )

    def _end(self, total: int, word: str) -> None:
        self._run = "closed"
        values = list(self._modern.values())
        failed, skipped = values.count(Outcome.FAILED), values.count(Outcome.SKIPPED)
        failed = failed or (word == "failed" and 1) or 0
        if total:
            self.close(passed=total - failed - skipped, failed=failed, skipped=skipped)
        else:
            self.close()
        self.ok &= word == "passed"

    def finish(self) -> Reading:
        whole = self._totals or ([self._executed] if self._executed and self._depth == 0 else [])
        for total, failures, skipped in whole:
            bad = (
                sum(outcome is Outcome.FAILED for outcome in self._tests.values())
                if len(whole) == 1
                else failures
            )
            failed = min(bad or failures, total)
            self.close(passed=total - failed - skipped, failed=failed, skipped=skipped)
        if self._run == "open" or self._running or self._depth:
            self.open = True
        elif self.closed:
            self.open = False
        for name, outcome in [*self._tests.items(), *self._modern.items()]:
            file, line, block = self._issues.get(name, ("", 0, Block()))
            message = block.text() if outcome is Outcome.FAILED else ""
            self.keep(Case(name, name, outcome, file, line, message))
        return super().finish()


ROWS = (
    TextRow(
        "swift test",
        "swift",
        SwiftReader,
        signs(
            r"^Test Case '[^']{1,300}' (?:started|passed|failed|skipped)",
            r"^Test Suite '[^']{1,300}' (?:started|passed|failed)",
            r"^\t? *Executed \d{1,9} tests?, with ",
            r"^\S Test run with \d{1,9} tests?",
            r"^\S Test (?:\"[^\"]{1,300}\"|[\w`.]+\(.{0,200}\)) (?:started|passed|failed|recorded an issue)",
            r"^\S+\.swift:\d{1,9}:\d{1,9}: error: ",
        ),
        ("swift", "xcodebuild"),
        3,
        whole=whole(apart=r"\S{1,300}\.swift:\d{1,9}:\d{1,9}: error: |error: fatalError$"),
    ),
)

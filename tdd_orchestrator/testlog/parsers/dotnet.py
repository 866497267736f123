"""Read the output of dotnet test, VSTest, Microsoft.Testing.Platform, xUnit and NUnit."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

_LINE = re.compile(
    r"\s*(?P<status>Passed|Failed|Skipped)! +- Failed: +(?P<failed>\d{1,9}), Passed: +"
    r"(?P<passed>\d{1,9}), Skipped: +(?P<skipped>\d{1,9}), "
    r"Total: +(?P<total>\d{1,9})"
)
# the same line in any language: four numbers, the last of which is the sum
_ANY_LANGUAGE = re.compile(
    r"\s*[^\W\d_]+! +[-:] +[^\W\d_][^:,]{0,30}: +(?P<failed>\d{1,9}), [^:,]{1,30}: +"
    r"(?P<passed>\d{1,9}), [^:,]{1,30}: +(?P<skipped>\d{1,9}), "
    r"[^:,]{1,30}: +(?P<total>\d{1,9}), "
)
_RUN = re.compile(r"Test run for (?P<dll>.{1,1000}?\.(?:dll|exe)) ?\(")
_ABOUT = re.compile(r", [^:,]{1,30}: [^:]{0,30} - (?P<dll>.{1,1000}?\.(?:dll|exe))(?: \([^()]{1,40}\))?$")
_TOTAL = re.compile(r"\s*(?P<status>Total tests|Passed|Failed|Skipped): (?P<number>\d{1,9})$")
_COUNT_NAMES = {"Total tests": "total", "Passed": "passed", "Failed": "failed", "Skipped": "skipped"}


class Summaries:
    """Collects VSTest's summaries, of one line or of one number a line.

    VSTest announces an assembly before it runs it. A summary of an assembly that was not announced was
    printed by a test, and so were the first of more summaries than assemblies.
    """

    def __init__(self) -> None:
        self._announced: list[str] = []
        self._summaries: list[dict[str, int]] = []
        self._last: dict[str, int] | None = None  # a summary that has one number a line

    def announced(self, line: str) -> None:
        found = _RUN.match(line)
        if found:
            self._announced.append(found["dll"].replace("\\", "/"))

    def line(self, line: str) -> dict[str, int] | None:
        """Return the totals of a summary in one line; None if the line is none."""
        found = _LINE.match(line) if "ailed: " in line else None
        if not found:
            found = _ANY_LANGUAGE.match(line) if "! " in line[:40] and ".dll" in line else None
        totals = {key: int(found[key]) for key in ("failed", "passed", "skipped", "total")} if found else {}
        whole = totals and totals["failed"] + totals["passed"] + totals["skipped"] == totals["total"]
        if not found or self._foreign(line) or not (whole or "status" in found.groupdict()):
            return None
        self._summaries.append(totals)
        self._last = None
        return totals

    def _foreign(self, line: str) -> bool:
        """Whether a summary in one line is about an assembly that is not run here."""
        about = _ABOUT.search(line)
        if not about or not self._announced:
            return False
        dll = about["dll"].replace("\\", "/")
        return dll not in self._announced and dll not in {PurePosixPath(one).name for one in self._announced}

    def number(self, line: str) -> bool:
        """Read a line of a summary with one number a line, which begins with the total; False if it is
        none."""
        found = _TOTAL.match(line)
        if not found:
            return False
        name = _COUNT_NAMES[found["status"]]
        if name == "total":
            self._last = {}
            self._summaries.append(self._last)
        if self._last is not None:
            self._last.setdefault(name, int(found["number"]))
        return True

    def ends(self, line: str) -> bool:
        """Whether the line is the one after the last number, without which a summary is incomplete."""
        ended = self._last is not None and line.lstrip().startswith("Total time: ")
        self._last = None if ended else self._last
        return ended

    def own(self) -> list[dict[str, int]]:
        return self._summaries[-len(self._announced) :] if self._announced else self._summaries


_OLD_TOTAL = re.compile(
    r"Total tests: (?P<total>\d{1,9})\. Passed: (?P<passed>\d{1,9})\. Failed: "
    r"(?P<failed>\d{1,9})\. Skipped: (?P<skipped>\d{1,9})\."
)
_TERMINAL = re.compile(
    r"Test summary: total: (?P<total>\d{1,9}), failed: (?P<failed>\d{1,9}), succeeded: "
    r"(?P<passed>\d{1,9}), skipped: (?P<skipped>\d{1,9})"
)
_PLATFORM = re.compile(r"\s+(?P<status>total|failed|succeeded|skipped): (?P<number>\d{1,9})$")
_XUNIT = re.compile(
    r"\s+(?P<name>\S+)\s+Total: (?P<total>\d{1,9}), Errors: (?P<errors>\d{1,9}), Failed: "
    r"(?P<failed>\d{1,9}), Skipped: (?P<skipped>\d{1,9})"
)
_NUNIT = re.compile(
    r"\s*Test Count: (?P<total>\d{1,9}), (?:Pass(?:ed)?): (?P<passed>\d{1,9}), (?:Fail(?:ed)?): "
    r"(?P<failed>\d{1,9})(?:, Warn\w*: (?P<warn>\d{1,9}))?"
    r", Inconclusive: (?P<unsure>\d{1,9}), Skip(?:ped)?: (?P<skipped>\d{1,9})"
)
_CASE = re.compile(
    r"(?: {2}|\t|[!√X✓✗-] {1,2}|\s*)(?P<status>Passed|Failed|Skipped|passed|failed"
    r"|skipped) (?P<name>\S.*?) [\[(](?:< )?[\d.,]+ ?m?(?:s|in|h)\b[^\])]*[\])]$"
)
# VSTest before 16.6 prints a mark instead of a status
_MARKED = re.compile(r" {2}(?P<status>[X!√]) (?P<name>\S.*?) \[(?:< )?[\d.,]+ ?(?:ms|s|m|h)\b[^\]]*\]$")
_UNTIMED = re.compile(
    r" {2}(?P<status>Failed|X) (?P<name>\S.*)$"
)  # of a test that never began, as MSTest has it
_XUNIT_CASE = re.compile(r"(?:\[xUnit\.net [\d:.]+\])?\s+(?P<name>\S.*?) \[(?P<status>FAIL|SKIP|PASS)\]$")
_NUNIT_CASE = re.compile(r"\d{1,9}\) (?P<status>Failed|Error|Ignored|Invalid) : (?P<name>\S.*)$")
_TESTERROR = re.compile(r"\s*(?P<file>[^()]{1,400})\((?P<line>\d{1,9})\): error TESTERROR: ?(?P<rest>.*)$")
_TIMED = re.compile(r"\s*(?P<name>\S.*?) \([\d.,]+ ?m?s\): (?:Error Message: ?)?(?P<message>.*)$")
_FRAME = re.compile(
    r"\s*(?:at .{1,1000} in |in |from )(?P<file>(?:[A-Za-z]:)?[^:]{1,400}):(?:line )?(?P<line>\d{1,9})\b"
)
_THREW = re.compile(
    r"(?:Test method \S+ threw exception: *)?(?P<type>(?:[A-Z]\w*\.)+[A-Z]\w*(?:Exception"
    r"|Error)\w*) ?: (?P<message>.*)$"
)
_OUTCOMES = {
    "x": Outcome.FAILED, "!": Outcome.SKIPPED, "√": Outcome.PASSED, "passed": Outcome.PASSED,
    "pass": Outcome.PASSED, "failed": Outcome.FAILED, "fail": Outcome.FAILED, "error": Outcome.ERROR,
    "invalid": Outcome.ERROR, "skipped": Outcome.SKIPPED, "skip": Outcome.SKIPPED,
    "ignored": Outcome.SKIPPED,
}  # fmt: skip
_ABORTED = (
    "The active test run was aborted", "Test Run Aborted", "Test host process crashed", "Testhost process",
)  # fmt: skip
_NONE = (
    "No test is available in", "No test matches the given testcase filter", "No tests found",
    "Zero tests ran",
)  # fmt: skip
_SETUP = re.compile(
    r"(?:\S+ : )?(?:MSBUILD : )?error (?P<type>(?:MSB|NETSDK|NU|CS)\d{1,9}): (?P<message>.+)$"
)


def _counts(totals: dict[str, int]) -> dict[str, int]:
    failed, errors = totals.get("failed", 0), totals.get("errors", 0)
    skipped = totals.get("skipped", 0) + totals.get("unsure", 0)
    passed = totals.get("passed", totals.get("total", 0) - failed - skipped)
    return {"passed": passed, "failed": failed, "errors": errors, "skipped": skipped}


class DotNetReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._totals: dict[str, int] = {}  # of the platform's summary, in several lines
        self._sums = Summaries()
        self._block: Block | None = None
        self._mode = ""  # message | trace
        self._lines = 0  # summaries in one line, one for each assembly
        self._none = False
        self._setup: list[BuildError] = []
        self._built_badly = False
        self._summing = ""
        self._spot = ("", 0)  # of a failure whose name is still to come
        self._before = ""

    def feed(self, line: str) -> None:
        before, self._before = self._before, line
        if self._summary(line) or self._named(line, before):
            return
        if line.startswith(_ABORTED):
            self.crashed = self.crashed or line.strip()
        elif line.startswith(_NONE):
            self._none = True
        elif line.startswith(
            (
                "Starting test execution",
                "Test run for ",
                "A total of ",
                "Microsoft (R) Test",
                "VSTest version",
            )
        ):
            self.open, self._block = True, None
            self._sums.announced(line)
        elif line.startswith("Build FAILED") or (line.startswith("Build failed with ") and "error" in line):
            self._built_badly = True
        elif self._block is not None:
            self._add_detail(line)
        elif "error " in line and not line.startswith(" "):
            self.build.feed(line)
            match = _SETUP.match(line)
            if match:
                self._setup.append(BuildError(match["message"].split(" [/")[0], exception=match["type"]))
        elif "error " in line:
            self.build.feed(line)

    def _summary(self, line: str) -> bool:
        for pattern in (_TERMINAL, _OLD_TOTAL, _XUNIT, _NUNIT):
            match = pattern.match(line) if "ailed: " in line or "Fail: " in line else None
            if match:
                self._add({key: int(n) for key, n in match.groupdict().items() if n and n.isdigit()})
                return True
        totals = self._sums.line(line)
        if totals:
            self.ok &= not totals["failed"]
            self._shut()
            return True
        if line.startswith(("Test Run Failed.", "Test Run Successful.", "Test run summary: ")):
            self.ok &= "Failed" not in line
            self._summing, self._block = line, None
            return True
        if self._sums.number(line):
            self._block = None
            return True
        if self._sums.ends(line):
            self._shut()
            return True
        match = _PLATFORM.match(line) if self._summing else None
        if match:
            self._totals[match["status"].replace("succeeded", "passed")] = int(match["number"])
            self._block = None
            return True
        return False

    def _shut(self) -> None:
        self.open, self._block = False, None
        self.closed += 1

    def _add(self, totals: dict[str, int]) -> None:
        self.close(**_counts(totals))
        self._block = None

    def _named(self, line: str, before: str) -> bool:
        if self._spot[1] or "TESTERROR" in line:
            return self._reported(line)
        match = (_CASE.match(line) or _MARKED.match(line)) if line.endswith(("]", ")")) else None
        if match:
            self.open = True  # an earlier closing line was not the end
        elif line.startswith("  Error Message:") and not before.endswith("]"):
            match = _UNTIMED.match(before)
        match = match or (_XUNIT_CASE.match(line) if line.endswith("]") else None) or _NUNIT_CASE.match(line)
        if not match:
            return False
        name = match["name"].split("] ", 1)[-1] if match["name"].startswith("[") else match["name"]
        outcome = _OUTCOMES[match["status"].lower()]
        self.open = self.open or not self.closed
        if not any(case.name == name and case.outcome is outcome for case in self.cases[-200:]):
            self.keep(Case(name, name, outcome))
        bad = outcome in (Outcome.FAILED, Outcome.ERROR)
        self._block, self._mode = (Block() if bad else None), "message"
        return True

    def _reported(self, line: str) -> bool:
        """Read an MSBuild error that is a failed test; its name may stand on the next line."""
        place = _TESTERROR.match(line) if "TESTERROR" in line else None
        if place:
            self._spot = (place["file"].strip(), int(place["line"]))
            line = place["rest"]
        spot, timed = self._spot, _TIMED.match(line)
        if timed is None:
            self._spot = spot if not line.strip() else ("", 0)
            return place is not None
        self._spot = ("", 0)
        self.open = self.open or not self.closed
        self.cases = [case for case in self.cases if case.name != timed["name"]]
        self.keep(Case(timed["name"], timed["name"], Outcome.FAILED, *spot, message=timed["message"]))
        self._block, self._mode = Block(), "message"
        self._block.add(timed["message"])
        return True

    def _add_detail(self, line: str) -> None:
        assert self._block is not None
        text = line.strip()
        if text in ("Error Message:", "Stack Trace:", "Expected", "Standard Output Messages:"):
            self._mode = {"Stack Trace:": "trace", "Standard Output Messages:": "output"}.get(
                text, self._mode
            )
            return
        frame = _FRAME.match(line) if text.startswith(("at ", "in ", "from ")) else None
        if frame:
            self._mode = "trace" if self._mode == "message" else self._mode
            if not self.cases[-1].line:
                self.explain(file=frame["file"].strip(), line=int(frame["line"]))
        elif self._mode == "message" and text and not text.startswith(("at ", "--- End of", "Stack Trace")):
            typed = _THREW.match(text) if not self._block.lines else None
            self._block.add(typed["message"] if typed else text)
            self.explain(
                message=self._block.text(), exception=typed["type"] if typed else self.cases[-1].exception
            )

    def _drop_parents(self) -> None:
        """Drop MSTest's data-driven tests, listed above their rows without a message and not counted."""
        counts = self.tally.of()
        bad = [case for case in self.cases if case.outcome is Outcome.FAILED]
        spare = len(bad) - counts.bad if counts else 0
        unexplained = [case for case in bad if not case.message][: max(0, spare)]
        self.cases = [case for case in self.cases if case not in unexplained] if unexplained else self.cases

    def finish(self) -> Reading:
        for totals in self._sums.own():
            counts = _counts(totals)
            self.tally.add(**counts)
            self.ok &= not counts["failed"]
        if self._totals and not self.closed:
            self._add(self._totals)
        self._drop_parents()
        errors = self.build.errors or self._setup
        if self.closed and not self._built_badly:
            errors = []
        red = self.crashed or not self.ok
        if self._none and not errors and not red and not self.closed:
            return Reading(started=True, finished=True, no_tests=True)
        reading = super().finish()
        reading.build_errors = errors
        if errors and not self.closed:
            reading.finished = True
            reading.claims_ok = False
        return reading


ROWS = text_rows(
    r"""
c# DotNetReader weight=3 dotnet test
  words    dotnet  |  vstest  |  xunit.console  |  nunit3-console
  sign     ^\s*(?:Passed|Failed|Skipped)! +- Failed: +\d{1,9}, Passed: +\d{1,9}
  sign     ^\s*[^\W\d_]+! +[-:] +[^\W\d_][^:,]{0,30}: +\d{1,9}, [^:,]{1,30}: +\d{1,9}, [^:,]{1,30}: +\d{1,9},
            .{1,80}\.dll
  sign     ^(?:Total tests: \d{1,9}|Test Run (?:Failed|Successful|Aborted)\.|Test run summary: )
  sign     ^ {2}(?:Passed|Failed|Skipped) \S.{0,300} \[[<\d]
  sign     ^Test summary: total: \d{1,9}, failed: \d{1,9}
  sign     ^\s*Test Count: \d{1,9}, Pass
  sign     ^Starting test execution, please wait
  sign     ^Test run for .{1,300}\.dll
  sign     \): error (?:CS|FS|BC|TESTERROR)\d*:␣
  sign     error (?:MSB|NETSDK|NU)\d{4}:␣
  sign     ^(?:\[xUnit\.net [\d:.]+\])?\s+\S.{0,300} \[(?:FAIL|SKIP)\]$
  sign     Total: \d{1,9}, Errors: \d{1,9}, Failed: \d{1,9}, Skipped: \d{1,9}
  sign     ^No test (?:is available in|matches the given)
  broken   Build FAILED\.$
  apart    \s*[^()\n]{1,300}\(\d{1,9},\d{1,9}\): error [A-Z]{2,8}\d{1,9}: |(?:\S+ : )?error (?:MSB|NETSDK
           |NU)\d{1,9}:␣
""",
    DotNetReader,
)

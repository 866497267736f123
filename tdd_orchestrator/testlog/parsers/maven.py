"""Read the output of Maven with Surefire and Failsafe, from version 2 on."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JavaTrace
from tdd_orchestrator.testlog.reading import Reading

_PREFIX = re.compile(r"\[(?P<level>INFO|WARNING|ERROR|FATAL)\] ?(?P<text>.*)$")
_NUMBERS = re.compile(
    r"Tests run: (?P<run>\d{1,9}), Failures: (?P<failures>\d{1,9}), Errors: (?P<errors>\d{1,9}), "
    r"Skipped: (?P<skipped>\d{1,9})"
    r"(?:, Flakes: \d{1,9})?(?P<rest>.*)$"
)
_CASE = re.compile(
    r"(?P<name>\S.*?)(?: {2}| -- )Time elapsed: [\d.,]+ (?:s|sec) {1,2}<<< (?P<status>FAILURE|ERROR)!$"
)
_OWNER = re.compile(r"(?P<method>.+)\((?P<owner>[\w.$]+)\)$")
_GOAL = re.compile(
    r"Failed to execute goal (?P<goal>\S+)(?: \([^)]*\))?(?: on project (?P<project>[^\s:]+))?: "
    "(?P<message>.+)$"
)
_DIED = (
    "The forked VM terminated", "The forked VM terminated without",
    "There was a timeout or other error in the fork", "ExecutionException The forked VM", "Crashed tests:",
)  # fmt: skip
_SETUP = (
    "Non-parseable POM", "The build could not read", "Unknown lifecycle phase", "No plugin found for prefix",
    "The goal you specified requires a project", "Could not find the selected project",
    "Some problems were encountered while",
    "Plugin ", "Failed to read artifact descriptor", "Could not resolve dependencies",
)  # fmt: skip


class MavenReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._prefixed = False
        self._results = False  # after "Results:", where the module's own numbers follow
        self._class = ""
        self._trace: JavaTrace | None = None
        self._name = ""
        self._outcome = Outcome.FAILED
        self._seen: set[tuple[str, str]] = set()
        self._flaking = False  # in the list of flaky tests
        self._flaky: set[str] = set()
        self._ended = ""  # SUCCESS or FAILURE
        self._goal: BuildError | None = None
        self._setup: list[BuildError] = []
        self._none = False
        self._died = ""
        self._level = ""

    def feed(self, line: str) -> None:
        match = _PREFIX.match(line) if line.startswith("[") else None
        if match:
            self._prefixed = True
            self._level = match["level"]
            self._own(match["text"], line)
        elif not self._prefixed:
            self._own(line, line)
        elif self._trace is not None:
            self._feed_trace(line)
        elif line.startswith("  ") and not self.closed:
            self.build.feed(line)

    def _own(self, text: str, line: str) -> None:
        if "Tests run: " in text[:12] and (match := _NUMBERS.match(text)):
            self._count(match)
        elif "<<< " in text and (match := _CASE.match(text)):
            self._end_case()
            self._begin(match)
        elif text.startswith(("Results:", "Results :")):
            self._end_case()
            self._results = True
        elif text.strip() == "T E S T S" or text == "Scanning for projects...":
            self.open, self._results = True, False
        elif text.startswith("BUILD "):
            self._end_case()
            self._ended = text[6:].strip()
        elif self._trace is not None:
            self._feed_trace(line if not _PREFIX.match(line) else text)
        else:
            self._remark(text, line)

    def _remark(self, text: str, line: str) -> None:
        if (
            text.startswith(("No tests to run", "No tests were executed", "There are no tests to run"))
            or "No tests were executed" in text
            or "No tests matching pattern" in text
        ):
            self._none = True
        elif self._results and text.strip() in ("Flakes:", "Failures:", "Errors:"):
            self._flaking = text.startswith("Flakes:")
        elif self._flaking and text[:1].strip():
            self._flaky.add(text.strip())
        elif text.startswith(_DIED):
            self._died = self._died or text
        elif self._level in ("ERROR", "FATAL") and (match := _GOAL.match(text)):
            self._goal = self._goal or BuildError(
                match["message"].split(" -> [Help")[0], detail=match["goal"]
            )
        elif self._level in ("ERROR", "FATAL") and any(part in text for part in _SETUP):
            self._setup.append(BuildError(text.removeprefix("[ERROR] ").split(" -> [Help")[0].strip()))
        elif not self._results:
            self.build.feed(line)

    def _begin(self, match: re.Match[str]) -> None:
        self._name = match["name"]
        owner = _OWNER.match(self._name)
        cls = owner["owner"] if owner else self._name.rpartition(".")[0]
        self._trace = JavaTrace(cls.rsplit(".", 1)[-1] if "." not in cls else cls)
        self._outcome = Outcome.FAILED if match["status"] == "FAILURE" else Outcome.ERROR

    def _feed_trace(self, line: str) -> None:
        assert self._trace is not None
        if not line.strip() and self._trace.line:
            self._end_case()
        else:
            self._trace.feed(line)

    def _end_case(self) -> None:
        if self._trace is not None:
            self.keep(self._trace.explain(Case(self._name, self._name, self._outcome)))
        self._trace = None

    def _count(self, match: re.Match[str]) -> None:
        """Read counts: a class's come with a time; a module's stand alone, at its end."""
        if "Time elapsed" in match["rest"]:
            self._end_case()
            self.open = True
            self._results = False
            self._classes = True
            return
        if not self._results and not (self._classes and self._level == "ERROR"):
            return
        self._results = self._classes = False
        run, failed = int(match["run"]), int(match["failures"])
        errors, skipped = int(match["errors"]), int(match["skipped"])
        self.close(passed=run - failed - errors - skipped, failed=failed, errors=errors, skipped=skipped)
        self.open = True  # until Maven's closing line

    _classes = False

    def finish(self) -> Reading:
        self._end_case()
        ended = bool(self._ended or self._goal or self._setup)
        counts = self.tally.of()
        red = counts is not None and counts.bad > 0
        errors = list(self.build.errors)
        test_goal = self._goal is not None and any(
            part in self._goal.detail for part in ("surefire", "failsafe")
        )
        if not errors and not red and not self._none and not self._died:
            errors = self._setup[:3] or ([self._goal] if self._goal and not test_goal else [])
        if self._died:
            errors = []
        success = self._ended == "SUCCESS"
        return Reading(
            counts=counts if counts and (counts.total or not self._died) else None,
            cases=[case for case in self.cases if case.name not in self._flaky],
            build_errors=errors if not success else [],
            started=self.open or ended,
            finished=ended,
            claims_ok=success and self.ok if ended else None,
            no_tests=ended
            and not errors
            and not red
            and (counts is None or not counts.total)
            and not self._died
            and (success or self._none),
            crashed=self._died if not red or not self.cases else "",
        )


ROWS = text_rows(
    r"""
java MavenReader weight=6 maven
  words    mvn  |  mvnw  |  maven
  sign     ^\[(?:INFO|ERROR|WARNING)\] .{0,40}Tests run: ?\d{1,9}, Failures:␣
  sign     ^\[INFO\] (?:Scanning for projects|BUILD (?:SUCCESS|FAILURE))
  sign     ^Tests run: \d{1,9}, Failures: \d{1,9}, Errors: \d{1,9}, Skipped: \d{1,9}, Time elapsed:␣
  sign     ^\[ERROR\] (?:Failed to execute goal|The build could not read|COMPILATION ERROR
           |The goal you specified)
  sign     <<< (?:FAILURE|ERROR)!$
  sign     ^\[(?:INFO|ERROR|WARNING)\]␣
  sign     ^ T E S T S$
  begins   \[INFO\] Scanning for projects\.\.\.
  ends     \[INFO\] BUILD SUCCESS
  opens    (?:\[INFO\] )?Running [\w.$]{1,300}$
  closes   (?:\[\w+\] )?Tests run: .{1,200}Time elapsed:␣
  broken   \[INFO\] BUILD FAILURE|\[ERROR\] (?:COMPILATION ERROR|Failed to execute goal
            |The build could not read |The goal you specified )|\[FATAL\] Non-
""",
    MavenReader,
)

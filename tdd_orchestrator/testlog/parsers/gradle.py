"""Read what Gradle prints around the tests that it runs."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError, Case, Outcome, count
from tdd_orchestrator.testlog.parsers.program import Program, numbers
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JavaTrace
from tdd_orchestrator.testlog.reading import Reading

_TASK = re.compile(r"> Task (?P<path>:\S+)(?: (?P<status>FAILED|UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$")
# before Gradle 4.6; a warning of the JVM's may be glued to it
_OLD_TASK = re.compile(
    r"(?P<path>:[\w:.-]*?\w)(?:WARNING: .*| (?P<status>FAILED|UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$"
)
_TEST_TASK = re.compile(r"(?:^|:)(?:\w*[tT]est(?:DebugUnitTest|ReleaseUnitTest)?|check)$")
_CASE_END = re.compile(r" (?P<status>PASSED|FAILED|SKIPPED|STANDARD_OUT|STANDARD_ERROR)(?: \([\d.]+m?s\))?$")
_DONE = re.compile(r"\d{1,9} tests? completed(?:, \d{1,9} failed)?(?:, \d{1,9} skipped)?$")
_ENDED = re.compile(r"BUILD (?P<status>SUCCESSFUL|FAILED) in ")
_OUTCOMES = {"PASSED": Outcome.PASSED, "FAILED": Outcome.FAILED, "SKIPPED": Outcome.SKIPPED}


class GradleReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._trace: JavaTrace | None = None
        self._ended = ""
        self._wrong: list[str] = []
        self._asking = False
        self._ran = 0  # test tasks that passed
        self._counted = 0  # cases before the last "completed" line

    def feed(self, line: str) -> None:
        if line.startswith(("> Task ", ":")) and (match := _TASK.match(line) or _OLD_TASK.match(line)):
            self._task(match["path"], match["status"] or "")
        elif (
            " > " in line
            and line[0] not in " >"
            and (match := _CASE_END.search(line, max(0, len(line) - 40)))
        ):
            self._end_case()
            if match["status"] in _OUTCOMES:
                self._case(line[: match.start()], _OUTCOMES[match["status"]])
        elif " completed" in line and _DONE.match(line):
            self._sum(line)
        elif match := _ENDED.match(line):
            self._end_case()
            self._ended = match["status"]
        elif line.startswith(("FAILURE: ", "* ")):
            self._end_case()
            self._asking = line.startswith("* What went wrong")
        elif self._trace is not None:
            self._feed_trace(line)
        elif self._asking and line.strip():
            self._wrong.append(line.strip())
        else:
            self.build.feed(line)

    def _task(self, path: str, status: str) -> None:
        self._end_case()
        self.open = True
        if _TEST_TASK.search(path) and not path.endswith(("compileTest", ":check")):
            self._ran += status in ("", "UP-TO-DATE", "FROM-CACHE")

    def _case(self, path: str, outcome: Outcome) -> None:
        name = path.rsplit(" > ", 1)[-1]
        owner = path.split(" > ", 1)[0]
        self.keep(Case(path, name, outcome))
        self._trace = (
            JavaTrace(owner if outcome is Outcome.FAILED else "") if outcome is Outcome.FAILED else None
        )

    def _feed_trace(self, line: str) -> None:
        assert self._trace is not None
        if not line.strip() and self._trace.exception:
            self._end_case()
        elif line.startswith("    "):
            self._trace.feed(line)

    def _end_case(self) -> None:
        trace, self._trace = self._trace, None
        if trace is not None:
            self.explain(file=trace.file, line=trace.line, message=trace.message, exception=trace.exception)

    def _sum(self, line: str) -> None:
        totals = numbers(line)
        failed, skipped = totals.get("failed", 0), totals.get("skipped", 0)
        total = totals.get("completed", 0) or int(line.split(" ", 1)[0])
        self.close(passed=total - failed - skipped, failed=failed, skipped=skipped)
        self.open = True
        self._counted = len(self.cases)

    def finish(self) -> Reading:
        self._end_case()
        uncounted = self.cases[self._counted :]
        if uncounted:
            named = count(uncounted)
            self.tally.add(passed=named.passed, failed=named.failed, skipped=named.skipped)
        counts = self.tally.of()
        good = self._ended == "SUCCESSFUL"
        red = counts is not None and counts.bad > 0
        errors = self.build.errors if not good else []
        died = next(
            (
                text
                for text in self._wrong
                if "finished with non-zero exit value" in text and "Test Executor" in text
            ),
            "",
        )
        none = any(
            "No tests found for given includes" in text or "did not discover any tests" in text
            for text in self._wrong
        )
        if not good and not errors and not red and not died and not none and self._wrong:
            errors = [BuildError(" ".join(self._wrong)[:600])]
        return Reading(
            counts=counts,
            cases=self.cases,
            build_errors=errors,
            started=self.open or bool(self._ended),
            finished=bool(self._ended),
            claims_ok=good if self._ended else None,
            no_tests=none or (good and counts is None and not self._ran),
            crashed=died,
            unnamed=self._ran if good and counts is None else 0,
        )


ROWS = text_rows(
    r"""
java GradleReader weight=6 gradle
  words    gradle  |  gradlew
  sign     ^> Task :\S+
  sign     ^BUILD (?:SUCCESSFUL|FAILED) in␣
  sign     ^\d{1,9} tests? completed(?:, \d{1,9} failed)?
  sign     ^\S.{0,300} > .{1,300} (?:PASSED|FAILED|SKIPPED)$
  sign     ^\* What went wrong:$
  broken   FAILURE: Build (?:failed with an exception\.|completed with \d{1,9} failures\.)$|BUILD FAILED in␣
""",
    GradleReader,
)

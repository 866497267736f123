"""Read the output of JUnit 3 and 4 (JUnitCore) and the JUnit 5 console launcher."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.parsers.traces import JavaTrace
from tdd_orchestrator.testlog.reading import Reading

_FLAT = re.compile(r"(?P<status>Started|Finished|Skipped): +(?P<name>.*) \((?P<id>\[engine:.*\])\)$")
_EXCEPTION = re.compile(r"[│| ]* caught: (?P<text>.+)| {13}=> Exception: (?P<flat>.+)")
_FACT = re.compile(r"[│| ]* (?P<key>uniqueId|duration|status): (?P<value>.*)$")
_NODE = re.compile(r"[│|' `+├└─-]*(?:─|--) (?P<name>.+)$")
_PART = re.compile(r"\[(?P<kind>[a-z-]+):(?P<value>[^\]]*)\]")
_ABORTED = ("TestAbortedException", "AssumptionViolatedException")


@dataclass(slots=True)
class Failure:
    path: str  # as in the list of failures of other details
    method: str
    trace: JavaTrace


class Details:
    """Collects failures; in flat details only the exception's type tells a failed test from an aborted
    one."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self._name = self._id = ""
        self._trace: JavaTrace | None = None

    def feed(self, line: str) -> bool:
        """Read a line; True if it belongs to the details."""
        if match := _FLAT.match(line):
            self._name, self._id, self._trace = match["name"], match["id"], None
        elif match := _EXCEPTION.match(line):
            self._trace = JavaTrace()
            self._trace.feed(match["text"] or match["flat"])
            if match["flat"] and not self._trace.exception.endswith(_ABORTED):
                self._failed()
        elif match := _FACT.match(line):
            self._fact(match["key"], match["value"])
        elif self._trace is not None and not _NODE.match(line):
            self._trace.feed(line.lstrip("│| "))
        else:
            return self._node(line)
        return True

    def _node(self, line: str) -> bool:
        self._trace = None
        match = _NODE.match(line)
        if match and not match["name"].endswith(" ms."):
            self._name = match["name"]
        return False

    def _fact(self, key: str, value: str) -> None:
        if key == "uniqueId":
            self._id = value
        elif key == "status" and value.endswith("FAILED"):
            self._failed()
            self._trace = None

    def _failed(self) -> None:
        parts = [(match["kind"], match["value"]) for match in _PART.finditer(self._id)]
        methods = [
            value for kind, value in parts if kind.startswith(("method", "test-template", "test-factory"))
        ]
        if not methods or self._trace is None:
            return  # a class or an engine: containers are counted apart
        owner = next((value for kind, value in parts if kind == "class"), "")
        self._trace.owner = owner
        between = methods[:1] if len(parts) and parts[-1][0] not in ("method", "test-template") else []
        path = ":".join([owner, *between, self._name])
        self.failures.append(Failure(path, methods[0].partition("(")[0], self._trace))


_NUMBERED = re.compile(r"\d{1,9}\) (?P<name>(?P<method>.+?)\((?P<owner>[\w.$]+)\))(?P<rest>.*)$")
_OK = re.compile(r"OK \((?P<number>\d{1,9}) tests?\)$")
_BAD = re.compile(
    r"Tests run: (?P<run>\d{1,9}), {1,2}Failures: (?P<failures>\d{1,9})(?:, {1,2}Errors: "
    r"(?P<errors>\d{1,9}))?$"
)
_MAIN = re.compile(r'Exception in thread "main" (?P<rest>.+)$')


class JUnit4Reader(Program):
    """Reads dots among the tests' output, a line with the time, the failures and the counts."""

    def __init__(self) -> None:
        super().__init__()
        self._ignored = 0
        self._dots = 0
        self._timed = False
        self._failures: list[tuple[str, str, JavaTrace]] = []
        self._main: JavaTrace | None = None
        self._outcome: tuple[int, int, int] | None = None
        self._errors: list[BuildError] = []

    def feed(self, line: str) -> None:
        if line.startswith("JUnit version "):
            self._settle()
            self.open = True
            self._ignored = self._dots = 0
        elif line.startswith("Time: "):
            self.open = self._timed = True
            self._failures, self._outcome = [], None
        elif self._timed:
            self._closing(line)
        elif self.open:
            self._progress(line)
        else:
            self.build.feed(line)

    def _progress(self, line: str) -> None:
        if self._main is not None:
            self._main.feed(line)
        elif line and not line.strip(".EIF"):
            self._ignored += line.count("I")
            self._dots += line.count(".")
        elif match := _MAIN.match(line):
            self._main = JavaTrace()
            self._main.feed(match["rest"])

    def _closing(self, line: str) -> None:
        if match := _OK.match(line):
            self._outcome = (int(match["number"]), 0, 0)
        elif match := _BAD.match(line):
            self._outcome = (int(match["run"]), int(match["failures"]), int(match["errors"] or 0))
        elif match := _NUMBERED.match(line):
            trace = JavaTrace(match["owner"])
            self._failures.append((match["name"], match["method"], trace))
            if match["rest"]:
                trace.feed(match["rest"])
        elif self._failures and not line.startswith("FAILURES!!!"):
            self._failures[-1][2].feed(line)

    def _settle(self) -> None:
        """Close one session."""
        if not self._timed:
            return
        real = []
        for name, method, trace in self._failures:
            if method != "initializationError":
                real.append((name, trace))
            elif "No runnable methods" not in trace.message:
                self._errors.append(BuildError(trace.message, trace.file, trace.line, trace.exception))
                self.ok = False
        if self._outcome is None:
            self.open = True
        else:
            run, failed, errors = self._outcome
            unreal = len(self._failures) - len(real)
            self.close(
                passed=run - failed - errors,
                failed=max(0, failed - unreal),
                errors=errors,
                skipped=self._ignored,
            )
        for name, trace in real:
            self.keep(trace.explain(Case(name, name, Outcome.FAILED)))
        self._timed, self._failures = False, []

    def finish(self) -> Reading:
        self._settle()
        reading = super().finish()
        if self._main is not None:
            main = self._main
            if self._dots:
                reading.crashed = f"{main.exception}: {main.message}"
            else:
                self._errors.append(BuildError(main.message, main.file, main.line, main.exception))
        reading.build_errors += self._errors
        return reading


_TREE = re.compile(
    r"(?P<stem>[│|' `+├└─-]*(?:─|--) )(?P<name>.+?) (?:✔|✘|↷|■|\[OK\]|\[X\]|\[S\]|\[A\])(?: (?P<reason>.*))?$"
)
_TOTAL = re.compile(r"\[ +(?P<number>\d{1,9}) (?P<what>tests|containers) (?P<status>[a-z]+) +\]$")
_SOURCE = re.compile(
    r"    (?:Method|Class)Source \[className = '(?P<owner>[^']*)'(?:, methodName = '(?P<method>[^']*)')?"
)
_GOOD, _SKIP = ("✔", "[OK]"), ("↷", "■", "[S]", "[A]")


class JUnit5Reader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._tree: list[tuple[int, str, str]] = []  # depth, name, mark
        self._section = False
        self._failures: list[tuple[str, str, JavaTrace]] = []  # path, method, trace
        self._totals: dict[str, int] = {}
        self._details = Details()

    def feed(self, line: str) -> None:
        if line.startswith("Failures (") and line.endswith("):"):
            self._section = self.open = True
        elif line.startswith("Test run finished after "):
            self._section = False
            self.open = True
        elif line.startswith("[ ") and (match := _TOTAL.match(line)):
            self._totals[f"{match['what']} {match['status']}"] = int(match["number"])
            if match["what"] == "tests" and match["status"] == "failed":
                self._sum()
        elif self._section:
            self._failure(line)
        elif line.startswith(("╷", ".\n", "Test execution started. Number ")) or line == ".":
            self.open = True
        elif self.open and self._details.feed(line):
            return
        elif line[:1] in "├└│'+|` " and (match := _TREE.match(line)):
            self.open = True
            mark = line[match.end("name") + 1 :].split(" ", 1)[0]
            self._tree.append((len(match["stem"]), match["name"], mark))
        elif not self.open:
            self.build.feed(line)

    def _failure(self, line: str) -> None:
        if line.startswith("    ") and (match := _SOURCE.match(line)) and self._failures:
            path, _, trace = self._failures[-1]
            trace.owner = match["owner"]
            self._failures[-1] = (path, match["method"] or "", trace)
        elif line.startswith("    => ") and self._failures:
            self._failures[-1][2].feed(line[7:])
        elif line.startswith("  ") and not line.startswith("   "):
            self._failures.append((line.strip(), "", JavaTrace()))
        elif self._failures:
            self._failures[-1][2].feed(line)

    def _name(self, path: str, method: str) -> str:
        bad = [name for _, name, mark in self._tree if mark not in _GOOD and mark not in _SKIP]
        for name in sorted(bad, key=len, reverse=True):
            if path.endswith(f":{name}"):
                return name
        at = path.find(f":{method}(") if method else -1
        if at < 0:
            return path.rsplit(":", 1)[-1]
        inner = path.find("):", at)
        return path[inner + 2 :] if inner > 0 else path[at + 1 :]

    def _sum(self) -> None:
        totals = self._totals
        self.close(
            passed=totals.get("tests successful", 0),
            failed=totals.get("tests failed", 0),
            skipped=totals.get("tests skipped", 0) + totals.get("tests aborted", 0),
        )
        detailed = self._details.failures
        if not self._failures and len(detailed) <= totals.get("tests failed", 0):
            self._failures = [(one.path, one.method, one.trace) for one in detailed]
        for path, method, trace in self._failures:
            outcome, phase = (Outcome.FAILED, "call") if method else (Outcome.ERROR, "setup")
            self.keep(trace.explain(Case(path, self._name(path, method), outcome, phase=phase)))
        self.ok &= not totals.get("containers failed", 0) and not self._failures
        self._leaves()
        self._totals, self._failures, self._tree, self._details = {}, [], [], Details()

    def _leaves(self) -> None:
        path: list[tuple[int, str]] = []
        for index, (depth, name, mark) in enumerate(self._tree):
            while path and path[-1][0] >= depth:
                path.pop()
            path.append((depth, name))
            following = self._tree[index + 1][0] if index + 1 < len(self._tree) else 0
            if following > depth or (mark not in _GOOD and mark not in _SKIP):
                continue
            outcome = Outcome.PASSED if mark in _GOOD else Outcome.SKIPPED
            self.keep(Case(":".join(part for _, part in path), name, outcome))


ROWS = text_rows(
    r"""
java JUnit4Reader weight=2 junit4
  words    org.junit.runner.JUnitCore  |  JUnitCore
  sign     ^JUnit version \d
  sign     ^OK \(\d{1,9} tests?\)$
  sign     ^FAILURES!!!$
  sign     ^Tests run: \d{1,9},  Failures: \d{1,9}(?:,  Errors: \d{1,9})?$
  sign     ^There (?:was 1|were \d{1,9}) (?:failure|error)s?:$
  begins   JUnit version \d
  ends     OK \(\d{1,9} tests?\)$|Tests run: \d{1,9}, {1,2}Failures:␣
  apart    {JAVA}
java JUnit5Reader weight=2 junit5
  words    org.junit.platform.console.ConsoleLauncher  |  junit-platform-console-standalone
  sign     ^\[ +\d{1,9} (?:tests|containers) [a-z]+ +\]$
  sign     ^Test run finished after \d{1,9} ms
  sign     ^[└├'+]─?(?:─|--) .{1,300} (?:✔|✘|\[OK\]|\[X\])
  sign     ^    (?:Method|Class)Source \[className = '
  begins   Thanks for using JUnit!␣
  ends     \[ {1,12}\d{1,9} tests failed␣
  apart    {JAVA}|Error parsing command-line arguments: \S
""",
    JUnit4Reader,
    JUnit5Reader,
)

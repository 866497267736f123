"""Read the output of one Go test binary; passed tests are left out of the event stream of ``go test -json``."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from tdd_orchestrator.model.report import BAD, Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, leading_digits, path_before, place
from tdd_orchestrator.testlog.reading import CASE_LIMIT

FREE = 1 << 20  # bytes that pass unfiltered
_LINES = 40  # of a test's output kept from its beginning, and as many from its end
_FOLLOWED = 400  # lines kept after one that says why the program died
_WIDTH = 2_000  # bytes of an event of output
_OPEN = 10_000  # tests at once whose output is kept
_PRINTING = 5_000  # tests that failed whose output is kept
_OUTPUT = b'"Output":"'
_ENDS = (b"fail", b"pass", b"skip", b"benc")
_CAUSES = (
    b"panic: ", b"fatal error: ", b"SIG", b"signal: ", b"exit status ", b"PASS", b"FAIL", b"ok  ", b"? ",
)  # fmt: skip


@dataclass(slots=True)
class _Output:
    """The output of one test, or of one package beside its tests."""

    first: list[bytes] = field(default_factory=list)
    last: deque[bytes] = field(default_factory=lambda: deque(maxlen=_LINES))
    followed: int = 0  # lines still to pass unfiltered

    def add(self, line: bytes) -> None:
        (self.first if len(self.first) < _LINES else self.last).append(line)

    def take(self) -> Sequence[bytes]:
        lines = list(chain(self.first, self.last))
        self.first, self.last = [], deque(maxlen=_LINES)
        return lines


class GoEvents:
    """Withholds the output of running tests; for a failed test it is emitted before its end event."""

    def __init__(self) -> None:
        self._free = FREE
        self._outputs: dict[bytes, _Output] = {}  # by package and test, as they stand in the events
        self._printing = _PRINTING

    def filter_block(self, block: bytes) -> bytes:
        """Return the block's results and other lines. A block ends at a line's end."""
        if self._free > 0:
            self._free -= len(block)
            return block
        if b'"Action":"' not in block:
            return block
        passed_on: list[bytes] = []
        for line in block.split(b"\n"):
            at = line.find(b'"Action":"', 0, 100) if line[:1] == b"{" else -1
            if at < 0:
                passed_on.append(line)
            elif line.startswith(b"output", at + 10):
                self._output(line, at, passed_on)
            else:
                self._event(line, at, passed_on)
        return b"\n".join(passed_on)

    def _output(self, line: bytes, at: int, passed_on: list[bytes]) -> None:
        begin = line.find(b'"Package":"', at)
        end = line.find(_OUTPUT, at)
        if end < 0:
            passed_on.append(line)
            return
        key = line[begin:end] if begin >= 0 else b""
        output = self._outputs.get(key)
        if output is None:
            output = _Output()
            if len(self._outputs) < _OPEN:
                self._outputs[key] = output
        if line.startswith(_CAUSES, end + len(_OUTPUT)):
            passed_on += output.take()
            output.followed = _FOLLOWED
        if output.followed:
            output.followed -= 1
            passed_on.append(line)
        elif len(line) <= _WIDTH:
            output.add(line)

    def _event(self, line: bytes, at: int, passed_on: list[bytes]) -> None:
        if line.startswith((b"pause", b"cont"), at + 10):
            return
        if line[at + 10 : at + 14] in _ENDS:
            begin, end = line.find(b'"Package":"', at), line.find(b'"Elapsed":', at)
            output = self._outputs.pop(line[begin:end] if end >= 0 else line[begin:-1] + b",", None)
            if output is not None and line.startswith(b"fail", at + 10) and self._printing:
                self._printing -= 1
                passed_on += output.take()
        passed_on.append(line)


_RESULT = re.compile(
    r"(?P<status>PASS|FAIL|SKIP|BENCH): (?P<name>\S.*?)(?: \((?P<seconds>\d{1,9}(?:\.\d{1,9})?)s\))?$"
)
_RUN = re.compile(r"\x16?=== (?P<status>RUN|PAUSE|CONT|NAME) +(?P<name>\S.*)$")
_AGAIN = "\0"  # between a name and the number of its earlier run
_OUTCOMES = {
    "PASS": Outcome.PASSED, "FAIL": Outcome.FAILED, "SKIP": Outcome.SKIPPED, "BENCH": Outcome.PASSED,
}  # fmt: skip
_DIES = (
    "panic: ", "fatal error: ", "SIGSEGV: ", "SIGABRT: ", "SIGBUS: ", "SIGILL: ", "SIGFPE: ", "signal: ",
    "SIGQUIT: ",
)  # fmt: skip
_GO_ROOT = (
    "/src/runtime/", "/src/testing/", "/src/internal/", "/src/syscall/", "/src/reflect/", "/src/os/",
    "/go/pkg/mod/",
)  # fmt: skip


@dataclass(slots=True)
class _One:
    outcome: Outcome | None = None
    seconds: float = 0.0
    file: str = ""
    line: int = 0
    block: Block = field(default_factory=Block)


@dataclass(slots=True)
class Ended:
    """A finished package: its output, judged with its closing line."""

    tests: dict[str, _One]
    failed: bool
    torn: bool
    crashed: str
    timed_out: str
    named: bool  # every test of the package was named
    unseen: int  # tests that passed and were not shown

    def cases(self, package: str) -> list[Case]:
        first = self._first_below()
        made = []
        for name, one in self.tests.items():
            outcome = one.outcome or Outcome.ERROR
            source = one
            if outcome in BAD and not (one.file or one.block.lines):
                source = first.get(name, one)
            message = source.block.text() if outcome in BAD else ""
            bare, again, _ = name.partition(_AGAIN)
            identity = f"{package}::{name}" if not again else f"{package}::{bare}#{name.rsplit(_AGAIN, 1)[1]}"
            made.append(Case(identity, bare, outcome, source.file, source.line, message, seconds=one.seconds))
        return made

    def _first_below(self) -> dict[str, _One]:
        """Return the first failed subtest with a message, for tests that failed by their subtests."""
        first: dict[str, _One] = {}
        for name, one in self.tests.items():
            if one.outcome in BAD and one.block.lines:
                parent = name
                while "/" in parent:
                    parent = parent.rpartition("/")[0]
                    if parent in first:
                        break
                    first[parent] = one
        return first


class Package:
    def __init__(self) -> None:
        self.tests: dict[str, _One] = {}
        self.running: set[str] = set()
        self.context = ""  # the test that prints now
        self.verbose = False
        self.unseen = 0  # tests that passed and were not shown
        self.status_line = ""  # PASS or FAIL, on a line of its own
        self.died = ""
        self.timeout = ""
        self._trace = ""  # the test that a panic's trace belongs to
        self._frames = 0
        self._again = 0
        self._listing = False  # the tests that ran when the time was up

    def feed(self, line: str, *, from_events: bool = False) -> None:
        """Read a line. ``from_events``: results come as events, and the text only explains them."""
        if line in ("PASS", "FAIL"):
            self.status_line = line
        elif line.startswith(("=== ", "\x16=== ")) and (match := _RUN.match(line)):
            if match["status"] == "RUN" and not from_events:
                self.start(match["name"])
            elif match["status"] != "PAUSE":
                self.context = match["name"]
        elif (at := line.find("--- ")) >= 0 and (match := _RESULT.match(line, at + 4)):
            if not from_events:
                self._glued(line[:at])
                self.result(match["name"], _OUTCOMES[match["status"]], float(match["seconds"] or 0))
        elif line.startswith(_DIES):
            self._dies(line)
        elif self._listing and line.startswith("\t"):
            name = line.strip().rsplit(" (", 1)[0]
            self.tests.setdefault(name, _One()).block.add(self.timeout)
            self.running.add(name)
        elif self.died or self.timeout:
            self._frame(line)
        else:
            self._add_output(line)

    def start(self, name: str) -> None:
        self.verbose = True
        if name in self.tests:  # run again, with -count
            self._again += 1
            self.tests[f"{name}{_AGAIN}{self._again}"] = self.tests.pop(name)
        self.tests[name] = _One()
        self.running.add(name)
        self.context = name

    def result(self, name: str, outcome: Outcome, seconds: float) -> None:
        """Record a result.

        If starts are announced, a result of a test that never started was printed by a test; a failure
        may be of a test whose start was left out.
        """
        if self.verbose and name not in self.tests and not (self.unseen and outcome in BAD):
            return
        one = self.tests.setdefault(name, _One())
        if one.outcome is None or self.verbose or outcome in BAD:
            one.outcome, one.seconds = outcome, seconds
        self.running.discard(name)
        self.context = name
        if outcome is Outcome.PASSED and len(self.tests) > CASE_LIMIT:
            del self.tests[name]
            self.unseen += 1

    def _glued(self, before: str) -> None:
        if before.strip():
            self._add_output(before)

    def _add_output(self, line: str) -> None:
        one = self.tests.get(self.context)
        if one is None:
            return
        at = line.find(".go:")
        if at > 0 and not one.file:
            digits = leading_digits(line, at + 4)
            start = len(path_before(line, at))
            if (
                digits
                and line[at + 4 + len(digits) : at + 5 + len(digits)] == ":"
                and line[: at - start].endswith("    ")
            ):
                one.file, one.line = line[at - start : at] + ".go", int(digits)
                one.block = Block()  # output before the first report explains less
                one.block.add(line[at + 5 + len(digits) :].strip())
                return
        if line.startswith("    ") or self.context.startswith("Example"):
            one.block.add(line.strip())

    def _dies(self, line: str) -> None:
        if line.startswith("panic: test timed out"):
            self.timeout = self.timeout or line
            self._listing = True
            for name in self.running:
                self.tests[name].block.add(line)
            return
        self.died = self.died or line
        failed = [name for name, one in self.tests.items() if one.outcome is Outcome.FAILED]
        name = self.context if self.context in self.tests else (failed[-1] if failed else "")
        if name and not self._trace:
            self._trace, self._frames = name, 0
            one = self.tests[name]
            one.block.add(line)

    def _frame(self, line: str) -> None:
        """Record the first frame of a trace that is not Go's own."""
        one = self.tests.get(self._trace)
        if not line.startswith("\t"):
            self._listing = self._listing and line.startswith("running tests")
            return
        if one is None or one.file or ("/src/" in line and any(part in line for part in _GO_ROOT)):
            return
        file, number = place(line, ".go")
        if file:
            one.file, one.line = file, number

    def end(self, outcome: Outcome) -> Ended:
        failed = outcome in BAD
        if outcome is Outcome.PASSED:
            if self.status_line == "FAIL":
                failed = True  # the program threw its own result away
            elif not self.verbose:
                self.tests = {name: one for name, one in self.tests.items() if one.outcome not in BAD}
        named_bad = any(one.outcome in BAD for one in self.tests.values())
        failed = failed or named_bad
        torn = bool(self.running)
        crashed = ""
        if not self.timeout and (torn or (failed and not named_bad)):
            crashed = self.died or ("a test was running when the program ended" if torn else "")
        for name in self.running:
            if self.timeout or self.died:
                self.tests[name].outcome = Outcome.FAILED
        if not self.timeout:
            self.tests = {name: one for name, one in self.tests.items() if one.outcome is not None}
        return Ended(self.tests, failed, torn, crashed, self.timeout, self.verbose, self.unseen)

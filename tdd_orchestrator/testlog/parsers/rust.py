"""Read the output of cargo test (libtest) and cargo nextest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.compilers import BuildWatch
from tdd_orchestrator.testlog.parsers.nextest import Nextest
from tdd_orchestrator.testlog.parsers.program import Block, Tally
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading

_RUNNING = re.compile(r"running (\d{1,9}) tests?$")
_RESULT = re.compile(
    r"test result: (?P<status>ok|FAILED)\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; "
    r"(?P<ignored>\d{1,9}) ignored;(?: (?P<measured>\d{1,9}) measured;)?(?: (?P<filtered>\d{1,9}) "
    "filtered out)?"
)
_TEST = re.compile(r"test (?P<name>\S.*?) \.\.\. ?(?P<status>.*)$")
_BLOCK = re.compile(r"---- (?P<name>.+) (?:stdout|stderr) ----$")
_PANIC = re.compile(r"thread '(?P<thread>[^']{0,300})'(?: \(\d{1,9}\))? panicked at (?P<rest>.*)$")
_OVERFLOW = re.compile(r"thread '(?P<thread>[^'<][^']{0,300})'(?: \(\d{1,9}\))? has overflowed its stack$")
_AT = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9})(?::\d{1,9})?:?$")
_OLD_AT = re.compile(r"'(?P<message>.*)', (?P<file>[^\s:]+):(?P<line>\d{1,9}):\d{1,9}$")
_DOCTEST = re.compile(r"(?P<item>\S+\.(?:rs|md) - .*?)\(line (?P<line>\d{1,9})\)(?P<rest>.*)$")
_SUFFIXES = (" - should panic", " - compile fail", " - compile")
_DIED = re.compile(r"\s*(?:error: )?process didn't exit successfully: .*\((?:signal: \d{1,9}|exit code: 0x)")
_CONFIG = re.compile(
    r"error: (?:could not find `Cargo\.toml`|no (?:test|bin|lib|example|bench) target"
    "|failed to (?:parse|load|select|get"
    "|resolve|read|download)|no matching package|package ID specification|unexpected argument"
    "|no such (?:command"
    "|subcommand)|manifest path|the package|virtual manifest|can't find|couldn't read|linking with"
    "|no library targets"
    r"|toolchain|rustup|unexpected `)"
)


@dataclass(slots=True)
class _Place:
    file: str = ""
    line: int = 0
    block: Block = field(default_factory=Block)


@dataclass(slots=True)
class _Suite:
    """One test binary, from ``running 3 tests`` to its ``test result``."""

    size: int
    binary: str
    tests: dict[str, Outcome | None] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # of its doctests, as they are called in the report
    cut: bool = False  # cargo went on to another binary while this one was open


class CargoReader:
    def __init__(self) -> None:
        self._build = BuildWatch()
        self._open: list[_Suite] = []
        self._cases: list[Case] = []
        self._tally = Tally()
        self._places: dict[str, _Place] = {}
        self._message: _Place | None = None  # the panic whose message is being read
        self._block: _Place | None = None  # the output block of a failed test
        self._listing = False
        self._binary = ""
        self._ok = True
        self._closed = 0
        self._torn = False
        self._died = ""
        self._config: list[BuildError] = []
        self._nextest = Nextest()
        self._overflowed = ("", "")  # the test, and what was said of it; the two streams come in any order

    def feed(self, line: str) -> None:
        if self._nextest.feed(line):
            return
        if line.endswith("has overflowed its stack") and (match := _OVERFLOW.search(line)):
            self._overflowed = match["thread"], match[0]
            return
        if line.startswith("running ") and (match := _RUNNING.match(line)):
            self._listing = False
            self._open.append(_Suite(int(match[1]), self._binary))
        elif line.startswith("test result: ") and (match := _RESULT.match(line)):
            self._close(match)
        elif self._marker(line):
            return
        elif not self._open:
            self._outside(line)
        else:
            self._inside(line)

    def _marker(self, line: str) -> bool:
        """Read cargo's line between two binaries, even after a crashed test's output; False if it is none."""
        at = line.find("   Doc-tests ")
        if at < 0:
            at = line.find("     Running ")
        if at < 0 or ("/deps/" not in line and "Doc-tests" not in line):
            return False
        parts = line[at:].split()
        self._binary = parts[-1] if parts[0] == "Doc-tests" else " ".join(parts[1:])
        for suite in self._open:
            suite.cut = True
        if self._open:
            self._torn = True
            self._abandon()
        return True

    def _abandon(self) -> None:
        """Keep the results of a binary that crashed."""
        name, line = self._overflowed
        if self._open and name not in ("", "main"):
            self._open[-1].tests[name] = Outcome.FAILED
            self._places.setdefault(name, _Place()).block.add(line)
            self._overflowed = ("", "")
        for suite in self._open:
            suite.names = _names_of_doctests(suite.tests)
            for name, outcome in suite.tests.items():
                if outcome is not None:
                    self._keep(suite, name, outcome)
        self._open.clear()

    def _outside(self, line: str) -> None:
        if _DIED.match(line):
            self._died = self._died or line.strip()
            return
        if line.startswith("error: ") and _CONFIG.match(line):
            self._config.append(BuildError(line[7:].strip()))
        self._build.feed(line)

    def _inside(self, line: str) -> None:
        suite = self._open[-1]
        if self._listing:
            name = line.strip()
            if line.startswith("    ") and name:
                suite.failures.append(name)
                return
            if name:
                self._listing = False
        if line == "failures:":
            suite.failures.clear()
            self._listing, self._message, self._block = True, None, None
            return
        if line.startswith("---- ") and (match := _BLOCK.match(line)):
            self._listing = False
            self._block = self._places.setdefault(match["name"], _Place())
            self._message = None
            return
        if (at := line.find("thread '")) >= 0 and (match := _PANIC.match(line, at)):
            self._panic(match)
            return
        if self._message or self._block:
            self._add_output(line)
        if line.startswith("test ") and (match := _TEST.match(line)):
            self._test(suite, match["name"], match["status"])
        elif line.startswith(("error: test failed", "error: doctest failed")):
            self._torn = True
            self._abandon()
        elif _DIED.match(line):
            self._died = self._died or line.strip()

    def _panic(self, match: re.Match[str]) -> None:
        name, rest = match["thread"], match["rest"]
        spot = self._block or self._places.setdefault(name, _Place())
        if spot.line:
            self._message = None
            return
        old = _OLD_AT.match(rest)
        if old:
            spot.file, spot.line = old["file"], int(old["line"])
            spot.block.add(old["message"])
            return
        at = _AT.match(rest)
        if at:
            spot.file, spot.line = at["file"], int(at["line"])
            spot.block = Block()
        else:
            spot.block.add(rest)
        self._message = spot

    def _add_output(self, line: str) -> None:
        if line.startswith(("note: run with", "stack backtrace:")):
            self._message = None
            return
        if self._message:
            self._message.block.add(line)
        elif self._block and not self._block.line:
            self._block.block.add(line)

    def _test(self, suite: _Suite, name: str, status: str) -> None:
        for suffix in _SUFFIXES:
            name = name.removesuffix(suffix)
        outcome = None
        if status == "ok" or status.startswith("bench:") or status.startswith("ok <"):
            outcome = Outcome.PASSED
        elif status == "FAILED" or status.startswith(("FAILED <", "FAILED (")):
            outcome = Outcome.FAILED
        elif status.startswith("ignored"):
            outcome = Outcome.SKIPPED
        suite.tests[name] = outcome

    def _close(self, match: re.Match[str]) -> None:
        """Close the innermost suite of that size; suites open inside it were printed by a test."""
        passed, failed, ignored = int(match["passed"]), int(match["failed"]), int(match["ignored"])
        total = passed + failed + ignored + int(match["measured"] or 0)
        index = next((i for i in range(len(self._open) - 1, -1, -1) if self._open[i].size == total), None)
        if index is None or (match["status"] == "ok") != (failed == 0):
            return
        suite = self._open[index]
        suite.names = _names_of_doctests(suite.tests)
        del self._open[index:]
        self._listing, self._message, self._block = False, None, None
        self._closed += 1
        self._ok &= failed == 0
        self._tally.add(passed=passed + int(match["measured"] or 0), failed=failed, skipped=ignored)
        if len(suite.failures) != failed:
            suite.failures = [name for name, outcome in suite.tests.items() if outcome is Outcome.FAILED]
        failing = set(suite.failures)
        skipped = [name for name, outcome in suite.tests.items() if outcome is Outcome.SKIPPED]
        for name in suite.failures:
            self._keep(suite, name, Outcome.FAILED)
        rest = [name for name in suite.tests if name not in failing and name not in skipped]
        for name in skipped:
            self._keep(suite, name, Outcome.SKIPPED)
        for name in rest if len(rest) == passed else ():
            self._keep(suite, name, Outcome.PASSED)

    def _keep(self, suite: _Suite, name: str, outcome: Outcome) -> None:
        if len(self._cases) >= CASE_LIMIT:
            return
        spot = self._places.pop(name, None) if outcome is Outcome.FAILED else None
        spot = spot or _Place()
        binary = suite.binary.split(" (", 1)[0]
        message = spot.block.text() if outcome is Outcome.FAILED else ""
        file = spot.file
        if outcome is Outcome.FAILED and not file and name.startswith(("src/", "tests/")):
            file = name.split(" ", 1)[0]
        name = suite.names.get(name, name)
        self._cases.append(Case(f"{binary}::{name}", name, outcome, file, spot.line, message))

    def finish(self) -> Reading:
        if self._nextest.started:
            reading = self._nextest.finish()
            reading.build_errors = self._errors() if not reading.finished else []
            return reading
        torn = self._torn or bool(self._open)
        last = self._open[-1] if self._open else None
        self._abandon()
        errors = self._errors()
        counts = self._tally.of()
        return Reading(
            counts=counts,
            cases=self._cases,
            build_errors=errors,
            started=bool(self._closed or torn or errors or last),
            finished=not torn and bool(self._closed or errors),
            claims_ok=(self._ok and not errors) if self._closed or errors else None,
            no_tests=bool(self._closed)
            and counts is not None
            and not counts.total
            and not errors
            and not torn,
            crashed=self._died or ("a test binary ended without its test result" if self._torn else ""),
            complete=not torn and counts is not None and counts.total == len(self._cases),
        )

    def _errors(self) -> list[BuildError]:
        """Return the build errors if cargo could not build; beside a finished run they are another
        target's."""
        if self._build.errors and (self._build.stopped or not self._closed):
            return self._build.errors
        if self._closed:
            return []
        return self._config or ([BuildError(self._build.stopped)] if self._build.stopped else [])


def _names_of_doctests(tests: Iterable[str]) -> dict[str, str]:
    """Name each doctest by its item, not by its line: that moves with every edit above it."""
    found = [match for name in tests if (match := _DOCTEST.match(name))]
    names: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for match in sorted(found, key=lambda one: (one["item"], int(one["line"]))):
        item = match["item"].rstrip(" -") + match["rest"]
        seen[item] += 1
        names[match[0]] = item if seen[item] == 1 else f"{item} #{seen[item]}"
    return names


ROWS = text_rows(
    r"""
rust CargoReader weight=2 cargo test
  words    cargo  |  cargo-nextest  |  nextest
  sign     ^running \d{1,9} tests?$
  sign     ^test \S.{0,300} \.\.\.␣
  sign     ^test result: (?:ok|FAILED)\. \d{1,9} passed
  sign     ^ {3,5}(?:Doc-tests|Running (?:unittests|tests/|benches/|examples/|`)|Compiling|Finished)\b
  sign     ^error(?:\[E\d{1,9}\])?: (?!.*https?:)
  sign     ^ +--> [^\s:]+\.(?:rs|toml):\d{1,9}:\d{1,9}$
  sign     ^thread '[^']{1,300}'(?: \(\d{1,9}\))? panicked at␣
  sign     ^ {4,12}(?:PASS|FAIL|SIG[A-Z]+|TIMEOUT|ABORT|FLAKY \d{1,9}/\d{1,9}|TRY \d{1,9} [A-Z]+
           |LEAK) +\[ *[><]?[\d.]+s\]
  sign     ^ +Summary \[ *[\d.]+s\]
  passes   test [^ \n]+ \.\.\. ok\n
  begins   running \d{1,9} tests?$| {4}Starting \d{1,9} tests? across␣
  ends     test result: (?:ok|FAILED)\. | {0,8}Summary \[
  apart    {CARGO}
""",
    CargoReader,
)

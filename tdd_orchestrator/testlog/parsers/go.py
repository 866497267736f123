"""Read the output of go test and gotestsum: plain, -v, and the JSON event stream."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.model.report import BAD, BuildError, Case, Counts, Outcome, count
from tdd_orchestrator.testlog.parsers.go_package import Ended, GoEvents, Package
from tdd_orchestrator.testlog.parsers.program import Block, numbers, place
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import BAD_LIMIT, CASE_LIMIT, Passed, Reading, events

PLACED = re.compile(
    r"(?:vet: )?(?P<file>\S[^:]{0,300}\.(?:go|s|c|h|cc|mod"
    r"|work)):(?P<line>\d{1,9})(?::\d{1,9})?: (?P<message>.+)"
)
_DONE = re.compile(r"DONE (?:\d{1,9} runs?, )?\d{1,9} tests?\b.* in [\d.]+m?[\d.]*s$")
_SUMMED = re.compile(
    r"=== (?P<status>FAIL|SKIP): (?P<package>\S+) (?P<name>.*?)(?: \(re-run \d{1,9}\))? \([\d.]+s\)$"
)


class Summary:
    """Reads the summary. ``section``: the open one ('' outside); its errors are added to ``errors``."""

    def __init__(self, errors: list[BuildError]) -> None:
        self.section = ""
        self.stated: Counts | None = None  # by the closing lines
        self._errors = errors
        self._ok = True
        self._block = Block()
        self._summed: list[tuple[str, str, Outcome, Block]] = []

    def feed(self, line: str) -> bool:
        """Read a line; True if it is gotestsum's own."""
        if _DONE.match(line):
            totals = numbers(line)
            total, skipped = totals.get("tests", 0), totals.get("skipped", 0)
            failed, errors = totals.get("failures", 0), totals.get("errors", 0)
            counted = Counts(passed=max(0, total - failed - skipped), failed=failed, skipped=skipped)
            self.stated = (
                counted if self.stated is None else self.stated.plus(counted)
            )  # one line for each run
            self._ok = self._ok and not failed and not errors
            self.section = ""
            return True
        if line in ("=== Failed", "=== Skipped", "=== Errors"):
            self.section = line[4:]
            return True
        match = _SUMMED.match(line) if self.section else None
        if match:
            self._block = Block()
            outcome = Outcome.FAILED if match["status"] == "FAIL" else Outcome.SKIPPED
            self._summed.append((match["package"], match["name"], outcome, self._block))
            return True
        if self.section == "Errors" and (placed := PLACED.match(line)):
            self._errors.append(BuildError(placed["message"], placed["file"], int(placed["line"])))
            return True
        if self.section:
            self._block.add(line)
            return True
        return False

    def reading(
        self, cases: Sequence[Case], errors: list[BuildError], crashed: str, timed_out: str
    ) -> Reading:
        """Return the reading: counts of the closing line, cases of go test and of the sections."""
        stated = self.stated
        assert stated is not None
        known = {case.name for case in cases}
        return Reading(
            counts=stated if stated.total else None,
            cases=[*cases, *self._cases(known)],
            build_errors=errors,
            started=True,
            finished=True,
            claims_ok=self._ok,
            no_tests=not stated.total and self._ok and not errors,
            crashed=crashed,
            timed_out=timed_out,
        )

    def _cases(self, known: set[str]) -> list[Case]:
        made = []
        for package, name, outcome, block in self._summed:
            if not name or name in known:
                continue
            text = block.text()
            file, line = place(text, ".go")
            message = text if outcome in BAD else ""
            made.append(Case(f"{package}::{name}", name, outcome, file, line, message))
        return made


def unique(errors: Sequence[BuildError]) -> list[BuildError]:
    """Drop repeats, and a package's bare name where a place is known."""
    placed = [error for error in dict.fromkeys(errors) if error.file]
    return placed or list(dict.fromkeys(errors))


_CLOSED = re.compile(r"(?P<status>ok  |FAIL|\?   )[ \t]+(?P<package>\S+)(?:[ \t]+(?P<rest>.*))?$")
_HEADER = re.compile(r"# (?P<package>\S+)(?: \[\S+\])?$")
_GO_MESSAGE = re.compile(
    "(?:go: (?!downloading|finding|found|extracting|added|upgraded|warning|creating)"
    r"|can't load package: |build \S+: "
    r"|no required module provides |package \S+ is not in |pattern \S+: |no Go files in "
    r"|package \S+: |go build \S+: )"
)
_OUTCOMES = {"pass": Outcome.PASSED, "fail": Outcome.FAILED, "skip": Outcome.SKIPPED, "bench": Outcome.PASSED}


@dataclass(slots=True)
class _Run:
    """The facts about the run as a whole."""

    packages: int = 0  # closed, with tests or without
    failed: int = 0
    without: int = 0  # packages without tests
    quiet: int = 0  # passed packages that named no test
    cases: list[Case] = field(default_factory=list)
    errors: list[BuildError] = field(default_factory=list)
    crashed: str = ""
    timed_out: str = ""
    named_all: bool = True
    unseen: Counts = Counts()  # tests that were not shown, or not kept
    torn: bool = False  # a package ended with tests still running


class GoReader:
    def __init__(self) -> None:
        self._run = _Run()
        self._open = Package()
        self._events: dict[str, Package] = {}
        self._building = ""  # the package whose build errors follow
        self._summary = Summary(self._run.errors)

    def feed(self, line: str) -> None:
        if line.startswith("{") and '"Action":' in line and self._event(line):
            return
        if (self._summary.section or line.startswith(("DONE ", "=== "))) and self._summary.feed(line):
            return
        if line.startswith(("ok  ", "FAIL", "?   ")) and self._close(line):
            return
        if (
            self._building
            or line.startswith(("# ", "go: ", "pattern ", "package ", "no ", "build ", "can't load"))
        ) and self._build(line):
            return
        self._open.feed(line)

    def passed(self, more: Passed) -> None:
        self._open.unseen += more.tests

    # the JSON stream

    def _event(self, line: str) -> bool:
        try:
            event: Any = json.loads(line)
        except ValueError:
            return False
        if not isinstance(event, dict) or not isinstance(event.get("Action"), str):
            return False
        action = event["Action"]
        if action == "build-output":
            self._build(str(event.get("Output", "")).rstrip("\n"))
            return True
        name, test = str(event.get("Package", "")), str(event.get("Test", ""))
        package = self._events.setdefault(name, Package())
        if action == "run":
            package.start(test)
        elif action == "output":
            package.context = test or package.context
            package.feed(str(event.get("Output", "")).rstrip("\n"), from_events=True)
        elif action in _OUTCOMES and test:
            package.result(test, _OUTCOMES[action], _seconds(event.get("Elapsed")))
        elif action in _OUTCOMES:
            self._events.pop(name)
            self._add(name, package, _OUTCOMES[action], str(event.get("FailedBuild") or ""))
        return True

    # the closing line of a package

    def _close(self, line: str) -> bool:
        match = _CLOSED.match(line)
        if not match or ("\t" not in line and "[" not in line):
            return False
        status, rest = match["status"].strip(), match["rest"] or ""
        if status == "FAIL" and not rest:
            return False
        self._building = ""
        if status == "FAIL" and ("[build failed]" in rest or "[setup failed]" in rest):
            self._broken(match["package"], rest)
            self._open = Package()
            return True
        package, self._open = self._open, Package()
        if status == "?" or "[no test files]" in rest:
            outcome = Outcome.SKIPPED
        elif status == "ok":
            outcome = Outcome.PASSED
        else:
            outcome = Outcome.FAILED
        if outcome is Outcome.PASSED and "no tests to run" in rest and not package.tests:
            outcome = Outcome.SKIPPED
        self._add(match["package"], package, outcome)
        return True

    def _broken(self, name: str, why: str) -> None:
        run = self._run
        run.packages += 1
        run.failed += 1
        if not run.errors:
            run.errors.append(BuildError(f"{name} {why}".strip()))

    def _add(self, name: str, package: Package, outcome: Outcome, failed_build: str = "") -> None:
        run = self._run
        if failed_build:
            self._broken(name, "[build failed]")
            return
        run.packages += 1
        if outcome is Outcome.SKIPPED:
            run.without += 1
            return
        ended = package.end(outcome)
        run.failed += ended.failed
        run.timed_out = run.timed_out or ended.timed_out
        run.crashed = run.crashed or ended.crashed
        run.torn |= ended.torn
        run.quiet += not ended.named and not ended.failed
        run.named_all &= ended.named
        self._keep(ended, name)

    def _keep(self, ended: Ended, package: str) -> None:
        """Keep of very many tests those that did not pass, and the first of the others."""
        run = self._run
        cases = ended.cases(package)
        room = CASE_LIMIT - len(run.cases)
        if len(cases) > room:
            cases.sort(key=lambda case: case.outcome is Outcome.PASSED)
            limit = max(room, sum(case.outcome is not Outcome.PASSED for case in cases))
            limit = min(limit, max(0, BAD_LIMIT - len(run.cases)))
            run.unseen = run.unseen.plus(count(cases[limit:]))
            del cases[limit:]
        run.unseen = run.unseen.plus(Counts(ended.unseen))
        run.cases += cases

    # compilers and the go command

    def _build(self, line: str) -> bool:
        header = _HEADER.match(line)
        if header and not self._open.running:
            self._building = header["package"]
            return True
        errors = self._run.errors
        if self._building and line.startswith("\t") and errors and errors[-1].message.endswith(":"):
            errors[-1] = replace(errors[-1], message=f"{errors[-1].message} {line.strip()}")  # before Go 1.20
            return True
        match = PLACED.match(line) if self._building or "cannot find module" in line else None
        if match:
            self._run.errors.append(BuildError(match["message"], match["file"], int(match["line"])))
            return True
        if _GO_MESSAGE.match(line) and not self._open.running and not self._open.tests:
            self._run.errors.append(BuildError(line.strip()))
            return True
        return False

    def finish(self) -> Reading:
        run = self._run
        for name, package in self._events.items():  # packages whose end is missing
            run.cases += package.end(Outcome.FAILED).cases(name)
            run.crashed, run.timed_out = run.crashed or package.died, run.timed_out or package.timeout
        torn = run.torn or bool(self._events) or bool(self._open.running)
        if self._open.tests or self._open.died or self._open.timeout:
            torn = True
            ended = self._open.end(Outcome.FAILED)
            self._keep(ended, "")
            run.crashed, run.timed_out = run.crashed or ended.crashed, run.timed_out or ended.timed_out
        errors = unique(run.errors)
        if self._summary.stated is not None:
            return self._summary.reading(run.cases, errors, run.crashed, run.timed_out)
        counted = count(run.cases).plus(run.unseen)
        known = bool(counted.total) and (run.named_all or bool(counted.bad))
        return Reading(
            counts=counted if known else None,
            cases=run.cases,
            build_errors=errors,
            started=bool(run.packages or run.cases or run.errors or torn),
            finished=(bool(run.packages) or bool(run.errors)) and not torn,
            claims_ok=None if not run.packages else not run.failed and not run.errors,
            no_tests=bool(run.packages) and run.without == run.packages and not run.errors,
            crashed=run.crashed,
            timed_out=run.timed_out,
            complete=run.named_all and bool(run.cases) and not torn and not run.unseen.total,
            unnamed=run.quiet,
        )


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


# t.Log's output, without a result in it
_LOG = r" {4,40}[A-Za-z0-9_]+\.go:[0-9]+: [^\n-]*(?:-[^\n-]+)*\n"
_TABLE = text_rows(
    r"""
go GoReader weight=2 go test
  words    go test  |  gotestsum  |  go
  sign     ^(?:ok  |FAIL|\?   )[ \t]+\S+[ \t]+(?:[\d.]+s\b|\(cached\)|\[)
  sign     ^=== (?:RUN|PAUSE|CONT|NAME) {1,4}\S
  sign     --- (?:PASS|FAIL|SKIP|BENCH): \S.* \([\d.]+s\)
  sign     ^\{(?:"Time":"[^"]{1,60}",)?"Action":"
  sign     ^panic: test timed out after␣
  sign     ^# \S+ \[\S+\.test\]$
  sign     ^# \[\S+\]$
  sign     ^vet: \S+\.go:[0-9]+:[0-9]+:␣
  sign     ^DONE (?:\d{1,9} runs?, )?\d{1,9} tests?\b.{0,60} in [\d.]+m?[\d.]*s$
  sign     ^=== (?:FAIL|SKIP): \S+ .{0,300}\([\d.]+s\)$
  sign     ^go: (?!downloading)\S
  sign     ^no Go files in |^no packages to test|^pattern \S+: |^package \S+ is not in␣
  passes   === RUN   ([^ \n]+)\n(?:=== RUN   \1/[^ \n]+\n|{LOG})*--- PASS: \1 \([0-9.]+s\)\n
           (?: {4,40}--- PASS: \1/[^ \n]+ \([0-9.]+s\)\n)*
  passed   (?:=== RUN   (?P<begun>[^ \n]+)|=== (?:PAUSE|CONT|NAME) +[^ \n]+
           | *--- (?:(?P<passed>PASS)|SKIP): (?P<ended>[^ \n]+) \([0-9.]+s\))\n
  mark     === RUN  ␣
  ended    --- PASS:␣
""",
    GoReader,
    LOG=_LOG,
)
_EVENTS = events('{"Time":"', '{"Action":"', '{"ImportPath":"', block_filter=lambda: GoEvents().filter_block)
ROWS = (replace(_TABLE[0], events=_EVENTS),)

"""What test programs in C print: Check, CUnit, Unity, CppUTest, Criterion, Qt Test."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners.reading import CASE_LIMIT, Reading, TextRow, signs
from tdd_orchestrator.runners.text.compilers import BuildWatch
from tdd_orchestrator.runners.text.gather import MESSAGE_LIMIT, Tally, bad, numbers


class Program:
    """A test program: its cases and counts, open from its first line to its closing ones, built before it ran."""

    def __init__(self) -> None:
        self.build = BuildWatch()
        self.tally = Tally()
        self.cases: list[Case] = []
        self.open = False
        self.closed = 0
        self.ok = True
        self.crashed = ""

    def keep(self, case: Case) -> None:
        if len(self.cases) < CASE_LIMIT:
            self.cases.append(case)

    def close(
        self, *, passed: int = 0, failed: int = 0, errors: int = 0, skipped: int = 0, xfailed: int = 0
    ) -> None:
        self.tally.add(passed=passed, failed=failed, errors=errors, skipped=skipped, xfailed=xfailed)
        self.open = False
        self.closed += 1
        self.ok &= not failed and not errors

    def explain(self, **better: object) -> None:
        """More about the last case."""
        if self.cases:
            if "message" in better:
                better["message"] = str(better["message"])[:MESSAGE_LIMIT]
            last = self.cases[-1]
            parts = {
                name: getattr(last, name)
                for name in ("id", "name", "outcome", "file", "line", "message", "exception")
            }
            self.cases[-1] = Case(**{**parts, **better})

    def finish(self) -> Reading:
        counts = self.tally.of()
        errors = self.build.errors if self.build.stopped or not self.closed else []
        return Reading(
            counts=counts,
            cases=self.cases,
            build_errors=errors,
            started=bool(self.open or self.closed),
            finished=bool(self.closed or errors) and not self.open,
            claims_ok=(self.ok and not errors) if self.closed else None,
            no_tests=bool(self.closed) and self.ok and counts is not None and not counts.total,
            crashed=self.crashed,
            complete=not self.open and counts is not None and counts.total == len(self.cases),
        )


_CHECKED = re.compile(r"\d{1,9}%: Checks: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9})$")
_CHECK_CASE = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?P<word>[PFES]):(?P<group>[^:]*):(?P<name>[^:]*):(?P<index>-?\d{1,9}): (?P<message>.*)$"
)
_CHECK_WORDS = {"P": Outcome.PASSED, "F": Outcome.FAILED, "E": Outcome.ERROR, "S": Outcome.FAILED}


class CheckReader(Program):
    _listing = False

    def feed(self, line: str) -> None:
        if line.startswith("Running suite(s): "):
            self.open, self._listing = True, False
        elif "%: Checks: " in line and (match := _CHECKED.match(line)):
            checks, failed, errors = map(int, match.groups())
            self.close(passed=checks - failed - errors, failed=failed, errors=errors)
            self._listing = True
        elif self._listing and (match := _CHECK_CASE.match(line)):
            index = match["index"]
            identity = f"{match['group']}::{match['name']}" + (
                f"[{index}]" if index not in ("0", "-1") else ""
            )
            outcome = _CHECK_WORDS[match["word"]]
            message = "" if outcome is Outcome.PASSED else match["message"]
            self.keep(Case(identity, match["name"], outcome, match["file"], int(match["line"]), message))
        elif not self.open and not self._listing:
            self.build.feed(line)


_CUNIT_FAILED = re.compile(r"Suite (?P<suite>.+?), Test (?P<name>.+) had failures:$")
_CUNIT_TEST = re.compile(r"  Test: (?P<name>.+?) ?\.\.\. ?(?P<word>passed|FAILED)?")
_CUNIT_PLACE = re.compile(r" {2,8}\d{1,9}\. (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}) {1,2}- (?P<message>.*)$")
_CUNIT_ROW = re.compile(r"\s*tests\s+(\d{1,9})\s+(\d{1,9})\s+(\d{1,9})\s+(\d{1,9})(?:\s+(\d{1,9}|n/a))?\s*$")


class CUnitReader(Program):
    _suite = ""
    _summing = False

    def feed(self, line: str) -> None:
        if line.startswith("     CUnit - A "):
            self.open, self._summing = True, False
        elif line.startswith(("Run Summary:", "--Run Summary:")):
            self._summing = True
        elif self._summing and (match := _CUNIT_ROW.match(line)):
            total, ran, passed, failed = (int(match[index]) for index in range(1, 5))
            self.close(passed=passed, failed=failed, skipped=max(0, total - ran))
            self._summing = False
        elif line.startswith("Suite: "):
            self._suite = line[7:].strip()
        elif line.startswith("Suite ") and (match := _CUNIT_FAILED.match(line)):
            self.keep(Case(f"{match['suite']}::{match['name']}", match["name"], Outcome.FAILED))
        elif line.startswith("  Test: ") and (match := _CUNIT_TEST.match(line)):
            outcome = Outcome.FAILED if line.endswith("FAILED") else Outcome.PASSED
            if line.endswith(("FAILED", "passed")):
                self.keep(Case(f"{self._suite}::{match['name']}", match["name"], outcome))
        elif self.cases and not self.cases[-1].file and (match := _CUNIT_PLACE.match(line)):
            if self.cases[-1].outcome is Outcome.FAILED:
                self.explain(file=match["file"], line=int(match["line"]), message=match["message"])
        elif not self.open and not self.closed:
            self.build.feed(line)


_UNITY = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}):(?P<name>[^:]+):(?P<word>PASS|FAIL|IGNORE)(?:: ?(?P<message>.*))?$"
)
_UNITY_SUM = re.compile(r"(\d{1,9}) Tests (\d{1,9}) Failures (\d{1,9}) Ignored\s*$")
_UNITY_WORDS = {"PASS": Outcome.PASSED, "FAIL": Outcome.FAILED, "IGNORE": Outcome.SKIPPED}


class UnityReader(Program):
    def feed(self, line: str) -> None:
        if line.count(":") > 2 and (match := _UNITY.match(line)):
            self.open = True
            outcome = _UNITY_WORDS[match["word"]]
            message = (match["message"] or "") if outcome is Outcome.FAILED else ""
            self.keep(Case(match["name"], match["name"], outcome, match["file"], int(match["line"]), message))
        elif " Tests " in line and (match := _UNITY_SUM.match(line)):
            total, failed, ignored = map(int, match.groups())
            self.close(passed=total - failed - ignored, failed=failed, skipped=ignored)
        elif not self.open and not self.closed:
            self.build.feed(line)


_CPPUTEST = re.compile(
    r"(?:OK|Errors) \((?:(?P<failed>\d{1,9}) failures?, )?(?P<total>\d{1,9}) tests?, (?P<ran>\d{1,9}) ran, "
)
_CPPUTEST_FAIL = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): error: Failure in (?:IGNORE_)?TEST\((?P<name>[^)]*)\)"
)


class CppUTestReader(Program):
    _explaining = False

    def feed(self, line: str) -> None:
        if ": error: Failure in " in line and (match := _CPPUTEST_FAIL.match(line)):
            name = f"TEST({match['name']})"
            self.keep(Case(name, name, Outcome.FAILED, match["file"], int(match["line"])))
            self.open = self._explaining = True
        elif line.startswith(("OK (", "Errors (")) and (match := _CPPUTEST.match(line)):
            failed, total, ran = int(match["failed"] or 0), int(match["total"]), int(match["ran"])
            told = numbers(line)
            ignored = told.get("ignored", 0)
            self.close(passed=max(0, min(ran, total) - failed), failed=failed, skipped=ignored)
        elif self._explaining:
            self._explaining = bool(line.strip())
            self.explain(message=f"{self.cases[-1].message}\n{line.strip()}".strip())
        elif not self.open and not self.closed:
            self.build.feed(line)


_CRITERION = re.compile(r"\[(?P<word>PASS|FAIL|SKIP|RUN )\] (?P<name>[^:\s]+::[^:\s]+)")
_CRITERION_SUM = re.compile(
    r"\[====\] Synthesis: Tested: (?P<tested>\d{1,9}) \| Passing: (?P<passing>\d{1,9}) \| Failing: (?P<failing>\d{1,9}) "
    r"\| Crashing: (?P<crashing>\d{1,9})"
)
_CRITERION_PLACE = re.compile(r"\[----\] (?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): (?P<message>.*)$")


class CriterionReader(Program):
    _spot: tuple[str, int] = ("", 0)
    _message = ""

    def feed(self, line: str) -> None:
        if not line.startswith("["):
            if not self.open and not self.closed:
                self.build.feed(line)
        elif match := _CRITERION.match(line):
            self._case(match["word"], match["name"])
        elif match := _CRITERION_PLACE.match(line):
            if not self._message:
                self._spot, self._message = (match["file"], int(match["line"])), match["message"]
        elif line.startswith("[----] ") and self._message and len(self._message) < MESSAGE_LIMIT:
            self._message += "\n" + line[7:].strip()
        elif match := _CRITERION_SUM.match(line):
            told = {word: int(number) for word, number in match.groupdict().items()}
            self.close(passed=told["passing"], failed=told["failing"], errors=told["crashing"])

    def _case(self, word: str, name: str) -> None:
        self.open = True
        if word == "RUN ":
            return
        outcome = {"PASS": Outcome.PASSED, "FAIL": Outcome.FAILED, "SKIP": Outcome.SKIPPED}[word]
        if outcome is Outcome.FAILED:
            self.keep(Case(name, name, outcome, *self._spot, message=self._message))
        else:
            self.keep(Case(name, name, outcome))
        self._spot, self._message = ("", 0), ""


_QT = re.compile(
    r"(?P<word>PASS  |FAIL! |XFAIL |XPASS |SKIP  |BPASS |BFAIL |QFATAL) : (?P<name>[^\s(]{1,300}\([^()]{0,300}\))(?: (?P<message>.*))?$"
)
_QT_WORDS = {
    "PASS": Outcome.PASSED,
    "FAIL!": Outcome.FAILED,
    "XPASS": Outcome.FAILED,
    "QFATAL": Outcome.FAILED,
    "SKIP": Outcome.SKIPPED,
    "BPASS": Outcome.SKIPPED,
    "BFAIL": Outcome.SKIPPED,
}
_QT_PLACE = re.compile(r"   Loc: \[(?P<file>[^(]+)\((?P<line>\d{1,9})\)\]")


class QtReader(Program):
    def feed(self, line: str) -> None:
        if line.startswith("********* Start testing of "):
            self.open = True
        elif line.startswith("Totals: "):
            told = numbers(line)
            skipped = told.get("skipped", 0) + told.get("blacklisted", 0)
            self.close(passed=told.get("passed", 0), failed=told.get("failed", 0), skipped=skipped)
            self.open = True  # until "Finished testing"
        elif line.startswith("********* Finished testing of "):
            self.open = False
        elif match := _QT.match(line):
            outcome = _QT_WORDS.get(match["word"].strip())
            if outcome:
                message = (match["message"] or "") if outcome is Outcome.FAILED else ""
                self.keep(Case(match["name"], match["name"], outcome, message=message))
        elif line.startswith("   ") and bad(self.cases[-1:]):
            place = _QT_PLACE.match(line)
            if place:
                self.explain(file=place["file"], line=int(place["line"]))
            else:
                self.explain(message=f"{self.cases[-1].message}\n{line.strip()}")
        elif not self.open and not self.closed:
            self.build.feed(line)


ROWS = (
    TextRow(
        "check",
        "c",
        CheckReader,
        signs(
            r"^Running suite\(s\): ",
            r"^\d{1,9}%: Checks: \d{1,9}, Failures: \d{1,9}, Errors: \d{1,9}$",
            r"^[^\s:]{1,300}:\d{1,9}:[PFES]:[^:]*:[^:]*:-?\d{1,9}: ",
        ),
        weight=2,
    ),
    TextRow(
        "cunit",
        "c",
        CUnitReader,
        signs(
            r"^     CUnit - A ",
            r"^(?:--)?Run Summary: +Type",
            r"^\s+tests\s+\d{1,9}\s+\d{1,9}\s+\d{1,9}\s+\d{1,9}",
            r"^Suite .{1,200}, Test .{1,200} had failures:$",
            r"^  Test: .{1,200}\.\.\.",
        ),
        weight=2,
    ),
    TextRow(
        "unity",
        "c",
        UnityReader,
        signs(
            r"^[^\s:]{1,300}:\d{1,9}:[^:]{1,200}:(?:PASS|FAIL|IGNORE)\b",
            r"^\d{1,9} Tests \d{1,9} Failures \d{1,9} Ignored",
        ),
        weight=2,
    ),
    TextRow(
        "cpputest",
        "c++",
        CppUTestReader,
        signs(
            r"^(?:OK|Errors) \((?:\d{1,9} failures?, )?\d{1,9} tests?, \d{1,9} ran, ",
            r"^[^\s:]{1,300}:\d{1,9}: error: Failure in (?:IGNORE_)?TEST\(",
        ),
        weight=2,
    ),
    TextRow(
        "criterion",
        "c",
        CriterionReader,
        signs(
            r"^\[====\] Synthesis: Tested: ",
            r"^\[(?:PASS|FAIL|RUN )\] [^:\s]{1,200}::",
            r"^\[----\] [^\s:]{1,300}:\d{1,9}: ",
        ),
        weight=2,
    ),
    TextRow(
        "qttest",
        "c++",
        QtReader,
        signs(
            r"^\*{9} (?:Start|Finished) testing of ",
            r"^Totals: \d{1,9} passed, \d{1,9} failed",
            r"^(?:PASS  |FAIL! |XFAIL |SKIP  ) : \S",
        ),
        weight=2,
    ),
)

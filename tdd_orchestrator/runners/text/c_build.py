"""What the runners of build systems for C print: CTest, Meson, automake's check."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BAD, Case, Outcome
from tdd_orchestrator.runners.reading import Reading, TextRow, signs
from tdd_orchestrator.runners.text.c_family import Program
from tdd_orchestrator.runners.text.gather import Block, place

_ENDINGS = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".py", ".rs")

_CTEST = re.compile(r" {0,12}\d{1,9}/\d{1,9} Test +#(?P<number>\d{1,9}): (?P<rest>.+)$")
_CTEST_WORD = re.compile(
    r"(?:\*\*\*| {2,4})(?P<word>Passed|Failed|Timeout|Skipped|Not Run(?: \(Disabled\))?|Exception: ?[^\d]*?"
    r"|Exception|Subprocess (?:aborted|killed|terminated)|Child aborted|Bad Command|Invalid)\b"
)
_CTEST_SUM = re.compile(r"\d{1,9}% tests passed, (?P<failed>\d{1,9}) tests? failed out of (?P<total>\d{1,9})")
_CTEST_LISTED = re.compile(r"\t +(?P<number>\d{1,9}) - (?P<name>.+) \((?P<word>[^()]+(?:\([^()]*\))?)\)")


class CTestReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._tests: dict[str, tuple[str, Outcome, str]] = {}  # number: name, outcome, word
        self._output: dict[str, Block] = {}
        self._last = ""
        self._list = ""  # failed, or did not run
        self._disabled: set[str] = set()

    def feed(self, line: str) -> None:
        if " Test " in line and (match := _CTEST.match(line)):
            self._test(match["number"], match["rest"])
        elif "tests passed," in line and (match := _CTEST_SUM.match(line)):
            self._sum(int(match["failed"]), int(match["total"]))
        elif line.startswith("Test project "):
            self.open, self._list = True, ""
        elif line.startswith("No tests were found"):
            self.close()
        elif line.startswith(("The following tests FAILED", "The following tests did not run")):
            self._list = line
        elif self._list and line.startswith("\t") and (match := _CTEST_LISTED.match(line)):
            self._listed(match)
        elif self.open:
            self._says(line)
        elif not self.closed:
            self.build.feed(line)

    def _test(self, number: str, rest: str) -> None:
        match = _CTEST_WORD.search(rest)
        if match is None:
            return
        name = rest[: match.start()].rstrip(" .")
        word = match["word"]
        outcome = Outcome.FAILED
        if word == "Passed":
            outcome = Outcome.PASSED
        elif word == "Skipped" or "Disabled" in rest:
            outcome = Outcome.SKIPPED
        self._tests[number] = (
            name,
            outcome,
            word if word == "Passed" else rest[match.start("word") :].strip(),
        )
        self._last = number if outcome in BAD else ""

    def _says(self, line: str) -> None:
        head, _, text = line.partition(": ")
        if head.isdigit():
            if not text.startswith(("Test command:", "Working Directory:", "Test timeout computed")):
                self._output.setdefault(head, Block()).add(text)
        elif self._last and line.strip() and not line.startswith("    Start "):
            self._output.setdefault(self._last, Block()).add(line)
        else:
            self._last = ""

    def _listed(self, match: re.Match[str]) -> None:
        number, name = match["number"], match["name"]
        outcome = Outcome.FAILED if "FAILED" in self._list else Outcome.SKIPPED
        known = self._tests.get(number)
        word = match["word"] if known is None or known[2] == "Passed" else known[2]
        self._tests[number] = (name, outcome, word)
        if match["word"] == "Disabled":
            self._disabled.add(number)

    def _sum(self, failed: int, total: int) -> None:
        self._last = ""
        self._totals = (failed, total)
        self.open, self.closed = False, self.closed + 1
        self.ok &= failed == 0

    _totals: tuple[int, int] = (0, 0)

    def finish(self) -> Reading:
        failed, total = self._totals
        skipped = sum(outcome is Outcome.SKIPPED for _, outcome, _ in self._tests.values())
        if self._totals[1]:
            counted = skipped - len(self._disabled)
            self.tally.add(passed=total - failed - counted, failed=failed, skipped=skipped)
        for number, (name, outcome, word) in self._tests.items():
            message = self._output[number].text() if outcome in BAD and number in self._output else ""
            file, line = place(message, *_ENDINGS)
            message = message or (word if outcome in BAD else "")
            self.keep(Case(name, name, outcome, file, line, message))
        return super().finish()


_MESON_WORDS = {
    "OK": Outcome.PASSED,
    "FAIL": Outcome.FAILED,
    "ERROR": Outcome.ERROR,
    "TIMEOUT": Outcome.FAILED,
    "INTERRUPT": Outcome.ERROR,
    "SKIP": Outcome.SKIPPED,
    "EXPECTEDFAIL": Outcome.XFAILED,
    "UNEXPECTEDPASS": Outcome.XPASSED,
}
_MESON_TOTALS = {
    "Ok": "passed",
    "Expected Fail": "xfailed",
    "Fail": "failed",
    "Unexpected Pass": "xpassed",
    "Skipped": "skipped",
    "Timeout": "failed",
}
_MESON_HEAD = re.compile(r" {0,6}(?P<number>\d{1,9})/\d{1,9} (?P<rest>.+)$")
_MESON_TOTAL = re.compile(
    r"(?P<word>Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout): +(?P<number>\d{1,9})\s*$"
)


class MesonReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._tests: dict[str, Case] = {}
        self._numbers: dict[str, int] = {}
        self._number = ""
        self._block: Block | None = None

    def feed(self, line: str) -> None:
        if line.startswith("――――"):
            self._block = Block() if "✀" in line and self._number else None
        elif self._block is not None:
            self._block.add(line)
            self._tests[self._number] = _with(self._tests[self._number], self._block.text())
        elif "/" in line[:12] and (match := _MESON_HEAD.match(line)) and self._test(match):
            return
        elif match := _MESON_TOTAL.match(line):
            self.open = True
            field = _MESON_TOTALS[match["word"]]
            self._numbers[field] = self._numbers.get(field, 0) + int(match["number"])
        elif line.startswith("No tests defined"):
            self.close()
        elif line.startswith("Could not rebuild"):
            self.build.stopped = self.build.stopped or line
        elif not self._tests:
            self.build.feed(line)

    def _test(self, match: re.Match[str]) -> bool:
        words = match["rest"].split()
        at = next((i for i in range(len(words) - 1, 0, -1) if words[i] in _MESON_WORDS), 0)
        if not at or not words[at + 1 :] or not words[at + 1].endswith("s"):
            if words[-1] == "RUNNING":
                self.open = True
            return words[-1] == "RUNNING"
        self.open = True
        name = " ".join(words[:at])
        outcome = _MESON_WORDS[words[at]]
        self._number = match["number"]
        if self._number in self._tests and self._tests[self._number].name == name:
            return True  # said again in the summary of failures
        message = " ".join(words[at + 2 :]) if outcome in BAD else ""
        self._tests[self._number] = Case(name, name, outcome, message=message)
        return True

    def finish(self) -> Reading:
        for case in self._tests.values():
            self.keep(case)
        if self._numbers:
            told = dict(self._numbers)
            xpassed = told.pop("xpassed", 0)
            self.close(**told)
            self.ok &= not xpassed
            if xpassed:
                self.tally.add(xpassed=xpassed)
        if not self.closed and self.build.stopped and not self.build.errors:
            self.open = True
        return super().finish()


def _with(case: Case, text: str) -> Case:
    if case.outcome not in BAD:
        return case
    file, line = place(text, *_ENDINGS)
    return Case(case.id, case.name, case.outcome, file, line, text)


WORDS = {
    "PASS": Outcome.PASSED,
    "FAIL": Outcome.FAILED,
    "ERROR": Outcome.ERROR,
    "UNRESOLVED": Outcome.ERROR,
    "XFAIL": Outcome.XFAILED,
    "KFAIL": Outcome.XFAILED,
    "XPASS": Outcome.FAILED,  # turns the run red
    "KPASS": Outcome.FAILED,
    "SKIP": Outcome.SKIPPED,
    "UNTESTED": Outcome.SKIPPED,
    "UNSUPPORTED": Outcome.SKIPPED,
}
_AUTO = re.compile(r"(?P<word>PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): (?P<name>\S.*)$")
_AUTO_TOTAL = re.compile(r"# (?P<word>TOTAL|PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): +(?P<number>\d{1,9})$")
_AUTO_FIELDS = {
    "PASS": "passed",
    "SKIP": "skipped",
    "XFAIL": "xfailed",
    "FAIL": "failed",
    "XPASS": "xpassed",
    "ERROR": "errors",
}


class AutomakeReader(Program):
    def feed(self, line: str) -> None:
        if line.startswith("# ") and (match := _AUTO_TOTAL.match(line)):
            if match["word"] == "TOTAL":
                self.open, self.closed = False, self.closed + 1
            else:
                number = int(match["number"])
                self.tally.add(**{_AUTO_FIELDS[match["word"]]: number})
                self.ok &= not number or match["word"] not in ("FAIL", "XPASS", "ERROR")
        elif match := _AUTO.match(line):
            self.open = self.open or not self.closed
            self.keep(Case(match["name"], match["name"], WORDS[match["word"]]))
        elif not self.open and not self.closed:
            self.build.feed(line)


ROWS = (
    TextRow(
        "ctest",
        "c++",
        CTestReader,
        signs(
            r"^ {0,12}\d{1,9}/\d{1,9} Test +#\d{1,9}: ",
            r"^\d{1,9}% tests passed, \d{1,9} tests? failed out of \d{1,9}",
            r"^Test project /",
            r"^ {4,12}Start +\d{1,9}: ",
            r"^No tests were found!!!",
        ),
        ("ctest",),
        6,
    ),
    TextRow(
        "meson",
        "c",
        MesonReader,
        signs(
            r"^ {0,6}\d{1,9}/\d{1,9} \S.{0,300} (?:OK|FAIL|ERROR|TIMEOUT|SKIP|EXPECTEDFAIL|UNEXPECTEDPASS) +[\d.]+s",
            r"^(?:Expected Fail|Unexpected Pass): +\d{1,9}",
            r"^Full log written to .{1,300}testlog\.txt",
            r"^No tests defined\.$",
        ),
        ("meson test", "meson"),
        6,
    ),
    TextRow(
        "automake",
        "c",
        AutomakeReader,
        signs(r"^# (?:TOTAL|XFAIL|XPASS): +\d{1,9}$", r"^Testsuite summary for "),
        ("make check",),
        3,
    ),
)

"""Read the output of GoogleTest and cmocka, which print the same brackets."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Block, Program, place
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import CASE_LIMIT, Reading

_OPEN = re.compile(r"\[==========\] (?:[^:]{1,80}: )?Running (?:(?P<number>\d{1,9}) )?test")
_RAN = re.compile(
    r"\[==========\] (?:[^:]{1,80}: )?(?P<number>\d{1,9}) (?:test\(s\) run\."
    r"|tests? from \d{1,9} test (?:suites?|cases?|files?) ran)"
)
_PASSED = re.compile(r"\[  PASSED  \] (?P<number>\d{1,9}) (?:test\(s\)|tests?)\.$")
_LISTED = re.compile(
    r"\[ {1,2}(?P<status>FAILED |SKIPPED|ERROR  ) {1,2}\] (?:[^:]{1,80}: )?(?P<number>\d{1,9}) "
    r"(?:test\(s\)|tests?|errors?), listed below:$"
)
_NAMED = re.compile(r"\[  (?P<status>FAILED |SKIPPED|ERROR  ) \] (?P<name>\S.*)$")
_MARKS = {
    "[       OK ] ": Outcome.PASSED,
    "[  FAILED  ] ": Outcome.FAILED,
    "[  SKIPPED ] ": Outcome.SKIPPED,
    "[ SKIPPED  ] ": Outcome.SKIPPED,  # busted
    "[  ERROR   ] ": Outcome.ERROR,
}
_FAILURE = re.compile(
    r"(?P<file>(?:[A-Za-z]:)?[^\s:()][^:()]*)(?::(?P<line>\d{1,9}): Failure$"
    r"|\((?P<bracket>\d{1,9})\): error: ?(?P<rest>.*)$)"
)
_ENDED = "the program ended while this test ran"
_ENDINGS = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp")


class BracketReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self._summing = False  # the closing lines are being read
        self._running = ""
        self._seconds = 0.0
        self._spot = ("", 0)
        self._block: Block | None = None
        self._output = Block()  # of the running test
        self._here: dict[str, Case] = {}  # of this run
        self._totals = {"number": 0, "passed": -1, "failed": 0, "skipped": 0}
        self._listed: list[str] = []

    def feed(self, line: str) -> None:
        if "[" not in line:
            self._print(line)
        elif self._running:
            self._inside(line)
        elif not self._bracket(line):
            self._print(line)

    def _bracket(self, line: str) -> bool:
        if line.startswith("[ RUN      ] "):
            self.open, self._summing = True, False
            self._running = line[13:].strip()
            self._spot, self._block, self._output = ("", 0), None, Block()
            return True
        if line.startswith("[==========] "):
            return self._frame(line)
        if self._summing:
            return self._closing(line)
        mark = _MARKS.get(line[:13])
        if mark and line[13:].strip() and self._brief(line[13:], mark):
            return True
        return line.startswith("[-----")

    def _frame(self, line: str) -> bool:
        if _OPEN.match(line):
            self._close()
            self.open = True
            return True
        match = _RAN.match(line)
        if match:
            self.open, self._summing = False, True
            self._totals = {"number": int(match["number"]), "passed": -1, "failed": 0, "skipped": 0}
            self._listed = []
        return match is not None

    def _brief(self, rest: str, mark: Outcome) -> bool:
        """Read a failed test's end, all that --gtest_brief prints."""
        if not rest.endswith(")") or " (" not in rest:
            return False
        self.open = True
        self._end(rest, mark)
        return True

    def _inside(self, line: str) -> None:
        """Read a line of a running test, of which only its own end is trusted, even after its output."""
        for mark, outcome in _MARKS.items():
            at = line.find(mark + self._running)
            if at < 0:
                continue
            rest = line[at + len(mark) :]
            tail = rest[len(self._running) :]
            if tail and not tail.startswith((" (", ", where ")):
                continue
            if at:
                self._print(line[:at])
            self._end(rest, outcome)
            return
        if line.startswith("[  ERROR   ] --- "):
            self._block = self._block or Block()
            self._block.add(line[17:])
        elif line.startswith("[   LINE   ] --- "):
            self._spot = place(line, *_ENDINGS) if not self._spot[1] else self._spot
        elif line.startswith("[==========] ") and _OPEN.match(line):
            self._close()
            self.open = True
        else:
            self._print(line)

    def _print(self, line: str) -> None:
        if not self.open and not (line.endswith(": Failure") and _FAILURE.match(line)):
            self.build.feed(line)
            return
        self.open = True
        failure = None
        if line.endswith(": Failure") or "): error: " in line:
            failure = _FAILURE.match(line)
        if failure or line == "unknown file: Failure":
            if self._block is None:
                self._block = Block()
                if failure:
                    self._spot = (failure["file"], int(failure["line"] or failure["bracket"]))
                    if failure["rest"]:
                        self._block.add(failure["rest"])
            return
        if line.endswith(": Failure") and self._block is None:  # glued to what the test printed
            self._block, self._spot = Block(), place(line, *_ENDINGS)
        elif self._block is not None:
            self._block.add(line)
        else:
            self._output.add(line)

    def _end(self, rest: str, outcome: Outcome) -> None:
        name = self._running or rest
        if not self._running:
            name = rest.rsplit(" (", 1)[0].split(", where ", 1)[0].strip()
        seconds = rest.rsplit(" (", 1)[-1].split(" ", 1)[0]
        bad = outcome in (Outcome.FAILED, Outcome.ERROR)
        file, line = self._spot if bad else ("", 0)
        message = (self._block or self._output).text() if bad else ""
        self._here[name] = Case(
            name,
            name,
            outcome,
            file,
            line,
            message,
            seconds=int(seconds) / 1000 if seconds.isdigit() else 0.0,
        )
        self._running, self._spot, self._block = "", ("", 0), None

    def _closing(self, line: str) -> bool:
        match = _PASSED.match(line)
        if match:
            self._totals["passed"] = int(match["number"])
            return True
        match = _LISTED.match(line)
        if match:
            self._totals["skipped" if match["status"] == "SKIPPED" else "failed"] += int(match["number"])
            return True
        match = _NAMED.match(line)
        if match and match["status"] != "SKIPPED":
            self._listed.append(match["name"].split(", where ", 1)[0])
        return match is not None

    def _close(self) -> None:
        """Close the run: counts from the closing lines, names from its lines and its list."""
        if not self._summing:
            return
        totals = self._totals
        for name in self._listed:
            self._here.setdefault(name, Case(name, name, Outcome.FAILED))
        cases = list(self._here.values())
        named = [case for case in cases if case.outcome in (Outcome.FAILED, Outcome.ERROR)]
        passed = totals["passed"]
        if passed < 0:
            passed = sum(case.outcome is Outcome.PASSED for case in cases)
        failed = max(totals["failed"], totals["number"] - passed - totals["skipped"])
        self.close(passed=passed, failed=failed, skipped=totals["skipped"])
        self.ok &= not named
        self.cases += cases[: max(0, CASE_LIMIT - len(self.cases))]
        self._here, self._listed, self._summing = {}, [], False

    def finish(self) -> Reading:
        self._close()
        if self._running:
            self.open, name = True, self._running
            self._here[name] = Case(name, name, Outcome.ERROR, *self._spot, _ENDED)
        self.cases += self._here.values()
        return super().finish()


ROWS = text_rows(
    r"""
c++ BracketReader weight=2 googletest
  words    gtest
  sign     ^\[==========\] (?:Running )?\d{1,9} tests? from \d{1,9} test (?:suite|case|file)
  sign     ^\[-{10}\] \d{1,9} tests? from␣
  sign     ^\[  PASSED  \] \d{1,9} tests?\.
  sign     ^\[ RUN      \] \S
  sign     \[(?:       OK|  FAILED |  SKIPPED) \] \S
  sign     \[  FAILED  \] \S
  passes   (?:(?:\[-{10}\] [^\n]*\n\n?){1,4}|)\[ RUN      \] ([^\n]+)\n\[       OK \] \1(?:, where [^\n]*
           |) \([0-9]+ ms\)\n
  passed   (?:\[ RUN      \] (?P<begun>[^\n]+)|\[       OK \] (?P<ended>[^ \n]+)[^\n]* \([0-9]+ ms\))\n
  begins   \[={10}\] Running \d{1,9} tests? from␣
  ends     \[={10}\] \d{1,9} tests? from \d{1,9} test (?:suite|case)s? ran\.
  broken   ␣?\d{1,9} FAILED TEST SUITES?$
  apart    {C_BUILD}
  dies     {SIGNALLED}
c BracketReader weight=2 cmocka
  words    cmocka
  sign     ^\[==========\] (?:[^:]{1,80}: )?(?:Running )?\d{1,9} test\(s\)
  sign     ^\[  PASSED  \] \d{1,9} test\(s\)\.
  sign     ^\[(?:  ERROR |   LINE )  \] ---␣
  sign     ^\[ RUN      \] \S
  sign     \[(?:       OK|  FAILED |  SKIPPED) \] \S
  sign     \[  FAILED  \] \S
  begins   \[={10}\] (?:[^:\n]{1,80}: )?Running \d{1,9} test\(s\)
  ends     \[={10}\] (?:[^:\n]{1,80}: )?\d{1,9} test\(s\) run\.
  apart    {C_BUILD}
  dies     {SIGNALLED}
""",
    BracketReader,
)

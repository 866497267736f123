"""Read the output of Boost.Test."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.testlog.parsers.program import Program
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

_BOOST_RUN = re.compile(r"Running (\d{1,9}) test cases?\.\.\.$")
_BOOST_ERROR = re.compile(
    r"(?P<file>[^(]+)\((?P<line>\d{1,9})\): (?P<status>error"
    r"|fatal error): in \"(?P<name>[^\"]+)\": (?P<message>.*)$"
)
_BOOST_PLACED = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d{1,9}): (?P<status>error"
    r"|fatal error): in \"(?P<name>[^\"]+)\": (?P<message>.*)$"
)
_BOOST_BAD = re.compile(
    r"\*\*\* (?:The test module .* was aborted|(?P<number>\d{1,9}) failures? (?:is|are) detected)"
)
_BOOST_TREE = re.compile(r"Test setup error: (?:no test cases matching|test tree is empty)")


class BoostReader(Program):
    """Reads the text log; of a log in XML only the closing line, which covers the whole run."""

    _size = 0
    _whole: bool | None = None

    def feed(self, line: str) -> None:
        if line.startswith("Running ") and (match := _BOOST_RUN.match(line)):
            self._settle()  # the previous run
            self.open, self._size, self._bad = True, int(match[1]), {}
        elif ': in "' in line and (match := _BOOST_ERROR.match(line) or _BOOST_PLACED.match(line)):
            self._error(match)
        elif line.startswith("*** "):
            self._end(line)
        elif line.startswith("Test module ") and (
            " has failed" in line or " has passed" in line or "aborted" in line
        ):
            self._closing = (line, int(" has passed" not in line))
        elif line.startswith("Test setup error: "):
            self.close()
            self.ok &= bool(_BOOST_TREE.match(line))
        elif line.startswith(("Entering test ", "Leaving test ")) or not self.open:
            self.build.feed(line)

    _bad: dict[str, Case]

    def _error(self, match: re.Match[str]) -> None:
        if not self.open:
            return
        name, message = match["name"], match["message"]
        if name in self._bad:
            return
        known = match["file"] != "unknown location"
        kind, _, rest = message.partition(": ")
        exception = kind if rest and "::" in kind and " " not in kind else ""
        self._bad[name] = Case(
            name,
            name,
            Outcome.FAILED,
            match["file"] if known else "",
            int(match["line"]) if known else 0,
            message,
            exception,
        )

    def _end(self, line: str) -> None:
        """Note a closing line. The last one is the runner's; a test's own is followed by it."""
        match = _BOOST_BAD.match(line)
        if not match and not line.startswith("*** No errors detected"):
            return
        if self.open:
            self._closing = (line, int(match["number"] or 1) if match else 0)
        else:
            self._whole = not match and self._whole is not False

    _closing: tuple[str, int] = ("", 0)

    def _settle(self) -> None:
        line, failures = self._closing
        if not self.open or not line:
            return
        failed = len(self._bad) or (1 if failures else 0)
        for case in self._bad.values():
            self.keep(case)
        self.close(passed=self._size - failed, failed=failed)
        self._closing = ("", 0)

    def finish(self) -> Reading:
        self._settle()
        if self.open:
            self.cases += self._bad.values()
        reading = super().finish()
        if self._whole is not None and not reading.started:
            reading.started = reading.finished = True
            reading.unnamed = 1
        if self._whole is False or reading.unnamed:
            reading.claims_ok = self._whole
        return reading


ROWS = text_rows(
    r"""
c++ BoostReader weight=2 boost.test
  sign     ^Running \d{1,9} test cases?\.\.\.$
  sign     ^.{1,300}\(\d{1,9}\): (?:fatal )?error: in "
  sign     ^\*\*\* (?:No errors detected|\d{1,9} failures? (?:is|are) detected|The test module )
  sign     ^Test setup error:␣
  begins   Running \d{1,9} test cases?\.\.\.$
  ends     \*{3} \S|Test module \".{1,300}\" has␣
  apart    {C_BUILD}|An unrecognized parameter in the argument \S
  dies     {SIGNALLED}
""",
    BoostReader,
)

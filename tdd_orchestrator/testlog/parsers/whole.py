"""Detect runs that failed as a whole, in a log that ends with a passing run.

A command's exit code covers only its last part. A runner's row names (``whole``) the lines that stand
once in each run, and those by which a compiler, a loader or the shell reports a failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from tdd_orchestrator.model.report import BuildError
from tdd_orchestrator.testlog.reading import Passed, Reading, Whole

_SEVERAL = 10  # lines of one message at most
_UNENDED = "a run began, and its closing lines are missing"

SIGNALLED = (
    r"(?:\S+: line \d{1,9}: +\d{1,9} )?(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction"
    r"|Floating point exception|Trace/breakpoint trap)(?: {1,20}\(core dumped\)(?: .*)?)?$"
)
UNREPORTED = "{} of {} planned tests were reported"  # a TAP run that was cut short
CRASHED = r"Segmentation fault(?: {1,20}\(core dumped\))?$"
MAKE = (
    r"g?make(?:\[\d{1,9}\])?: \*\*\* (?:\[[^\]\n]{1,400}\] .{1,60}|.{1,300}\.  Stop\.)$"
    "|ninja: build stopped: "
)
# gcc's and clang's form with the source line below, which a parser under test does not print
C_BUILD = (
    r"[^\s:][^:\n]{0,300}\.(?:c|cc|cpp|cxx|c\+\+|C|h|hh|hpp|hxx|m"
    r"|mm):\d{1,9}:\d{1,9}: (?:fatal )?error: .*\n +\d{1,9} \| "
    r"|collect2: error: ld returned |clang(?:\+\+)?: error: linker command failed "
    r"|CMake Error at \S+:\d{1,9} \("
    r"|-- Configuring incomplete, errors occurred!|" + MAKE
)
NODE = r"Node\.js v\d{1,3}\.\d{1,3}\.\d{1,3}$"
OCAML = (
    r'File "[^"\n]{1,300}\.ml[ily]?", lines? \d[\d-]{0,20}, characters [\d-]{1,20}:\n(?:(?!Error'
    r"|Warning|File).*\n){0,8}"
    r"Error(?: \([^()\n]{1,60}\))?: "
)
HASKELL = (
    r"[^\s:]{1,300}\.l?hs:\d{1,9}:\d{1,9}(?:-\d{1,9})?: error:|Failed, (?:no|one|two|three"
    r"|\d{1,9}) modules? loaded"
    r"|Error: (?:\[(?:Cabal|S)-\d{1,9}\]|cabal(?:-\d+)?: |Build failed\.)"
)
ALCOTEST = r"(?:(?P<suite>\S.*?) +(?P<number>\d{1,9}) +)?(?P<name>\S.*?)\.?"
HS_PLACE = r"\s*(?P<file>[^\s:]+\.l?hs):(?P<line>\d{1,9})(?::\d{1,9})?:?"
ERLANG = r"[^:\s]{1,300}\.[eh]rl:\d{1,9}:(?:\d{1,9}:)? (?!Warning)\S|escript: exception \S"
JAVA = r'[^:\s]{1,300}\.java:\d{1,9}: error: |Exception in thread "main" '
LUA = r"(?:lua[\d.]*|luajit): [^:\s]{1,300}\.lua:\d{1,9}: "
CARGO = r"error: (?:could not compile `|command `.{1,400}` exited with code \d)"
RUBY_DEAD = r"bundler: failed to load command: \S|.{0,300}: \[BUG\] \S"
RUBY = (
    r"(?:\S+: )?[^\s:]{1,300}\.(?:rb|ru|rake):\d{1,9}:(?:in ['`].{1,200}':)? .{0,300}(?:syntax errors?\b.*"
    r"|\((?:LoadError|SyntaxError|NameError|NoMethodError)\)$)|rake aborted!$|" + RUBY_DEAD
)
RUBY_FRAME = (
    r"\s*(?:# |from )?(?:\./)?"
    r"(?P<file>(?![^\s:]*(?:/gems/|/rubygems|/usr/lib/ruby/|/ruby/[23]|/vendor/bundle/|/share/rubygems))"
    r"[^\s:]+\.(?:rb|feature|rake|ru|cr)):(?P<line>\d{1,9}).*"
)
PHP = r"(?:PHP )?(?:Parse|Fatal) error: {1,3}\S"


class WholeRuns:
    """Follows the runs of one runner through a log."""

    def __init__(self, whole: Whole) -> None:
        self._form = whole.form
        self.open = 0  # runs without an end yet; they may nest
        self._last: list[str] = []  # lines that may begin a message of several lines
        self._quoting = False  # inside a test's output
        self._printed = ""  # a failure in a test's output, ignored if the test ends
        self.broke = ""
        self.died = ""

    def look(self, lines: Sequence[str | Passed]) -> None:
        """Read the next lines of the log."""
        fresh = [line for line in lines if not isinstance(line, Passed)]
        if not fresh:
            return
        before = "".join(f"\n{line}" for line in self._last)
        text = before + "\n" + "\n".join(fresh) + "\n"
        for match in self._form.finditer(text):
            if match.end() > len(before):
                line = text[match.start() + 1 : text.find("\n", match.end())]
                getattr(self, f"_{match.lastgroup}")(line.strip())
        self._last = (self._last + fresh[-_SEVERAL:])[-_SEVERAL:]

    def _begins(self, line: str) -> None:
        self._confirm()
        self.open += 1

    def _ends(self, line: str) -> None:
        self._confirm()
        self.open = max(0, self.open - 1)

    def _opens(self, line: str) -> None:
        self._confirm()
        self._quoting = True

    def _closes(self, line: str) -> None:
        self._quoting, self._printed = False, ""

    def _broken(self, line: str) -> None:
        if self._quoting:
            self._printed = self._printed or line
        else:
            self.broke = self.broke or line

    def _apart(self, line: str) -> None:
        if not self.open:
            self._broken(line)

    def _dies(self, line: str) -> None:
        if not self.open and not self._quoting:
            self.died = self.died or line

    def _confirm(self) -> None:
        """Count a failure in a test's output: the test did not end, so the test did not print it."""
        self.broke = self.broke or self._printed
        self._quoting, self._printed = False, ""

    def finish(self, reading: Reading, gaps: bool) -> None:
        """Add failures of whole runs to a reading without failures.

        With ``gaps``, ends of runs may have been left out.
        """
        self._confirm()
        reading.crashed = self.died or (_UNENDED if self.open and not gaps else "")
        if self.broke:
            reading.crashed = ""
            reading.build_errors.append(BuildError(self.broke[:300]))


def broken_line(text: str, wholes: Iterable[Whole]) -> tuple[int, str]:
    """Return position and text of the first line that reports a failed build or load; (-1, "") if none."""
    found = _any_bad(frozenset(form for one in wholes for form in one.bad)).search(f"\n{text}")
    return (found.start(), text[found.start() :].partition("\n")[0].strip()) if found else (-1, "")


def is_open(text: str, whole: Whole) -> bool:
    """Whether a run has started in the text, and not ended."""
    runs = WholeRuns(whole)
    runs.look(text.split("\n"))
    return runs.open > 0


@cache
def _any_bad(forms: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"\n(?:{'|'.join(sorted(forms)) or '(?!)'})", re.MULTILINE)

"""Detect that PHPUnit, ParaTest or Pest gave up: before a test ran, or because a worker crashed."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError
from tdd_orchestrator.testlog.parsers.compilers import BuildWatch

# PHPUnit's errors about its arguments and files, below its heading; Pest puts "INFO" before them
REFUSED = (
    '(?:Cannot open (?:file|bootstrap script) "|Could not (?:read|load) |Test (?:file'
    '|directory) ".{1,400}" not found'
    '|Unknown option "|Required argument for option ".{1,100}" is missing'
    r'|Option ".{1,100}" (?:is ambiguous|does not )|Class "?\S{1,300} could not be found in '
    r"|Error in bootstrap script: )"
)
# PHPUnit 9 reads its configuration before it prints its heading
UNREAD = (
    r'Could not (?:read ".{1,400}\.xml(?:\.dist)?"\.$|load XML from empty string$'
    r'|load ".{1,400}\.xml(?:\.dist)?"[.:])'
)
OUT_OF_BOUNDS = r"Fatal error: {1,3}(?:Allowed memory size of \d|Maximum execution time of \d)"
INSIDE = "An error occurred inside PHPUnit"
WORKER = "In WorkerCrashedException.php line "  # ParaTest, and Pest --parallel
# the same inside a log, with their context: a program under test may print similar lines
STOPPED = (
    rf"(?:ParaTest v?\d\S{{0,40}} upon )?PHPUnit \d.{{0,80}} by Sebastian Bergmann.*\n\n{REFUSED}"
    rf"|{UNREAD}|{INSIDE}\.$|In \w{{1,100}}\.php line \d{{1,9}}:$"
)
PEST_STOPPED = (
    rf" {{3}}INFO {{2}}{REFUSED}| {{3}}ERROR {{2}}(?:No code coverage driver "
    rf"|.{{1,400}}\n\nLocation: )|{WORKER}"
    r"| {3}(?:(?:[A-Z]\w*\\){1,20}[A-Z]\w*|(?:[A-Z]\w*)?(?:Error|Exception)) ?\n\n {2}\S"
)

_REFUSED = re.compile(rf"(?: {{2,3}}INFO {{1,2}})?(?P<message>(?:{REFUSED}|{UNREAD}).*)$")
_ERROR = re.compile(r" {2,3}ERROR {1,2}(?P<message>\S.*)$")
# Collision prints the exception's class alone on a line, and its message two lines below
_THROWN = re.compile(r" {2,3}(?P<type>(?:[A-Z]\w*\\){1,20}[A-Z]\w*|(?:[A-Z]\w*)?(?:Error|Exception)) ?$")
_SYMFONY = re.compile(r"In (?P<type>\w{1,100})\.php line \d{1,9}:$")
_MESSAGE = re.compile(r"(?:Message: {1,2}| {2})(?P<message>\S.*)$")
_PLACE = re.compile(
    r"(?:Location: | {2}at | {2}\d{1,4} {1,3}|#\d{1,4} )(?P<file>[^\s:(]{1,400}\.php)(?::"
    r"(?P<line>\d{1,9})$|\((?P<at>\d{1,9})\): )"
)
_DEAD = re.compile(rf"(?:PHP )?{OUT_OF_BOUNDS}")


class PhpWatch(BuildWatch):
    """Also reads errors of PHP's runners. ``died``: the line that says that the run was killed."""

    def __init__(self) -> None:
        super().__init__()
        self.died = ""
        self._thrown: str | None = None  # the exception's class, until its message follows
        self._placed = True  # whether the last error has its place
        self._cut = False  # whether the last error's message goes on in the next line

    def feed(self, line: str) -> bool:
        return self.feed_own(line) or super().feed(line)

    def feed_own(self, line: str) -> bool:
        """Read a line; True if only PHP's runners print it."""
        if _DEAD.match(line) or line.startswith(WORKER):
            self.died = self.died or line.strip()
            return True
        if self._thrown is not None and line.strip():
            return self._read_message(line)
        if self._cut:
            self._cut = False
            last = self.errors[-1]
            self.errors[-1] = replace(last, message=f"{last.message} {line.strip()}")
            return True
        return self._give_up(line) or self._place(line)

    def _give_up(self, line: str) -> bool:
        if match := _REFUSED.match(line) or _ERROR.match(line):
            message = match["message"].strip()
            self._add_unless_known(BuildError(message))
            self._cut = message.endswith(":") and self.errors[-1].message == message
        elif match := _THROWN.match(line) or _SYMFONY.match(line):
            self._thrown = match["type"] if line[0] == " " else ""
        elif line.startswith(INSIDE):
            self._thrown = ""
        else:
            return False
        return True

    def _read_message(self, line: str) -> bool:
        thrown, self._thrown = self._thrown or "", None
        match = _MESSAGE.match(line)
        if match:
            self._add_unless_known(BuildError(match["message"].strip(), exception=thrown))
        return match is not None

    def _add_unless_known(self, error: BuildError) -> None:
        """Add an error, unless PHP itself reported it before, with its place."""
        if all(known.message != error.message for known in self.errors):
            self._add(error)
            self._placed = False

    def _place(self, line: str) -> bool:
        """Set the place of the last error: the first outside the runner, or else the first."""
        match = None if self._placed else _PLACE.match(line)
        if not match:
            return False
        last = self.errors[-1]
        own = "vendor/" in match["file"]
        if not last.file or not own:
            self.errors[-1] = replace(last, file=match["file"], line=int(match["line"] or match["at"]))
        self._placed = not own
        return True

"""Read the output of PHPUnit (6 to 12, also --testdox, and under ParaTest)."""

from __future__ import annotations

import re
from dataclasses import replace

from tdd_orchestrator.model.report import BuildError, Case, Outcome
from tdd_orchestrator.testlog.parsers.php_stop import INSIDE, OUT_OF_BOUNDS, STOPPED, UNREAD, WORKER, PhpWatch
from tdd_orchestrator.testlog.parsers.program import Block, Program
from tdd_orchestrator.testlog.parsers.ruled import text_rows
from tdd_orchestrator.testlog.reading import Reading

_FRAME = re.compile(r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,400}\.(?:php|phpt|inc)):(?P<line>\d{1,9})$")
_TYPED = re.compile(
    r"(?P<type>(?:[A-Z]\w*\\)*[A-Z]\w*(?:Exception|Error|Failure|Throwable)?): (?P<message>.*)$"
)
_VENDOR = ("/vendor/", "/usr/share/php/", "phar://")
_OK = re.compile(r"OK \((?P<tests>\d{1,9}) tests?, \d{1,9} assertions?\)$")
_SUM = re.compile(r"Tests: \d{1,9}, Assertions: \d{1,9}.*\.$")
_SECTION = re.compile(
    r"There (?:was|were) (?P<number>\d{1,9}) (?:\w+ )?(?P<status>failures?|errors?|skipped tests?"
    "|incomplete tests?|risky tests?"
    r"|warnings?|deprecations?|notices?|PHPUnit \w+ \w+|PHPUnit \w+)\b.*:$"
)
_ITEM = re.compile(r"(?P<number>\d{1,9})\) (?P<name>\S.*)$")
_DOX = re.compile(r" (?P<mark>[✔✘∅↩⚠☢]) (?P<name>\S.*?)(?: {2}.*)?$")
_DOX_MARKS = {"✔": Outcome.PASSED, "✘": Outcome.FAILED, "∅": Outcome.SKIPPED, "↩": Outcome.SKIPPED}
_ENDINGS = ("FAILURES!", "ERRORS!", "WARNINGS!", "OK, but ", "No tests executed!")
_HEADING = re.compile(r"(?:ParaTest v?\d\S{0,40} upon )?PHPUnit \d.{0,80} by Sebastian Bergmann")
_DIED = re.compile(rf"[.FEWRSIDN]{{0,80}}(?:PHP )?{OUT_OF_BOUNDS}")
_FATAL = re.compile(
    "(?:PHP )?(?:Fatal error|Parse error|Warning): {1,3}(?:Uncaught )?(?P<message>.+?)(?: in "
    r"(?P<file>\S+?)(?:\((?P<at>\d{1,9})\)|:(?P<col>\d{1,9})| on line (?P<line>\d{1,9})))"
)

# the heading (perhaps after a crashed run's dots) and the line that follows only in a run
_RUN_START = (
    r"[.FEWRSIDN]{0,80}(?:ParaTest v?\d\S{0,40} upon )?PHPUnit \d.{0,80} by Sebastian Bergmann.*"
    r"(?=\n{1,3}(?:(?:Processes|Runtime|Configuration|Random Seed|Warning): |[.FEWRSIDN]{1,80}(?:$"
    r"| |PHP)|\S.{0,200}\n [✔✘∅↩☢] ))"
)


class PhpUnitReader(Program):
    def __init__(self) -> None:
        super().__init__()
        self.build: PhpWatch = PhpWatch()
        self._kind = ""
        self._item: Case | None = None
        self._block = Block()
        self._found: list[Case] = []
        self._dox: dict[str, Case] = {}
        self._group = ""
        self._ending = ""
        self._summary = False  # testdox repeats its failures there
        self._fatal = ""

    def feed(self, line: str) -> None:
        if "Sebastian Bergmann" in line and _HEADING.match(line):
            self._begin()
        elif not self.open and self.closed and line in ("FAILURES!", "ERRORS!"):
            self._begin()  # the end of the other of two parallel runs
            self._ending = line
        elif not self.open:
            self.build.feed(line)
        elif line.startswith("OK (") and (match := _OK.match(line)):
            self._end(passed=int(match["tests"]))
        elif line.startswith(_ENDINGS):
            self._flush()
            self._ending = line
            if line.startswith("No tests executed"):
                self._end()
        elif line.startswith("Tests: ") and _SUM.match(line) and self._ending:
            self._sum(line)
        elif line.startswith("There w") and (match := _SECTION.match(line)):
            self._flush()
            self._kind = match["status"].rstrip("s").split(" ")[0]
        elif self._kind and " triggered " in line and line.endswith(":"):
            self._flush()
            self._kind = ""
        elif self._kind and (match := _ITEM.match(line)):
            self._flush()
            self._item, self._block = Case(match["name"], match["name"], self._outcome()), Block()
        elif self._item is not None:
            self._add_detail(line)
        else:
            self._free(line)

    def _begin(self) -> None:
        self.open = True
        self._kind = self._ending = ""
        self._found, self._dox, self._summary = [], {}, False

    def _outcome(self) -> Outcome:
        return {"failure": Outcome.FAILED, "error": Outcome.ERROR}.get(self._kind, Outcome.SKIPPED)

    def _free(self, line: str) -> None:
        if self.build.feed_own(line):
            return
        if line.startswith("Summary of "):
            self._summary = True
        elif line[:1] == " " and (match := _DOX.match(line)):
            self._testdox(match["mark"], match["name"])
        elif line.startswith("   │") or line.startswith("   ├") or line.startswith("   ┐"):
            self._explain_dox(line)
        elif line and line[0] not in " .F" and line.strip().isascii() and not line.startswith("Time: "):
            self._group = line.strip()
        if line.startswith(("PHP Fatal error", "Fatal error", "PHP Parse error", "Parse error")):
            self._fatal = self._fatal or line
        elif _DIED.match(line):
            self.build.died = line.strip()

    def _testdox(self, mark: str, name: str) -> None:
        outcome = _DOX_MARKS.get(mark, Outcome.PASSED)
        identity = f"{self._group}::{name}"
        self._last_dox = identity
        if not self._summary or identity not in self._dox:
            self._dox[identity] = Case(identity, name, outcome)
            self._block = Block()

    _last_dox = ""

    def _explain_dox(self, line: str) -> None:
        case = self._dox.get(self._last_dox)
        if case is None or self._summary:
            return
        self._item = case
        self._add_detail(line[4:].strip())
        assert self._item is not None
        self._dox[self._last_dox], self._item = self._item, None

    def _add_detail(self, line: str) -> None:
        case = self._item
        assert case is not None
        text = line.strip()
        frame = _FRAME.match(text)
        if frame:
            if not case.line and not any(part in text for part in _VENDOR):
                case = replace(case, file=frame["file"], line=int(frame["line"]))
        elif text == "--":
            pass
        elif text and not case.line:
            typed = _TYPED.match(text) if not self._block.lines and not case.exception else None
            if typed and not text.startswith("Failed "):
                case = replace(case, exception=typed["type"])
                text = typed["message"]
            self._block.add(text)
        self._item = replace(case, message=self._block.text())

    def _flush(self) -> None:
        if self._item is not None:
            self._found.append(self._item)
        self._item = None

    def _sum(self, line: str) -> None:
        totals = numbers_after(line)
        failed, errors = totals.get("Failures", 0), totals.get("Errors", 0)
        skipped = totals.get("Skipped", 0) + totals.get("Incomplete", 0)
        without_tests = sum(
            case.name == "Warning" for case in self._found
        )  # a class without tests counts as one
        self._found = [case for case in self._found if case.name != "Warning"]
        passed = totals.get("Tests", 0) - failed - errors - skipped - without_tests
        self._end(passed=passed, failed=failed, errors=errors, skipped=skipped)

    def _end(self, passed: int = 0, failed: int = 0, errors: int = 0, skipped: int = 0) -> None:
        self._flush()
        self.close(passed=passed, failed=failed, errors=errors, skipped=skipped)
        self._kind = ""
        named = {case.id for case in self._found}
        for case in self._dox.values():
            if case.outcome is Outcome.FAILED and self._found:
                continue  # named again, with its class, in the list of failures
            if case.id not in named:
                self.keep(case)
        for case in self._found:
            if case.outcome is not Outcome.SKIPPED or not any(
                one.outcome is Outcome.SKIPPED for one in self._dox.values()
            ):
                self.keep(case)
        self._found, self._dox = [], {}

    def finish(self) -> Reading:
        if self.open or not self.closed:
            self.crashed = self.build.died
        reading = super().finish()
        if self.open:
            self._flush()
            reading.cases += self._found + [case for case in self._dox.values() if not self._found]
            if self._fatal and not reading.cases:
                reading.build_errors.append(_fatal_error(self._fatal))
        return reading


def _fatal_error(line: str) -> BuildError:
    match = _FATAL.match(line)
    if match is None:
        return BuildError(line)
    number = match["line"] or match["at"] or match["col"] or 0
    return BuildError(match["message"], match["file"] or "", int(number))


def numbers_after(line: str) -> dict[str, int]:
    """Return ``{"Tests": 3, "Failures": 1}`` for ``Tests: 3, Failures: 1.``"""
    found = {}
    for part in line.rstrip(". ").split(","):
        name, _, number = part.partition(":")
        if number.strip().isdigit():
            found[name.strip()] = int(number)
    return found


ROWS = text_rows(
    r"""
php PhpUnitReader weight=2 phpunit
  words    phpunit  |  paratest
  sign     ^(?:ParaTest v?\d\S{0,40} upon )?PHPUnit \d.{0,80} by Sebastian Bergmann
  sign     ^OK \(\d{1,9} tests?, \d{1,9} assertions?\)$
  sign     ^Tests: \d{1,9}, Assertions: \d{1,9}
  sign     ^There (?:was|were) \d{1,9} (?:failure|error)s?:$
  sign     ^ [✔✘∅↩] \S
  sign     ^(?:FAILURES|ERRORS|WARNINGS)!$
  sign     ^{INSIDE}\.$
  sign     ^{UNREAD}
  sign     ^{WORKER}
  sign     ^[.FEWRSIDN]{0,80}(?:PHP )?{OUT_OF_BOUNDS}
  begins   {RUN_START}
  ends     OK \(\d{1,9} tests?, |Tests: \d{1,9}, Assertions: |No tests executed!
  apart    {PHP}|{STOPPED}
""",
    PhpUnitReader,
    INSIDE=INSIDE,
    UNREAD=UNREAD,
    WORKER=WORKER,
    OUT_OF_BOUNDS=OUT_OF_BOUNDS,
    RUN_START=_RUN_START,
    STOPPED=STOPPED,
)

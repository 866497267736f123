"""Parse one Python failure: the frames, the last error, and the test's own place in them."""

from __future__ import annotations

import re

from tdd_orchestrator.testlog.parsers.gather import FailureTrace
from tdd_orchestrator.testlog.reading import DETAIL_LIMIT

_FRAME = re.compile(r'^\s*(?:E +)?File "([^"]{1,500})", line (\d+)')
_PLACE = re.compile(r"^([^\s:][^:]{0,300}):(\d+): ?(.*)$")
RAISED = re.compile(r"^([A-Za-z_][\w.]{0,200})(?:: ?(.*))?$")
CRASHED_WORKER = re.compile(r"^worker '\w{1,20}' crashed while running '(.{1,500})'$")  # xdist's
_LIBRARY = ("site-packages/", "/lib/python", "dist-packages/", "<frozen ", "<string>", "importlib")


class Trace(FailureTrace):
    """Reads the lines of one failure into ``file``, ``line``, ``message`` and ``exception``."""

    def __init__(self) -> None:
        super().__init__()
        self._said = ""
        self._room = DETAIL_LIMIT
        self._captured = False
        self._raising = False  # inside a plain traceback, before its last line

    def feed(self, line: str) -> None:
        if self._room > 0:
            self._detail.append(line[: self._room])
            self._room -= len(line) + 1
        if line.startswith("-") and " Captured " in line[:120]:
            self._captured = True
        if self._captured:
            return
        if line.startswith("E "):
            self._error(line[1:].strip())
        elif line.lstrip().startswith("Traceback (most recent call last):"):
            self._raising = True
        elif self._raising and line[:1] not in ("", " ") and (raised := RAISED.match(line)):
            self._raising = False
            self.exception, self._said = raised[1], raised[2] or raised[1]
        elif match := _FRAME.match(line):
            self._at(match[1], int(match[2]))
        elif match := _PLACE.match(line):
            self._at(match[1], int(match[2]))
            rest = match[3]
            if rest and RAISED.fullmatch(rest) and " " not in rest and not rest.startswith("in "):
                self.exception = rest.rstrip(":")
        elif line.startswith("[XPASS(strict)]") or CRASHED_WORKER.match(line):
            self._said = line
        elif line.startswith("file ") and ", line " in line:
            path, _, number = line[5:].partition(", line ")
            if number.isdigit():
                self._at(path, int(number))

    def _error(self, text: str) -> None:
        if match := _FRAME.match(text):
            self._at(match[1], int(match[2]))
            return
        raised = RAISED.match(text)
        if raised and raised[2] is not None and raised[1][:1].isupper() | ("." in raised[1]):
            self.exception = raised[1]
            self._said = raised[2] or raised[1]
        elif not self._said:
            self._said = text

    def _at(self, file: str, line: int) -> None:
        """Record a place: the last one outside libraries wins; a library's counts only without any other."""
        library = any(part in file for part in _LIBRARY)
        if not self.file or not library:
            self.file, self.line = file, line

    @property
    def message(self) -> str:
        return self._said

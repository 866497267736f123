"""Parse one JavaScript failure: its message, and the first stack frame inside the project."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError
from tdd_orchestrator.testlog.parsers.gather import FailureTrace
from tdd_orchestrator.testlog.reading import DETAIL_LIMIT

_TYPE = re.compile(
    r"^(?:Uncaught )?(?:Error: )?([A-Z]\w{0,80}(?:Error|Exception|Rejection)"
    r"|Error)(?: \[(\w{1,80})\])?(?:: (.*))?$"
)
_CODE_FRAME = re.compile(r"^>? *\d* \|(?: |$)|^\d+\|(?: |$)|^\|(?: |$)")
_FOREIGN = ("node_modules/", "node:", "internal/", "<anonymous>", "webpack:", "(native", "<Jasmine>")
_MESSAGE = 800


class JsTrace(FailureTrace):
    """Reads the lines of a failure into ``message``, ``exception``, ``file`` and ``line``."""

    def __init__(self) -> None:
        super().__init__()
        self._foreign = ("", 0)
        self._message: list[str] = []
        self._room = _MESSAGE
        self._in_message = True
        self._detail_size = 0

    def feed(self, line: str) -> None:
        if self._detail_size < DETAIL_LIMIT:
            self._detail.append(line[:500])
            self._detail_size += len(line) + 1
        text = line.strip()
        if not text:
            return
        if text.startswith(("at ", "❯ ", "› ")):
            if self._frame(text):
                return
        elif _CODE_FRAME.match(text):
            self._in_message = False
            return
        if not self.exception and (match := _TYPE.match(text)):
            self.exception = match[1]
            text = match[3] or text
        if self._in_message and self._room > 0:
            self._message.append(text[: self._room])
            self._room -= len(text) + 1

    def _frame(self, text: str) -> bool:
        """Read ``at name (file:9:23)``, ``❯ file:9:23``, ``› file://file:9:5``, ``at file:9``."""
        place = text[2:].strip().rstrip(")").rpartition("(")[2] or text
        file, _, last = place.rpartition(":")
        head, _, middle = file.rpartition(":")
        if last.isdigit() and middle.isdigit() and len(middle) < 10 and head:
            file, number = head, int(middle)
        elif last.isdigit() and len(last) < 10 and file:
            number = int(last)
        else:
            foreign = any(part in text for part in _FOREIGN)
            self._in_message = self._in_message and not foreign
            return foreign
        self._in_message = False
        file = file.rpartition(" ")[2].removeprefix("async ").removeprefix("file://")
        if any(part in file for part in _FOREIGN):
            self._foreign = self._foreign if self._foreign[0] else (file, number)
        elif not self.file:
            self.file, self.line = file, number
        return True

    @property
    def placed(self) -> bool:
        """Whether a stack frame was seen."""
        return bool(self.file or self._foreign[0])

    @property
    def message(self) -> str:
        return "\n".join(self._message).strip()

    def place(self) -> str:
        """Return the file that a loader prints on a line before the error: ``/repo/tests/a.test.js:9``."""
        first = self._message[0] if self._message else ""
        file, _, number = first.rpartition(":")
        return file if number.isdigit() and " " not in file else ""

    def build_error(self, file: str) -> BuildError:
        return BuildError(
            self.message or f"{file} could not be loaded",
            file or self.file,
            self.line if not file or self.file.endswith(file) else 0,
            self.exception,
            "\n".join(self._detail),
        )

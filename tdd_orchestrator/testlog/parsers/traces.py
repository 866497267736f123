"""Parse one failure of Python, JavaScript or the JVM: the frames, the last error, and the test's own place in them."""

from __future__ import annotations

import re

from tdd_orchestrator.model.report import BuildError
from tdd_orchestrator.testlog.parsers.program import Block, FailureTrace
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


_TYPE = re.compile(
    r"^(?:Uncaught )?(?:Error: )?([A-Z]\w{0,80}(?:Error|Exception|Rejection)"
    r"|Error)(?: \[(\w{1,80})\])?(?:: (.*))?$"
)
_CODE_FRAME = re.compile(r"^>? *\d* \|(?: |$)|^\d+\|(?: |$)|^\|(?: |$)")
_FOREIGN = ("node_modules/", "node:", "internal/", "<anonymous>", "webpack:", "(native", "<Jasmine>")
_MESSAGE = 800


_TYPESCRIPT = re.compile(
    r"(\S{1,300}\.[cm]?tsx?)(?::(\d{1,9}):\d{1,9} -|\((\d{1,9}),\d{1,9}\):) error TS\d{1,9}: "
)


class JsTrace(FailureTrace):
    """Reads the lines of a failure into ``message``, ``exception``, ``file`` and ``line``."""

    def __init__(self) -> None:
        super().__init__()
        self._foreign = ("", 0)
        self._compiled = ("", 0)  # where TypeScript's compiler found the first error, if that is what it says
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
        if not self._compiled[0] and (match := _TYPESCRIPT.match(text)):
            self._compiled = match[1], int(match[2] or match[3])

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
        place, line = self._compiled if self._compiled[0] else (self.file, self.line)
        return BuildError(
            self.message or f"{file} could not be loaded",
            file or place,
            line if not file or place.endswith(file) else 0,
            self.exception,
            "\n".join(self._detail),
        )


_JAVA_HEAD = re.compile(r"(?P<type>(?:[a-zA-Z_$][\w$]*\.)*[A-Z_$][\w$]*)(?:: (?P<message>.*)|:)?$")
_JAVA_FRAME = re.compile(
    r"(?:at )?(?:[\w.@-]*//?)?(?P<method>[\w.$<>/ -]{1,300})\((?P<file>[^():\s]+\.(?:java|kt|scala"
    r"|groovy|clj)):(?P<line>\d{1,9})\)"
)
_JAVA_SHORT = re.compile(
    r"(?P<type>[\w.$]+) at (?P<file>[\w$]+\.(?:java|kt|scala|groovy)):(?P<line>\d{1,9})$"
)
_JAVA_FOREIGN = (
    "java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit.", "org.hamcrest.", "org.opentest4j.",
    "org.testng.", "org.assertj.", "org.mockito.", "org.apache.maven.", "org.gradle.", "kotlin.", "kotlinx.",
    "scala.",
    "org.scalatest.", "munit.", "sbt.", "groovy.", "org.codehaus.groovy.", "org.spockframework.", "clojure.",
    "com.google.common.truth.", "io.kotest.", "worker.org.gradle.", "org.apache.groovy.",
)  # fmt: skip


class JavaTrace(FailureTrace):
    """Parses one failure's text line by line; ``owner``: the test's class, if known."""

    def __init__(self, owner: str = "") -> None:
        super().__init__()
        self.owner = owner
        self._block = Block()
        self._cause = ""
        self._framed = self._exact = False

    def feed(self, text: str) -> None:
        text = text.strip()
        if not text:
            if not self._framed and self.exception:
                self._block.add("")
            return
        short = _JAVA_SHORT.match(text)
        if short:
            self.exception = self.exception or short["type"]
            self.file, self.line = self.file or short["file"], self.line or int(short["line"])
            return
        frame = _JAVA_FRAME.match(text)
        if frame and (text.startswith("at ") or "." in frame["method"]):
            self._frame(frame)
        elif text.startswith("Caused by: "):
            self._cause = self._cause or text[11:].partition(": ")[2]
            self._framed = True
        elif text.startswith(("at ", "... ", "[...]", "Suppressed: ")) or text.endswith(
            ("(Native Method)", "(Unknown Source)", "(<generated>)")
        ):
            self._framed = True
        elif not self._framed:
            self._add_message(text)

    def _add_message(self, text: str) -> None:
        head = _JAVA_HEAD.match(text) if not self.exception else None
        if head:
            self.exception = head["type"]
            text = head["message"] or ""
        if text:
            self._block.add(text)

    def _frame(self, frame: re.Match[str]) -> None:
        self._framed = True
        method = frame["method"].split("/")[-1].strip()
        own = bool(self.owner) and (method.startswith((f"{self.owner}.", f"{self.owner}$")))
        if self._exact or (self.line and not own):
            return
        if own or not method.startswith(_JAVA_FOREIGN):
            self.file, self.line, self._exact = frame["file"], int(frame["line"]), own

    @property
    def message(self) -> str:
        return self._block.text() or self._cause or self.exception

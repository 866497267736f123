"""Parse JVM stack traces: type, message, and the first frame of the project."""

from __future__ import annotations

import re

from tdd_orchestrator.testlog.parsers.gather import Block, FailureTrace

HEAD = re.compile(r"(?P<type>(?:[a-zA-Z_$][\w$]*\.)*[A-Z_$][\w$]*)(?:: (?P<message>.*)|:)?$")
_FRAME = re.compile(
    r"(?:at )?(?:[\w.@-]*//?)?(?P<method>[\w.$<>/ -]{1,300})\((?P<file>[^():\s]+\.(?:java|kt|scala"
    r"|groovy|clj)):(?P<line>\d{1,9})\)"
)
_SHORT = re.compile(r"(?P<type>[\w.$]+) at (?P<file>[\w$]+\.(?:java|kt|scala|groovy)):(?P<line>\d{1,9})$")
_FOREIGN = (
    "java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit.", "org.hamcrest.", "org.opentest4j.",
    "org.testng.", "org.assertj.", "org.mockito.", "org.apache.maven.", "org.gradle.", "kotlin.", "kotlinx.",
    "scala.",
    "org.scalatest.", "munit.", "sbt.", "groovy.", "org.codehaus.groovy.", "org.spockframework.", "clojure.",
    "com.google.common.truth.", "io.kotest.", "worker.org.gradle.", "org.apache.groovy.",
)  # fmt: skip


class Trace(FailureTrace):
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
        short = _SHORT.match(text)
        if short:
            self.exception = self.exception or short["type"]
            self.file, self.line = self.file or short["file"], self.line or int(short["line"])
            return
        frame = _FRAME.match(text)
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
        head = HEAD.match(text) if not self.exception else None
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
        if own or not method.startswith(_FOREIGN):
            self.file, self.line, self._exact = frame["file"], int(frame["line"]), own

    @property
    def message(self) -> str:
        return self._block.text() or self._cause or self.exception

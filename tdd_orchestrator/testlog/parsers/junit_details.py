"""Read the details of the JUnit 5 console launcher (``--details=flat`` or ``verbose``)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.testlog.parsers.java_trace import Trace

_FLAT = re.compile(r"(?P<status>Started|Finished|Skipped): +(?P<name>.*) \((?P<id>\[engine:.*\])\)$")
_EXCEPTION = re.compile(r"[│| ]* caught: (?P<text>.+)| {13}=> Exception: (?P<flat>.+)")
_FACT = re.compile(r"[│| ]* (?P<key>uniqueId|duration|status): (?P<value>.*)$")
_NODE = re.compile(r"[│|' `+├└─-]*(?:─|--) (?P<name>.+)$")
_PART = re.compile(r"\[(?P<kind>[a-z-]+):(?P<value>[^\]]*)\]")
_ABORTED = ("TestAbortedException", "AssumptionViolatedException")


@dataclass(slots=True)
class Failure:
    path: str  # as in the list of failures of other details
    method: str
    trace: Trace


class Details:
    """Collects failures; in flat details only the exception's type tells a failed test from an aborted
    one."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self._name = self._id = ""
        self._trace: Trace | None = None

    def feed(self, line: str) -> bool:
        """Read a line; True if it belongs to the details."""
        if match := _FLAT.match(line):
            self._name, self._id, self._trace = match["name"], match["id"], None
        elif match := _EXCEPTION.match(line):
            self._trace = Trace()
            self._trace.feed(match["text"] or match["flat"])
            if match["flat"] and not self._trace.exception.endswith(_ABORTED):
                self._failed()
        elif match := _FACT.match(line):
            self._fact(match["key"], match["value"])
        elif self._trace is not None and not _NODE.match(line):
            self._trace.feed(line.lstrip("│| "))
        else:
            return self._node(line)
        return True

    def _node(self, line: str) -> bool:
        self._trace = None
        match = _NODE.match(line)
        if match and not match["name"].endswith(" ms."):
            self._name = match["name"]
        return False

    def _fact(self, key: str, value: str) -> None:
        if key == "uniqueId":
            self._id = value
        elif key == "status" and value.endswith("FAILED"):
            self._failed()
            self._trace = None

    def _failed(self) -> None:
        parts = [(match["kind"], match["value"]) for match in _PART.finditer(self._id)]
        methods = [
            value for kind, value in parts if kind.startswith(("method", "test-template", "test-factory"))
        ]
        if not methods or self._trace is None:
            return  # a class or an engine: containers are counted apart
        owner = next((value for kind, value in parts if kind == "class"), "")
        self._trace.owner = owner
        between = methods[:1] if len(parts) and parts[-1][0] not in ("method", "test-template") else []
        path = ":".join([owner, *between, self._name])
        self.failures.append(Failure(path, methods[0].partition("(")[0], self._trace))

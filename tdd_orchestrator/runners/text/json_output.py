"""A JSON report that a runner printed on its standard output, between whatever else there was."""

from __future__ import annotations

import json

from tdd_orchestrator.runners.formats.json_reports import from_json
from tdd_orchestrator.runners.reading import Reading, TextRow, signs, summed

_LIMIT = 32 << 20  # characters held


class JsonOutputReader:
    """Holds the lines from one that opens an object; at each line that may close it, the object is tried."""

    def __init__(self) -> None:
        self._done: list[Reading] = []
        self._held: list[str] = []
        self._size = 0

    def feed(self, line: str) -> None:
        if self._held:
            self._held.append(line)
            self._size += len(line)
            if line.startswith("}"):
                self._try(line)
            elif self._size > _LIMIT:
                self._drop()
        elif line.startswith("{"):
            self._held, self._size = [line], len(line)
            if line.rstrip().endswith("}"):
                self._try(line)

    def _try(self, line: str) -> None:
        try:
            found = from_json(json.loads("\n".join(self._held)))
        except (ValueError, RecursionError):
            if len(self._held) == 1:
                self._drop()
            return
        if found:
            self._done.append(found[1])
        self._drop()

    def _drop(self) -> None:
        self._held, self._size = [], 0

    def finish(self) -> Reading:
        if self._held and not self._done and self._size > 200:
            self._done.append(Reading(started=True))
        return summed(self._done) if self._done else Reading()


ROWS = (
    TextRow(
        "json",
        "any",
        JsonOutputReader,
        signs(
            r'^\{"(?:numFailedTestSuites|numTotalTestSuites|stats|config|results)":',
            r'^  "(?:stats|numTotalTests|numFailedTests|testResults|suites|results|failures)": ',
        ),
        weight=1,
    ),
)

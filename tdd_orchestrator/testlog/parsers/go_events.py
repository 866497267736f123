"""Filter the output of passed tests from the event stream of ``go test -json``; all results stay."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

FREE = 1 << 20  # bytes that pass unfiltered
_LINES = 40  # of a test's output kept from its beginning, and as many from its end
_FOLLOWED = 400  # lines kept after one that says why the program died
_WIDTH = 2_000  # bytes of an event of output
_OPEN = 10_000  # tests at once whose output is kept
_PRINTING = 5_000  # tests that failed whose output is kept
_OUTPUT = b'"Output":"'
_ENDS = (b"fail", b"pass", b"skip", b"benc")
_CAUSES = (
    b"panic: ", b"fatal error: ", b"SIG", b"signal: ", b"exit status ", b"PASS", b"FAIL", b"ok  ", b"? ",
)  # fmt: skip


@dataclass(slots=True)
class _Output:
    """The output of one test, or of one package beside its tests."""

    first: list[bytes] = field(default_factory=list)
    last: deque[bytes] = field(default_factory=lambda: deque(maxlen=_LINES))
    followed: int = 0  # lines still to pass unfiltered

    def add(self, line: bytes) -> None:
        (self.first if len(self.first) < _LINES else self.last).append(line)

    def take(self) -> Sequence[bytes]:
        lines = list(chain(self.first, self.last))
        self.first, self.last = [], deque(maxlen=_LINES)
        return lines


class GoEvents:
    """Withholds the output of running tests; for a failed test it is emitted before its end event."""

    def __init__(self) -> None:
        self._free = FREE
        self._outputs: dict[bytes, _Output] = {}  # by package and test, as they stand in the events
        self._printing = _PRINTING

    def filter_block(self, block: bytes) -> bytes:
        """Return the block's results and other lines. A block ends at a line's end."""
        if self._free > 0:
            self._free -= len(block)
            return block
        if b'"Action":"' not in block:
            return block
        passed_on: list[bytes] = []
        for line in block.split(b"\n"):
            at = line.find(b'"Action":"', 0, 100) if line[:1] == b"{" else -1
            if at < 0:
                passed_on.append(line)
            elif line.startswith(b"output", at + 10):
                self._output(line, at, passed_on)
            else:
                self._event(line, at, passed_on)
        return b"\n".join(passed_on)

    def _output(self, line: bytes, at: int, passed_on: list[bytes]) -> None:
        begin = line.find(b'"Package":"', at)
        end = line.find(_OUTPUT, at)
        if end < 0:
            passed_on.append(line)
            return
        key = line[begin:end] if begin >= 0 else b""
        output = self._outputs.get(key)
        if output is None:
            output = _Output()
            if len(self._outputs) < _OPEN:
                self._outputs[key] = output
        if line.startswith(_CAUSES, end + len(_OUTPUT)):
            passed_on += output.take()
            output.followed = _FOLLOWED
        if output.followed:
            output.followed -= 1
            passed_on.append(line)
        elif len(line) <= _WIDTH:
            output.add(line)

    def _event(self, line: bytes, at: int, passed_on: list[bytes]) -> None:
        if line.startswith((b"pause", b"cont"), at + 10):
            return
        if line[at + 10 : at + 14] in _ENDS:
            begin, end = line.find(b'"Package":"', at), line.find(b'"Elapsed":', at)
            output = self._outputs.pop(line[begin:end] if end >= 0 else line[begin:-1] + b",", None)
            if output is not None and line.startswith(b"fail", at + 10) and self._printing:
                self._printing -= 1
                passed_on += output.take()
        passed_on.append(line)

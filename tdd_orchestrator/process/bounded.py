"""Limits and result of a program's run; its output, bounded in memory and on disk."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds (0 = none) for ``timeout`` and ``idle``; bytes for the rest: in memory, and on disk. The program is
    ended once ``stop`` is set."""

    timeout: float = 0.0
    idle: float = 0.0
    head: int = 1 << 20
    tail: int = 1 << 20
    log: int = 64 << 20
    stop: threading.Event | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ran, or did not start (``error`` says why). ``exit_code`` is 128+n for signal n."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: str = ""  # "" | wall | idle | stop
    error: str = ""
    seconds: float = 0.0
    cut: int = 0  # bytes of standard output that were not kept in memory
    orphans: int = 0

    @property
    def signal(self) -> int:
        return self.exit_code - 128 if self.exit_code is not None and 128 < self.exit_code < 193 else 0


class Bounded:
    """Head and tail of a stream in memory; head and tail of a larger one on disk."""

    def __init__(self, limits: Limits, log: Path | None) -> None:
        self._head, self._room = bytearray(), limits.head
        self._tail: deque[bytes] = deque()
        self._tail_size, self._tail_room = 0, limits.tail
        self.total = 0
        self._log: BinaryIO | None = log.open("wb") if log else None
        self._log_room = limits.log // 2
        self._log_tail: deque[bytes] = deque()
        self._log_tail_size, self._log_tail_room, self._log_cut = 0, limits.log // 2, 0

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        if self._log:
            self._feed_log(data)
        if self._room:
            self._head += data[: self._room]
            data, self._room = data[self._room :], max(0, self._room - len(data))
        if data:
            self._tail.append(data)
            self._tail_size += len(data)
            while self._tail_size - len(self._tail[0]) >= self._tail_room:
                self._tail_size -= len(self._tail.popleft())

    def _feed_log(self, data: bytes) -> None:
        assert self._log is not None
        if self._log_room:
            self._log.write(data[: self._log_room])
            data, self._log_room = data[self._log_room :], max(0, self._log_room - len(data))
        if data:
            self._log_tail.append(data)
            self._log_tail_size += len(data)
            while self._log_tail_size - len(self._log_tail[0]) >= self._log_tail_room:
                dropped = self._log_tail.popleft()
                self._log_tail_size -= len(dropped)
                self._log_cut += len(dropped)

    def close(self) -> tuple[bytes, int]:
        if self._log:
            if self._log_cut:
                self._log.write(b"\n[... %d bytes cut ...]\n" % self._log_cut)
            for piece in self._log_tail:
                self._log.write(piece)
            self._log.close()
        cut = self.total - len(self._head) - self._tail_size
        note = b"\n[... %d bytes cut ...]\n" % cut if cut else b""
        return bytes(self._head) + note + b"".join(self._tail), cut

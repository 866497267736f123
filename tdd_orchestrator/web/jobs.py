"""Commands that the page starts: the same `tdd` as in a terminal, in a process of its own, its output kept,
bounded."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tdd_orchestrator import process
from tdd_orchestrator.model.errors import Busy, Refused
from tdd_orchestrator.text import plain

_LINES = 400  # of output that are kept
_LINE = 2_000  # characters of one
_KEPT = 20  # jobs that are remembered
_ENDING = 8.0  # seconds that a job has to end when the dashboard ends


@dataclass
class Job:
    """``exit_code`` is None while it runs. ``changes`` counts the lines, so that a page knows when to look
    again."""

    id: int
    name: str
    words: tuple[str, ...]
    started: float
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES))
    exit_code: int | None = None
    changes: int = 0

    @property
    def running(self) -> bool:
        return self.exit_code is None

    @property
    def command(self) -> str:
        return " ".join(("tdd", *self.words))

    @property
    def meaning(self) -> str:
        if self.exit_code is None:
            return "running"
        return _MEANINGS.get(self.exit_code, f"ended with exit code {self.exit_code}")


_MEANINGS = {0: "done", 1: "not proven; what stands is known-good", 2: "refused", 3: "waiting for you",
    4: "paused",
             5: "another orchestrator works here", 130: "interrupted, can be resumed"}  # fmt: skip


class Jobs:
    """One at a time in one repository; the run lock would let no second one work."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs: dict[int, Job] = {}
        self._children: dict[int, subprocess.Popen[bytes]] = {}
        self._followers: deque[threading.Thread] = deque(maxlen=1)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def all(self) -> list[Job]:
        """Newest first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.id)

    def get(self, number: int) -> Job | None:
        with self._lock:
            return self._jobs.get(number)

    @property
    def changes(self) -> int:
        """Grows with every line and every end."""
        return sum(job.changes for job in self.all())

    def start(self, name: str, words: Sequence[str]) -> Job:
        """Run ``tdd WORDS`` in the repository. Busy where a job runs there already; an abort interrupts it."""
        if name == "abort":
            self.interrupt()
        with self._lock:
            if running := next((job for job in self._jobs.values() if job.running), None):
                raise Busy(f"'{running.command}' is still running here.", "Wait until it ends.")
            argv = [sys.executable, "-P", "-m", "tdd_orchestrator", "--no-input", *words]
            try:
                child = process.start(
                    argv, cwd=self._folder, env={**os.environ, "NO_COLOR": "1"}, stdin=False
                )
            except OSError as error:
                raise Refused(f"The command cannot be started: {error.strerror}.") from error
            job = Job(next(self._numbers), name, tuple(words), time.time())
            self._jobs[job.id], self._children[job.id] = job, child
            for old in sorted(self._jobs)[:-_KEPT]:
                del self._jobs[old]
        follower = threading.Thread(target=self._follow, args=(job, child), daemon=True)
        self._followers.append(follower)
        follower.start()
        return job

    def interrupt(self) -> None:
        """End what runs, as Ctrl-C would; it can be resumed."""
        with self._lock:
            children = list(self._children.values())
        for child in children:
            with suppress(OSError):
                child.send_signal(signal.SIGINT)
        for child in children:
            with suppress(subprocess.TimeoutExpired):
                child.wait(_ENDING)
        for thread in list(self._followers):
            thread.join(_ENDING)

    def _follow(self, job: Job, child: subprocess.Popen[bytes]) -> None:
        assert child.stdout is not None
        assert child.stderr is not None
        other = threading.Thread(target=_collect, args=(job, child.stderr), daemon=True)
        other.start()
        _collect(job, child.stdout)
        code = child.wait()
        other.join(1.0)
        with self._lock:
            self._children.pop(job.id, None)
        job.exit_code = code if code >= 0 else 128 - code
        job.changes += 1


def _collect(job: Job, stream: IO[bytes]) -> None:
    with stream:
        while line := stream.readline(_LINE):
            text = plain(line.decode("utf-8", "replace")).rstrip()
            if text:
                job.lines.append(text)
                job.changes += 1

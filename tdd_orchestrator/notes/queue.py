"""Writers of ours take turns; against all others there is compare-and-swap, and some patience."""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tdd_orchestrator.repo.git import Git

TRIES = 10
_PATIENCE = 10.0  # seconds to wait for one's turn before the race is left to compare-and-swap


def pause(attempt: int) -> float:
    """Seconds to wait after a lost race, by chance, longer each time up to 160 ms."""
    return random.uniform(0.001, 0.01 * 2 ** min(attempt, 4))


@contextmanager
def queue(git: Git) -> Iterator[bool]:
    """One writer of ours at a time in this repository: flock on ``<common git dir>/tdd/notes``, freed by a
    kill. False where patience was over before the turn came."""
    path = git.common_dir / "tdd" / "notes"
    path.parent.mkdir(exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        begun, turn = time.monotonic(), False
        while (waited := time.monotonic() - begun) < _PATIENCE:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                turn = True
                break
            except BlockingIOError:
                time.sleep(random.uniform(0.5, 1.0) * min(0.001 + waited / 8, 0.01))
        yield turn
    finally:
        os.close(descriptor)

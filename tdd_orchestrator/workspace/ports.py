"""Give each running orchestrator on this machine its own port: fifteen slots with file locks (F1)."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tdd_orchestrator.model.errors import Paused

FIRST, SLOTS = 43110, 15


@contextmanager
def slot(folder: Path) -> Iterator[int]:
    """Yield the first port whose slot is unlocked and that is free. Raises Paused if there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    for port in range(FIRST, FIRST + SLOTS):
        descriptor = os.open(folder / str(port), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _free(port):
                yield port
                return
        except BlockingIOError:
            continue
        finally:
            os.close(descriptor)
    raise Paused(
        f"No port is free: all {SLOTS} slots ({FIRST} to {FIRST + SLOTS - 1}) are taken (a resource error).",
        "End an orchestrator or a server that holds one, then run the same command again.",
    )


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True

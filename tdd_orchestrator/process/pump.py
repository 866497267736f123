"""Move bytes between us and a child until it has exited, or a limit is reached."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Callable

from tdd_orchestrator.process.bounded import Bounded, Limits

_CHUNK = 1 << 16
_DRAIN = 0.5  # seconds that a pipe is read on after its owner's exit


def pump(
    child: subprocess.Popen[bytes],
    stdin: bytes | None,
    out: Bounded,
    err: Bounded,
    limits: Limits,
    started: float,
    on_output: Callable[[bytes], None] | None,
) -> str:
    """Move bytes until the child has exited; return which limit ended it, or nothing."""
    last = started
    exited_at: float | None = None
    with selectors.DefaultSelector() as selector:
        for stream, sink in ((child.stdout, out), (child.stderr, err)):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ, sink)
        pending = memoryview(stdin or b"")
        if child.stdin is not None:
            os.set_blocking(child.stdin.fileno(), False)
            selector.register(child.stdin, selectors.EVENT_WRITE, None)
        while True:
            now = time.monotonic()
            if exited_at is None and child.poll() is not None:
                exited_at = now
            if exited_at is not None and (not selector.get_map() or now - exited_at > _DRAIN):
                return ""
            if exited_at is None and limits.timeout and now - started > limits.timeout:
                return "wall"
            if exited_at is None and limits.idle and now - last > limits.idle:
                return "idle"
            if exited_at is None and limits.stop is not None and limits.stop.is_set():
                return "stop"
            if not selector.get_map():
                _wait_briefly(child)
                continue
            moved = False
            for key, _ in selector.select(0.02 if exited_at else 0.05):
                if key.data is None:
                    pending = _feed_stdin(child, selector, pending)
                    continue
                data = _read(key.fd)
                if data is None:
                    continue
                if not data:
                    selector.unregister(key.fileobj)
                    continue
                moved, last = True, time.monotonic()
                key.data.feed(data)
                if on_output and key.data is out:
                    on_output(data)
            if exited_at is not None and not moved and not _readable(selector):
                return ""


def _readable(selector: selectors.BaseSelector) -> bool:
    return any(key.data is not None for key, _ in selector.select(0))


def _wait_briefly(child: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(0.05)


def _read(descriptor: int) -> bytes | None:
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _feed_stdin(
    child: subprocess.Popen[bytes], selector: selectors.BaseSelector, pending: memoryview
) -> memoryview:
    assert child.stdin is not None
    try:
        pending = pending[os.write(child.stdin.fileno(), pending[:_CHUNK]) :] if pending else pending
    except BlockingIOError:
        return pending
    except OSError:  # the child does not read its input: its own affair
        pending = pending[:0]
    if not pending:
        selector.unregister(child.stdin)
        with contextlib.suppress(OSError):
            child.stdin.close()
    return pending

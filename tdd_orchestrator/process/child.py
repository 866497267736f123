"""Move bytes between us and a child until it has exited, or a limit is reached; keep both ends of its output.
End its process group and what left it, found by an environment variable; delay signals meanwhile."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tdd_orchestrator.model.errors import raise_if_of_machine


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
    """Head and tail of a stream in memory; head and tail of a larger one on disk. ``tell`` gets its bytes as they come."""

    def __init__(self, limits: Limits, log: Path | None, tell: Callable[[bytes], None] | None) -> None:
        self._tell = tell
        self._head, self._room = bytearray(), limits.head
        self._tail: deque[bytes] = deque()
        self._tail_size, self._tail_room = 0, limits.tail
        self.total = 0
        self._log: BinaryIO | None = log.open("wb") if log else None
        self._log_room = limits.log // 2
        self._log_tail: deque[bytes] = deque()
        self._log_tail_size, self._log_tail_room, self._log_cut = 0, limits.log // 2, 0

    def feed(self, data: bytes) -> None:
        self._keep(data)
        if self._tell:
            self._tell(data)

    def _keep(self, data: bytes) -> None:
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


_CHUNK = 1 << 16
_DRAIN = 0.5  # seconds that a pipe is read on after its owner's exit
# A program that writes dot by dot is read every so many seconds, once so many pieces in a row were small.
_PIECES, _SMALL, _GATHER = 100, 64, 0.005


def pump(
    child: subprocess.Popen[bytes], stdin: bytes | None, out: Bounded, err: Bounded, limits: Limits
) -> str:
    """Move bytes until the child has exited; return which limit ended it, or nothing."""
    started = last = time.monotonic()
    exited_at: float | None = None
    pieces = 0
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
                pieces = pieces + 1 if len(data) < _SMALL else 0
                key.data.feed(data)
            if moved and pieces > _PIECES and exited_at is None:
                time.sleep(_GATHER)
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


_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def shielded() -> Iterator[None]:
    """Signals that would raise here wait until the end of the stretch, which must be short; then the first is
    raised.

    Those that nobody handles, or that are ignored, are left as they are. Only the main thread is ever
    interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[int] = []
    handled = {number: handler for number in _INTERRUPTS if callable(handler := signal.getsignal(number))}
    for number in handled:
        signal.signal(number, lambda number, _: pending.append(number))
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
        if pending:
            signal.raise_signal(signal.Signals(pending[0]))


COOKIE = "TDD_COOKIE"
_LOOKS = 20
_GRACE = 2.0  # seconds between SIGTERM and SIGKILL


def end_group(child: subprocess.Popen[bytes]) -> None:
    """SIGTERM to the group, a grace, SIGKILL; then reap the child."""
    for number, patience in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, 10.0)):
        if not _group_alive(child.pid):
            break
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, number)
        until = time.monotonic() + patience
        while time.monotonic() < until and _group_alive(child.pid):
            child.poll()
            time.sleep(0.005)
    child.wait()
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def sweep(run_marker: str) -> int:
    """End every process whose environment carries ``TDD_COOKIE=cookie`` or a marker made from it
    (``cookie.2``); return how many. OSError where the machine did not let us look, not once in as many
    times."""
    found = 0
    if not run_marker:
        return found
    for left in reversed(range(_LOOKS)):
        try:
            pids = _marked(run_marker)
        except OSError:
            if not left:
                raise
            time.sleep(0.005)
            continue
        if not pids:
            break
        found = max(found, len(pids))
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
        for pid in pids:  # these alone: another thread waits for its own child
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return found


def _marked(run_marker: str) -> list[int]:
    own = os.getpid()
    if sys.platform == "linux":
        return [
            pid for pid in _proc_pids() if pid != own and _carries(pid, f"{COOKIE}={run_marker}".encode())
        ]
    import psutil

    marked = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            marker = process.environ().get(COOKIE, "")
            if process.pid != own and (marker == run_marker or marker.startswith(f"{run_marker}.")):
                marked.append(process.pid)
    return marked


def works_in(program: str, folder: Path) -> bool:
    """Whether a program of this name, not started by us, lives in ``folder``, or in one that may not be asked
    for."""
    import psutil

    real, own = folder.resolve(), os.getpid()
    for found in psutil.process_iter(["name", "ppid"]):
        if found.info["name"] != program or found.info["ppid"] == own:
            continue
        with contextlib.suppress(psutil.NoSuchProcess):
            try:
                if Path(found.cwd()).is_relative_to(real):
                    return True
            except psutil.AccessDenied:
                return True
    return False


def _proc_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _carries(pid: int, mark: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environment = file.read(1 << 20)
    except OSError as error:
        raise_if_of_machine(error)
        return False
    if f"\0{COOKIE}=".encode() not in b"\0" + environment:
        return False
    return any(one == mark or one.startswith(mark + b".") for one in environment.split(b"\0"))

"""End process groups and what left them, found by an environment variable; delay signals meanwhile."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tdd_orchestrator.model.errors import raise_if_of_machine

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

"""The only place that starts programs: groups ended whole, stragglers found, output bounded.

The end of a run is the child's exit, not the end of its pipe: a grandchild may hold the pipe open for ever.
Processes that left the group (``setsid``) are found by an environment cookie and ended too.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

COOKIE = "TDD_COOKIE"
_CHUNK = 1 << 16
_GRACE = 2.0  # seconds between SIGTERM and SIGKILL
_DRAIN = 0.5  # seconds that a pipe is read on after its owner's exit


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds (0 = none) for ``timeout`` and ``idle``; bytes for the rest: in memory, and on disk."""

    timeout: float = 0.0
    idle: float = 0.0
    head: int = 1 << 20
    tail: int = 1 << 20
    log: int = 64 << 20


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that ran, or did not start (``error`` says why). ``exit_code`` is 128+n for signal n."""

    argv: tuple[str, ...]
    exit_code: int | None
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: str = ""  # "" | wall | idle
    error: str = ""
    seconds: float = 0.0
    cut: int = 0  # bytes of standard output that were not kept in memory
    stragglers: int = 0

    @property
    def signal(self) -> int:
        return self.exit_code - 128 if self.exit_code is not None and 128 < self.exit_code < 193 else 0


class _Bounded:
    """Head and tail of a stream in memory; head and tail of a larger one on disk."""

    def __init__(self, limits: Limits, log: Path | None) -> None:
        self._head, self._room = bytearray(), limits.head
        self._tail: deque[bytes] = deque()
        self._held, self._tail_room = 0, limits.tail
        self.total = 0
        self._log: BinaryIO | None = log.open("wb") if log else None
        self._log_room = limits.log // 2
        self._log_tail: deque[bytes] = deque()
        self._log_held, self._log_tail_room, self._log_cut = 0, limits.log // 2, 0

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        if self._log:
            self._feed_log(data)
        if self._room:
            self._head += data[: self._room]
            data, self._room = data[self._room :], max(0, self._room - len(data))
        if data:
            self._tail.append(data)
            self._held += len(data)
            while self._held - len(self._tail[0]) >= self._tail_room:
                self._held -= len(self._tail.popleft())

    def _feed_log(self, data: bytes) -> None:
        assert self._log is not None
        if self._log_room:
            self._log.write(data[: self._log_room])
            data, self._log_room = data[self._log_room :], max(0, self._log_room - len(data))
        if data:
            self._log_tail.append(data)
            self._log_held += len(data)
            while self._log_held - len(self._log_tail[0]) >= self._log_tail_room:
                gone = self._log_tail.popleft()
                self._log_held -= len(gone)
                self._log_cut += len(gone)

    def close(self) -> tuple[bytes, int]:
        if self._log:
            if self._log_cut:
                self._log.write(b"\n[... %d bytes cut ...]\n" % self._log_cut)
            for piece in self._log_tail:
                self._log.write(piece)
            self._log.close()
        cut = self.total - len(self._head) - self._held
        note = b"\n[... %d bytes cut ...]\n" % cut if cut else b""
        return bytes(self._head) + note + b"".join(self._tail), cut


def run(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    limits: Limits | None = None,
    log: Path | None = None,
    merge: bool = False,
    cookie: str = "",
    on_output: Callable[[bytes], None] | None = None,
) -> Finished:
    """Run a program to its end, or to a limit. Never raises for what the program does.

    ``merge`` puts standard error into standard output (what a terminal would show); ``log`` receives standard
    output, size-capped; ``cookie`` marks the environment so that :func:`sweep` finds what outlives the child.
    """
    limits = limits or Limits()
    environment = dict(os.environ if env is None else env)
    if cookie:
        environment[COOKIE] = cookie
    begun = time.monotonic()
    try:
        child = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else subprocess.PIPE,
            start_new_session=True,
            preexec_fn=_dying_with_parent() if cookie else None,
        )
    except (OSError, ValueError) as error:
        return Finished(tuple(argv), None, error=_why_not_started(argv, error))
    out, err = _Bounded(limits, log), _Bounded(Limits(head=limits.head, tail=limits.tail), None)
    timed_out = ""
    try:
        timed_out = _pump(child, stdin, out, err, limits, begun, on_output)
    finally:
        _end_group(child)
        stragglers = sweep(cookie) if cookie else 0
    stdout, cut = out.close()
    code = child.returncode
    return Finished(
        tuple(argv),
        code if code >= 0 else 128 - code,
        stdout,
        err.close()[0],
        timed_out,
        seconds=time.monotonic() - begun,
        cut=cut,
        stragglers=stragglers,
    )


def quick(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    keep: Sequence[int] = (),
    timeout: float = 0.0,
) -> Finished:
    """A short program that we trust (git), by the cheapest path: all its output is kept in memory.

    It has a session of its own, so that Ctrl-C cannot stop it half-way and nothing can ask at the terminal.
    ``keep`` are descriptors that it inherits; at ``timeout`` (seconds, 0 = none) its group is ended.
    """
    try:
        child = start(argv, cwd=cwd, env=env, keep=keep, stdin=bool(stdin))
    except (OSError, ValueError) as error:
        return Finished(tuple(argv), None, error=_why_not_started(argv, error))
    try:
        stdout, stderr = child.communicate(stdin or None, timeout=timeout or None)
    except subprocess.TimeoutExpired:
        _end_group(child)
        return Finished(
            tuple(argv), 128 - child.returncode, timed_out="wall", error=f"no answer in {timeout:g} s"
        )
    except BaseException:
        _end_group(child)
        raise
    code = child.returncode
    return Finished(tuple(argv), code if code >= 0 else 128 - code, stdout, stderr)


def start(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    keep: Sequence[int] = (),
    stdin: bool = True,
    stderr: bool = True,
) -> subprocess.Popen[bytes]:
    """A program to talk with (``git cat-file --batch``) or to read line by line; the caller ends it.

    It must end by itself when its input closes or its output breaks, for it may outlive us. Raises OSError.
    """
    return subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=None if env is None else dict(env),
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if stderr else subprocess.DEVNULL,
        pass_fds=tuple(keep),
        start_new_session=True,
    )


def _pump(
    child: subprocess.Popen[bytes],
    stdin: bytes | None,
    out: _Bounded,
    err: _Bounded,
    limits: Limits,
    begun: float,
    on_output: Callable[[bytes], None] | None,
) -> str:
    """Move bytes until the child has exited; return which limit ended it, or nothing."""
    last = begun
    gone_at: float | None = None
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
            if gone_at is None and child.poll() is not None:
                gone_at = now
            if gone_at is not None and (not selector.get_map() or now - gone_at > _DRAIN):
                return ""
            if gone_at is None and limits.timeout and now - begun > limits.timeout:
                return "wall"
            if gone_at is None and limits.idle and now - last > limits.idle:
                return "idle"
            if not selector.get_map():
                _wait_briefly(child)
                continue
            moved = False
            for key, _ in selector.select(0.02 if gone_at else 0.05):
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
            if gone_at is not None and not moved and not _readable(selector):
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


def _end_group(child: subprocess.Popen[bytes]) -> None:
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


def sweep(cookie: str) -> int:
    """End every process whose environment carries ``TDD_COOKIE=cookie``; return how many."""
    found = 0
    if not cookie:
        return found
    for _ in range(20):
        pids = _marked(cookie)
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


def _marked(cookie: str) -> list[int]:
    own = os.getpid()
    if sys.platform == "linux":
        return [pid for pid in _proc_pids() if pid != own and _carries(pid, f"{COOKIE}={cookie}".encode())]
    import psutil

    marked = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != own and process.environ().get(COOKIE, "") == cookie:
                marked.append(process.pid)
    return marked


def works_in(program: str, folder: Path) -> bool:
    """Whether a program of this name, not started by us, lives in ``folder``, or in one that may not be asked for."""
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
    except OSError:
        return False
    return f"\0{COOKIE}=".encode() in b"\0" + environment and mark in environment.split(b"\0")


@cache
def _dying_with_parent() -> Callable[[], None] | None:
    """What a child calls before it becomes the program: the kernel ends it when we die (Linux; else nothing).

    Loaded here, in the parent: nothing may be imported between fork and exec."""
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None)

    def die_with_parent() -> None:
        library.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

    return die_with_parent


def _why_not_started(argv: Sequence[str], error: OSError | ValueError) -> str:
    name = argv[0] if argv else "(empty command)"
    if isinstance(error, FileNotFoundError):
        return f"{name}: no such program"
    return f"{name}: {getattr(error, 'strerror', None) or error}"


def attached(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> int:
    """Run a program on our own terminal, as a person at the keyboard would; its exit code comes back."""
    return subprocess.run(list(argv), cwd=cwd, env=dict(env), check=False).returncode

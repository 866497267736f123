"""Start programs, with bounded output, and end them with everything they started. The only such place.

The end of a run is the child's exit, not the end of its pipe: a grandchild may hold the pipe open for ever.
Processes that left the group (``setsid``) are found by an environment cookie and ended too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from pathlib import Path

from tdd_orchestrator.model.errors import is_of_machine
from tdd_orchestrator.process.child import (
    COOKIE,
    Bounded,
    Finished,
    Limits,
    end_group,
    pump,
    shielded,
    sweep,
    works_in,
)

__all__ = [
    "COOKIE",
    "Finished",
    "Limits",
    "Outside",
    "attached",
    "quick",
    "run",
    "start",
    "sweep",
    "works_in",
]

Outside = Callable[[], AbstractContextManager[object]]
"""A context entered while a program runs, to let others work meanwhile."""


def run(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    limits: Limits | None = None,
    log: Path | None = None,
    merge: bool = False,
    run_marker: str = "",
    on_output: Callable[[bytes], None] | None = None,
    on_error: Callable[[bytes], None] | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> Finished:
    """Run a program to its end, or to a limit. Never raises for what the program does, only for what the
    machine refuses.

    ``merge`` puts standard error into standard output (what a terminal would show); ``log`` receives standard
    output, size-capped; ``run_marker`` marks the environment so that :func:`sweep` finds what outlives the
    child. ``on_output`` and ``on_error`` get the bytes of the two streams as they come.
    ``meanwhile`` is called once the program runs: short work whose result is needed when it has ended.
    """
    limits = limits or Limits()
    environment = dict(os.environ if env is None else env) | ({COOKIE: run_marker} if run_marker else {})
    started = time.monotonic()
    child, timed_out, orphans = None, "", 0
    try:
        with shielded():
            child = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merge else subprocess.PIPE,
                start_new_session=True,
                preexec_fn=_dying_with_parent() if run_marker else None,
            )
        out = Bounded(limits, log, on_output)
        err = Bounded(Limits(head=limits.head, tail=limits.tail), None, on_error)
        if meanwhile is not None:
            meanwhile()
        timed_out = pump(child, stdin, out, err, limits)
    except (OSError, ValueError) as error:
        if child is not None or is_of_machine(error):
            raise
        return Finished(tuple(argv), None, error=_why_not_started(argv, cwd, error))
    finally:
        if child is not None:
            with shielded():
                end_group(child)
                orphans = sweep(run_marker) if run_marker else 0
    stdout, cut = out.close()
    code = child.returncode
    return Finished(
        tuple(argv),
        code if code >= 0 else 128 - code,
        stdout,
        err.close()[0],
        timed_out,
        seconds=time.monotonic() - started,
        cut=cut,
        orphans=orphans,
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
    """Run a short trusted program (git) by the fastest path; all its output is kept in memory.

    It has its own session, so that Ctrl-C cannot stop it half-way and nothing can ask at the terminal.
    ``keep``: descriptors that it inherits; at ``timeout`` (seconds, 0 = none) its group is ended.
    """
    try:
        child = start(argv, cwd=cwd, env=env, keep=keep, stdin=bool(stdin))
    except (OSError, ValueError) as error:
        if is_of_machine(error):
            raise
        return Finished(tuple(argv), None, error=_why_not_started(argv, cwd, error))
    with ExitStack() as broken_off:
        broken_off.callback(end_group, child)
        try:
            stdout, stderr = child.communicate(stdin or None, timeout=timeout or None)
        except subprocess.TimeoutExpired:
            broken_off.close()
            why = f"no answer in {timeout:g} s"
            return Finished(tuple(argv), 128 - child.returncode, timed_out="wall", error=why)
        broken_off.pop_all()
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
    """Start a program to exchange data with (``git cat-file --batch``); the caller ends it.

    It must end by itself when its input closes or its output breaks, for it may outlive us. Raises
    OSError.
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


@cache
def _dying_with_parent() -> Callable[[], None] | None:
    """Return a function for the child that makes the kernel end it when we die (Linux only).

    Prepared in the parent: nothing may be imported between fork and exec.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None)

    def die_with_parent() -> None:
        library.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

    return die_with_parent


def _why_not_started(argv: Sequence[str], cwd: Path | None, error: OSError | ValueError) -> str:
    name = argv[0] if argv else "(empty command)"
    if isinstance(error, FileNotFoundError):
        return f"{name}: no such program" if cwd is None or cwd.is_dir() else f"{cwd}: no such folder"
    return f"{name}: {getattr(error, 'strerror', None) or error}"


def attached(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> int:
    """Run a program on our own terminal, as a person at the keyboard would; return its exit code."""
    return subprocess.run(list(argv), cwd=cwd, env=dict(env), check=False).returncode

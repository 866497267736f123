"""Commands that start warm: everything is imported once, and each command is a fork of that process.

The tests start thousands of commands, and up to two thirds of a second of each would be imports. What is forked has read
nothing but modules: no configuration, no repository. ``python warm.py`` is the process that is forked; it is told in
lines of JSON on its standard input, and answers with a process id and with an exit code.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import pkgutil
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from select import select
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# what the modules of ours import only when it is needed
LATE = (
    "git",
    "psutil",
    "frontmatter",
    "jinja2.sandbox",
    "jinja2.meta",
    "platformdirs.unix",
    "uuid",
    "encodings.unicode_escape",
)


class Warm:
    """The process that is forked; ``library`` is preloaded into it and into all that it starts."""

    def __init__(self, folder: Path, library: Path | None = None) -> None:
        self.folder = folder
        self.preloaded = {"LD_PRELOAD": str(library)} if library else {}
        self._unread = b""
        self._mother = subprocess.Popen(
            [sys.executable, __file__],
            cwd="/",
            env={
                **os.environ,
                **self.preloaded,
                "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests"))),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        assert self.answer(300) == "ready"  # a thousand modules, on a busy machine

    def start(self, words: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: str = "") -> Child:
        (self.folder / "in").write_text(stdin, encoding="utf-8")
        told = {"words": words, "cwd": str(cwd), "env": {**env, **self.preloaded}, "into": str(self.folder)}
        assert self._mother.stdin is not None
        self._mother.stdin.write(json.dumps(told) + "\n")
        return Child(self, int(self.answer(60)))

    def answer(self, seconds: float) -> str:
        """One line. Both answers to a short command may come at once, so the pipe is read past any other buffer."""
        assert self._mother.stdout is not None
        while b"\n" not in self._unread:
            if not select([self._mother.stdout], [], [], seconds)[0]:
                raise subprocess.TimeoutExpired("a warm command", seconds)
            came = os.read(self._mother.stdout.fileno(), 4096)
            assert came, "the process that is forked has ended"
            self._unread += came
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def end(self) -> None:
        assert self._mother.stdin is not None
        self._mother.stdin.close()
        self._mother.wait(60)


@functools.cache
def _shared() -> Warm:
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    warm = Warm(folder)
    atexit.register(shutil.rmtree, folder)
    atexit.register(warm.end)
    return warm


_one_at_a_time = threading.Lock()


def ran(
    words: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: str = "", seconds: float = 300
) -> subprocess.CompletedProcess[str]:
    """``tdd WORDS``, as ``subprocess.run`` would give it: warm, and cold where a warm one is still at work."""
    if not _one_at_a_time.acquire(blocking=False):
        command = [sys.executable, "-m", "tdd_orchestrator", *words]
        return subprocess.run(
            command,
            cwd=cwd,
            env=env,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    try:
        child = _shared().start(words, cwd, env, stdin)
        try:
            out, err = child.communicate(seconds)
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGKILL)
            child.communicate(60)
            raise
        return subprocess.CompletedProcess(tuple(words), child.returncode, out, err)
    finally:
        _one_at_a_time.release()


class Child:
    """One command, as far as the sweeps need ``subprocess.Popen``."""

    stdout = stderr = None  # they go to files

    def __init__(self, warm: Warm, pid: int) -> None:
        self.warm, self.pid, self.returncode = warm, pid, 0

    def communicate(self, timeout: float) -> tuple[str, str]:
        self.returncode = int(self.warm.answer(timeout))
        out, err = (self.warm.folder / name for name in ("out", "err"))
        return out.read_text(errors="replace"), err.read_text(errors="replace")

    def wait(self) -> int:
        self.communicate(60)
        return self.returncode


def _begin(told: dict[str, Any]) -> None:
    """What the new process does before it is the command: its own session, streams, environment and arguments."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    into = Path(told["into"])
    for descriptor, name in ((1, into / "out"), (2, into / "err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    os.dup2(os.open(into / "in", os.O_RDONLY), 0)
    os.closerange(3, 64)
    os.environ.clear()
    os.environ.update(told["env"])
    time.tzset()
    random.seed()
    sys.argv = [str(ROOT / "tdd_orchestrator/__main__.py"), *told["words"]]
    os.chdir(told["cwd"])


def _import_all() -> None:
    import tdd_orchestrator

    names = [found.name for found in pkgutil.walk_packages(tdd_orchestrator.__path__, "tdd_orchestrator.")]
    for name in (*LATE, *names):
        if not name.endswith("__main__"):
            import_module(name)


def _command() -> int:
    """The exit code. Whoever calls leaves at once: to take a thousand modules apart would be half of a short command."""
    from tdd_orchestrator.cli.app import main

    code = 1
    try:
        main()
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    except BaseException:  # noqa: BLE001  as the interpreter does
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _serve() -> None:
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # as the command does
    _import_all()
    gc.collect()
    gc.freeze()
    os.write(1, b"ready\n")
    while line := os.read(0, 1 << 20):
        pid = os.fork()
        if not pid:
            _begin(json.loads(line))
            os._exit(_command())
        os.write(1, f"{pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        os.write(1, f"{os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    _serve()

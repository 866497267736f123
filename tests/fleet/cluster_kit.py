"""A Dask scheduler and workers of ``tdd worker`` as processes of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kit import ROOT


def waits_until(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.05)
    return False


class LocalCluster:
    """Each worker has a state folder of its own, so nothing is shared but the scheduler."""

    python_path = str(ROOT)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.start_scheduler("tcp://127.0.0.1:0")

    def start_scheduler(self, address: str) -> None:
        """Start the scheduler; one that does not hear of a worker for three seconds takes it for lost."""
        self._file = self.folder / "scheduler.json"
        self._file.unlink(missing_ok=True)
        words = ["-m", "dask", "scheduler", "--host", address, "--no-dashboard", "--no-show"]
        self.scheduler = self._start(
            [*words, "--scheduler-file", str(self._file)],
            "scheduler",
            {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "3s"},
        )
        assert waits_until(self._file.exists), self._said("scheduler")
        self.address = str(json.loads(self._file.read_text())["address"])

    def worker(self, name: str, *more: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a worker and return when the scheduler knows it."""
        words = ["-m", "tdd_orchestrator", "worker", self.address, "--name", name, *more]
        state = {"TDD_STATE_DIR": str(self.folder / name), "HOME": str(self.folder / name)}
        self.workers[name] = self._start(words, name, {**state, **(env or {})})
        assert waits_until(lambda: f"Worker {name} at" in self._said(name)), self._said(name)
        return self.workers[name]

    def at_work(self, folder: str) -> subprocess.Popen[bytes]:
        """Return the worker that an agent's folder belongs to."""
        return next(child for name, child in self.workers.items() if f"/{name}/" in folder)

    def close(self) -> None:
        for child in (*self.workers.values(), self.scheduler):
            kill(child)

    def _start(
        self, words: list[str], name: str, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                self._command(words, name),
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": self.python_path, "PYTHONUNBUFFERED": "1", **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _command(self, words: list[str], name: str) -> list[str]:
        return [sys.executable, *words]

    def _said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")


def kill(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        os.kill(child.pid, signal.SIGKILL)
    child.wait()


@contextmanager
def local_cluster(folder: Path, workers: int = 0) -> Iterator[LocalCluster]:
    cluster = LocalCluster(folder)
    try:
        for number in range(1, workers + 1):
            cluster.worker(f"w{number}")
        yield cluster
    finally:
        cluster.close()

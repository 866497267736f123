"""The run lock: one orchestrator per repository, under which stale locks of ours may be removed."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tdd_orchestrator.model.errors import Busy, Refused
from tdd_orchestrator.repo.git import Git

PATIENCE = 10.0  # seconds that the git processes of a dead orchestrator are waited for
_OWN = ("refs/tdd", "refs/notes", "refs/heads/tdd")


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds the run lock, as its file says."""

    pid: int
    host: str
    started: str
    run_marker: str


class RunLock:
    """One orchestrator per repository: flock on ``<common git dir>/tdd/run``, kept by every git child of
    ``git``.

    Holding it proves that no writer of ours, and no git child of one, lives. ``taken_over`` is the owner that
    died with it, if one did: its cookie finds the processes that outlived it. Busy says who holds it.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self.path = git.common_dir / "tdd" / "run"
        self.run_marker = os.urandom(8).hex()
        self.taken_over: Owner | None = None
        self._descriptor = -1

    def acquire(self) -> RunLock:
        self.path.parent.mkdir(exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            _lock(descriptor)
        except Busy:
            os.close(descriptor)
            raise
        self.taken_over = _owner(os.pread(descriptor, 4096, 0))
        started = datetime.now(UTC).isoformat(timespec="seconds")
        mine = {
            "pid": os.getpid(),
            "host": os.uname().nodename,
            "started": started,
            "cookie": self.run_marker,
        }
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(mine).encode(), 0)
        self._descriptor = descriptor
        self._git.keep = (*self._git.keep, descriptor)
        return self

    def release(self) -> None:
        """An emptied file is the sign of a clean end; the file itself stays (removing it would race).

        A disk that does not let it be emptied takes nothing from what was done: the next owner takes over as
        from the dead, and finds nothing left of us.
        """
        if self._descriptor < 0:
            return
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        self._git.keep = tuple(kept for kept in self._git.keep if kept != self._descriptor)
        os.close(self._descriptor)
        self._descriptor = -1

    def __enter__(self) -> RunLock:
        return self if self._descriptor >= 0 else self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def sweep_locks(self) -> list[str]:
        """Remove ref locks left by the dead in our own namespace.

        A lock younger than a second may be a living ``git notes``: it is looked at twice. Returns what went.
        """
        if self._descriptor < 0:
            raise Refused("Locks are removed only while the run lock is held.")
        removed = []
        for path in _locks(self._git.common_dir):
            if _is_stale(path):
                with suppress(FileNotFoundError):
                    path.unlink()
                    removed.append(path.relative_to(self._git.common_dir).as_posix())
        return removed


def _lock(descriptor: int) -> None:
    """Take the lock, once the git processes that a dead owner left behind have ended: it takes them a
    moment."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _owner(os.pread(descriptor, 4096, 0))
        if owner is None or _may_live(owner) or time.monotonic() > until:
            raise _busy(owner)
        time.sleep(0.02)


def owner_of(common_dir: Path) -> Owner | None:
    """Return who works in the repository now, None where nobody does. The lock itself decides: a process that was
    killed leaves its name there, and another one may have its number since."""
    try:
        with open(common_dir / "tdd" / "run", "rb") as file:
            owner = _owner(file.read(4096))
            if owner is None or not _may_live(owner):
                return None
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return owner
    except OSError:
        return None
    return None


def _may_live(owner: Owner) -> bool:
    """Whether the process is there, or cannot be asked for; one that has ended and was not waited for is
    not."""
    if owner.host != os.uname().nodename:
        return True
    try:
        os.kill(owner.pid, 0)
        _, _, rest = Path(f"/proc/{owner.pid}/stat").read_bytes().rpartition(b") ")
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return rest[:1] not in b"ZX"


def _owner(raw: bytes) -> Owner | None:
    try:
        said = json.loads(raw)
        return Owner(int(said["pid"]), str(said["host"]), str(said["started"]), str(said["cookie"]))
    except (ValueError, KeyError, TypeError):
        return None


def _busy(owner: Owner | None) -> Busy:
    if owner is None:
        return Busy("Another orchestrator works in this repository.", "Wait until it is done.")
    if not _may_live(owner):
        return Busy(
            (
                f"Process {owner.pid}, which worked in this repository since {owner.started}, has "
                "died, but git of its is still at work."
            ),
            "Wait until that is done, or end it.",
        )
    return Busy(
        (
            f"Another orchestrator works in this repository: process {owner.pid} on {owner.host}, "
            f"since {owner.started}."
        ),
        "Wait until it is done, or end it.",
    )


def _locks(common: Path) -> Iterator[Path]:
    for root in _OWN:
        for folder, _, names in os.walk(common / root):
            for name in names:
                path = Path(folder, name)
                if name.endswith(".lock") and _ours(path.relative_to(common).as_posix()):
                    yield path


def _ours(name: str) -> bool:
    return name.startswith(("refs/tdd/", "refs/heads/tdd/")) or name.startswith("refs/notes/tdd")


def _is_stale(path: Path) -> bool:
    try:
        seen = path.stat()
        if time.time() - seen.st_mtime > 1.0:
            return True
        time.sleep(0.1)
        return path.stat().st_ino == seen.st_ino
    except FileNotFoundError:
        return False

"""Refs: read, moved by compare-and-swap, and the run lock under which stale locks of ours may be removed."""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from tdd_orchestrator.model.errors import Busy, RefMoved, Refused
from tdd_orchestrator.process import Finished
from tdd_orchestrator.repo.git import Git, failed
from tdd_orchestrator.repo.reflog import damaged

Move = tuple[str, str | None, str | None]
"""(ref, new, old): ``ZERO`` as new deletes, as old means "must not exist"; None as old means "whatever it is",
as new "only verify that it is at old"."""

_OID = re.compile(rb"[0-9a-f]{40}\n?")
_NAMED = re.compile(
    r"(?:cannot lock ref|cannot update ref|unable to resolve reference|invalid ref format:?) '?([^':]+)"
)
_HURT = re.compile(
    r"couldn't (?:write|set|close)|error reading reference|unable to (?:write|append|create directory)|Unable to create (?!.*File exists)"
)
_OWN = ("refs/tdd", "refs/notes", "refs/heads/tdd")


def loose(git: Git, ref: str) -> str | None:
    """The object that the ref's own file names; None where it has no file (it is packed, or not there).

    StoreDamaged where the file holds no object name: what a power loss leaves (T44).
    """
    try:
        raw = (git.common_dir / ref).read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    if _OID.fullmatch(raw):
        return raw[:40].decode()
    if raw.startswith(b"ref: "):
        return _asked(git, ref)
    raise damaged(git, ref)


def read(git: Git, ref: str) -> str | None:
    """The object a ref names, or None: from its own file, or from the packed refs."""
    return loose(git, ref) or _packed(git, ref)


def _packed(git: Git, ref: str) -> str | None:
    """Looked at after the loose file, for git packs before it removes that. git is asked where it is not this simple."""
    try:
        data = (git.common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return _asked(git, ref) if (git.common_dir / "reftable").exists() else None
    end = data.find(b" %s\n" % os.fsencode(ref))
    if end < 0:
        return None
    said = data[max(0, end - 41) : end]
    return said[1:].decode() if said[:1] == b"\n" and _OID.fullmatch(said[1:]) else _asked(git, ref)


def _asked(git: Git, ref: str) -> str | None:
    return git.line("rev-parse", "--verify", "--quiet", "--end-of-options", ref, ok=(0, 1)) or None


_UPDATE = ("update-ref", "--no-deref", "-m", "tdd", "--stdin", "-z")


def warm(git: Git) -> None:
    """Start the child that moves refs, so that it is there when the objects are."""
    git.helper(*_UPDATE)


def update(git: Git, *groups: Sequence[Move], reason: str = "") -> None:
    """Move refs by compare-and-swap: each group is one transaction, in order, all through one git process.

    That process stays for the next call, unless there is a ``reason`` for the reflog. RefMoved names the ref that was
    elsewhere or locked, and how many of the groups that are not empty had gone through; within a group it is all
    or nothing.
    """
    groups = tuple(group for group in groups if group)
    if not groups:
        return
    script = b"".join(
        b"start\0" + b"".join(_command(move) for move in group) + b"prepare\0commit\0" for group in groups
    )
    if reason:
        args: tuple[str, ...] = ("update-ref", "--no-deref", "-m", reason, "--stdin", "-z")
        done = git.finished(*args, stdin=script)
    else:
        args = _UPDATE
        done = _talk(git, script, len(groups))
    if done.exit_code == 0:
        return
    text = done.stderr.decode("utf-8", "replace").strip()
    named = _NAMED.search(text)
    if named is None or _HURT.search(text):
        raise failed(args, done)
    expected = {ref: old for group in groups for ref, _, old in group if old}
    raise RefMoved(
        named[1],
        expected.get(named[1], ""),
        text.rpartition(": ")[2],
        locked="Unable to create" in text and "File exists" in text,
        committed=done.stdout.count(b"commit: ok"),
    )


def _talk(git: Git, script: bytes, groups: int) -> Finished:
    """Give the lasting child its orders and read its answers: three lines for each group, or its end."""
    child = git.helper(*_UPDATE)
    assert child.stdin is not None
    assert child.stdout is not None
    said = b""
    with suppress(BrokenPipeError):
        child.stdin.write(script)
        child.stdin.flush()
        for _ in range(3 * groups):
            line = child.stdout.readline()
            if not line:
                break
            said += line
        else:
            return Finished(_UPDATE, 0, said)
    child.wait()
    return Finished(_UPDATE, child.returncode, said, git.drop(*_UPDATE))


def _command(move: Move) -> bytes:
    ref, new, old = move
    if new is None:
        return b"verify %s\0%s\0" % (_name(ref), (old or "").encode())
    return b"update %s\0%s\0%s\0" % (_name(ref), new.encode(), (old or "").encode())


def _name(ref: str) -> bytes:
    if not ref.startswith("refs/") or "\0" in ref or "\n" in ref:
        raise Refused(f"{ref!r} is not the name of a ref.")
    return os.fsencode(ref)


@dataclass(frozen=True, slots=True)
class Owner:
    """Who holds the run lock, as its file says."""

    pid: int
    host: str
    started: str
    cookie: str


class RunLock:
    """One orchestrator per repository: flock on ``<common git dir>/tdd/run``, kept by every git child of ``git``.

    Holding it proves that no writer of ours, and no git child of one, lives. ``taken_over`` is the owner that died
    with it, if one did: its cookie finds the processes that outlived it. Busy says who holds it.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self.path = git.common_dir / "tdd" / "run"
        self.cookie = os.urandom(8).hex()
        self.taken_over: Owner | None = None
        self._descriptor = -1

    def acquire(self) -> RunLock:
        self.path.parent.mkdir(exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = _owner(os.pread(descriptor, 4096, 0))
            os.close(descriptor)
            raise _busy(owner) from None
        self.taken_over = _owner(os.pread(descriptor, 4096, 0))
        started = datetime.now(UTC).isoformat(timespec="seconds")
        mine = {"pid": os.getpid(), "host": os.uname().nodename, "started": started, "cookie": self.cookie}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(mine).encode(), 0)
        self._descriptor = descriptor
        self._git.keep = (*self._git.keep, descriptor)
        return self

    def release(self) -> None:
        """An emptied file is the sign of a clean end; the file itself stays (removing it would race).

        A disk that does not let it be emptied takes nothing from what was done: the next owner takes over as from the
        dead, and finds nothing left of us.
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def sweep_locks(self, also: Sequence[str] = ()) -> list[str]:
        """Remove ref locks left by the dead in our own namespace, and those of the refs named in ``also``.

        A lock younger than a second may be a living ``git notes``: it is looked at twice. Returns what went.
        """
        if self._descriptor < 0:
            raise Refused("Locks are removed only while the run lock is held.")
        removed = []
        for path in _locks(self._git.common_dir, also):
            if _is_stale(path):
                with suppress(FileNotFoundError):
                    path.unlink()
                    removed.append(path.relative_to(self._git.common_dir).as_posix())
        return removed


def _owner(raw: bytes) -> Owner | None:
    try:
        said = json.loads(raw)
        return Owner(int(said["pid"]), str(said["host"]), str(said["started"]), str(said["cookie"]))
    except (ValueError, KeyError, TypeError):
        return None


def _busy(owner: Owner | None) -> Busy:
    if owner is None:
        return Busy("Another orchestrator works in this repository.", "Wait until it is done.")
    return Busy(
        f"Another orchestrator works in this repository: process {owner.pid} on {owner.host}, since {owner.started}.",
        "Wait until it is done, or end it.",
    )


def _locks(common: Path, also: Sequence[str]) -> Iterator[Path]:
    for root in _OWN:
        for folder, _, names in os.walk(common / root):
            for name in names:
                path = Path(folder, name)
                if name.endswith(".lock") and _ours(path.relative_to(common).as_posix()):
                    yield path
    for ref in also:
        path = common / f"{ref}.lock"
        if path.exists():
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

"""Check HEAD, the index and special files in the user's git dir that would block git.

Checked before git is used, after an agent that ran without a sandbox.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.agents.validate import read_left
from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.workspace.folders import write_whole

_FOLDERS = ("refs", "logs", "worktrees", "tdd")  # folders of the git dir that are read recursively
_HEAD = 4096  # bytes
_INDEX = 256 << 20  # bytes; a larger index is not copied
_SHA1 = 20


@dataclass(frozen=True, slots=True)
class Entrance:
    """The bytes of HEAD and, if copied, of the index; ``odd``: special files from before the agent."""

    head: bytes | None = None
    index: bytes | None = None
    odd: frozenset[Path] = frozenset()


def snapshot_entrance(git: Git, *, index: bool = True) -> Entrance:
    data = read_left(git.git_dir / "index", _INDEX) if index else None
    whole = data if data is not None and _is_whole(data) else None
    return Entrance(head_of(git), whole, frozenset(_barriers(git)))


def head_of(git: Git) -> bytes | None:
    """Return the content of HEAD; None if it is no plain file."""
    return read_left(git.git_dir / "HEAD", _HEAD)


def restore_entrance(git: Git, before: Entrance, keep: Path) -> list[str]:
    """Remove new special files, and restore a HEAD or an index that git cannot read.

    Returns a sentence for each; a replaced index is moved to ``keep``.
    """
    found = []
    for path in {*_barriers(git)} - before.odd:
        path.unlink(missing_ok=True)
        found.append(f".git/{path.relative_to(git.common_dir).as_posix()} was no plain file")
    if before.head is not None and head_of(git) is None:
        write_whole(git.git_dir / "HEAD", before.head)
        found.append(".git/HEAD was removed")
    now = read_left(git.git_dir / "index", _INDEX) if before.index is not None else None
    if before.index is not None and (now is None or not _is_whole(now)):
        if now is not None:
            (keep / "foreign").mkdir(parents=True, exist_ok=True)
            write_whole(keep / "foreign" / "index", now)
        write_whole(git.git_dir / "index", before.index)
        found.append(f".git/index was {'changed' if now else 'removed'}")
    return found


def _barriers(git: Git) -> Iterator[Path]:
    for folder in {git.git_dir, git.common_dir}:
        yield from _odd(folder)
        for name in _FOLDERS:
            for above, _, _ in os.walk(folder / name):
                yield from _odd(Path(above))


def _odd(folder: Path) -> list[Path]:
    """Return pipes and devices, and links to such.

    Broken links are git's to report; sockets (git's file monitor has one) cannot be opened, so they
    cannot block.
    """
    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry in entries if not entry.is_file(follow_symlinks=False)]
    except OSError as error:
        raise_if_of_machine(error)
        return []
    return [Path(name) for name in names if _leads_nowhere(name)]


def _leads_nowhere(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise_if_of_machine(error)
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISSOCK(mode))


def _is_whole(index: bytes) -> bool:
    """Whether git can read the index: its signature, and its hash, which is zero with ``index.skipHash``."""
    end = index[-_SHA1:]
    same = end == bytes(_SHA1) or hashlib.sha1(index[:-_SHA1], usedforsecurity=False).digest() == end
    return index.startswith(b"DIRC") and same

"""Loose objects into packs, at the end of a cycle: git's own automatic gc is off in every call of ours."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tdd_orchestrator.repo.git import Git

MOST_LOOSE = 1000  # some twenty cycles; 4 KB of disk each
_GC_HOURS = 12  # git itself takes an older mark of a gc for that of a dead one
_SAMPLED = 16  # of the 256 folders, each as full as the others


def loose_objects(git: Git) -> int:
    """Estimate how many loose objects there are, without a git process."""
    folders = [git.common_dir / "objects" / f"{number:02x}" for number in range(0, 256, 256 // _SAMPLED)]
    return sum(len(_names(folder)) for folder in folders) * (256 // _SAMPLED)


def pack(git: Git, *, most_loose: int = MOST_LOOSE) -> bool:
    """Pack the loose objects where there are more than ``most_loose``; return whether it was done.

    Small packs are joined with them, so that their number grows with the logarithm of the objects. Objects
    that nothing names are packed as well, never removed. Nothing is done while a gc of the user's works, in a
    repository that borrows objects, and in a partial clone, whose packs say which objects may be missing.
    GitFailed where git could not.
    """
    if loose_objects(git) <= most_loose or _is_left_alone(git.common_dir):
        return False
    git.run("repack", "-d", "-q", "--geometric=2", "--no-write-bitmap-index")
    return True


def _is_left_alone(common_dir: Path) -> bool:
    with suppress(FileNotFoundError):
        if time.time() - (common_dir / "gc.pid").stat().st_mtime < _GC_HOURS * 3600:
            return True
    if (common_dir / "objects" / "info" / "alternates").exists():
        return True
    return any(name.endswith(".promisor") for name in _names(common_dir / "objects" / "pack"))


def _names(folder: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return os.listdir(folder)
    return []


def thin_pack(git: Git, wanted: str, known: Sequence[str]) -> bytes:
    """Return a pack of what ``wanted`` (a commit or a tree) needs on top of the ``known`` commits, of which
    those that are not here are passed over."""
    asked = "".join(f"{oid}\n" for oid in known).encode()
    seen = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked) if asked else b""
    here = [line.split()[0] for line in seen.splitlines() if line.endswith(b" commit")]
    words = b"".join([wanted.encode() + b"\n", *(b"^%s\n" % oid for oid in here)])
    return git.run("pack-objects", "--revs", "--thin", "--stdout", "-q", stdin=words)

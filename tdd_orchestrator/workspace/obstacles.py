"""Find the user's untracked files that a landing would overwrite.

git refuses to overwrite untracked files, but overwrites ignored ones silently.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.tree_diff import differing

_GITLINK = 0o160000
_LINK = 0o120000


def in_the_way(git: Git, tree: Path, objects: Objects, old: str, new: str) -> str:
    """Return a path below ``tree`` that ``new`` would overwrite, "" if none.

    Neither ``old`` nor the index has it, and it differs from the file in ``new``. git runs only if
    something is there.
    """
    found: set[str] = set()
    trees = (objects.read_commit(commit).tree for commit in (old, new))
    for name, before, after in differing(objects, *trees):
        if before is None and after is not None:
            found.update(_there(tree, os.fsdecode(name), *after, objects))
    return min(_not_in_index(git, found), default="")


def _there(tree: Path, name: str, mode: int, oid: str, objects: Objects) -> Iterable[str]:
    """Return what exists at the file's path or at a folder above it."""
    parts = name.split("/")
    for depth in range(1, len(parts) + 1):
        path = "/".join(parts[:depth])
        try:
            facts = os.lstat(tree / path)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        if not stat.S_ISDIR(facts.st_mode):
            same = depth == len(parts) and _same(tree / path, facts.st_mode, mode, oid, objects)
            return () if same else (path,)
    return () if mode == _GITLINK else _below(tree, name)


def _below(tree: Path, folder: str) -> Iterator[str]:
    for above, folders, names in os.walk(tree / folder, onerror=raise_if_of_machine):
        links = (name for name in folders if os.path.islink(os.path.join(above, name)))
        yield from (os.path.relpath(os.path.join(above, name), tree) for name in (*names, *links))


def _same(path: Path, now: int, mode: int, oid: str, objects: Objects) -> bool:
    if mode == _GITLINK or stat.S_IFMT(now) != (stat.S_IFLNK if mode == _LINK else stat.S_IFREG):
        return False
    content = os.fsencode(os.readlink(path)) if mode == _LINK else path.read_bytes()
    return content == objects.read_kind(oid, "blob")


def _not_in_index(git: Git, paths: set[str]) -> set[str]:
    """Return the paths that the index does not have; git compares the others."""
    if not paths:
        return set()
    tracked = git.run("ls-files", "-z", "--cached")
    return paths - {os.fsdecode(path) for path in tracked.split(b"\0")}

"""Find what keeps a landing's files from being written: untracked files in their place, failing filters."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from tdd_orchestrator.model.errors import GitFailed, raise_if_of_machine
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.workspace.folders import remove

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


_FILES = (0o100644, 0o100755)


def failing_filter(git: Git, objects: Objects, old: str, new: str) -> str:
    """Return git's message if a filter cannot produce a file of ``new``; '' if all can."""
    trees = (objects.read_commit(commit).tree for commit in (old, new))
    wanted = [(name, after) for name, _, after in differing(objects, *trees) if after and after[0] in _FILES]
    if not wanted:
        return ""
    rows = [b"%o %s\t%s" % (mode, oid.encode(), name) for name, (mode, oid) in wanted]
    place = git.common_dir / "tdd" / "filtered"
    remove(place)  # the run lock is held: a crashed run left it
    (place / "files").mkdir(parents=True)
    beside = Git(git.git_dir, place / "files", place / "index")
    beside.keep = git.keep
    try:
        beside.run(
            "update-index", "-z", "--index-info", stdin=b"\0".join([*_attributes(git, new), *rows]) + b"\0"
        )
        names = b"\0".join(name for name, _ in wanted)
        beside.run("checkout-index", "-z", "--stdin", stdin=names)
    except GitFailed as error:
        lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
        return " ".join(lines[-2:]).replace("fatal: ", "").rstrip(".")
    finally:
        remove(place)
    return ""


def _attributes(git: Git, commit: str) -> list[bytes]:
    """Return index lines of the commit's attribute files, which assign the filters."""
    rows = git.run("ls-tree", "-r", "-z", commit).split(b"\0")
    found = [row for row in rows if row.endswith((b"\t.gitattributes", b"/.gitattributes"))]
    return [row.replace(b" blob ", b" ", 1) for row in found]

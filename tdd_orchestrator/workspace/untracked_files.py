"""Keep the files that git does not hold: copied before an agent works beside them, put back when gone (T28)."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from tdd_orchestrator.agents.validate import read_left
from tdd_orchestrator.model.errors import Refused, raise_if_of_machine
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.workspace.collect import is_litter
from tdd_orchestrator.workspace.folders import is_folder, plain_files, remove
from tdd_orchestrator.workspace.shared import PACKAGES

_LARGEST = 64 << 20  # bytes; a larger file is backed up without comparison
_NAMED = 5


def unknown(git: Git, tree: Path, paths: Iterable[str]) -> list[str]:
    """Return the paths whose content git does not have; line ends alone make no difference.

    A folder in a file's place is not one of them: its files count themselves.
    """
    names = {
        path: _oids(tree / path)
        for path in paths
        if os.path.lexists(tree / path) and (path.endswith("/") or not is_folder(tree / path))
    }
    asked = sorted({oid for oids in names.values() for oid in oids})
    output = git.run(
        "cat-file", "--batch-check=%(objectname)", stdin="".join(f"{oid}\n" for oid in asked).encode()
    )
    known = {line.decode() for line in output.splitlines()}  # "OID missing" is of one that it has not
    return [path for path, oids in names.items() if known.isdisjoint(oids)]


def _oids(path: Path) -> set[str]:
    """Return the object ids that git would give the content; none for a large file or no file."""
    facts = os.lstat(path)
    if stat.S_ISLNK(facts.st_mode):
        return {_oid(os.fsencode(os.readlink(path)))}
    if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST:
        return set()
    try:
        content = path.read_bytes()
    except PermissionError:
        return set()
    return {_oid(content), _oid(content.replace(b"\r\n", b"\n"))}


def _oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def within(tree: Path, paths: Iterable[str], room: int) -> list[str]:
    """Return the smallest files that together fit into ``room`` bytes."""
    fit: list[str] = []
    for size, path in sorted((os.lstat(tree / path).st_size, path) for path in paths):
        room -= size
        if room < 0:
            break
        fit.append(path)
    return fit


def keep(tree: Path, paths: Mapping[str, bool], above: Path) -> str:
    """Copy (or with True, move) the paths into a new folder below ``above``; return a sentence about
    it.

    Raises Refused if one cannot be kept.
    """
    if not paths:
        return ""
    folder = above / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(3).hex()}"
    for path, moved in paths.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            if moved:
                shutil.move(tree / path.rstrip("/"), place)
            else:
                shutil.copy2(tree / path, place, follow_symlinks=False)
        except OSError as error:
            raise_if_of_machine(error)
            raise Refused(
                f"{path} is not the cycle's, and cannot be kept ({error.strerror}).",
                "Move it aside, then run the same command again.",
            ) from error
    return f"{named(paths)}: not the cycle's own; kept in {folder}"


def named(paths: Iterable[str]) -> str:
    """Return a few of the paths as text, and how many more."""
    names = sorted(path.encode("utf-8", "backslashreplace").decode("utf-8") for path in paths)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


_LARGEST_COPY = 1 << 20  # bytes of a file that is copied
_MANY = 2000  # files that are
_ROOM = 32 << 20  # bytes of all of them


def hold(tree: Path, paths: Iterable[str], place: Path) -> None:
    """Copy the plain files among ``paths`` to ``place``, what packages and caches are made of left out."""
    remove(place)
    room, found = _ROOM, 0
    for path in sorted(paths):
        size = _size(tree / path)
        if size is None or not PACKAGES.isdisjoint(path.split("/")) or is_litter(path):
            continue
        room, found = room - size, found + 1
        if room < 0 or found > _MANY:
            return
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / path, place / path)


def give_back(tree: Path, place: Path, above: Path) -> list[str]:
    """Put back what is gone; a sentence each. What was before of what is otherwise goes into a new folder
    below ``above``."""
    if not place.is_dir():
        return []
    messages, otherwise = [], []
    for path in sorted(plain_files(place, lambda _: False)):
        if not _reachable(tree, path):
            otherwise.append(path)
        elif not os.path.lexists(tree / path):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(place / path, tree / path)
            messages.append(f"{path} was removed, and is put back")
        elif read_left(tree / path, _LARGEST_COPY + 1) != read_left(place / path, _LARGEST_COPY + 1):
            otherwise.append(path)
    where = keep(place, dict.fromkeys(otherwise, True), above)
    remove(place)
    return [*messages, *([f"changed meanwhile, and as it was before, {where}"] if where else [])]


def _size(path: Path) -> int | None:
    """Return the size of a plain, readable file that is not too large; None for others."""
    try:
        facts = os.lstat(path)
    except OSError as error:
        raise_if_of_machine(error)
        return None
    fit = stat.S_ISREG(facts.st_mode) and facts.st_size <= _LARGEST_COPY and os.access(path, os.R_OK)
    return facts.st_size if fit else None


def _reachable(tree: Path, path: str) -> bool:
    """Whether the path's folders are real folders, or missing: a link would lead elsewhere."""
    top, folder = os.path.realpath(tree), os.path.dirname(path)
    above = [os.path.join(top, *folder.split("/")[:depth]) for depth in range(1, len(folder.split("/")) + 1)]
    return all(
        not os.path.lexists(one) or (os.path.isdir(one) and not os.path.islink(one))
        for one in above
        if folder
    )

"""Bytes that nobody of ours wrote, kept before their place is needed."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from tdd_orchestrator.model.errors import Refused, raise_if_of_machine
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.workspace.folders import is_folder

_LARGEST = 64 << 20  # bytes of a file that is compared with what git has; a larger one is kept unseen
_NAMED = 5


def unknown(git: Git, tree: Path, paths: Iterable[str]) -> list[str]:
    """Those whose bytes git has nowhere. (Line ends alone make no difference: git may have changed them
    itself.)

    A folder in the place of a file is none of them: what it holds stands for itself.
    """
    names = {
        path: _oids(tree / path)
        for path in paths
        if os.path.lexists(tree / path) and (path.endswith("/") or not is_folder(tree / path))
    }
    asked = sorted({oid for oids in names.values() for oid in oids})
    said = git.run(
        "cat-file", "--batch-check=%(objectname)", stdin="".join(f"{oid}\n" for oid in asked).encode()
    )
    held = {line.decode() for line in said.splitlines()}  # "OID missing" is of one that it has not
    return [path for path, oids in names.items() if held.isdisjoint(oids)]


def _oids(path: Path) -> set[str]:
    """What git would call the bytes; nothing for what is no file, or too large."""
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
    """The smallest of them that together have no more bytes than there is room for."""
    fit: list[str] = []
    for size, path in sorted((os.lstat(tree / path).st_size, path) for path in paths):
        room -= size
        if room < 0:
            break
        fit.append(path)
    return fit


def keep(tree: Path, paths: Mapping[str, bool], above: Path) -> str:
    """Put them into a new folder below ``above``, as they lie in ``tree``: a copy, or (True) themselves. In
    words, what was done. Refused where one cannot be kept."""
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
    """A few of them, and how many more."""
    shown = sorted(path.encode("utf-8", "backslashreplace").decode("utf-8") for path in paths)
    more = f" and {len(shown) - _NAMED} more" if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more

"""In place: the user's own files that git does not hold, copied before an agent works beside them, and given
back (T28, T29).

What is gone comes back. What is otherwise may be the user's doing of that time: it stays, and what it was is
kept.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from tdd_orchestrator.agents.validate import read_left
from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.workspace import untracked_files
from tdd_orchestrator.workspace.collect import is_litter
from tdd_orchestrator.workspace.folders import plain_files, remove
from tdd_orchestrator.workspace.shared import PACKAGES

_LARGEST = 1 << 20  # bytes of a file that is copied
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
        elif read_left(tree / path, _LARGEST + 1) != read_left(place / path, _LARGEST + 1):
            otherwise.append(path)
    where = untracked_files.keep(place, dict.fromkeys(otherwise, True), above)
    remove(place)
    return [*messages, *([f"changed meanwhile, and as it was before, {where}"] if where else [])]


def _size(path: Path) -> int | None:
    """Return the size of a plain, readable file that is not too large; None for others."""
    try:
        facts = os.lstat(path)
    except OSError as error:
        raise_if_of_machine(error)
        return None
    fit = stat.S_ISREG(facts.st_mode) and facts.st_size <= _LARGEST and os.access(path, os.R_OK)
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

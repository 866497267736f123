"""Create throwaway git dirs, remove any folder, and find files that git does not list."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from tdd_orchestrator.model.errors import raise_if_of_machine


def make_git_dir(folder: Path, objects: Path, config: str, head: str) -> None:
    (folder / "refs" / "heads").mkdir(parents=True)
    (folder / "objects" / "info").mkdir(parents=True)
    (folder / "objects" / "pack").mkdir()
    (folder / "info").mkdir()
    (folder / "config").write_text(config, encoding="ascii")
    alternates = folder / "objects" / "info" / "alternates"
    alternates.write_bytes(os.fsencode(objects) + b"\n")
    (folder / "HEAD").write_text(head, encoding="utf-8")


def listed(folder: Path, pattern: str = "*") -> list[Path]:
    """Return the sorted entries of a folder; none for a missing or unreadable one.

    Raises OSError if the machine failed, which globs of some Pythons ignore.
    """
    try:
        return sorted(path for path in folder.iterdir() if fnmatchcase(path.name, pattern))
    except OSError as error:
        raise_if_of_machine(error)
        return []


def literally(name: str) -> str:
    """Return a path as an ignore pattern that matches only this path."""
    return re.sub(r"([\\*?\[\]!# ])", r"\\\1", name)


def unseen_by_git(folder: str, excluded: set[str]) -> Iterator[str]:
    """Yield pipes, sockets and devices, which git neither lists nor cleans; opening a pipe blocks."""
    below = []
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        os.chmod(folder, 0o700)  # an agent took its own permissions away
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.path in excluded or entry.is_symlink():
                continue
            if entry.is_dir():
                below.append(entry.path)
            elif not entry.is_file():
                yield entry.path
    for path in below:
        yield from unseen_by_git(path, excluded)


def plain_files(top: Path, closed: Callable[[str], bool]) -> Iterator[str]:
    """Yield files and links below ``top`` by relative path, except in ``.git`` and ``closed`` folders.

    An unreadable folder is empty; raises OSError if the machine failed.
    """
    waiting = [""]
    while waiting:
        above = waiting.pop()
        try:
            with os.scandir(top / above) as entries:
                found = list(entries)
        except OSError as error:
            raise_if_of_machine(error)
            continue
        for entry in found:
            path = above + entry.name
            if entry.name == ".git":
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting += [] if closed(path) else [f"{path}/"]
            elif entry.is_symlink() or entry.is_file():
                yield path


def is_folder(path: Path) -> bool:
    """Whether the path is a folder itself, not a link to one."""
    return path.is_dir() and not path.is_symlink()


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file's content atomically."""
    fresh = path.with_name(f"{path.name}.tdd-{os.getpid()}")
    fresh.write_bytes(data)
    os.replace(fresh, path)


def remove(path: Path) -> None:
    """Remove anything, without following links, even if an agent removed the permissions."""
    try:
        mode = os.lstat(path).st_mode
    except OSError as error:
        raise_if_of_machine(error)
        return
    if not stat.S_ISDIR(mode):
        path.unlink()
        return

    unlocked: set[str] = set()

    def unlock(_function: object, name: str, raised: tuple[type, BaseException, object]) -> None:
        error = raised[1]
        if isinstance(error, FileNotFoundError):
            return
        if not isinstance(error, PermissionError) or name in unlocked:
            raise error
        unlocked.add(name)
        if name != str(path):
            os.chmod(os.path.dirname(name), 0o700)
        if not stat.S_ISDIR(os.lstat(name).st_mode):
            os.unlink(
                name
            )  # the folder's permissions failed; those of a link's target are not ours to change
            return
        os.chmod(name, 0o700)
        shutil.rmtree(name, onerror=unlock)

    shutil.rmtree(path, onerror=unlock)

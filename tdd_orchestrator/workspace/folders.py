"""Folders as they come: a throwaway git dir made, anything at all removed, and what git does not see
found."""

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
    """What lies in a folder under such names, sorted; nothing where there is none, or one that we may not
    look into.

    OSError where the machine failed, which globs of some Pythons take for nothing as well.
    """
    try:
        return sorted(path for path in folder.iterdir() if fnmatchcase(path.name, pattern))
    except OSError as error:
        raise_if_of_machine(error)
        return []


def literally(name: str) -> str:
    """A path as a pattern of git's ignore rules that means it and nothing else."""
    return re.sub(r"([\\*?\[\]!# ])", r"\\\1", name)


def unseen_by_git(folder: str, kept: set[str]) -> Iterator[str]:
    """Pipes, sockets and devices: git lists none of them and cleans none, and who opens a pipe waits for
    ever."""
    below = []
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        os.chmod(folder, 0o700)  # an agent took its own permissions away
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.path in kept or entry.is_symlink():
                continue
            if entry.is_dir():
                below.append(entry.path)
            elif not entry.is_file():
                yield entry.path
    for path in below:
        yield from unseen_by_git(path, kept)


def plain_files(top: Path, closed: Callable[[str], bool]) -> Iterator[str]:
    """Files and links below ``top`` by their paths from there, whatever lies in a ``.git`` or a ``closed``
    folder aside.

    A folder that we may not look into is empty; OSError where the machine failed.
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
    """A folder itself, no link to one."""
    return path.is_dir() and not path.is_symlink()


def write_whole(path: Path, data: bytes) -> None:
    """A file with this content, in one step: whoever reads it meets the old one or the new one."""
    fresh = path.with_name(f"{path.name}.tdd-{os.getpid()}")
    fresh.write_bytes(data)
    os.replace(fresh, path)


def remove(path: Path) -> None:
    """Whatever is there, links not followed, also where an agent took its own permissions away."""
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
            os.unlink(name)  # its folder was the trouble; the rights of what a link leads to are not ours
            return
        os.chmod(name, 0o700)
        shutil.rmtree(name, onerror=unlock)

    shutil.rmtree(path, onerror=unlock)

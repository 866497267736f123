"""What the files of a folder were, by facts that no program can set back: to find what a run touched.

Whatever writes, replaces or links a file moves its change time on, which only the file system sets. So a file with
the same facts is the same file, provided that the file system's clock had moved on since the last change seen
before (:meth:`DiskState.settle`).
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.workspace.folders import is_folder, plain_files, remove

Facts = tuple[int, int, int, int, int]
_PATIENCE = 50  # milliseconds in which any file system with a fine clock has moved on


@dataclass(slots=True)
class _Folder:
    facts: Facts
    files: dict[str, Facts] = field(default_factory=dict)  # by name
    below: list[str] = field(default_factory=list)  # folders in it


class DiskState:
    """The files below ``top`` without those of ``closed`` paths; paths are relative, a folder's ends with a slash.

    ``aside``: a folder of its own on the same file system.
    """

    def __init__(self, top: Path, closed: Collection[str], aside: Path) -> None:
        self._path, self._top = top, f"{top}/"
        self.closed = frozenset(closed)
        self._newest = 0
        self._folders: dict[str, _Folder] = {}
        self._aside = aside
        self._set_aside: dict[str, tuple[Path, Facts]] = {}
        self._read_below("")

    def undo(self) -> tuple[bool, bool]:
        """Remove what is new, and move back what was set aside.

        Return whether anything had to be done, and whether files are still changed or gone.
        """
        self._open_folders()
        new, changed, met = self._difference()
        for path in new:
            remove(self._path / path)
        left = [path for path in changed if not self._put_back(path, met)]
        remove(self._aside)
        self._set_aside = {}
        return bool(new or changed), bool(left)

    def touched(self) -> tuple[list[str], list[str]] | None:
        """Return the new files, and the files that were written again in their places.

        None where more differs (a file is gone or no file any more, a folder is), or there are repositories.
        """
        try:
            new, changed, met = self._difference()
        except OSError as error:  # a folder that may not be read, or that is being removed
            raise_if_of_machine(error)
            return None
        if not all(self._is_file_still(path, met) for path in changed):
            return None
        inner = [path for path in new if path.rpartition("/")[2] == ".git"]
        files = [path for path in new if (self._path / path).is_symlink() or (self._path / path).is_file()]
        for folder in (path for path in new if is_folder(self._path / path)):

            def closed(below: str, folder: str = folder) -> bool:
                if os.path.lexists(self._path / folder / below / ".git"):
                    inner.append(below)
                return False

            closed("")
            files += [f"{folder}/{name}" for name in plain_files(self._path / folder, closed)]
        return None if inner else (files, changed)

    def _is_file_still(self, path: str, met: set[str]) -> bool:
        facts = None if path.endswith("/") or _above(path) not in met else _facts_at(self._top + path)
        return facts is not None and stat.S_ISREG(facts[0])

    def set_aside(self, path: str) -> None:
        """Move a file out of its place until :meth:`undo`, if it is as it was."""
        place, folder = self._aside / str(len(self._set_aside)), self._folders.get(_above(path))
        known = folder.files.get(path.rpartition("/")[2]) if folder else None
        if known is None or known != _facts_at(self._top + path):
            return
        if not self._set_aside:
            remove(self._aside)
            self._aside.mkdir()
        os.replace(self._path / path, place)
        facts = _facts(os.lstat(place))
        self._newest = max(self._newest, facts[3])
        self._set_aside[path] = place, facts

    def _put_back(self, path: str, met: set[str]) -> bool:
        """Move a file that was set aside back into its folder, if both are as they were."""
        place, facts = self._set_aside.get(path, (None, None))
        if place is None or _facts_at(os.fspath(place)) != facts or _above(path) not in met:
            return False
        remove(self._path / path)
        os.replace(place, self._path / path)
        return True

    def _open_folders(self) -> None:
        """Give each folder the permissions that it had. A link in a folder's place is left."""
        for path, known in self._folders.items():
            now = _facts_at(self._top + path.rstrip("/"))
            if now and now[0] != known.facts[0] and stat.S_ISDIR(now[0]):
                os.chmod(self._top + path, stat.S_IMODE(known.facts[0]))

    def _difference(self) -> tuple[list[str], list[str], set[str]]:
        """Return what is new (a new folder as one path), what is changed or gone, and the folders still there."""
        new: list[str] = []
        changed: list[str] = []
        met: set[str] = set()
        waiting = [""]
        while waiting:
            path = waiting.pop()
            before = self._folders.get(path)
            if before is None and not any(name.startswith(path) for name in self.closed):
                new.append(path.rstrip("/"))
                continue
            same = before is not None and self._compare_names(path, before, changed)
            files = before.files if before else {}
            waiting += before.below if before and same else self._compare(path, files, new, changed)
            met.add(path)
        changed += self._folders.keys() - met
        return new, changed, met

    def _compare_names(self, path: str, known: _Folder, changed: list[str]) -> bool:
        """Add the files of one folder that differ to ``changed``; False, without any, where its names may differ.

        Nearly all folders are as they were, and each file is looked at after each run: no list of names is read
        of those, and no path is made.
        """
        try:
            folder = os.open(self._top + path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return False  # a closed or missing folder: reading its names says which
        try:
            if _facts(os.fstat(folder)) != known.facts:
                return False
            differing = []
            for name, facts in known.files.items():
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if found.st_ctime_ns != facts[3] or found.st_ino != facts[4]:
                    differing.append(path + name)
        except FileNotFoundError:  # removed meanwhile
            return False
        finally:
            os.close(folder)
        changed += differing
        return True

    def _compare(self, path: str, known: dict[str, Facts], new: list[str], changed: list[str]) -> list[str]:
        """Add what differs in one folder to ``new`` and ``changed``; return the folders in it."""
        met: set[str] = set()
        below: list[str] = []
        with os.scandir(self._top + path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if path + entry.name not in self.closed:
                        below.append(f"{path}{entry.name}/")
                    continue
                try:
                    facts = _facts(entry.stat(follow_symlinks=False))
                except FileNotFoundError:  # removed meanwhile
                    continue
                before = known.get(entry.name)
                if before is not None:
                    met.add(entry.name)
                    if before != facts:
                        changed.append(path + entry.name)
                elif path + entry.name not in self.closed:
                    new.append(path + entry.name)
        if len(met) < len(known):
            changed += [path + name for name in known.keys() - met]
        return below

    def refresh(self) -> None:
        """Read again the folders in which a name was added, removed or replaced, as git replaces files."""
        for path in list(self._folders):
            now = _facts_at(self._top + path.rstrip("/"))
            if now is None or not stat.S_ISDIR(now[0]):
                del self._folders[path]
            elif now != self._folders[path].facts:
                self._read_below(path)

    def settle(self, probe: Path) -> bool:
        """Wait until a change would be seen; return False on a file system whose clock is too coarse for that.

        ``probe``: a file on the same file system.
        """
        for _ in range(_PATIENCE):
            os.utime(probe, follow_symlinks=False)
            if os.lstat(probe).st_ctime_ns > self._newest:
                return True
            time.sleep(0.001)
        return False

    def _read_below(self, start: str) -> None:
        """Read a folder again, and the folders in it that are not known."""
        waiting = [start]
        while waiting:
            path = waiting.pop()
            found = self._folders[path] = self._read(path)
            self._newest = max(self._newest, found.facts[3], *(facts[3] for facts in found.files.values()))
            waiting += [name for name in found.below if name not in self._folders]

    def _read(self, path: str) -> _Folder:
        found = _Folder(
            _facts(os.lstat(self._top + path))
        )  # before its names: what comes meanwhile is seen later
        files, closed, below = found.files, self.closed, found.below
        with os.scandir(self._top + path) as entries:
            for entry in entries:
                name = path + entry.name
                if name in closed:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    below.append(f"{name}/")
                    continue
                try:
                    files[entry.name] = _facts(entry.stat(follow_symlinks=False))
                except FileNotFoundError:  # removed meanwhile
                    continue
        return found


def _above(path: str) -> str:
    """Return the folder of a path as it is named here."""
    above = path.rpartition("/")[0]
    return f"{above}/" if above else ""


def _facts_at(path: str) -> Facts | None:
    """The facts of one file; None where there is none."""
    try:
        return _facts(os.lstat(path))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _facts(found: os.stat_result) -> Facts:
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino

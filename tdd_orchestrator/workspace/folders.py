"""Create throwaway git dirs, remove any folder, find files that git does not list, and keep the folders of
one repository in the user's state folder small.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

from tdd_orchestrator.model.errors import Refused, raise_if_of_machine


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


@dataclass(frozen=True, slots=True)
class Places:
    """``root`` belongs to one repository, known by its common git dir."""

    root: Path
    agent: Path
    proof: Path
    runs: Path  # one folder per attempt: output, transcript, logs

    def run(self, cycle_id: str, phase: str, attempt: int, role: str = "") -> Path:
        """Create a new folder for one agent run."""
        name = f"{phase.lower()}-{attempt}" + (f"-{role}" if role else "")
        folder = self.runs / cycle_id / name
        remove(folder)
        folder.mkdir(parents=True)
        return folder


def state_home() -> Path:
    """Return ``TDD_STATE_DIR``, else the platform's folder for state."""
    chosen = os.environ.get("TDD_STATE_DIR")
    if chosen:
        return Path(chosen).resolve()
    from platformdirs import user_state_path

    return user_state_path("tdd").resolve()


def places_for(common_dir: Path, name: str) -> Places:
    """Create the folders of this repository. Raises Refused if that fails."""
    real = common_dir.resolve()
    digest = hashlib.sha256(os.fsencode(real)).hexdigest()[:10]
    plain_name = "".join(
        char if char.isascii() and (char.isalnum() or char in "-_") else "-" for char in name
    )
    root = state_home() / "repositories" / f"{plain_name[:40]}-{digest}"
    places = Places(root, root / "agent", root / "proof", root / "runs")
    try:
        places.runs.mkdir(parents=True, exist_ok=True)
        owner = root / "repository"
        if not owner.exists():
            owner.write_text(f"{real}\n", encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise_if_of_machine(error)
        raise Refused(
            f"The state folder {root} cannot be written ({error.strerror}).",
            "Make it writable, or set TDD_STATE_DIR to a folder that is.",
        ) from error
    return places


def repository_of_tree(folder: Path) -> Path | None:
    """Return the user's work tree where ``folder`` is in a tree of ours; None elsewhere."""
    for below, above in pairwise((folder, *folder.parents)):
        owner = above / "repository"
        if above.parent.name == "repositories" and below.is_dir() and owner.is_file():
            if above.parent != state_home() / "repositories":
                return None
            common_dir = Path(os.fsdecode(owner.read_bytes().removesuffix(b"\n")))
            return common_dir.parent if common_dir.name == ".git" else None
    return None


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest number of ``entries`` and ``size`` (bytes on disk); the ``newest`` always stay."""

    entries: int
    size: int
    newest: int


LOGS = Limits(entries=100, size=24 << 20, newest=10)  # an entry a test run
RUNS = Limits(entries=300, size=48 << 20, newest=5)  # an entry a cycle


def prune(places: Places) -> int:
    """Remove the oldest logs and transcripts beyond the limits; return how many.

    Raises OSError if one cannot be removed.
    """
    return prune_folder(places.root / "logs", LOGS) + prune_folder(places.runs, RUNS)


def prune_folder(folder: Path, limits: Limits) -> int:
    """Remove the oldest entries of one folder beyond its limits."""
    removed = size = 0
    for number, entry in enumerate(_newest_first(folder)):
        size += _disk_size(entry)
        if number >= limits.newest and (number >= limits.entries or size > limits.size):
            remove(entry)
            removed += 1
    return removed


def _newest_first(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            found = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries]
    except FileNotFoundError:
        return []
    return [Path(path) for _, path in sorted(found, reverse=True)]


def _disk_size(path: Path) -> int:
    """Return the bytes on disk of a file or folder; links are not followed."""
    total = 0
    todo = [os.fspath(path)]
    while todo:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(todo.pop()) as entries:
            for entry in entries:
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
    return total + os.lstat(path).st_blocks * 512

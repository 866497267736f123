"""Keep the state folder small: remove old logs of test runs and transcripts of attempts."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.workspace.folders import remove
from tdd_orchestrator.workspace.state_folders import Places


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

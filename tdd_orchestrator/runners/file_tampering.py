"""Detect test files that were changed on the disk while the tests ran.

Code under test may write another text into a test file before the runner reads it, and restore the old
one: then the committed text is not what ran. The file's change time (ctime) is set by the kernel, and
no program can reset it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.model.report import CHANGED

Marks = dict[str, tuple[int, ...]]
"""path -> (inode, change time in ns, size); empty for a missing file."""

_ABOVE = ("conftest.py", "__init__.py", "setup.py")  # files that runners load from the folders above a test


def snapshot_files(tree: Path, tests: Iterable[str]) -> Marks:
    """Return the marks of test files, of files beside them in the same language, and of files loaded
    with them."""
    paths: set[str] = set()
    folders: dict[str, set[str]] = {}
    for test in tests:
        path = PurePosixPath(test)
        folders.setdefault(path.parent.as_posix(), set()).add(path.suffix)
        paths.add(test)
    for folder, suffixes in folders.items():
        paths.update(_beside(tree, folder, suffixes))
    above = {parent.as_posix() for folder in folders for parent in PurePosixPath(folder, "x").parents}
    paths.update(f"{folder}/{name}" for folder in above for name in _ABOVE)
    return {os.path.normpath(path): _facts(tree / path) for path in paths}


def find_changes(tree: Path, before: Marks) -> tuple[str, ...]:
    """Return a remark for each file that was changed, restored or not."""
    return tuple(
        f"{CHANGED}{path}, on the disk" for path in sorted(before) if _facts(tree / path) != before[path]
    )


def _beside(tree: Path, folder: str, suffixes: set[str]) -> list[str]:
    try:
        with os.scandir(tree / folder) as entries:
            return [
                f"{folder}/{entry.name}" for entry in entries if os.path.splitext(entry.name)[1] in suffixes
            ]
    except OSError as error:
        raise_if_of_machine(error)
        return []


def _facts(path: Path) -> tuple[int, ...]:
    try:
        facts = os.lstat(path)
    except OSError as error:
        raise_if_of_machine(error)
        return ()
    return facts.st_ino, facts.st_ctime_ns, facts.st_size

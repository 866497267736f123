"""Whether what the tests are made of stayed on the disk as it was while they ran.

Code under test may write another text into a file of tests before the runner reads it, and put the old one
back: what is committed was not what ran. The time of a file's last change (ctime) is the kernel's own, which
no program sets back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from tdd_orchestrator.model.errors import raise_if_of_machine
from tdd_orchestrator.model.report import CHANGED

Marks = dict[str, tuple[int, ...]]
"""path -> (inode, change time in ns, size); empty where nothing is there."""

_ABOVE = ("conftest.py", "__init__.py", "setup.py")  # what runners load of the folders above a test


def marks(tree: Path, tests: Iterable[str]) -> Marks:
    """Files of tests, what lies beside them in the same language, and what is loaded with them from above."""
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


def changed(tree: Path, before: Marks) -> tuple[str, ...]:
    """A remark for each file that is no longer what it was, put back or not."""
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

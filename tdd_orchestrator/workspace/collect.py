"""Collect an agent's work as plain files: no links followed, no filters, none of its git data used."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import stat
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tdd_orchestrator.model.errors import is_of_machine
from tdd_orchestrator.repo.encoding import git_name
from tdd_orchestrator.workspace.tree import Touched, Tree

MAX_FILE = 4 << 20  # bytes of one file
MAX_TOTAL = 24 << 20  # bytes of one attempt
MAX_FILES = 2000

LITTER = (
    "__pycache__", "*.pyc", "*.pyo", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
    ".coverage",
    ".coverage.*", "node_modules", ".venv", ".DS_Store", ".aider*", ".claude.json", ".cache", "*.swp",
    "*.orig",
    ".nyc_output", "*.egg-info", ".tox", ".nox", ".opencode/.gitignore", ".opencode/package.json",
    ".opencode/package-lock.json",
    ".opencode/bun.lock",
)  # fmt: skip
"""Files that tools leave behind and that are never committed, whatever the ignore files say."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """``content`` is None for a removed file; ``executable`` is the only mode bit that git stores."""

    path: str
    how: str  # new | changed | gone
    content: bytes | None = None
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Collected:
    """``left``: paths that were not collected, with the reason."""

    changes: tuple[FileChange, ...] = ()
    left: tuple[tuple[str, str], ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(change.path for change in self.changes)


def collect(tree: Tree, *, known: Iterable[str], ignored: Callable[[list[str]], frozenset[str]]) -> Collected:
    """Collect what differs in ``tree``.

    ``known``: the paths of the commit it started from; ``ignored``: which new paths the ignore files of
    *that commit* hide (never the agent's).
    """
    touched = [entry for entry in tree.touched() if not is_litter(entry.path)]
    left: list[tuple[str, str]] = []
    fresh = [entry.path for entry in touched if entry.how == "new"]
    hidden = ignored(fresh)
    names = _Names(known, touched) if fresh else None
    changes: list[FileChange] = []
    total = 0
    for entry in sorted(touched, key=lambda entry: entry.path):
        reason = _refusal(entry, hidden) or (names.clash(entry) if names else "")
        change = None
        if not reason:
            change, reason = _read(tree, entry)
        if change is None:
            left.append((_printable(entry.path), reason))
            continue
        total += len(change.content or b"")
        if total > MAX_TOTAL or len(changes) >= MAX_FILES:
            left.append((_printable(entry.path), "more than one attempt may bring"))
            continue
        changes.append(change)
        if names:
            names.add(entry.path)
    return Collected(tuple(changes), tuple(left))


def _refusal(entry: Touched, hidden: frozenset[str]) -> str:
    path = entry.path
    if entry.how == "new" and path.endswith("/"):
        return "a repository inside the repository"
    if any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) <= 0xDFFF for char in path):
        return "a name that cannot be written down safely"
    if any(_is_gits(part, entry.how == "new") for part in path.split("/")):
        return "a name that git keeps for itself"
    if path in hidden:
        return "ignored by the repository's own ignore files"
    return ""


def _is_gits(part: str, new: bool) -> bool:
    """Whether it is git's own folder in any form, or a disguised form of its other files.

    The guard checks their plain names.
    """
    meant = git_name(part)
    odd = part.endswith((".lock", " ")) and ".git" in part.lower()
    return meant == ".git" or odd or (new and meant not in ("", part))


class _Names:
    """The existing files and folders, to find a new one that some disks cannot tell from another."""

    def __init__(self, known: Iterable[str], touched: list[Touched]) -> None:
        removed = {entry.path for entry in touched if entry.how == "gone"}
        self._stand: set[str] = set()
        self._folded: dict[str, str] = {}
        for path in known:
            if path in removed:
                self._folded[_fold(path)] = path
            else:
                self.add(path)

    def add(self, path: str) -> None:
        while path and path not in self._stand:
            self._stand.add(path)
            self._folded.setdefault(_fold(path), path)
            path = path.rpartition("/")[0]

    def clash(self, entry: Touched) -> str:
        if entry.how != "new":
            return ""
        path = entry.path
        while path and path not in self._stand:
            other = self._folded.get(_fold(path), path)
            if other != path:
                return f"differs only by case from {_printable(other)}"
            path = path.rpartition("/")[0]
        return ""


def _read(tree: Tree, entry: Touched) -> tuple[FileChange | None, str]:
    """Read a plain file in real folders; else return the reason."""
    if entry.how == "gone":
        return FileChange(entry.path, "gone"), ""
    *folders, name = entry.path.split("/")
    with contextlib.ExitStack() as stack:
        try:
            here = os.open(tree.path, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, here)
            for folder in folders:
                here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
                stack.callback(os.close, here)
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
            stack.callback(os.close, descriptor)
        except OSError as error:
            if is_of_machine(error):
                raise
            return None, f"not a plain file ({error.strerror})"
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return None, "not a plain file"
        if facts.st_size > MAX_FILE:
            return None, f"larger than {MAX_FILE >> 20} MiB"
        with os.fdopen(os.dup(descriptor), "rb") as file:
            content = file.read(MAX_FILE + 1)
    if entry.how == "new" and b"\0" in content[:8000]:
        return None, "binary"
    return FileChange(entry.path, entry.how, content, bool(facts.st_mode & 0o100)), ""


def is_litter(path: str) -> bool:
    """Whether the path is a tool's leftover, whatever the ignore files say."""
    path = path.rstrip("/")
    return any(fnmatch.fnmatchcase(part, pattern) for part in (path, *path.split("/")) for pattern in LITTER)


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode("utf-8")

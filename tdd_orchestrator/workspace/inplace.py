"""The user's own work tree as the tree of a cycle, for repositories that cannot run elsewhere (W1).

It was clean when the cycle started. What was untracked or ignored then is the user's, remembered in
``memory``, and never touched. When a command stops it leaves a ``mark`` of how the files are; where they are
otherwise when the next one begins, they are the user's, and nothing is moved. What comes while an agent works
cannot be told from the user's: it is kept before it goes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.workspace import untracked_files
from tdd_orchestrator.workspace.collect import is_litter
from tdd_orchestrator.workspace.folders import remove, write_whole
from tdd_orchestrator.workspace.repository_snapshot import head_of
from tdd_orchestrator.workspace.tree import Touched, Tree

_IGNORED_ROOM = 64 << 20  # bytes of ignored files that are kept at once, such as build results
_INSTALLED = frozenset({".venv", "venv", "node_modules"})
_STATUS = (
    "status",
    "--porcelain",
    "-z",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=dirty",
)


class InPlaceTree(Tree):
    """The user's work tree. ``own``: the user's git. Backups go into ``foreign`` beside ``shadow``."""

    owned = False

    def __init__(self, own: Git, path: Path, objects: Path, shadow: Path, say: Callable[[str], None]) -> None:
        super().__init__(path, objects, (), shadow)
        self.memory = shadow.with_suffix(".users")
        self.mark = shadow.with_suffix(".mark")
        self._own = own
        self._say = say
        self._strange = True  # whether anything but the test command may have worked here since the last move
        self._going: frozenset[str] = frozenset()

    def begin(self, branch: str, *, awaited: bool) -> None:
        """Start a command.

        Raises Refused if HEAD is not on the cycle's branch, or files changed since the last command,
        unless the user's edits are ``awaited``.
        """
        if self._users() is None:
            return
        for message in self.give_back():  # a command was killed while an agent worked
            self._say(message)
        mark = self._marked()
        head, wanted = self._head(), f"ref: refs/heads/{branch}" if branch else mark.get("head", "")
        if wanted and head != wanted:
            name = wanted.removeprefix("ref: refs/heads/")
            raise Refused(
                f"The files here are those of a cycle on {name}, and {name} is not checked out.",
                f"Go back to it: git checkout {name}; then run the same command again.",
            )
        if mark and not awaited:
            self._refuse_edits(mark)
        self._strange = bool(mark.get("strange", True))
        self.mark.unlink(missing_ok=True)

    def _refuse_edits(self, mark: dict[str, Any]) -> None:
        users, seen, status = self._users() or frozenset(), mark["seen"], self._status()
        edited = [
            path
            for path, how in status.items()
            if path not in users and not is_litter(path) and seen.get(path) != [how, *self._facts(path)]
        ]
        if edited:
            raise Refused(
                (
                    f"Not as the last command left it: {untracked_files.named(edited)}. Mode 'inplace' "
                    "would set it back."
                ),
                "Commit or move your changes aside, then run the same command again.",
            )
        fresh = [
            entry.path
            for entry in self.touched()
            if entry.how == "new"
            and (entry.path not in status or is_litter(entry.path))
            and seen.get(entry.path, [])[1:] != self._facts(entry.path)
        ]
        if fresh:  # ignored, and made by the user since
            tracked = {os.fsdecode(path) for path in self._own.run("ls-files", "-z", "--cached").split(b"\0")}
            self._remember(users | (set(fresh) - tracked))

    def stop(self) -> None:
        """End a command: record the state of the files, to find later changes."""
        if self._users() is None:
            self.mark.unlink(missing_ok=True)
            return
        seen = {entry.path: ["", *self._facts(entry.path)] for entry in self.touched()}
        seen |= {path: [how, *self._facts(path)] for path, how in self._status().items()}
        write_whole(
            self.mark, json.dumps({"head": self._head(), "strange": self._strange, "seen": seen}).encode()
        )

    def compare_with(self, commit: str) -> None:
        self._ready()
        self.git.run("read-tree", commit)
        self.at, self._index_mark = commit, self._index_facts()

    def move_to(self, commit: str) -> None:
        self._ready()
        if self._users() is None:
            self.compare_with(commit)
            self._remember(entry.path for entry in super().touched() if entry.how == "new")
        self._keep_strangers(commit)
        super().move_to(commit)
        self._strange = False

    def _keep_strangers(self, commit: str) -> None:
        """Back up everything that the move would change or remove and git does not have.

        Of ignored files, those that tests made are dropped; others are kept while there is room.
        """
        users, found = self._users() or frozenset(), super().touched()
        self._going = frozenset(
            entry.path for entry in found if entry.path not in users and not _is_installed(entry.path)
        )
        met = self._met(commit, users) if users else frozenset()
        ours = {entry.path: entry.how for entry in found if entry.path in met or entry.path in self._going}
        there = [path for path, how in ours.items() if how != "gone" and not is_litter(path)]
        lost = untracked_files.unknown(self.git, self.path, there) if there else []
        ignored = self._ignored([path for path in lost if path not in users])
        room = _IGNORED_ROOM if self._strange else 0
        fit = frozenset(untracked_files.within(self.path, ignored, room)) if room else frozenset()
        to_keep = {
            path: ours[path] == "new" and path not in users
            for path in lost
            if path not in ignored or path in fit
        }
        message = untracked_files.keep(self.path, to_keep, self._foreign)
        if message:
            self._say(message)

    def _met(self, commit: str, users: frozenset[str]) -> frozenset[str]:
        """Return the user's own files at paths where the commit has a file or a folder."""
        raw = self.git.run("ls-tree", "-r", "-z", "--name-only", commit)
        files = {os.fsdecode(path) for path in raw.split(b"\0") if path}
        folders = {above for path in files for above in _above(path)}
        return frozenset(
            path for path in users if path in files or path in folders or not files.isdisjoint(_above(path))
        )

    def _ignored(self, paths: list[str]) -> frozenset[str]:
        """Return the ignored paths, by the user's rules, including those outside the tree."""
        if not paths:
            return frozenset()
        stdin = b"\0".join(os.fsencode(path) for path in paths)
        raw = self._own.run("check-ignore", "-z", "--stdin", stdin=stdin, ok=(0, 1))
        return frozenset(os.fsdecode(path) for path in raw.split(b"\0") if path)

    def _begin_anew(self) -> None:
        """Do nothing: the files are the user's own, and the user can see what is wrong."""
        raise Refused(
            f"The files in {self.path} cannot be set back.",
            "Look at `git status`, remove what is in the way, run again.",
        )

    def release(self, commit: str) -> None:
        """End the cycle: move the files to ``commit`` and forget the state, if the cycle worked here."""
        if self._users() is None:
            return
        self.move_to(commit)
        self.memory.unlink()

    def touched(self) -> list[Touched]:
        users = self._users() or frozenset()
        return [entry for entry in super().touched() if entry.path not in users]

    def _users(self) -> frozenset[str] | None:
        """Return the user's untracked paths; None if not recorded yet.

        Read without ``exists``, which hides disk failures in newer Pythons.
        """
        try:
            return frozenset(os.fsdecode(path) for path in self.memory.read_bytes().split(b"\0"))
        except FileNotFoundError:
            return None

    def _remember(self, paths: Iterable[str]) -> None:
        write_whole(self.memory, b"\0".join(sorted(os.fsencode(path) for path in paths)))

    def _marked(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(self.mark.read_bytes())
        except (FileNotFoundError, ValueError):  # the process or the machine was killed: no state
            return {}
        return found

    def _head(self) -> str:
        return os.fsdecode(head_of(self._own) or b"").strip()

    def _status(self) -> dict[str, str]:
        """Return git's two status letters for each path that differs from HEAD."""
        raw = self._own.run(*_STATUS)
        return {os.fsdecode(entry[3:]): entry[:2].decode() for entry in raw.split(b"\0") if entry}

    def _facts(self, path: str) -> list[int]:
        try:
            facts = os.lstat(self.path / path)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [facts.st_size, facts.st_mtime_ns, facts.st_ino, facts.st_mode]

    def give_git(self, commit: str, branch: str) -> None:
        """Do nothing: the agent uses the user's own repository."""
        self._strange = True

    def hold(self) -> None:
        untracked_files.hold(self.path, self._users() or (), self._copies)

    def give_back(self) -> tuple[str, ...]:
        return tuple(untracked_files.give_back(self.path, self._copies, self._foreign))

    @property
    def _copies(self) -> Path:
        return self.memory.with_suffix(".held")

    @property
    def _foreign(self) -> Path:
        return self.memory.parent / "foreign"

    def moved_git(self, commit: str, branch: str) -> str:
        return ""

    def link(self, name: str, target: Path) -> None:
        """Do nothing: all files are here already."""

    def _clean(self) -> None:
        self._index_mark = self._index_facts()  # it has just been written by us
        for entry in self.touched():
            if entry.how == "new" and entry.path in self._going:
                remove(self.path / entry.path)


def _above(path: str) -> list[str]:
    """Return the folders above a path."""
    parts = path.rstrip("/").split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _is_installed(path: str) -> bool:
    """Whether a path is of an environment or of installed packages: these are never removed from the user's
    files, whoever installed them."""
    return not _INSTALLED.isdisjoint(path.split("/")[:-1])

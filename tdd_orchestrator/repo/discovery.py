"""Which repository this is, and in what state: asked of git once each, refused in one sentence where it
cannot be."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.repo.git import INSTALL_GIT, Git, environment, failed

_ASKED = (
    "--show-object-format",
    "--is-bare-repository",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-toplevel",  # last: it fails where there is no work tree, after the others have been answered
)


@dataclass(frozen=True, slots=True)
class Found:
    """A repository that can be worked in."""

    git_dir: Path
    common_dir: Path
    work_tree: Path

    def git(self) -> Git:
        return Git(self.git_dir, self.work_tree)


def discover(start: Path) -> Found:
    """The repository around ``start``. Refused: none, bare, inside .git, sha256, not to be trusted, too
    new."""
    argv = ["git", "rev-parse", "--path-format=absolute", *_ASKED]
    done = process.quick(argv, cwd=start if start.is_dir() else None, env=environment())
    if done.exit_code is None:
        raise Refused(f"git cannot be started: {done.error}.", f"{INSTALL_GIT}.")
    lines = done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    error = done.stderr.decode("utf-8", "replace")
    if done.exit_code != 0 and len(lines) < 4:
        _refuse(error, start)
        raise failed(argv[1:], done)
    if lines[0] != "sha1":
        raise Refused(
            f"This repository has {lines[0]} object ids; tdd works in sha1 repositories only.",
            "Make a repository with git init --object-format=sha1.",
        )
    if lines[1] == "true":
        raise Refused("This is a bare repository.", "Work in a clone of it.")
    if len(lines) > len(_ASKED):
        raise Refused(
            "The path of this repository has a line break in it, which tdd does not support.",
            "Rename that folder.",
        )
    if len(lines) < len(_ASKED):
        raise Refused("This folder is inside a .git folder, not in a work tree.", "Change to the work tree.")
    return Found(Path(lines[2]), Path(lines[3]), Path(lines[4]))


_REFUSALS: tuple[tuple[str, str, str], ...] = (
    # what git says, what is wrong, what to do
    ("dubious ownership", "Git does not trust this repository: another user owns it.",
     "If you do: git config --global --add safe.directory FOLDER"),
    ("not a git repository", "{start} is not in a git repository.", "Make one with: git init"),
    ("unknown repository extension", "This repository uses a format that your git does not know.",
     "Install a newer git."),
    ("Expected git repo version", "This repository uses a format that your git does not know.",
     "Install a newer git."),
    ("bad config", "Git's configuration cannot be read: {error}.", "Correct that file."),
    ("Permission denied", "The repository cannot be read: {error}.", "Set the permissions right."),
)  # fmt: skip


def _refuse(error: str, start: Path) -> None:
    first = (error.strip().splitlines() or [""])[0].removeprefix("fatal: ").removeprefix("error: ")
    for said, what, todo in _REFUSALS:
        if said in error:
            raise Refused(what.format(start=start, error=first.rstrip(".")), todo)


@dataclass(frozen=True, slots=True)
class RepoState:
    """The user's repository as it stands. ``branch`` is "" where HEAD is detached; ``head`` "" where unborn.

    ``operation`` is what git is in the middle of ("" = nothing). ``staged``, ``unstaged``, ``untracked``
    count files; ``conflicted`` those with merge conflicts.
    """

    branch: str
    head: str
    operation: str = ""
    shallow: bool = False
    submodules: bool = False
    staged: int = 0
    unstaged: int = 0
    conflicted: int = 0
    untracked: int = 0
    index_lock: bool = False
    identity: bool = True
    identity_line: str = ""  # name <mail>, "" where there is none
    filters: bool = False  # a program of the user's changes what git writes into the work tree
    hooks: str = ""  # core.hooksPath as it is written, "" where it is not set

    @property
    def unborn(self) -> bool:
        return not self.head

    @property
    def detached(self) -> bool:
        return not self.branch

    @property
    def dirty(self) -> bool:
        return bool(self.staged or self.unstaged or self.conflicted)


OPERATIONS: tuple[tuple[str, str], ...] = (
    # file or folder in the git dir -> what is going on; the first that exists counts
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "cherry-pick"),
    ("BISECT_LOG", "bisect"),
)


def state(git: Git) -> RepoState:
    """Two git processes: status (filters and hooks are the user's own; the index is not refreshed),
    configuration."""
    raw = git.run(
        "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal", "--ignore-submodules=dirty"
    )
    fields: dict[str, str] = {}
    counts = dict.fromkeys(("staged", "unstaged", "conflicted", "untracked"), 0)
    pieces = iter(raw.split(b"\0"))
    for piece in pieces:
        kind = piece[:1]
        if kind == b"#":
            key, _, value = piece[2:].decode("utf-8", "surrogateescape").partition(" ")
            fields[key] = value
        elif kind == b"?":
            counts["untracked"] += 1
        elif kind == b"u":
            counts["conflicted"] += 1
        elif kind in (b"1", b"2"):
            counts["staged"] += piece[2:3] != b"."
            counts["unstaged"] += piece[3:4] != b"."
            if kind == b"2":
                next(pieces)  # the name before the rename
    config = _Config(git)
    identity = _identity(config)
    return RepoState(
        branch="" if fields.get("branch.head") == "(detached)" else fields.get("branch.head", ""),
        head="" if fields.get("branch.oid") == "(initial)" else fields.get("branch.oid", ""),
        operation=next((what for name, what in OPERATIONS if (git.git_dir / name).exists()), ""),
        shallow=(git.common_dir / "shallow").exists(),
        submodules=git.work_tree is not None and (git.work_tree / ".gitmodules").exists(),
        index_lock=(git.git_dir / "index.lock").exists(),
        identity=bool(identity),
        identity_line=identity,
        filters=any(key.startswith("filter.") and key.endswith((".smudge", ".process")) for key in config),
        hooks=config("core.hookspath", 1),
        **counts,
    )


class _Config:
    """Last value of a key (lower case), "" where it is not set; a key without a value is "true". ``ours``:
    how many values at its end are those of our own calls."""

    def __init__(self, git: Git) -> None:
        self._values: dict[str, list[str]] = {}
        for piece in git.run("config", "--list", "-z").decode("utf-8", "surrogateescape").split("\0"):
            key, separator, value = piece.partition("\n")
            self._values.setdefault(key, []).append(value if separator else "true")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __call__(self, key: str, ours: int = 0) -> str:
        values = self._values.get(key, [])
        return values[-1 - ours] if len(values) > ours else ""


def _identity(config: _Config) -> str:
    """Who commits, as git would find it, but for its guess from login and host name."""
    name = os.environ.get("GIT_COMMITTER_NAME") or config("committer.name") or config("user.name")
    mail = os.environ.get("GIT_COMMITTER_EMAIL") or config("committer.email") or config("user.email")
    mail = mail or os.environ.get("EMAIL", "")
    name, mail = _clean(name), _clean(mail)
    return f"{name} <{mail}>" if name and mail else ""


_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"


def _clean(text: str) -> str:
    """As git writes a name: with what separates it from the mail and the time no commit could be read."""
    return re.sub(r"[<>\n\0]", "", text.strip(_CRUD))

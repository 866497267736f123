"""One work tree outside the repository, moved between commits by a git dir hidden from agents.

The tree's own ``.git`` is disposable: rebuilt before an agent starts, with objects borrowed from the
user's repository, no remote, no hooks, its own refs and configuration. We never run git with it, so an
agent's changes to it have no effect.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.agents.validate import read_left
from tdd_orchestrator.model.errors import GitFailed
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.workspace.disk_state import DiskState
from tdd_orchestrator.workspace.folders import (
    is_folder,
    literally,
    make_git_dir,
    plain_files,
    remove,
    unseen_by_git,
)

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = false\n"
_IDENTITY = "[user]\n\tname = tdd agent\n\temail = agent@tdd.invalid\n[commit]\n\tgpgSign = false\n"


_NO_BRANCH = "ref: refs/heads/none\n"
_PARTS = frozenset({"HEAD", "config", "index", "objects", "refs"})
_FOLDERS = ("", "refs", "objects", "objects/info")
_ASKED = 200  # files that git is asked about by name; of more it is asked about all
_REF = 4096  # bytes: more than a ref's own file can hold
_STATES = {b"H": "held", b"?": "new", b"R": "gone"}
"""git's letters for a path's state; any other means that the file changed, or is marked to be ignored."""


@dataclass(frozen=True, slots=True)
class Touched:
    """A path that differs from the tree's commit: ``how`` is ``new``, ``changed`` or ``gone``."""

    path: str
    how: str


class Tree:
    """``path``: the work tree; ``shadow``: our git dir for it; ``keep``: names that cleaning leaves."""

    owned = True  # whether all files in it are ours to remove

    def __init__(
        self, path: Path, objects: Path, keep: tuple[str, ...] = (), shadow: Path | None = None
    ) -> None:
        self.path = path
        self.keep = keep
        self._objects = objects
        self._shadow = shadow or path.parent / f"{path.name}.git"
        self.git = Git(self._shadow, work_tree=path)
        self.at = ""  # the commit that the tree was last moved to by this process
        self._disk: DiskState | None = None  # how the files were after that
        self._index_mark = self._index_facts()

    def move_to(self, commit: str) -> None:
        """Set the tree to exactly this commit's files plus ``keep``, undoing an agent's changes."""
        self._ready()
        try:
            if not self._move_known(commit):
                self._reset(commit)
        except (
            OSError,
            RecursionError,
            GitFailed,
        ):  # an agent left an uncleanable path: too long, or a mount
            self._disk = None
            self._begin_anew()
            self._read_tree(commit)
        self.at = commit
        self._index_mark = self._index_facts()

    def rewrite(self, texts: Mapping[str, str]) -> None:
        """Write other texts into some files until the next move; a known file is set aside, to be moved back."""
        for path, text in texts.items():
            target = self.path / path
            if self._disk:
                self._disk.set_aside(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
        self._settle()

    def _move_known(self, commit: str) -> bool:
        """Move from the commit that the tree was last moved to, by what differs; False where that is not known."""
        disk = self._known_disk()
        if disk is None:
            return False
        undone, changed = disk.undo()
        if changed:
            self._read_tree(commit)
        elif commit != self.at:
            self._read_tree(self.at, commit)
        if undone or commit != self.at:
            disk.refresh()
            self._settle()
        return True

    def _known_disk(self) -> DiskState | None:
        return self._disk if self._disk and self._disk.closed == self._closed() else None

    def _settle(self) -> None:
        if self._disk and not self._disk.settle(self._shadow / "config"):
            self._disk = None

    def _reset(self, commit: str) -> None:
        """Move from any state to the commit, and take down how the files are then."""
        self._disk = None
        if self._index_facts() != self._index_mark:
            remove(self._shadow / "index")  # not as we left it: untrusted
        empty = not os.listdir(self.path)
        self._read_tree(commit)
        if not empty:
            self._clean()
        if self.owned:
            self._disk = DiskState(self.path, self._closed(), self.path.parent / f"{self.path.name}.aside")
            self._settle()

    def _read_tree(self, *commits: str) -> None:
        self.git.run("read-tree", "--reset", "-u", *commits)

    def _closed(self) -> frozenset[str]:
        return frozenset((*self.keep, ".git"))

    def show_files(self, pack: bytes, files: str) -> None:
        """Write another tree's files over the commit's, as an agent elsewhere left them.

        ``files``: a git tree; ``pack``: its objects, stored in our git dir until the next call; the
        user's repository gets none of them.
        """
        self.git.run("index-pack", "--strict", "--fix-thin", "--stdin", stdin=pack)
        self.git.run("read-tree", "--reset", "-u", files)
        self.git.run("read-tree", self.at)
        self._index_mark = self._index_facts()

    def _clean(self) -> None:
        excluded = {os.path.join(self.path, name) for name in (*self.keep, ".git")}
        for path in unseen_by_git(os.fspath(self.path), excluded):
            os.unlink(path)
        exclusions = [f"--exclude=/{literally(name)}" for name in self.keep]
        self.git.run("clean", "-ffdxq", "--exclude=/.git", *exclusions)

    def _begin_anew(self) -> None:
        """Replace the folder by a new one; the results of setup are made again."""
        old = self.path.with_name(f".{self.path.name}-{os.urandom(4).hex()}")
        self.path.rename(old)
        (self._shadow / "index").unlink(missing_ok=True)
        self._ready()
        # Python's own way to remove a tree ends at a path too long.
        process.quick(["rm", "-rf", "--", os.fspath(old)])

    def begin(self, branch: str, *, awaited: bool) -> None:
        """Start a command. No other program works in a tree of our own."""

    def stop(self) -> None:
        """A command ends."""

    def compare_with(self, commit: str) -> None:
        """Find changes against a commit; the files stay as they are. In a tree of our own they are compared
        with it already."""

    def release(self, commit: str) -> None:
        """Keep a tree of our own for the next cycle."""

    def touched(self) -> list[Touched]:
        """Return every path that differs from the commit, ignored ones included; links are not
        followed.

        git silently takes unreadable folders and files for removed ones, so the disk is read too.
        """
        if self.path.is_symlink() or not self.path.is_dir():
            # the tree was removed or replaced: there is no work to read (T33)
            return []
        self._seal()
        disk = self._known_disk()
        found = disk.touched() if disk else None
        if found is not None and len(found[1]) <= _ASKED:
            new, written = found
            how = self._states(*(f":(top,literal){path}" for path in written)) if written else {}
            how = {path: how.get(path, "new") for path in written} | dict.fromkeys(new, "new")
            seen_on_disk = {"gone": "changed"}
            return [
                Touched(path, seen_on_disk.get(kind, kind)) for path, kind in how.items() if kind != "held"
            ]
        how = self._states()

        def closed(folder: str) -> bool:
            """What is kept, and repositories in the repository, which git lists as one path."""
            return self._is_kept(folder) or f"{folder}/" in how or how.get(folder, "gone") != "gone"

        for path in plain_files(self.path, closed):
            seen = how.setdefault(path, "new")
            how[path] = "changed" if seen == "gone" else seen
        return [
            Touched(path, kind) for path, kind in how.items() if kind != "held" and not self._is_kept(path)
        ]

    def _states(self, *paths: str) -> dict[str, str]:
        """Return the state of each path that git knows, or of those that match one of ``paths``, and the untracked."""
        words = ("ls-files", "-v", "-z", "--cached", "--modified", "--deleted", "--others", "--", *paths)
        how: dict[str, str] = {}
        for entry in self.git.run(*words).split(b"\0"):
            path = os.fsdecode(entry[2:])
            if entry and how.get(path) != "gone":
                how[path] = _STATES.get(entry[:1], "changed")
        return how

    def strangers(self) -> list[str]:
        """Return untracked paths, ignored or not, except kept ones; wholly new folders as one path."""
        raw = self.git.run("ls-files", "-z", "--others", "--directory", "--no-empty-directory")
        names = [os.fsdecode(name).rstrip("/") for name in raw.split(b"\0") if name]
        return [name for name in names if not self._is_kept(name)]

    def ignored(self, paths: list[str]) -> frozenset[str]:
        """Return those of the paths that the ignore files *of this tree* would hide."""
        if not paths:
            return frozenset()
        stdin = b"\0".join(os.fsencode(path) for path in paths)
        raw = self.git.run("check-ignore", "-z", "--stdin", "--no-index", stdin=stdin, ok=(0, 1))
        return frozenset(os.fsdecode(path) for path in raw.split(b"\0") if path)

    def give_git(self, commit: str, branch: str) -> None:
        """Create a new ``.git`` for an agent: one branch, borrowed history, nothing of the user's."""
        dot_git = self.path / ".git"
        remove(dot_git)
        make_git_dir(dot_git, self._objects, _CONFIG + _IDENTITY, f"ref: refs/heads/{branch}\n")
        reference = dot_git / "refs" / "heads" / branch
        reference.parent.mkdir(parents=True, exist_ok=True)
        reference.write_text(f"{commit}\n", encoding="ascii")
        shutil.copyfile(self._shadow / "index", dot_git / "index")
        exclude = dot_git / "info" / "exclude"
        exclude.write_bytes(b"".join(os.fsencode(f"/{literally(name)}\n") for name in self.keep))

    def hold(self) -> None:
        """Do nothing: no files of the user are here."""

    def give_back(self) -> tuple[str, ...]:
        """Return sentences on the user's files that an agent changed: none here."""
        return ()

    def moved_git(self, commit: str, branch: str) -> str:
        """Return what the agent did to its own ``.git``; '' if it is unchanged."""
        dot_git = self.path / ".git"
        if not dot_git.is_dir():
            return "its .git is gone"
        head = read_left(dot_git / "HEAD", _REF)
        tip = read_left(dot_git / "refs" / "heads" / branch, _REF)
        if head is None or tip is None:
            return "its branch is gone"
        if head.strip() != b"ref: refs/heads/" + os.fsencode(branch):
            return "it switched its HEAD"
        return "" if tip.strip() == commit.encode() else "it made commits"

    def link(self, name: str, target: Path) -> None:
        """Link a path of the user's (``.venv``, ``node_modules``) into the tree without copying it."""
        place = self.path / name
        if place.is_symlink() and os.readlink(place) == str(target):
            return
        remove(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def _is_kept(self, path: str) -> bool:
        return any(path == name or path.startswith(f"{name}/") for name in (*self.keep, ".git"))

    def _ready(self) -> None:
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_dir()):
            self.path.unlink()
        self.path.mkdir(parents=True, exist_ok=True)
        self._seal()

    def _seal(self) -> None:
        """Remove from our git dir all that we did not put there: hooks, attributes, settings, locks.

        A lock is our own: the run lock is held, so its owner has died. If the git dir is no folder, or
        contains a link, it is made again: a link may lead to the user's files.
        """
        if not all(is_folder(self._shadow / name) for name in _FOLDERS):
            remove(self._shadow)
            make_git_dir(self._shadow, self._objects, _CONFIG, _NO_BRANCH)
        for folder, parts in (("", _PARTS), ("objects", {"info"}), ("objects/info", {"alternates"})):
            for name in os.listdir(self._shadow / folder):
                if name not in parts:
                    remove(self._shadow / folder / name)
        for name, text in (
            ("config", _CONFIG.encode()),
            ("HEAD", _NO_BRANCH.encode()),
            ("objects/info/alternates", os.fsencode(self._objects) + b"\n"),
        ):
            path = self._shadow / name
            if path.is_symlink() or not path.is_file() or path.read_bytes() != text:
                remove(path)
                path.write_bytes(text)
        if self.at and self._index_facts() != self._index_mark:
            remove(self._shadow / "index")
            self.git.run("read-tree", self.at)
            self._index_mark = self._index_facts()

    def _index_facts(self) -> tuple[int, ...]:
        try:
            facts = os.lstat(self._shadow / "index")
        except OSError:
            return ()
        return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns

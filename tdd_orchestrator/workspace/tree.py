"""One work tree outside the repository, moved between commits by a git dir that no agent ever sees.

The tree's own ``.git`` is a throwaway: rebuilt before an agent starts, with objects borrowed from the user's
repository, no remote, no hooks, its own refs and configuration. Nothing of ours ever runs git with it, so
what an agent writes into it decides nothing.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.agents.validate import read_left
from tdd_orchestrator.model.errors import GitFailed
from tdd_orchestrator.repo.git import Git
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
_REF = 4096  # bytes: more than a ref's own file can hold
_SHOWN = {b"H": "held", b"?": "new", b"R": "gone"}
"""What git's letters for a path mean; another one is of a file that changed, or that somebody wants to be
overlooked."""


@dataclass(frozen=True, slots=True)
class Touched:
    """A path that differs from the commit the tree was moved to: how is ``new``, ``changed`` or ``gone``."""

    path: str
    how: str


class Tree:
    """``path`` is the work tree, ``shadow`` our git dir for it, ``keep`` names what cleaning leaves alone."""

    def __init__(
        self, path: Path, objects: Path, keep: tuple[str, ...] = (), shadow: Path | None = None
    ) -> None:
        self.path = path
        self.keep = keep
        self._objects = objects
        self._shadow = shadow or path.parent / f"{path.name}.git"
        self.git = Git(self._shadow, work_tree=path)
        self.at = ""  # the commit that the tree was last moved to by this process
        self._index_mark = self._index_facts()

    def move_to(self, commit: str) -> None:
        """Exactly this commit's files, no leftover but ``keep``; what an agent did to the folder is
        undone."""
        self._ready()
        if self._index_facts() != self._index_mark:
            remove(self._shadow / "index")  # not as we left it: what it says of files is not believed
        try:
            self.git.run("read-tree", "--reset", "-u", commit)
            self._clean()
        except (
            OSError,
            GitFailed,
        ):  # an agent left what cannot be cleaned: a path too long, a name that is a mount
            self._begin_anew()
            self.git.run("read-tree", "--reset", "-u", commit)
        self.at = commit
        self._index_mark = self._index_facts()

    def show_files(self, pack: bytes, files: str) -> None:
        """Put another tree's files over the commit's, as an agent elsewhere left them; ``files`` is a git
        tree, ``pack`` holds what it needs. The objects go to our own git dir and are gone with the next
        call: the user's repository gets none of them."""
        self.git.run("index-pack", "--strict", "--fix-thin", "--stdin", stdin=pack)
        self.git.run("read-tree", "--reset", "-u", files)
        self.git.run("read-tree", self.at)
        self._index_mark = self._index_facts()

    def _clean(self) -> None:
        kept = {os.path.join(self.path, name) for name in (*self.keep, ".git")}
        for path in unseen_by_git(os.fspath(self.path), kept):
            os.unlink(path)
        exclusions = [f"--exclude=/{literally(name)}" for name in self.keep]
        self.git.run("clean", "-ffdxq", "--exclude=/.git", *exclusions)

    def _begin_anew(self) -> None:
        """Another folder in the place of the old one, which goes; what setup made goes with it, and is made
        again."""
        gone = self.path.with_name(f".{self.path.name}-{os.urandom(4).hex()}")
        self.path.rename(gone)
        (self._shadow / "index").unlink(missing_ok=True)
        self._ready()
        # Python's own way to remove a tree ends at a path too long.
        process.quick(["rm", "-rf", "--", os.fspath(gone)])

    def begin(self, branch: str, *, awaited: bool) -> None:
        """A command begins. In a tree of our own nobody else works."""

    def stop(self) -> None:
        """A command ends."""

    def release(self, commit: str) -> None:
        """A tree of our own is kept as it is, for the next cycle."""

    def touched(self) -> list[Touched]:
        """Every path that is not as the commit has it, ignored ones too, in one git call; links not followed.

        Where git cannot read a folder or a file it takes it for gone and says nothing, so the disk is asked
        as well.
        """
        if self.path.is_symlink() or not self.path.is_dir():
            # whoever took the tree away, or put another in its place, left no work to be read (T33)
            return []
        self._seal()
        raw = self.git.run("ls-files", "-v", "-z", "--cached", "--modified", "--deleted", "--others")
        how: dict[str, str] = {}
        for entry in raw.split(b"\0"):
            path = os.fsdecode(entry[2:])
            if entry and how.get(path) != "gone":
                how[path] = _SHOWN.get(entry[:1], "changed")

        def closed(folder: str) -> bool:
            """What is kept, and repositories in the repository, which git lists as one path."""
            return self._kept(folder) or f"{folder}/" in how or how.get(folder, "gone") != "gone"

        for path in plain_files(self.path, closed):
            seen = how.setdefault(path, "new")
            how[path] = "changed" if seen == "gone" else seen
        return [Touched(path, kind) for path, kind in how.items() if kind != "held" and not self._kept(path)]

    def strangers(self) -> list[str]:
        """What git does not hold here, ignored or not, beside what is kept: files, and folders as one where
        all is new."""
        raw = self.git.run("ls-files", "-z", "--others", "--directory", "--no-empty-directory")
        names = [os.fsdecode(name).rstrip("/") for name in raw.split(b"\0") if name]
        return [name for name in names if not self._kept(name)]

    def ignored(self, paths: list[str]) -> frozenset[str]:
        """Which of these paths the ignore files *of this tree* would hide."""
        if not paths:
            return frozenset()
        stdin = b"\0".join(os.fsencode(path) for path in paths)
        raw = self.git.run("check-ignore", "-z", "--stdin", "--no-index", stdin=stdin, ok=(0, 1))
        return frozenset(os.fsdecode(path) for path in raw.split(b"\0") if path)

    def give_git(self, commit: str, branch: str) -> None:
        """A fresh ``.git`` for whoever works here: one branch, the borrowed history, nothing of the
        user's."""
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
        """Before an agent works: nothing of the user's lies here."""

    def give_back(self) -> tuple[str, ...]:
        """After it worked: what it did to files of the user's, in words."""
        return ()

    def moved_git(self, commit: str, branch: str) -> str:
        """What the agent did to its own ``.git``, as words for the record; nothing when it is as it was
        given."""
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
        """Show something of the user's in the tree (``.venv``, ``node_modules``) without copying it."""
        place = self.path / name
        if place.is_symlink() and os.readlink(place) == str(target):
            return
        remove(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def _kept(self, path: str) -> bool:
        return any(path == name or path.startswith(f"{name}/") for name in (*self.keep, ".git"))

    def _ready(self) -> None:
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_dir()):
            self.path.unlink()
        self.path.mkdir(parents=True, exist_ok=True)
        self._seal()

    def _seal(self) -> None:
        """Our git dir holds what we gave it and nothing else: no hook, attribute, setting or lock of
        anybody's. (A lock is ours alone: the run lock is held, so its owner is dead.)

        Where it is no folder, or a link stands in it, it is made anew: what lies behind a link may be the
        user's.
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

"""Land a finished cycle on the user's branch by fast-forward, or not at all (W3).

Order: a dry run (untracked files in the way, failing filters), the branch by compare-and-swap, then index
and files. After a kill in between, the same call continues: a path that already is as in the new commit is
done; one that is neither old nor new is the user's and stops the landing.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator import process
from tdd_orchestrator.events import log
from tdd_orchestrator.model.errors import GitFailed, Refused, raise_if_of_machine
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.repo.git import Git, failed
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.folders import remove

_GITLINK = 0o160000
_LINK = 0o120000


def in_the_way(git: Git, tree: Path, objects: Objects, old: str, new: str) -> str:
    """Return a path below ``tree`` that ``new`` would overwrite, "" if none.

    Neither ``old`` nor the index has it, and it differs from the file in ``new``. git runs only if
    something is there.
    """
    found: set[str] = set()
    trees = (objects.read_commit(commit).tree for commit in (old, new))
    for name, before, after in differing(objects, *trees):
        if before is None and after is not None:
            found.update(_there(tree, os.fsdecode(name), *after, objects))
    return min(_not_in_index(git, found), default="")


def _there(tree: Path, name: str, mode: int, oid: str, objects: Objects) -> Iterable[str]:
    """Return what exists at the file's path or at a folder above it."""
    parts = name.split("/")
    for depth in range(1, len(parts) + 1):
        path = "/".join(parts[:depth])
        try:
            facts = os.lstat(tree / path)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        if not stat.S_ISDIR(facts.st_mode):
            same = depth == len(parts) and _same(tree / path, facts.st_mode, mode, oid, objects)
            return () if same else (path,)
    return () if mode == _GITLINK else _below(tree, name)


def _below(tree: Path, folder: str) -> Iterator[str]:
    for above, folders, names in os.walk(tree / folder, onerror=raise_if_of_machine):
        links = (name for name in folders if os.path.islink(os.path.join(above, name)))
        yield from (os.path.relpath(os.path.join(above, name), tree) for name in (*names, *links))


def _same(path: Path, now: int, mode: int, oid: str, objects: Objects) -> bool:
    if mode == _GITLINK or stat.S_IFMT(now) != (stat.S_IFLNK if mode == _LINK else stat.S_IFREG):
        return False
    content = os.fsencode(os.readlink(path)) if mode == _LINK else path.read_bytes()
    return content == objects.read_kind(oid, "blob")


def _not_in_index(git: Git, paths: set[str]) -> set[str]:
    """Return the paths that the index does not have; git compares the others."""
    if not paths:
        return set()
    tracked = git.run("ls-files", "-z", "--cached")
    return paths - {os.fsdecode(path) for path in tracked.split(b"\0")}


_FILES = (0o100644, 0o100755)


def failing_filter(git: Git, objects: Objects, old: str, new: str) -> str:
    """Return git's message if a filter cannot produce a file of ``new``; '' if all can."""
    trees = (objects.read_commit(commit).tree for commit in (old, new))
    wanted = [(name, after) for name, _, after in differing(objects, *trees) if after and after[0] in _FILES]
    if not wanted:
        return ""
    rows = [b"%o %s\t%s" % (mode, oid.encode(), name) for name, (mode, oid) in wanted]
    place = git.common_dir / "tdd" / "filtered"
    remove(place)  # the run lock is held: a crashed run left it
    (place / "files").mkdir(parents=True)
    beside = Git(git.git_dir, place / "files", place / "index")
    beside.keep = git.keep
    try:
        beside.run(
            "update-index", "-z", "--index-info", stdin=b"\0".join([*_attributes(git, new), *rows]) + b"\0"
        )
        names = b"\0".join(name for name, _ in wanted)
        beside.run("checkout-index", "-z", "--stdin", stdin=names)
    except GitFailed as error:
        lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
        return " ".join(lines[-2:]).replace("fatal: ", "").rstrip(".")
    finally:
        remove(place)
    return ""


def _attributes(git: Git, commit: str) -> list[bytes]:
    """Return index lines of the commit's attribute files, which assign the filters."""
    rows = git.run("ls-tree", "-r", "-z", commit).split(b"\0")
    found = [row for row in rows if row.endswith((b"\t.gitattributes", b"/.gitattributes"))]
    return [row.replace(b" blob ", b" ", 1) for row in found]


@dataclass(frozen=True, slots=True)
class Checkout:
    """The user's work tree; ``tree`` is None if the branch is not checked out.

    ``filters``: whether git runs the user's filter programs on files that it writes there.
    """

    git: Git
    tree: Path | None
    objects: Objects
    filters: bool = False


_EDITED = re.compile(r"Entry '(.+)' not uptodate")
_EDITS = "Commit or move your own edits aside"
_LOCKED = "Remove it if no git command is running"
_FILTER = "Fix that filter, or what it needs"


def obstacle(checkout: Checkout, old: str, new: str) -> tuple[str, str]:
    """Return the obstacle, and what to do about it."""
    if checkout.tree is None:
        return "", ""
    lock = checkout.git.git_dir / "index.lock"
    if lock.exists():
        return f"{lock} exists: another git command is at work, or one died and left it", _LOCKED
    with _copied_index(checkout.git) as git:
        words = ("read-tree", "-n", "-m", "-u", old, new)
        try:
            if git.finished(*words).exit_code != 0:  # also where a file's times moved alone
                git.run("update-index", "-q", "--refresh", ok=(0, 1))
                git.run(*words)
        except GitFailed as error:
            edited = _EDITED.search(error.stderr)
            if edited:
                return f"{edited[1]} has changes of yours that are not committed", _EDITS
            lines = [line.strip() for line in error.stderr.splitlines() if line.strip()]
            return " ".join(lines[:4]).removeprefix("error: ").rstrip("."), _EDITS
    path = in_the_way(checkout.git, checkout.tree, checkout.objects, old, new)
    if path:
        return f"{_printable(path)} is not in git (ignored?) and would be overwritten", _EDITS
    message = failing_filter(checkout.git, checkout.objects, old, new) if checkout.filters else ""
    return message, _FILTER


def _printable(path: str) -> str:
    return one_line(path.encode("utf-8", "backslashreplace").decode("utf-8"), 200)


def refuse_blocked(checkout: Checkout, old: str, new: str, *, what: str, then: str) -> None:
    """Raise Refused if the files cannot follow the branch.

    ``what`` is not possible; ``then`` is what to do afterwards.
    """
    why, first = obstacle(checkout, old, new)
    if why:
        raise Refused(f"{what}: {why}.", f"{first}, then {then}")


@contextlib.contextmanager
def _copied_index(git: Git) -> Iterator[Git]:
    """Yield the repository with a copy of its index, so that a query neither locks nor writes."""
    copy = git.common_dir / "tdd" / "landing.index"
    copy.parent.mkdir(exist_ok=True)
    lock = copy.with_name(f"{copy.name}.lock")
    for left in (copy, lock):  # the run lock is held: a crashed run left them
        remove(left)
    with contextlib.suppress(FileNotFoundError):
        shutil.copyfile(git.git_dir / "index", copy)
    try:
        yield git.with_index(copy)
    finally:
        for left in (copy, lock):  # a failed git leaves its lock
            remove(left)


def follow(checkout: Checkout, old: str, new: str) -> None:
    """Update index and files from ``old`` to ``new`` after the branch moved. Other local edits stay."""
    if checkout.tree is None:
        return
    log("files moved", old=old[:12], new=new[:12], tree=str(checkout.tree))
    with contextlib.suppress(GitFailed):
        checkout.git.run("read-tree", "-m", "-u", old, new)
        return
    try:
        checkout.git.run("update-index", "-q", "--refresh", ok=(0, 1))
        _accept_what_is_new(checkout, old, new)
        checkout.git.run("read-tree", "-m", "-u", old, new)
    except GitFailed as error:
        detail = " ".join(error.stderr.split())[:300]
        raise Refused(
            f"The branch is at {new[:12]}, but your files could not follow: {detail}.",
            "Move your own edits aside, then run the same command again; nothing is lost.",
        ) from error


def follow_late(checkout: Checkout, branch: str, old: str, new: str, since: float) -> bool:
    """Finish :func:`follow` if it was interrupted after the branch had moved.

    Then the index still has every changed path as in ``old``. ``since``: the time of the landing's
    record. Returns whether it was so.
    """
    if checkout.tree is None:
        return False
    drop_dead_locks(checkout, branch, since)
    raw = checkout.git.run("diff-tree", "-r", "-z", "--name-only", old, new)
    paths = [f":(literal,top){os.fsdecode(name)}" for name in raw.split(b"\0") if name]
    if not paths or not _index_is(checkout.git, old, paths):
        return False
    follow(checkout, old, new)
    return True


def _index_is(git: Git, commit: str, paths: list[str]) -> bool:
    """Whether the index has these paths as in the commit. Raises GitFailed if git cannot tell."""
    args = ("diff-index", "--cached", "--quiet", commit, "--", *paths)
    done = git.finished(*args)
    if done.exit_code not in (0, 1):
        raise failed(args, done)
    return done.exit_code == 0


def drop_dead_locks(checkout: Checkout, branch: str, since: float) -> None:
    """Remove the locks that our own interrupted landing left on index, HEAD and branch.

    Ours are not older than its record (``since``, unix seconds). While a git program runs in the tree,
    or in an unknown one, locks may be its own, and stay.
    """
    git = checkout.git
    names = (
        git.git_dir / "index.lock",
        git.git_dir / "HEAD.lock",
        git.common_dir / f"refs/heads/{branch}.lock",
    )
    left = [lock for lock in names if _is_since(lock, since)]
    if left and not process.works_in("git", checkout.tree or git.common_dir):
        for lock in left:
            lock.unlink(missing_ok=True)


def _is_since(lock: Path, since: float) -> bool:
    try:
        return lock.stat().st_mtime >= since - 1
    except FileNotFoundError:
        return False


def _accept_what_is_new(checkout: Checkout, old: str, new: str) -> None:
    """Add index entries for files that already are as in ``new``, so that git continues with the rest."""
    assert checkout.tree is not None
    raw = checkout.git.run("diff-tree", "-r", "-z", "--no-renames", old, new)
    fields = raw.split(b"\0")
    entries: list[bytes] = []
    for head, name in zip(fields[0::2], fields[1::2], strict=False):
        _, mode, _, oid, _ = head.split(b" ")
        path = checkout.tree / os.fsdecode(name)
        if mode == b"000000":
            if not os.path.lexists(path):
                entries.append(b"0 " + b"0" * 40 + b"\t" + name)
        elif _is_blob(checkout.git, path, oid.decode()):
            entries.append(mode + b" " + oid + b"\t" + name)
    if entries:
        checkout.git.run("update-index", "-z", "--index-info", stdin=b"\0".join(entries) + b"\0")


def _is_blob(git: Git, path: Path, oid: str) -> bool:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        content = path.read_bytes()
    except OSError as error:
        raise_if_of_machine(error)
        return False
    return git.run("cat-file", "blob", oid) == content

"""Snapshot what an agent could reach of the user's repository, and compare afterwards (T24, T28, T29).

HEAD, the index and special files that would block git are checked before git is used.

With a sandbox an agent cannot write there, so nothing is compared. Without one, git's own files and our
refs are restored, and what was found is saved. The user may edit files of the checkout at any time:
such a change is reported and left.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tdd_orchestrator.agents.validate import read_left
from tdd_orchestrator.model.errors import (
    GitFailed,
    RefMoved,
    StoreDamaged,
    is_of_machine,
    raise_if_of_machine,
)
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.workspace.folders import write_whole

_FOLDERS = ("refs", "logs", "worktrees", "tdd")  # folders of the git dir that are read recursively
_HEAD = 4096  # bytes
_INDEX = 256 << 20  # bytes; a larger index is not copied
_SHA1 = 20


@dataclass(frozen=True, slots=True)
class Entrance:
    """The bytes of HEAD and, if copied, of the index; ``odd``: special files from before the agent."""

    head: bytes | None = None
    index: bytes | None = None
    odd: frozenset[Path] = frozenset()


def snapshot_entrance(git: Git, *, index: bool = True) -> Entrance:
    data = read_left(git.git_dir / "index", _INDEX) if index else None
    whole = data if data is not None and _is_whole(data) else None
    return Entrance(head_of(git), whole, frozenset(_barriers(git)))


def head_of(git: Git) -> bytes | None:
    """Return the content of HEAD; None if it is no plain file."""
    return read_left(git.git_dir / "HEAD", _HEAD)


def restore_entrance(git: Git, before: Entrance, keep: Path) -> list[str]:
    """Remove new special files, and restore a HEAD or an index that git cannot read.

    Returns a sentence for each; a replaced index is moved to ``keep``.
    """
    found = []
    for path in {*_barriers(git)} - before.odd:
        path.unlink(missing_ok=True)
        found.append(f".git/{path.relative_to(git.common_dir).as_posix()} was no plain file")
    if before.head is not None and head_of(git) is None:
        write_whole(git.git_dir / "HEAD", before.head)
        found.append(".git/HEAD was removed")
    now = read_left(git.git_dir / "index", _INDEX) if before.index is not None else None
    if before.index is not None and (now is None or not _is_whole(now)):
        if now is not None:
            (keep / "foreign").mkdir(parents=True, exist_ok=True)
            write_whole(keep / "foreign" / "index", now)
        write_whole(git.git_dir / "index", before.index)
        found.append(f".git/index was {'changed' if now else 'removed'}")
    return found


def _barriers(git: Git) -> Iterator[Path]:
    for folder in {git.git_dir, git.common_dir}:
        yield from _odd(folder)
        for name in _FOLDERS:
            for above, _, _ in os.walk(folder / name):
                yield from _odd(Path(above))


def _odd(folder: Path) -> list[Path]:
    """Return pipes and devices, and links to such.

    Broken links are git's to report; sockets (git's file monitor has one) cannot be opened, so they
    cannot block.
    """
    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry in entries if not entry.is_file(follow_symlinks=False)]
    except OSError as error:
        raise_if_of_machine(error)
        return []
    return [Path(name) for name in names if _leads_nowhere(name)]


def _leads_nowhere(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise_if_of_machine(error)
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISSOCK(mode))


def _is_whole(index: bytes) -> bool:
    """Whether git can read the index: its signature, and its hash, which is zero with ``index.skipHash``."""
    end = index[-_SHA1:]
    same = end == bytes(_SHA1) or hashlib.sha1(index[:-_SHA1], usedforsecurity=False).digest() == end
    return index.startswith(b"DIRC") and same


OWN = ("refs/notes/tdd", "refs/tdd/")
_WATCHED = ("refs/heads", "refs/tags", "refs/notes", "refs/tdd")
_PLACES = ("config", "config.worktree", "commondir", "hooks", "info", "objects/info")
_LARGEST = 1 << 20  # bytes of a file in the snapshot; hooks and settings are small
_MANY = 200
_FILES = 20000  # paths of the checkout that are compared


@dataclass(frozen=True, slots=True)
class SavedFile:
    """One of git's own files: its bytes and permission bits."""

    data: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class Memory:
    """The snapshot: git's own files by path, refs by name, marks of the checkout's changed files."""

    files: dict[str, SavedFile] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    stashed: frozenset[str] = frozenset()  # commits of every stash entry
    entrance: Entrance = Entrance()
    checkout: dict[str, tuple[int, ...]] | None = None
    unread: frozenset[str] = frozenset()  # unreadable files of git, which cannot be restored


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The comparison. ``restored``: a sentence for each restored thing; ``reported``: changes left as they
    are."""

    restored: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()


def remember(git: Git, *, checkout: bool = True) -> Memory:
    """Return a snapshot. ``checkout``: with its files; not if the agent works in them."""
    unread: dict[str, OSError] = {}
    files = _files(git.common_dir, unread)
    broken = next((error for error in unread.values() if is_of_machine(error)), None)
    if broken is not None:
        raise broken  # files missing from the snapshot would be removed afterwards
    marks = _checkout(git) if checkout else None
    entrance = snapshot_entrance(git, index=checkout)
    return Memory(
        files, refs.listed(git, *_WATCHED), _stashed(git.common_dir), entrance, marks, frozenset(unread)
    )


def compare(git: Git, before: Memory, keep: Path, *, genuine: Callable[[str, str], bool]) -> Snapshot:
    """Restore what an agent must not have touched.

    ``keep``: a folder for what was found. ``genuine(old, new)``: whether a notes tip may have come from
    a writer of ours, or from the user.
    """
    restored = restore_entrance(git, before.entrance, keep)
    restored += _put_files_back(git.common_dir, before, keep)
    reported: list[str] = []
    _put_refs_back(git, before, genuine, restored, reported)
    for oid in sorted(before.stashed - _stashed(git.common_dir)):
        reported.append(f"a stash entry was dropped; it is kept as {_keep(git, 'refs/stash', oid)}")
    head = head_of(git)
    if head != before.entrance.head:
        reported.append(
            f"HEAD is now at {(head or b'').decode('utf-8', 'replace').strip() or 'nothing that can be read'}"
        )
    changed = [] if before.checkout is None else _differing(before.checkout, _checkout(git))
    if changed:
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        reported.append(f"files of your checkout changed meanwhile: {', '.join(changed[:5])}{more}")
    return Snapshot(tuple(restored), tuple(reported))


def _differing(before: dict[str, tuple[int, ...]], now: dict[str, tuple[int, ...]]) -> list[str]:
    return sorted(path for path in {*now, *before} if now.get(path) != before.get(path))


def _files(common: Path, unread: dict[str, OSError]) -> dict[str, SavedFile]:
    """Return regular files by name; unreadable ones are added to ``unread``."""
    found: dict[str, SavedFile] = {}
    for place in (common / place for place in _PLACES):
        for path in (place, *_below(place, common, unread)):
            name = path.relative_to(common).as_posix()
            try:
                facts = os.lstat(path)
                if stat.S_ISREG(facts.st_mode) and facts.st_size <= _LARGEST:
                    found[name] = SavedFile(path.read_bytes(), stat.S_IMODE(facts.st_mode))
            except FileNotFoundError:
                continue
            except OSError as error:
                unread[name] = error
    return found


def _below(place: Path, common: Path, unread: dict[str, OSError]) -> list[Path]:
    """Return the files of a folder; unlistable folders are added to ``unread`` (globs skip them silently)."""

    def passed_over(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            unread[Path(error.filename).relative_to(common).as_posix()] = error

    if place.is_symlink():
        return []
    found = (Path(above, name) for above, _, names in os.walk(place, onerror=passed_over) for name in names)
    return sorted(found)[:_MANY]


def _put_files_back(common: Path, before: Memory, keep: Path) -> list[str]:
    found: list[str] = []
    hidden: dict[str, OSError] = {}
    now = _files(common, hidden)
    for name in sorted({*now, *before.files}):
        was, new = before.files.get(name), now.get(name)
        if (
            was == new
            or name in before.unread
            or (name.startswith("objects/info/") and was is None and not name.endswith("alternates"))
        ):
            continue
        path = common / name
        if os.path.lexists(path):
            place = keep / "foreign" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(OSError):
                os.replace(path, place) if path.is_symlink() or new is None else place.write_bytes(new.data)
        if was is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f"{path.name}.tdd-{os.getpid()}")
            fresh.write_bytes(was.data)
            fresh.chmod(was.mode)
            os.replace(fresh, path)
        lost = "not to be read" if name in hidden else "removed"
        found.append(f".git/{name} was {'written' if was is None else 'changed' if new else lost}")
    return found


def _put_refs_back(
    git: Git, before: Memory, genuine: Callable[[str, str], bool], restored: list[str], reported: list[str]
) -> None:
    now = refs.listed(git, *_WATCHED)
    for ref in sorted({*now, *before.refs}):
        old, new = before.refs.get(ref, ZERO), now.get(ref, ZERO)
        if old == new:
            continue
        ours = ref.startswith(OWN)
        onward = old != ZERO and new != ZERO and git.holds(new, old)
        if not ours and (old == ZERO or onward):
            continue  # a branch moved forward: landing can handle that
        if ours and (genuine(old, new) if ref.startswith("refs/notes/") else onward):
            continue
        how = "removed" if new == ZERO else "made" if old == ZERO else "moved"
        _set_back(git, ref, old, new)
        (restored if ours or new == ZERO else reported).append(f"{ref} was {how}")


def _set_back(git: Git, ref: str, old: str, new: str) -> None:
    """Restore a ref of ours, or a removed one; what was found is saved under refs/tdd/foreign/."""
    mine = ref.startswith(OWN)
    saved = old if not mine and new != ZERO else new
    if saved != ZERO:
        _keep(git, ref, saved)
    if not mine and new != ZERO:
        return
    with contextlib.suppress(StoreDamaged):
        if refs.loose(git, ref) is not None or new == ZERO:
            with contextlib.suppress(RefMoved, GitFailed):
                refs.update(git, [(ref, old, new)], reason="tdd: put back")
                return
    (git.common_dir / ref).unlink(missing_ok=True)
    refs.update(git, [(ref, old, None)], reason="tdd: put back")


def _keep(git: Git, ref: str, oid: str) -> str:
    """Keep an unreachable object under a ref; return the ref's name."""
    name = f"refs/tdd/foreign/{hashlib.sha256(ref.encode()).hexdigest()[:8]}-{oid[:12]}"
    refs.update(git, [(name, oid, None)])
    return name


def _stashed(common: Path) -> frozenset[str]:
    """Return the stash's commits. Dropped ones are unreachable: the stash is a reflog."""
    try:
        lines = (common / "logs" / "refs" / "stash").read_bytes().splitlines()
    except OSError as error:
        raise_if_of_machine(error)
        return frozenset()
    return frozenset(line[41:81].decode("ascii", "replace") for line in lines if len(line) > 81)


def _checkout(git: Git) -> dict[str, tuple[int, ...]]:
    """Return a mark for each changed, new or removed path, as git sees the checkout."""
    if git.work_tree is None:
        return {}
    args = ("ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
    done = git.finished(*args)
    found: dict[str, tuple[int, ...]] = {}
    for name in done.stdout.split(b"\0")[:_FILES]:
        if name:
            path = os.fsdecode(name)
            try:
                facts = os.lstat(git.work_tree / path)
                found[path] = (facts.st_size, facts.st_mtime_ns, facts.st_ino, facts.st_mode)
            except OSError:
                found[path] = ()
    return found


@dataclass(frozen=True, slots=True)
class Before:
    """A snapshot: the journal's bytes and the notes commit they belong to, facts of files that spare
    reading the notes, and the number of our own ref moves until then."""

    memory: Memory
    journal: bytes
    notes: str
    shortcuts: tuple[int, ...]
    moves: int = 0


@dataclass(slots=True)
class Guard:
    """The snapshot for all agents at work, and how many of them are watched."""

    before: Before | None = None
    agents: int = 0

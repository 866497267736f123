"""The last known-good commit, from the notes alone (N4), and a pointer that spares the walk but is never
believed blindly.

``refs/tdd/good`` is an annotated tag on a known-good commit G. Its text says: seen from ``head``, with the
notes as of ``notes``, G is the newest one on the first-parent line. That stays true for ever, so a later
question is answered by looking only at what is new since: the commits after ``head``, and the notes commits
after ``notes``.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.model.errors import RefMoved, StoreDamaged
from tdd_orchestrator.notes import message, tree
from tdd_orchestrator.notes.codec import SCHEMA, Damaged, Note, Record, decode_note
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.message import Entry
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.encoding import Commit
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.refs import RefUpdate

POINTER = "refs/tdd/good"
_NEAR = 8  # commits looked at without a git log
_DELTA = 64  # notes commits looked at to see whether the pointer still holds
_LISTED = 64  # commits without a note that are looked up one by one; more of them by one listing
_POINTER = re.compile(rb"object ([0-9a-f]{40})\n.*\n\nhead ([0-9a-f]{40})\nnotes ([0-9a-f]{40})\n", re.S)
_DULL = re.compile(
    rb"(?>[0-9a-f]{40}\n"
    rb'(?>\{"at":"[^"\\\n]{1,40}","id":"[^"\\\n]{1,64}","v":%d,"kind":"'
    rb'(?!folded")[^"\\\n]{1,64}",.*+(?<=\})\n+)++'
    rb"\0)*+" % SCHEMA
)
"""Commits whose notes are lines as we write them, told without parsing: thousands are passed on the way to an
answer."""
_SAID = re.compile(rb'"known_good":\s{0,8}true')


@dataclass(frozen=True, slots=True)
class KnownGood:
    """The answer, and what was passed on the way to it: commits whose note says nothing can be trusted about
    them.

    ``commit`` is "" where no ancestor is known to be good. ``unreadable`` and ``newer`` are notes that exist
    and cannot be judged; ``missing`` counts commits without a note.
    """

    commit: str = ""
    record: Record | None = None
    missing: int = 0
    unreadable: tuple[Damaged, ...] = ()
    newer: tuple[Damaged, ...] = ()

    def strictly(self) -> KnownGood:
        """Itself; raises where a note that could not be judged lies nearer than the answer."""
        for trouble in (*self.newer, *self.unreadable):
            raise trouble.error()
        return self


def pointer(objects: Objects, good: str, head: str, notes: str) -> str:
    """Write the pointer's tag; the caller moves POINTER to it."""
    text = f"object {good}\ntype commit\ntag good\ntagger tdd <tdd@localhost> {int(time.time())} +0000\n\n"
    return objects.write("tag", f"{text}head {head}\nnotes {notes}\n".encode())


def verdict(note: Note, tree: str) -> Record | None:
    """Return the newest record of a note that says something about known-good, and is about this tree (N4):
    rebase and cherry-pick carry notes to commits with other trees."""
    for record in reversed(note.records):
        proven = str(record.get("tree") or (record.get("tests") or {}).get("tree") or "")
        if isinstance(record.get("known_good"), bool) and proven in ("", tree):
            return record
    return None


def find(git: Git, objects: Objects, history: History, commit: str) -> KnownGood:
    """The newest first-parent ancestor of ``commit`` (itself included) whose record says known-good."""
    tip = history.tip()
    if tip is None:
        return KnownGood()
    walk = _Walk(git, objects, history, tip)
    found = walk.near(commit)
    if found is None:
        found = walk.far()
        if found.commit and not found.unreadable and not found.newer:
            _remember(git, objects, found.commit, commit, walk.tip)
    return found


def _remember(git: Git, objects: Objects, good: str, head: str, notes: str) -> None:
    try:
        refs.update(git, [(POINTER, pointer(objects, good, head, notes), None)], reason="tdd: known-good")
    except RefMoved:
        return  # another process holds it and writes an answer as good as ours; it is only a shortcut


def _overturns(entry: Entry, good: str) -> bool:
    """True where a later record may change the answer: another commit became good, or this one is so no
    more."""
    said = entry.record.get("known_good")
    return said is True or (said is False and entry.commit == good)


class _Walk:
    """One question: what has been passed so far, and where the walk stands."""

    def __init__(self, git: Git, objects: Objects, history: History, tip: tuple[str, Commit]) -> None:
        self._git, self._objects, self._history = git, objects, history
        self._here = self._good = self._head = ""
        self._bare: list[str] = []
        self._damaged: list[Damaged] = []
        self.tip, self._root = tip[0], tip[1].tree
        self._follow(tip[1])

    def near(self, commit: str) -> KnownGood | None:
        """Walk a few steps; None where nothing is found so far. What was written last needs no git
        process."""
        self._here = commit
        for _ in range(_NEAR):
            if self._here == self._head:
                return self._answer_of_pointer()
            blobs = tree.blobs(self._objects, self._root, self._here)
            data = b"\n".join(found[2] for found in map(self._objects.find, blobs) if found)
            if not data:
                self._bare.append(self._here)
            record = self._judge(self._history.unfold(decode_note(data, self._here)), self._here)
            if record is not None:
                return self._answer(self._here, record)
            parents = self._objects.read_commit(self._here).parents
            if not parents:
                return self._answer("", None)
            self._here = parents[0]
        return None

    def _follow(self, commit: Commit) -> None:
        """The pointer's (good, head), if it holds for the notes as they are now."""
        name = refs.read(self._git, POINTER)
        pointed = self._objects.find(name) if name else None
        said = _POINTER.match(pointed[2]) if pointed else None
        if said is None:
            return
        good, head, notes = (part.decode() for part in said.groups())
        oid = self.tip
        for _ in range(_DELTA):
            if oid == notes:
                self._good, self._head = good, head
                return
            entries = message.entries(commit.message, oid)
            if not entries or len(commit.parents) != 1 or any(_overturns(one, good) for one in entries):
                return
            oid = commit.parents[0]
            commit = self._objects.read_commit(oid)

    def far(self) -> KnownGood:
        """Stream the rest from git, and stop at the first answer."""
        words = (
            "log",
            "-z",
            "--first-parent",
            "--format=%H%n%N",
            f"--notes={self._history.ref}",
            "--no-show-signature",
        )
        head = self._head.encode()
        with closing(
            self._git.chunks(*words, "--encoding=UTF-8", "--end-of-options", self._here, "--")
        ) as chunks:
            for whole in chunks:
                if _DULL.fullmatch(whole) and not _SAID.search(whole) and not (head and head in whole):
                    continue
                for piece in whole.split(b"\0"):
                    found = self._look(piece) if piece else None
                    if found is not None:
                        return found
        return self._answer("", None)

    def _look(self, piece: bytes) -> KnownGood | None:
        """One commit of the stream: its id, a line feed, its note."""
        oid, data = piece[:40].decode(), piece[41:].strip(b"\n")
        if oid == self._head:
            return self._answer_of_pointer()
        if not data:
            self._bare.append(oid)
            return None
        record = self._judge(self._history.unfold(decode_note(data, oid)), oid)
        return None if record is None else self._answer(oid, record)

    def _judge(self, note: Note, oid: str) -> Record | None:
        says = any(isinstance(record.get("known_good"), bool) for record in note.records)
        record = verdict(note, self._objects.read_commit(oid).tree) if says else None
        if record is not None and record["known_good"]:
            return record
        self._damaged += note.damaged
        return None

    def _answer_of_pointer(self) -> KnownGood:
        """The pointer's answer, only if the note of that commit says so as well."""
        record = verdict(self._history.of(self._good, self._root), self._objects.read_commit(self._good).tree)
        if record is None or not record["known_good"]:
            raise StoreDamaged(
                f"{POINTER} names {self._good}, whose note does not say that it is known-good.",
                f"Remove the pointer: git update-ref -d {POINTER}",
            )
        return self._answer(self._good, record)

    def _answer(self, commit: str, record: Record | None) -> KnownGood:
        self._damaged += self._lost()
        return KnownGood(
            commit,
            record,
            len(self._bare),
            tuple(one for one in self._damaged if not one.newer),
            tuple(one for one in self._damaged if one.newer),
        )

    def _lost(self) -> list[Damaged]:
        """Notes that are named in the notes tree but came out empty: their blob is missing."""
        if len(self._bare) <= _LISTED:
            named = [oid for oid in self._bare if tree.blobs(self._objects, self._root, oid)]
        else:
            bare = set(self._bare)
            named = [oid for oid, _ in tree.walk(self._objects, self._root) if oid in bare]
        return [Damaged(oid, "the note's blob is missing or empty", "") for oid in named]


ATTEMPTS = "refs/tdd/attempts"
CYCLES = "refs/tdd/cycles"
ARCHIVE = "refs/tdd/archive"
LIMIT = 120


def listed(git: Git) -> list[tuple[str, str]]:
    """(ref, object) of the attempts and cycles that have a ref of their own, the oldest commit first."""
    words = ("--sort=creatordate", "--format=%(objectname) %(refname)", ATTEMPTS, CYCLES)
    lines = git.run("for-each-ref", *words).decode("utf-8", "surrogateescape").splitlines()
    return [(ref, oid) for oid, _, ref in (line.partition(" ") for line in lines)]


def count(git: Git) -> int:
    """How many such refs there are, counted without a git process; of a reftable, 0."""
    loose = sum(len(names) for kind in (ATTEMPTS, CYCLES) for _, _, names in os.walk(git.common_dir / kind))
    return loose + _packed(git.common_dir / "packed-refs")


def _packed(path: Path) -> int:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return 0
    return sum(data.count(f" {kind}/".encode()) for kind in (ATTEMPTS, CYCLES))


def chain(git: Git, tip: str) -> Iterator[tuple[str, str]]:
    """(ref as it was called, object) of the pins in the archive that ends at a commit, the newest first."""
    for line in git.stream("log", "--first-parent", "--format=%P %s", tip, "--", separator=b"\n"):
        words = line.decode("utf-8", "surrogateescape").split(" ", 2)
        if len(words) == 3 and words[2].startswith(f"{ATTEMPTS}/"):
            yield words[2], words[1]


def fold(git: Git, objects: Objects, *, limit: int = LIMIT) -> int:
    """Where there are more pins than ``limit``, archive all but the newest half of it; return how many refs
    went.

    What is archived is written first; then the archive moves and the refs go, in this order. Safe to be
    killed.
    """
    pins = listed(git)
    if len(pins) <= limit:
        return 0
    going = pins[: len(pins) - limit // 2]
    old = refs.read(git, ARCHIVE)
    empty = objects.write_tree({})
    who = f"tdd <tdd@localhost> {int(time.time())} +0000"
    tip = old or objects.write_commit(empty, [], "archived attempts\n", author=who)
    kept = {oid for ref, oid in pins if ref.startswith(f"{ATTEMPTS}/")}
    for ref, oid in going:
        if ref.startswith(f"{ATTEMPTS}/") or oid not in kept:  # a cycle's commit is an attempt's, as a rule
            tip = objects.write_commit(empty, [tip, oid], f"{ref}\n", author=who)
    gone: list[RefUpdate] = [(ref, ZERO, oid) for ref, oid in going]
    try:
        refs.update(git, [(ARCHIVE, tip, old or ZERO)], gone, reason="tdd: attempts archived")
    except RefMoved as moved:
        if moved.committed == 0:
            raise
        return 0  # a pin was moved meanwhile: it is archived as it was, and all refs stay until the next time
    return len(going)

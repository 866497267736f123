"""Repair after a crash: drive what the newest records announced, put back lines that were pushed aside."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tdd_orchestrator.model.errors import NewerSchema, RefMoved, StoreDamaged
from tdd_orchestrator.notes import message, tree
from tdd_orchestrator.notes.codec import decode_line, joined
from tdd_orchestrator.notes.history import BROUGHT_BACK, History
from tdd_orchestrator.notes.message import Entry
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.encoding import Commit, parse_commit
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.refs import RefUpdate, movements

_DRIVEN = "refs/tdd/cycles/"
"""What a record may have moved along with it. Records come from others as well (a sync, a fetch): were any
ref driven that one names, whoever pushed it would move the user's branches."""
_BACK = 50  # notes commits looked at; other writers may have added theirs after the one that was cut short


@dataclass(frozen=True, slots=True)
class Conflict:
    """A ref that is neither where the record found it nor where it was to go; ``actual`` is ZERO where it is
    gone."""

    ref: str
    old: str
    new: str
    actual: str
    record: str


@dataclass(slots=True)
class Recovered:
    """``rolled``: moved now. ``conflicts``: for the caller to judge; nothing was done about them.

    ``rescued``: records that a plain ``git notes`` had taken away were put back.
    """

    rolled: list[RefUpdate] = field(default_factory=list)
    rescued: bool = False
    conflicts: list[Conflict] = field(default_factory=list)


def recover(git: Git, objects: Objects, history: History) -> Recovered:
    """Roll the newest records' moves of cycles forward. For each ref only the newest record that names it
    counts; where its cycle has ended, the ref may be archived, and stays as it is.

    A ref that went on from ``new`` to a descendant is where it should be. Safe to call at any time, any
    number of times.
    """
    done = Recovered()
    done.rescued = _bring_back(git, objects, history)
    seen: set[str] = set()
    for entry in _recent(objects, history):
        if entry.record["kind"] == "cycle_ended":
            seen.add(f"{_DRIVEN}{entry.record.get('cycle_id')}")
        for move in entry.moves:
            if move[0].startswith(_DRIVEN) and move[0] not in seen:
                seen.add(move[0])
                _drive(git, move, entry.record["id"], done)
    return done


def _bring_back(git: Git, objects: Objects, history: History) -> bool:
    """Write what others took away; RefMoved where another writer is at work just now."""
    tip = history.tip()
    if tip is None:
        return False
    root, parents = repaired(git, objects, history, tip)
    if (root, parents) == (tip[1].tree, [tip[0]]):
        return False
    who = f"tdd <tdd@localhost> {int(time.time())} +0000"
    merged = objects.write_commit(root, parents, f"{BROUGHT_BACK}\n", author=who)
    refs.update(git, [(history.ref, merged, tip[0])], reason="tdd: brought back what was overwritten")
    return True


def _recent(objects: Objects, history: History) -> Iterator[Entry]:
    """The notes commits of this clone from the tip back, as far as is looked: what others announce moves
    nothing here."""
    tip = history.tip()
    places = history.journal.places()
    for _ in range(_BACK):
        if tip is None:
            return
        oid, commit = tip
        entry = message.parse(commit.message, oid)
        if entry is not None and places.of(entry.hash) >= 0:
            yield entry
        tip = (commit.parents[0], objects.read_commit(commit.parents[0])) if commit.parents else None


def _drive(git: Git, move: RefUpdate, record: str, done: Recovered) -> None:
    ref, new, old = move
    assert new is not None
    actual = refs.read(git, ref) or ZERO
    if actual == new:
        return
    if actual == old:
        try:
            refs.update(git, [move], reason="tdd: rolled forward")
            done.rolled.append(move)
            return
        except RefMoved:
            actual = refs.read(git, ref) or ZERO
    if actual == new or (ZERO not in (actual, new) and git.holds(actual, new)):
        return
    done.conflicts.append(Conflict(ref, old or ZERO, new, actual, record))


def check(objects: Objects, history: History, *, deep: bool = False) -> int:
    """Raise StoreDamaged where the store cannot be trusted; return how many notes it has (0 unless ``deep``).

    Always: the ref's file, the tip, its tree, and the note that the tip is about. ``deep``: every note is
    read.
    """
    tip = history.tip()
    if tip is None:
        return 0
    objects.read_kind(tip[1].tree, "tree")
    entry = message.parse(tip[1].message, tip[0])
    if entry is not None:
        records = {record["id"] for record in history.of(entry.commit, tip[1].tree).strictly()}
        if entry.record["id"] not in records:
            raise StoreDamaged(
                (
                    f"The note of {entry.commit[:12]} lacks the record {entry.record['id']} that its "
                    "commit announces."
                ),
                f"See what happened with: git log -p {history.ref}",
            )
    if not deep:
        return 0
    return sum(1 for note in history.all() if note.strictly() or True)


def repaired(git: Git, objects: Objects, history: History, tip: tuple[str, Commit]) -> tuple[str, list[str]]:
    """Return the notes tree with what a plain ``git notes`` took away, and the parents that hold it.

    ``git notes`` does not compare before it swaps, so another writer's commit may be pushed off the ref or
    lose its lines. Nothing of ours takes records away: whatever a foreign commit lacks of them is put back.
    """
    oid, commit = tip
    root, parents = commit.tree, [oid]
    if message.parse(commit.message, oid) is not None:
        return root, parents
    for lost in _pushed_aside(git, objects, history, oid):
        root = tree.union(objects, root, objects.read_commit(lost).tree)
        parents.append(lost)
    for _, seen, entry in history.foreign([oid]):
        for parent in seen.parents if entry is None else ():
            root = _put_back(objects, root, objects.read_commit(parent).tree, seen.tree)
    return root, parents


def _pushed_aside(git: Git, objects: Objects, history: History, tip: str) -> list[str]:
    """Commits that the reflog knows and that no longer lie below the tip, back to the last write of ours."""
    lost: list[str] = []
    for old, new in movements(git, history.ref):
        found = objects.find(new) if ZERO not in (old, new) else None
        if found is None or found[1] != "commit":
            continue
        after = parse_commit(found[2])
        if old in after.parents:
            if message.parse(after.message, new) is not None:
                break
        elif objects.find(old) and not git.holds(old, new):
            lost.append(old)
    return [one for one in lost if not git.holds(tip, one)]


def _put_back(objects: Objects, root: str, before: str, after: str) -> str:
    """``root`` with the records that ``before`` has and ``after`` lacks."""
    changed: dict[str, str] = {}
    for oid, blob in tree.differing(objects, before, [after]):
        kept = _lines(objects, tree.blobs(objects, after, oid))
        gone = [line for line in _lines(objects, [blob]) if line not in kept and _is_record(line)]
        now = _lines(objects, tree.blobs(objects, root, oid)) if gone else {}
        if not now.keys() >= set(gone):
            changed[oid] = objects.write_blob(joined([*now, *gone]))
    return tree.put_many(objects, root, changed) if changed else root


def _lines(objects: Objects, blobs: list[str]) -> dict[bytes, None]:
    """The lines of some blobs, each once, in their order."""
    every = (line for blob in blobs for line in objects.read_kind(blob, "blob").split(b"\n"))
    return dict.fromkeys(line for line in every if line)


def _is_record(line: bytes) -> bool:
    try:
        return bool(decode_line(line))
    except NewerSchema:
        return True
    except ValueError:
        return False

"""Writing the store: records of one moment, one notes commit, and the notes ref as the only commit point.

Order: pins first (what has no record yet is only kept a little longer), then the notes ref alone by
compare-and-swap, then what is derived. A kill between the last two is fixed by :meth:`Store.recover`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tdd_orchestrator.model.errors import RefMoved, Refused
from tdd_orchestrator.notes import known_good, message, repair, tree
from tdd_orchestrator.notes.codec import SCHEMA, Damaged, Record, digest, encode, new_id, stamp
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.message import fold
from tdd_orchestrator.notes.write_journal import TRIES, pause, queue
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.encoding import EMPTY_TREE, parse_commit
from tdd_orchestrator.repo.encoding import Entry as TreeEntry
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.refs import RefUpdate

REF = "refs/notes/tdd"
EVIDENCE = "refs/tdd/evidence"
IDENTITY = "tdd <tdd@localhost>"
Sign = Callable[[str, Sequence[str], str, str], str]
"""(tree, parents, message, author line) -> the id of the signed notes commit."""


def _only_newer_stops(trouble: Damaged) -> None:
    """A line that somebody else wrote is kept where it is; a later version's order of things we would
    break."""
    if trouble.newer:
        raise trouble.error()


@dataclass(frozen=True, slots=True)
class Written:
    """A record that is safe: its id, its hash, the notes commit that holds it, and the record as written."""

    id: str
    hash: str
    notes_commit: str
    record: Record


class Store(History):
    """The notes under one ref. ``sign`` makes signed commits where it is given."""

    def __init__(self, git: Git, objects: Objects, ref: str = REF, *, sign: Sign | None = None) -> None:
        super().__init__(git, objects, ref)
        self._sign = sign
        self._evidence: list[str] = []

    def evidence(self, data: bytes) -> str:
        """Keep bulk data; returns the blob's id for the record. It is pinned with the next record."""
        blob = self._objects.write_blob(data)
        self._evidence.append(blob)
        return blob

    def append(
        self,
        commit: str,
        record: Mapping[str, Any],
        *,
        subject: str,
        moves: Sequence[RefUpdate] = (),
        pins: Mapping[str, str] | None = None,
    ) -> Written:
        """Put a record on a commit; see :meth:`append_all`."""
        return self.append_all(commit, [(subject, record)], moves=moves, pins=pins)[-1]

    def append_all(
        self,
        commit: str,
        records: Sequence[tuple[str, Mapping[str, Any]]],
        *,
        moves: Sequence[RefUpdate] = (),
        pins: Mapping[str, str] | None = None,
    ) -> list[Written]:
        """Put records, each behind its subject, on a commit: all of them or none. ``at``, ``v``, ``prev`` and (where one
        has none) ``id`` are filled in.

        ``moves`` are verified with the notes ref and made after it (old None: from where the ref is now);
        ``pins`` (ref -> object) are set before it. RefMoved: nothing was recorded, but where its ``recorded``
        holds the id: then a move was overtaken in the instant after the commit point, and the record stands.
        """
        if len(commit) != 40 or not all(record.get("kind") for _, record in records):
            raise Refused("A record needs the full id of its commit, and a kind.")
        pinned: list[RefUpdate] = [(ref, oid, None) for ref, oid in (pins or {}).items()]
        moves = [
            (ref, new, refs.read(self._git, ref) or ZERO if old is None else old) for ref, new, old in moves
        ]
        checks: list[RefUpdate] = [(ref, None, old) for ref, _, old in moves]
        refs.warm(self._git)
        with queue(self._git) as ours:
            for attempt in range(TRIES):
                tip, written = self._prepare(commit, records, moves)
                evidence = self._pin_evidence()
                for one in written:
                    self.journal.enter(one.hash, str(one.record["prev"]) if ours else "", self.has_any)
                swap: list[RefUpdate] = [(self.ref, written[-1].notes_commit, tip or ZERO), *checks]
                before = [*pinned, *evidence]
                pointer = self._pointer(commit, written)
                try:
                    refs.update(self._git, before, swap, moves, pointer)
                except RefMoved as moved:
                    if moved.committed > bool(before):  # the commit point is passed
                        self._evidence.clear()
                        if moved.committed > bool(before) + bool(moves):
                            return written  # only the pointer failed, which is a shortcut
                        moved.recorded = written[-1].id
                        raise
                    if moved.ref not in (self.ref, EVIDENCE) or attempt == TRIES - 1:
                        raise
                    time.sleep(pause(attempt))
                    continue
                self._evidence.clear()
                return written
        raise AssertionError("the last attempt returns or raises")

    def recover(self) -> repair.Recovered:
        """Roll forward what the newest records announced; see :func:`fixing.recover`."""
        return repair.recover(self._git, self._objects, self)

    def check(self, *, deep: bool = False) -> int:
        """Raise StoreDamaged where the store cannot be trusted; see :func:`fixing.check`."""
        return repair.check(self._objects, self, deep=deep)

    def known_good(self, commit: str) -> known_good.KnownGood:
        """The newest known-good first-parent ancestor of a commit (N4)."""
        return known_good.find(self._git, self._objects, self, commit)

    def _prepare(
        self, commit: str, records: Sequence[tuple[str, Mapping[str, Any]]], moves: Sequence[RefUpdate]
    ) -> tuple[str | None, list[Written]]:
        """Write all objects of one attempt on the tip as it is now; nothing refers to them yet."""
        tip = self.tip()
        root, newest = EMPTY_TREE, None
        parents: list[str] = []
        if tip:
            root, parents = repair.repaired(self._git, self._objects, self, tip)
            newest = message.parse(tip[1].message, tip[0]) or self.newest(parents, root, _only_newer_stops)
        made: list[tuple[Record, bytes]] = []
        at, prev = (newest.record["at"], newest.hash) if newest else ("", "")
        for _, record in records:
            full = filled(record, at, prev)
            made.append((full, encode(full)))
            at, prev = full["at"], digest(made[-1][1])
        ours = lines = [line for _, line in made]
        for blob in tree.blobs(self._objects, root, commit):
            lines = lines + self._objects.read_kind(blob, "blob").split(b"\n")
        data, folded = fold(self._objects, lines)
        if folded and folded not in self._evidence:
            self._evidence.append(folded)
        root = tree.put(self._objects, root, commit, self._objects.write_blob(data))
        ids = " ".join(full["id"] for full, _ in made)
        subjects = [subject for subject, _ in records]
        more = subjects if len(subjects) > 1 else ()
        text = message.compose("; ".join(subjects), b"\n".join(ours), commit, ids, moves, more)
        signed = f"{IDENTITY} {int(time.time())} +0000"
        if self._sign is not None:
            oid = self._sign(root, parents, text, signed)
        else:
            oid = self._objects.write_commit(root, parents, text, author=signed)
        return tip[0] if tip else None, [Written(full["id"], digest(line), oid, full) for full, line in made]

    def _pin_evidence(self) -> list[RefUpdate]:
        """One more commit on the evidence ref, whose tree holds every piece by its id."""
        if not self._evidence:
            return []
        tip = refs.read(self._git, EVIDENCE)
        found = self._objects.find(tip) if tip else None
        before = parse_commit(found[2]) if found else None
        paths: dict[bytes, TreeEntry | None] = {
            f"{blob[:2]}/{blob[2:]}".encode(): (0o100644, blob) for blob in self._evidence
        }
        root = self._objects.edit_tree(before.tree if before else EMPTY_TREE, paths)
        signed = f"{IDENTITY} {int(time.time())} +0000"
        parents = [found[0]] if found else []
        oid = self._objects.write_commit(root, parents, "evidence\n", author=signed)
        return [(EVIDENCE, oid, found[0] if found else ZERO)]

    def _pointer(self, commit: str, written: Sequence[Written]) -> list[RefUpdate]:
        """The known-good pointer follows a record that says known-good, unless the record's commit is no
        longer so."""
        said = [one.record["known_good"] for one in written if "known_good" in one.record]
        if said[-1:] != [True]:
            return []
        notes_commit = written[-1].notes_commit
        return [(known_good.POINTER, known_good.pointer(self._objects, commit, commit, notes_commit), None)]


def filled(record: Mapping[str, Any], at: str, prev: str) -> Record:
    """The record as it is written after the one of that time and hash."""
    first = {
        "at": stamp(at),
        "id": record.get("id") or new_id(),
        "v": SCHEMA,
        "kind": record["kind"],
        "prev": prev,
    }
    return first | {key: value for key, value in record.items() if key not in first}

"""Reading the store: the audit log in order, the notes of a commit, all notes; from the notes ref alone.

The audit log comes from the notes commits' own messages. Where somebody else wrote a notes commit (``git
notes add``, a merge, a rewrite that carried notes along), its records are the lines that it brought in and no
parent had.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence, Set
from itertools import islice
from pathlib import Path

from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.notes import message, tree
from tdd_orchestrator.notes.codec import (
    Damaged,
    Note,
    Record,
    decode_fast,
    decode_line,
    decode_note,
    digest,
    encode,
    order,
)
from tdd_orchestrator.notes.message import Entry, unfold
from tdd_orchestrator.notes.write_journal import journal_of
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.encoding import Commit, parse_commit
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.refs import last_value

OnDamage = Callable[[Damaged], None]
BROUGHT_BACK = "notes: brought back what was overwritten"
"""The subject of a notes commit that puts back what others took away: it announces nothing new."""

_BATCH = 512
_CAUGHT_UP = 300  # notes commits read one by one before all are read by git log
_NEAR = 40  # notes commits read without git log: those of three or four cycles
_FEW = 200


class History:
    """What the notes ref holds. Nothing is cached: every call sees the ref as it is."""

    def __init__(self, git: Git, objects: Objects, ref: str) -> None:
        self._git, self._objects, self.ref = git, objects, ref
        self.journal = journal_of(git.common_dir, ref)

    @property
    def common_dir(self) -> Path:
        """Git's own folder."""
        return self._git.common_dir

    def tip(self) -> tuple[str, Commit] | None:
        """The newest notes commit; None where there is no store. StoreDamaged where it cannot be read."""
        name = refs.read(self._git, self.ref)
        if name is None:
            return None
        found = self._objects.find(name)
        if found is None:
            saved = last_value(self._git, self.ref)
            raise StoreDamaged(
                f"{self.ref} names the commit {name}, which is missing.",
                f"Its reflog says {saved}; to go back to it: git update-ref {self.ref} {saved}"
                if saved
                else "",
            )
        if found[1] != "commit":
            raise StoreDamaged(f"{self.ref} names a {found[1]}, not a commit.", "Restore it from its reflog.")
        return found[0], parse_commit(found[2])

    def last(self, damaged: OnDamage | None = None) -> Entry | None:
        """The newest record. Where the tip is ours no git process is needed.

        Behind a foreign tip, the histories that it joins are followed until a record of ours ends each of
        them; where the note no longer holds what was found (somebody took it out), all notes are read. Lines
        met on the way that cannot be read go to ``damaged``; where there is none, the first of them is
        raised.
        """
        tip = self.tip()
        if tip is None:
            return None
        entry = message.parse(tip[1].message, tip[0])
        if entry is not None:
            return entry
        return self.newest([tip[0]], tip[1].tree, damaged)

    def newest(self, starts: Sequence[str], root: str, damaged: OnDamage | None = None) -> Entry | None:
        """The newest record in the histories of some notes commits, if the notes in ``root`` still hold
        it."""
        candidates: list[Entry] = []
        for oid, commit, entry in self.foreign(starts):
            candidates += [entry] if entry else self._introduced(oid, commit, damaged)
        found = max(candidates, key=lambda one: order(one.record), default=None)
        if found is not None and found.record not in self.of(found.commit, root).records:
            found = max(self._everything(damaged), key=lambda one: order(one.record), default=None)
        return found

    def foreign(self, starts: Sequence[str]) -> Iterator[tuple[str, Commit, Entry | None]]:
        """The notes commits of others that lie on top, and (with its entry) the first of ours below each of
        them."""
        seen, todo = set(starts), list(starts)
        while todo:
            oid = todo.pop()
            commit = self._objects.read_commit(oid)
            entry = message.parse(commit.message, oid)
            yield oid, commit, entry
            if entry is None:
                todo += [parent for parent in commit.parents if parent not in seen]
                seen.update(commit.parents)

    def _everything(self, damaged: OnDamage | None) -> Iterator[Entry]:
        for note in self.all():
            _tell(note.damaged, damaged)
            for record in note.records:
                yield Entry(record, note.commit, digest(encode(record)))

    def of(self, commit: str, root: str = "") -> Note:
        """The note of one commit, folded lines included; an empty Note where it has none.

        StoreDamaged where the note is named but its blob is missing: that is not the same as no note.
        """
        if not root:
            tip = self.tip()
            if tip is None:
                return Note(commit)
            root = tip[1].tree
        return self._decoded(commit, tree.blobs(self._objects, root, commit))

    def _decoded(self, commit: str, blobs: Sequence[str]) -> Note:
        data = b"\n".join(self._objects.read_kind(blob, "blob") for blob in blobs)
        return self.unfold(decode_note(data, commit))

    def unfold(self, note: Note) -> Note:
        return unfold(self._objects, note)

    def all(self) -> Iterator[Note]:
        """Every note, by commit id, streamed."""
        tip = self.tip()
        if tip is None:
            return
        pairs = tree.walk(self._objects, tip[1].tree)
        while batch := list(islice(pairs, _BATCH)):
            contents = list(self._objects.read_many(blob for _, blob in batch))
            for (commit, _), data in zip(batch, contents, strict=True):
                yield self.unfold(decode_note(data, commit))

    def trail(
        self, *, newest_first: bool = True, limit: int = 0, since: str = "", damaged: OnDamage | None = None
    ) -> Iterator[Entry]:
        """Every record once, in the order of the notes log; streamed. ``since`` is a time as in ``at``. What was
        brought back comes where it was first announced.

        Lines that cannot be read, and that no note lacks since, go to ``damaged``; where there is none, the
        first of them is raised.
        """
        seen: set[str] = set()
        for entry in self._every(newest_first=newest_first, since=since, damaged=damaged):
            if entry.record["id"] in seen or entry.record["at"] < since or entry.subject == BROUGHT_BACK:
                continue
            seen.add(entry.record["id"])
            yield entry
            if limit and len(seen) >= limit:
                return

    def appended(self, beyond: str, tip: str) -> list[Entry] | None:
        """The entries after the notes commit ``beyond``, oldest first, where each commit since added
        records to it.

        None where more happened than that (a merge, lines taken out or damaged, another history): all is to
        be read.
        """
        found = self._git.finished(
            "rev-list", "--first-parent", "--parents", "--end-of-options", f"{beyond}..{tip}", "--"
        )
        commits = [line.split() for line in found.stdout.decode("ascii", "replace").splitlines()]
        linear = found.exit_code == 0 and all(len(words) == 2 for words in commits)
        if not linear or not commits or commits[-1][1] != beyond:
            return None
        entries = list(self._every(newest_first=False, beyond=beyond, damaged=_passed_over))
        made_by = {entry.notes_commit for entry in entries}
        return entries if len(commits) == len(made_by) else None

    def since(self, beyond: str, after: str) -> list[Entry] | None:
        """The entries after the notes commit ``beyond``, oldest first, without a git process; ``after`` is
        the newest ``at`` before them. None where it is not a few records of ours, one upon the other, each
        newer than all before."""
        found: list[Entry] = []
        tip = self.tip()
        while tip is not None and tip[0] != beyond and len(found) < _CAUGHT_UP:
            entries = message.entries(tip[1].message, tip[0])
            if not entries or len(tip[1].parents) != 1 or entries[0].record["at"] <= after:
                return None
            found += reversed(entries)
            parent = self._objects.find(tip[1].parents[0])
            tip = (parent[0], parse_commit(parent[2])) if parent else None
        return found[::-1] if tip is not None and tip[0] == beyond else None

    def announced_in(self, oid: str) -> tuple[Entry, ...]:
        """The entries of one notes commit of ours; () where there is no such commit, or it is not ours."""
        found = self._objects.find(oid) if len(oid) == 40 else None
        ours = found is not None and found[1] == "commit"
        return message.entries(parse_commit(found[2]).message, oid) if found and ours else ()

    def mine(self) -> Iterator[Entry]:
        """What was written in this clone, in the order in which it was written, the newest first; streamed.

        Wherever others put those lines again, and whatever else they put beside them. StoreDamaged where a
        line of a note cannot be read.
        """
        places = self.journal.places()
        awaited = places.below(sys.maxsize)
        ready: dict[int, Entry] = {}
        for entry in self._every() if awaited else ():
            place = places.of(entry.hash)
            if place < 0 or place > awaited[-1] or place in ready:
                continue
            ready[place] = entry
            while awaited and awaited[-1] in ready:
                newest = awaited.pop()
                yield ready.pop(newest)
                awaited = awaited or places.below(newest)
            if not awaited:
                return
        for place in sorted(ready, reverse=True):  # lines without a record stood between them
            yield ready[place]

    def has_any(self, hashes: Set[str]) -> bool:
        """Whether the audit log has a record with one of these hashes."""
        return any(entry.hash in hashes for entry in self._every(damaged=_passed_over))

    def announced(self, beyond: str) -> frozenset[str]:
        """The hashes of the records that came after the notes commit ``beyond``."""
        return frozenset(entry.hash for entry in self._every(beyond=beyond, damaged=_passed_over))

    def own(self, commit: str) -> tuple[Record, ...]:
        """The records of one commit's note that were written in this clone; raises as :meth:`Note.strictly`
        does."""
        records = self.of(commit).strictly()
        places = self.journal.places() if records else None
        return tuple(record for record in records if places and places.of(digest(encode(record))) >= 0)

    def _every(
        self, *, newest_first: bool = True, since: str = "", beyond: str = "", damaged: OnDamage | None = None
    ) -> Iterator[Entry]:
        """The notes log as it is, or what of it came after the notes commit ``beyond``: a record may come
        twice."""
        tip = self.tip()
        if tip is None:
            return
        upto = self.ref
        if newest_first and not since and not beyond:
            upto = yield from self._nearest(*tip)
            if not upto:
                return
        words = ["log", "-z", "--format=%H %T %P%n%B", "--no-show-signature", "--encoding=UTF-8"]
        if since:
            words.append(f"--since={since[:19]}Z")
        if not newest_first:
            words.append("--reverse")
        pieces = self._git.stream(*words, "--end-of-options", f"{beyond}..{upto}" if beyond else upto, "--")
        for number, piece in enumerate(pieces):
            decode = decode_line if number < _FEW else decode_fast  # whose import is worth some hundred lines
            yield from self._entries(piece, decode, damaged, newest_first)

    def _nearest(self, oid: str, commit: Commit) -> Generator[Entry, None, str]:
        """The newest records as far as they are ours, one upon the other, without a git process; returns the
        commit from which git is to go on, "" where there is none."""
        for _ in range(_NEAR):
            entries = message.entries(commit.message, oid)
            if not entries or len(commit.parents) > 1:
                return oid
            yield from reversed(entries)
            if not commit.parents:
                return ""
            found = self._objects.find(commit.parents[0])
            if found is None:  # shallow, or damaged: git knows which, and comes to this record a second time
                return oid
            oid, commit = found[0], parse_commit(found[2])
        return oid

    def _entries(
        self, piece: bytes, decode: Callable[[str], Record], damaged: OnDamage | None, newest_first: bool
    ) -> list[Entry]:
        head, _, body = piece.decode("utf-8", "surrogateescape").partition("\n")
        oid, root, *parents = head.split()
        entries = message.entries(body, oid, decode)
        if entries:
            return list(reversed(entries) if newest_first else entries)
        commit = Commit(root, tuple(parents), "", "", body)
        return sorted(
            self._introduced(oid, commit, damaged), key=lambda one: order(one.record), reverse=newest_first
        )

    def _introduced(self, oid: str, commit: Commit, damaged: OnDamage | None) -> list[Entry]:
        """The records in a foreign notes commit that none of its parents had on the same object."""
        roots: list[str | None] = [self._objects.read_commit(parent).tree for parent in commit.parents]
        subject = commit.message.partition("\n")[0]
        by_git = subject.startswith("Notes added by 'git ")
        found = []
        for annotated, blob in tree.differing(self._objects, commit.tree, roots):
            known = {
                record["id"]
                for root in roots
                if root
                for record in self._decoded(annotated, tree.blobs(self._objects, root, annotated)).records
            }
            note = self._decoded(annotated, [blob])
            if note.damaged:
                still = self.of(annotated).damaged  # what was taken out since is in nobody's way
                _tell(tuple(one for one in note.damaged if one in still), damaged)
            found += [
                Entry(
                    record,
                    annotated,
                    digest(encode(record)),
                    f"{message.subject_of(record)}: {subject}" if by_git else subject,
                    oid,
                )
                for record in note.records
                if record["id"] not in known
            ]
        return found


def _passed_over(trouble: Damaged) -> None:
    """A line that cannot be read is none of ours."""


def _tell(lines: Sequence[Damaged], damaged: OnDamage | None) -> None:
    for trouble in lines:
        if damaged is None:
            raise trouble.error()
        damaged(trouble)

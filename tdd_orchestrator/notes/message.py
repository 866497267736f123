"""A notes commit's message: a subject for people, the records' lines, and trailers, among them the redo list.

``git log refs/notes/tdd`` is the audit log; nothing else is needed to know what was written and what
follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tdd_orchestrator.model.errors import NewerSchema, StoreDamaged
from tdd_orchestrator.notes.codec import (
    NOTE_LIMIT,
    SCHEMA,
    Note,
    Record,
    decode_line,
    decode_note,
    digest,
    encode,
    joined,
    new_id,
    order,
)
from tdd_orchestrator.repo.git import ZERO
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.refs import RefUpdate
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.model import records


_SUBJECT = 120  # characters


class Entry(NamedTuple):
    """One record of the audit log: on which commit it was put, by which notes commit, and what was to
    follow."""

    record: Record
    commit: str
    hash: str
    subject: str = ""
    notes_commit: str = ""
    moves: tuple[RefUpdate, ...] = ()

    @property
    def typed(self) -> records.Record:
        """The record as the model of its kind, read anew at each call; ``record`` is what stands in the
        note."""
        from tdd_orchestrator.model.reading import read  # pydantic is late: `tdd status` does without

        return read(self.record)


def compose(
    subject: str,
    lines: bytes,
    commit: str,
    ids: str,
    moves: Sequence[RefUpdate],
    subjects: Sequence[str] = (),
) -> str:
    """The message of records that are written at once, the oldest first; their ``ids`` with spaces between.
    ``subjects``: one for each, where they are several."""
    hashes = " ".join(digest(line) for line in lines.split(b"\n"))
    trailers = [f"Annotates: {commit}", f"Record: {ids}", f"Hash: {hashes}"]
    trailers += [f"Subject: {one_line(one, _SUBJECT) or 'record'}" for one in subjects]
    trailers += [f"Moves: {ref} {old or ZERO} {new}" for ref, new, old in moves]
    return f"{one_line(subject, _SUBJECT) or 'record'}\n\n{lines.decode()}\n\n" + "\n".join(trailers) + "\n"


def parse(message: str, notes_commit: str = "") -> Entry | None:
    """The newest of what we wrote, with what was to follow; None as ``entries`` is empty."""
    found = entries(message, notes_commit)
    return found[-1] if found else None


def entries(
    message: str, notes_commit: str = "", decode: Callable[[str], Record] = decode_line
) -> tuple[Entry, ...]:
    """What we wrote, the oldest first; () where the message is not ours, or not as we wrote it (a hash does not
    fit)."""
    parts = message.split("\n\n", 2)
    if len(parts) != 3 or not parts[1].startswith("{"):
        return ()
    found: dict[str, str] = {}
    moves: list[RefUpdate] = []
    subjects: list[str] = []
    for trailer in parts[2].splitlines():
        key, _, value = trailer.partition(": ")
        if key == "Moves":
            words = value.split(" ")
            if len(words) != 3:
                return ()
            moves.append((words[0], words[2], words[1]))
        elif key == "Subject":
            subjects.append(value)
        else:
            found[key] = value
    lines, hashes = parts[1].split("\n"), found.get("Hash", "").split(" ")
    if [digest(line.encode("utf-8", "surrogateescape")) for line in lines] != hashes:
        return ()
    try:
        records = list(map(decode, lines))
    except ValueError:
        return ()
    if len(subjects) != len(lines):
        subjects = [parts[0]] * len(lines)
    commit, last = found.get("Annotates", ""), len(lines) - 1
    return tuple(
        Entry(record, commit, hashed, subject, notes_commit, tuple(moves) if number == last else ())
        for number, (record, hashed, subject) in enumerate(zip(records, hashes, subjects, strict=True))
    )


def subject_of(record: Record) -> str:
    """Return a subject made of the record alone: a notes commit of git's own has one for all that it carries along."""
    kind, phase, attempt = record["kind"], record.get("phase"), record.get("attempt")
    if kind in ("handoff", "error", "intent") and phase:
        return f"{phase} {record.get('status') or 'begun'}" + (f" (attempt {attempt})" if attempt else "")
    return str(record.get("outcome") or kind).replace("_", " ")


FOLDED = "folded"
"""Kind of the line that stands for older lines: ``blob`` names where they are, ``lines`` how many."""
_OID = re.compile(r"[0-9a-f]{40}")


def fold(objects: Objects, lines: list[bytes]) -> tuple[bytes, str]:
    """The note from its lines, within the bound, and the blob that was folded away ("" = none was)."""
    note = joined(lines)
    if len(note) <= NOTE_LIMIT:
        return note, ""
    kept = note.splitlines()
    older: list[bytes] = []
    size = len(note)
    newest = ""
    while size > NOTE_LIMIT // 2 and len(kept) > 1:
        line = kept.pop(0)
        size -= len(line) + 1
        record = _record(line)
        if record is not None:
            newest = max(newest, record["at"])
        if record is not None and record["kind"] == FOLDED:
            older += stood_for(objects, record).splitlines()
        else:
            older.append(line)
    blob = objects.write_blob(joined(older))
    folded = {"at": newest, "id": new_id(), "v": SCHEMA, "kind": FOLDED, "blob": blob, "lines": len(older)}
    return joined([encode(folded), *kept]), blob


def _record(line: bytes) -> Record | None:
    try:
        return decode_line(line)
    except (ValueError, NewerSchema):
        return None  # kept as it is, among the others; whoever reads the note is told


def stood_for(objects: Objects, record: Record) -> bytes:
    """The lines that a folded line stands for. A folded line among them is not followed: ours fold once, and
    a few lines of somebody else's that fold again and again would unfold to more than any machine holds."""
    blob = str(record.get("blob"))
    if not _OID.fullmatch(blob):
        raise StoreDamaged(
            f"The folded line {record['id'][:40]!r} names no blob.", "Run `tdd verify --no-replay`."
        )
    return objects.read_kind(blob, "blob")


def unfold(objects: Objects, note: Note) -> Note:
    """The note with the records that its folded lines stand for; each blob is read once."""
    if not any(record["kind"] == FOLDED for record in note.records):
        return note
    records: dict[str, Record] = {}
    damaged, remarks = list(note.damaged), list(note.remarks)
    seen: set[str] = set()
    for record in note.records:
        if record["kind"] == FOLDED:
            if str(record.get("blob")) in seen:
                continue
            seen.add(str(record.get("blob")))
            older = decode_note(stood_for(objects, record), note.commit)
            records |= {one["id"]: one for one in older.records}
            damaged += older.damaged
            remarks += older.remarks
        else:
            records[record["id"]] = record
    return Note(note.commit, tuple(sorted(records.values(), key=order)), tuple(damaged), tuple(remarks))

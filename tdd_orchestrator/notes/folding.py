"""A note that would outgrow its bound: the older lines become one blob, and one line that names it.

Nothing is lost: the blob is pinned as evidence, and the notes commits hold every line as well.
"""

from __future__ import annotations

import re

from tdd_orchestrator.model.errors import NewerSchema, StoreDamaged
from tdd_orchestrator.notes.codec import (
    NOTE_LIMIT,
    SCHEMA,
    Note,
    Record,
    decode_line,
    decode_note,
    encode,
    joined,
    new_id,
    order,
)
from tdd_orchestrator.repo.objects import Objects

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

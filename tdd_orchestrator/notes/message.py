"""A notes commit's message: a subject for people, the record's line, and trailers, among them the redo list.

``git log refs/notes/tdd`` is the audit log; nothing else is needed to know what was written and what
follows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tdd_orchestrator.notes.codec import Record, decode_line, digest
from tdd_orchestrator.repo.git import ZERO
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


def compose(subject: str, line: bytes, commit: str, record_id: str, moves: Sequence[RefUpdate]) -> str:
    trailers = [f"Annotates: {commit}", f"Record: {record_id}", f"Hash: {digest(line)}"]
    trailers += [f"Moves: {ref} {old or ZERO} {new}" for ref, new, old in moves]
    return f"{one_line(subject, _SUBJECT) or 'record'}\n\n{line.decode()}\n\n" + "\n".join(trailers) + "\n"


def parse(
    message: str, notes_commit: str = "", decode: Callable[[str], Record] = decode_line
) -> Entry | None:
    """What we wrote; None where the message is not ours, or not as we wrote it (its hash does not fit)."""
    parts = message.split("\n\n", 2)
    if len(parts) != 3 or not parts[1].startswith("{"):
        return None
    found: dict[str, str] = {}
    moves: list[RefUpdate] = []
    for trailer in parts[2].splitlines():
        key, _, value = trailer.partition(": ")
        if key == "Moves":
            words = value.split(" ")
            if len(words) != 3:
                return None
            moves.append((words[0], words[2], words[1]))
        else:
            found[key] = value
    if digest(parts[1].encode("utf-8", "surrogateescape")) != found.get("Hash"):
        return None
    try:
        record = decode(parts[1])
    except ValueError:
        return None
    return Entry(record, found.get("Annotates", ""), found["Hash"], parts[0], notes_commit, tuple(moves))

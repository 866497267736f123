"""The plan's authored part: JSON Lines on a notes ref of its own, so that two people's edits merge (S1).

Each item has an anchor, a blob made of its id; the item's lines are that blob's note. The newest line counts;
a removed item has a newest line that says so. An item's status is not here: it follows from the audit log.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tdd_orchestrator.model.errors import RefMoved, Refused, StoreDamaged
from tdd_orchestrator.notes import tree
from tdd_orchestrator.notes.codec import NOTE_LIMIT, SCHEMA, Damaged, encode, joined, new_id, stamp
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.write_journal import TRIES, pause, queue
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.encoding import EMPTY_TREE
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.text import one_line

REF = "refs/notes/tdd-plan"
KIND = "item"
Item = dict[str, Any]


class PlanRef:
    """Items are dictionaries with a text ``id``; what else they hold is their author's affair."""

    def __init__(self, git: Git, objects: Objects) -> None:
        self._git, self._objects = git, objects
        self._history = History(git, objects, REF)
        self._read: tuple[str, dict[str, dict[str, Any]]] = "", {}  # a notes commit, and what it holds

    def load(self) -> list[Item]:
        """The items that are not removed, by id. StoreDamaged or NewerSchema where a line cannot be read."""
        return [dict(line["item"]) for _, line in sorted(self._newest().items()) if not line.get("removed")]

    def _newest(self) -> dict[str, dict[str, Any]]:
        """Item id -> its newest line; not to be changed."""
        found = {}
        tip = self._history.tip()
        if tip is not None and tip[0] == self._read[0]:
            return self._read[1]
        self._refuse_foreign()
        for note in self._history.all():
            lines = [line for line in note.strictly() if line["kind"] == KIND]
            if lines and not isinstance(lines[-1].get("item"), dict):
                raise Damaged(note.commit, "no item", str(lines[-1])).error()
            if lines:
                found[str(lines[-1]["item"].get("id"))] = lines[-1]
        self._read = (tip[0] if tip else ""), found
        return found

    def _refuse_foreign(self) -> None:
        """StoreDamaged where the ref holds something else than notes: it would read as an empty plan, and be
        replaced."""
        tip = self._history.tip()
        if tip is None:
            return
        other = tree.first_other(self._objects, tip[1].tree)
        if other:
            raise StoreDamaged(
                f"{REF} does not hold a plan: its tree has '{other}', which is no note.",
                f"See what it is: git log {REF}. To begin a new plan: git update-ref -d {REF}",
            )

    def save(
        self,
        items: Iterable[Item],
        *,
        removed: Sequence[str] = (),
        subject: str = "plan edited",
        publish: Callable[[str, str], bool] = lambda ref, commit: True,
    ) -> int:
        """Write the items that differ from what is there, and mark the removed; returns how many lines were
        written.

        Items that are not mentioned stay as they are. ``publish`` is given the ref and its new commit before the
        ref moves; where it returns False nothing is written. RefMoved where others write all the time.
        """
        given = {str(item.get("id") or _without_id()): dict(item) for item in items}
        with queue(self._git):
            for attempt in range(TRIES):
                tip = self._history.tip()
                before = self._newest()
                lines = _changed(before, given, removed)
                if not lines:
                    return 0
                oid = self._commit(tip[1].tree if tip else EMPTY_TREE, tip[0] if tip else "", lines, subject)
                if not publish(REF, oid):
                    return 0
                try:
                    refs.update(self._git, [(REF, oid, tip[0] if tip else ZERO)], reason="tdd: plan")
                    return len(lines)
                except RefMoved:
                    if attempt == TRIES - 1:
                        raise
                    time.sleep(pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    def _commit(self, root: str, parent: str, lines: dict[str, bytes], subject: str) -> str:
        notes = {}
        for item, line in lines.items():
            anchor = self._objects.write_blob(_anchor(item))
            held = [self._objects.read_kind(blob, "blob") for blob in tree.blobs(self._objects, root, anchor)]
            note = joined([line, *(old for data in held for old in data.split(b"\n"))])
            if len(note) > NOTE_LIMIT // 4:
                note = joined([line])  # older lines of a plan item are history, and the ref's log keeps them
            notes[anchor] = self._objects.write_blob(note)
        who = f"tdd <tdd@localhost> {int(time.time())} +0000"
        text = f"{one_line(subject, 120) or 'plan edited'}\n\n" + "".join(f"Item: {item}\n" for item in lines)
        return self._objects.write_commit(
            tree.put_many(self._objects, root, notes), [parent] if parent else [], text, author=who
        )


def _without_id() -> str:
    raise Refused("A plan item needs an id.")


def _anchor(item: str) -> bytes:
    return f"tdd plan item {item}\n".encode("utf-8", "backslashreplace")


def anchor(item: str) -> str:
    """The object that an item's note hangs on: for ``git notes --ref=tdd-plan show``."""
    data = _anchor(item)
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _changed(
    before: dict[str, dict[str, Any]], given: dict[str, Item], removed: Sequence[str]
) -> dict[str, bytes]:
    """Item id -> the line to be added; each later than the newest that it replaces."""
    lines = {}
    for item, content in given.items():
        held = before.get(item)
        if held is None or held.get("removed") or held["item"] != content:
            lines[item] = _line(held, {"item": content})
    for item in removed:
        held = before.get(item)
        if held is not None and not held.get("removed"):
            lines[item] = _line(held, {"item": held["item"], "removed": True})
    return lines


def _line(held: dict[str, Any] | None, content: dict[str, Any]) -> bytes:
    at = stamp(held["at"] if held else "")
    return encode({"at": at, "id": new_id(), "v": SCHEMA, "kind": KIND, **content})

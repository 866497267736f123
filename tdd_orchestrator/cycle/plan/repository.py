"""The plan: the items that people wrote, with the status that follows from the records of the audit log."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import Failure, Item, Plan, Status, from_authored, ordered
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.selection import Shortcut
from tdd_orchestrator.text import one_line

STATUS_OF = {
    ("cycle_started", ""): Status.IN_PROGRESS,
    ("resumed", ""): Status.IN_PROGRESS,
    ("cycle_ended", "landed"): Status.COMPLETED,
    ("cycle_ended", "already_covered"): Status.ALREADY_COVERED,
    ("cycle_ended", "aborted"): Status.FAILED,
    ("cycle_ended", "parked"): Status.FAILED,
    ("cycle_ended", "outer_red"): Status.IN_PROGRESS,
    ("cycle_ended", "cancelled"): Status.PLANNED,
    ("cycle_ended", "rolled_back"): Status.PLANNED,
    ("item_reopened", ""): Status.PLANNED,
    ("item_failed", ""): Status.FAILED,
}


_SUMMARY = 280  # characters that the plan shows


class StatusRecord(NamedTuple):
    """What the plan needs of one record: the status that it gives to its item, or a question or answer about it."""

    kind: str
    outcome: str
    item_id: str
    gate: str
    item: str = ""
    asks: str = ""
    error_id: str = ""
    error_type: str = ""
    summary: str = ""
    at: str = ""
    retry_count: int = 0

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> StatusRecord:
        """Read a record. Records are anybody's: whatever a field holds, a text comes out."""
        texts = [str(record.get(name) or "")[:_SUMMARY] for name in cls._fields[:-1]]
        retries = record.get("retry_count")
        return cls._make([*texts, retries if isinstance(retries, int) else 0])

    @property
    def status(self) -> Status | None:
        """The status that it gives to its item; None where it gives none."""
        return STATUS_OF.get((self.kind, self.outcome))

    @property
    def is_question(self) -> bool:
        """Whether it asks a person if its item is covered."""
        return self.kind == "cycle_ended" and self.asks == "covered"

    @property
    def is_answer(self) -> bool:
        return self.kind == "approval" and self.gate == "covered"

    def short(self) -> StatusRecord:
        """Return it with what the plan shows: a failure and a question have more than the rest."""
        shown = self.status is Status.FAILED or self.is_question
        return self if shown else StatusRecord(*self[:4])


def statuses(records: Iterable[StatusRecord]) -> dict[str, tuple[Status, Failure | None]]:
    """Item id -> where its newest cycle left it, from records in the order of the audit log."""
    found: dict[str, tuple[Status, Failure | None]] = {}
    for one in records:
        status = one.status
        if not one.item_id or status is None:
            continue
        failure = None
        if status is Status.FAILED:
            failure = Failure(one.error_id, one.error_type, one.summary, one.at, one.retry_count)
        found[one.item_id] = (status, failure)
    return found


def waiting(records: Iterable[StatusRecord]) -> dict[str, str]:
    """Item id -> title, of the items that a cycle found covered and about which a person has not decided."""
    found: dict[str, str] = {}
    for one in records:
        if one.is_question:
            found[one.item_id] = one.item
        elif one.status is not None or one.is_answer:
            found.pop(one.item_id, None)
    return found


_PUT_OFF = 25  # records that are read again by the next command rather than have the file written for each


def statuses_file(common_dir: Path) -> Path:
    """Where the file is, in git's own folder."""
    return common_dir / "tdd" / "statuses"


ByItem = dict[tuple[str, bool], StatusRecord]
"""Item id, and whether it is the newest record that only asks or answers, or the one that sets the status."""


def condense(records: Iterable[StatusRecord], found: ByItem) -> ByItem:
    """Add to ``found`` the newest record of each item that sets its status, and the newest answer about it, in the
    order of the audit log."""
    for one in records:
        answer = one.status is None and (one.is_question or one.is_answer)
        if one.item_id and (answer or one.status is not None):
            found.pop((one.item_id, answer), None)  # a newer one stands behind the others
            found[one.item_id, answer] = one.short()
    return found


class StatusRecords:
    """The records that set statuses, kept in the file ``path`` so that the whole log need not be read again.

    The file is believed only for the notes commit that it names; newer records are read, or all of them
    where the history is not a plain continuation (a sync, a rewrite).
    """

    def __init__(self, history: History, path: Path) -> None:
        self._history, self._file = history, Shortcut(path, history.ref)
        self._tip, self._newest, self._records = "", "", ByItem()
        self._statuses: dict[str, tuple[Status, Failure | None]] = {}
        self._unsaved = 0

    def statuses(self) -> Mapping[str, tuple[Status, Failure | None]]:
        """As :func:`statuses` says of all records; only those that are new since the last call are looked at."""
        self._catch_up()
        return self._statuses

    def trail(self) -> Iterable[StatusRecord]:
        """The records that count for the plan, oldest first. StoreDamaged where the audit log cannot be
        read."""
        self._catch_up()
        return self._records.values()

    def _catch_up(self) -> None:
        tip = self._history.tip()
        if tip is None:
            self._take({}, "", "")
        elif self._tip != tip[0] and not self._load(tip[0]):
            newer = self._history.since(self._tip, self._newest) if self._tip else None
            if newer is None:
                self._take({}, "", "")
                self._unsaved, newer = _PUT_OFF, list(self._history.trail(newest_first=False))
            records = [StatusRecord.of(entry.record) for entry in newer]
            condense(records, self._records)
            self._statuses |= statuses(records)
            self._newest = max([self._newest, *(entry.record["at"] for entry in newer)])
            self._tip = tip[0]
            self._unsaved += len(records)
            if self._unsaved >= _PUT_OFF:
                kept = [
                    {name: value for name, value in one._asdict().items() if value}
                    for one in self._records.values()
                ]
                self._file.write(notes=self._tip, newest=self._newest, records=kept)
                self._unsaved = 0

    def _take(self, records: ByItem, newest: str, tip: str) -> None:
        self._records, self._newest, self._tip = records, newest, tip
        self._statuses = statuses(records.values())

    def _load(self, tip: str) -> bool:
        """Read the file, unless a newer state is in memory; return whether it was made from this very
        notes commit."""
        kept = None if self._tip else self._file.read("notes", "newest", "records")
        if kept is not None:
            notes, newest, records = kept
            try:
                self._take(condense(map(StatusRecord.of, records), {}), str(newest), str(notes))
            except (TypeError, AttributeError):
                return False  # nothing that we wrote
        return bool(kept) and self._tip == tip


_ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"


class PlanStore(Protocol):
    def load(self) -> list[dict[str, Any]]: ...

    def save(
        self,
        items: Iterable[dict[str, Any]],
        *,
        removed: Sequence[str] = (),
        subject: str = "plan edited",
        publish: Callable[[str, str], bool] = ...,
    ) -> int: ...


class Trail(Protocol):
    def trail(self) -> Iterable[StatusRecord]: ...

    def statuses(self) -> Mapping[str, tuple[Status, Failure | None]]: ...


class PlanRepository:
    """Reads and writes the plan. Items are found by id, by a unique prefix of it, or by their place in the
    list."""

    def __init__(self, store: PlanStore, trail: Trail) -> None:
        self._store, self._trail = store, trail

    def plan(self) -> Plan:
        items = [from_authored(data) for data in self._store.load()]
        if not items:
            return Plan()
        return ordered(items).with_statuses(self._trail.statuses())

    def find(self, plan: Plan, word: str) -> Item:
        exact = plan.get(word)
        if exact is not None:
            return exact
        if word.isdigit() and 1 <= int(word) <= len(plan.items):
            return plan.items[int(word) - 1]
        hits = [
            item
            for item in plan.items
            if item.id.startswith(word) or item.title.casefold() == word.casefold()
        ]
        if len(hits) == 1:
            return hits[0]
        what = f"'{word}' fits {len(hits)} items" if hits else f"There is no item '{word}' in the plan"
        near = "" if hits else _nearest(plan, word)
        raise Refused(f"{what}.{near}", "`tdd plan list` shows every item with its id.")

    def waiting(self) -> dict[str, str]:
        """The items that seem covered and wait for a person's yes: id -> title."""
        return waiting(self._trail.trail())

    def add(self, items: Iterable[Item], *, before: str = "", plan: Plan | None = None) -> list[Item]:
        """Append items (or insert them before one) and save; ids and order are assigned here."""
        stands = list((plan or self.plan()).items)
        taken = {item.id for item in stands}
        fresh = []
        for item in items:
            identity = item.id or new_id(taken)
            taken.add(identity)
            fresh.append(_titled(replace(item, id=identity)))
        place = next((i for i, item in enumerate(stands) if item.id == before), len(stands))
        low = stands[place - 1].order if place else (stands[0].order - 1 if stands else 0.0)
        high = stands[place].order if place < len(stands) else low + len(fresh) + 1
        step = (high - low) / (len(fresh) + 1)
        placed = [replace(item, order=low + step * (number + 1)) for number, item in enumerate(fresh)]
        self._store.save(
            [item.authored() for item in placed], subject=f"planned: {placed[0].title}" if placed else ""
        )
        return placed

    def change(self, item: Item) -> None:
        self._store.save([item.authored()], subject=f"changed: {item.title}")

    def publish(self, item: Item, send: Callable[[str, str], bool]) -> bool:
        """Save an item once ``send`` has sent the plan's new commit; False where that did not happen."""
        return self._store.save([item.authored()], subject=f"claimed: {item.title}", publish=send) > 0

    def rewrite(self, items: Sequence[Item], *, removed: Sequence[str] = ()) -> None:
        """Save many items as given, with their ids and order, and remove others, in one edit."""
        self._store.save([_titled(item).authored() for item in items], removed=removed, subject="plan edited")

    def remove(self, item: Item) -> None:
        self._store.save([], removed=[item.id], subject=f"removed: {item.title}")


def _nearest(plan: Plan, word: str) -> str:
    """Return a question that names the item whose id, or the beginning of whose title, is nearest to the word."""
    names = {item.title.casefold()[: len(word)]: item for item in plan.items}
    names |= {item.id: item for item in plan.items}
    close = get_close_matches(word.casefold(), names, 1)
    return f" Did you mean {names[close[0]].id} ({names[close[0]].title})?" if close else ""


def _titled(item: Item) -> Item:
    if not item.title.strip():
        raise Refused("An item needs a title.", 'Say what is to happen: tdd plan add "adds two numbers".')
    return replace(item, title=one_line(item.title, 200))


def new_id(taken: Iterable[str]) -> str:
    """Return a new id of four characters that are easy to tell apart and type; never digits only, which
    would be a position."""
    known = set(taken)
    while True:
        identity = "".join(secrets.choice(_ALPHABET) for _ in range(4))
        if identity not in known and not identity.isdigit():
            return identity

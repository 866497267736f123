"""The test list: ordered items, one behaviour or fault each (S1). Their status follows from the audit log."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any


class Status(StrEnum):
    PLANNED = "planned"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    ALREADY_COVERED = "already_covered"
    CANCELLED = "cancelled"
    FAILED = "failed"


DONE = frozenset({Status.COMPLETED, Status.ALREADY_COVERED, Status.CANCELLED})


_UNFINISHED = frozenset({Status.PLANNED, Status.IN_PROGRESS})

FIX_TAG = "error-fix"
"""Marks an item that fixes an error report (F5)."""

LEFT_TAG = "refactoring-left"
NEEDS_TAG = "needs:"
"""Marks a chore: a refactoring that a cycle landed without."""


class ItemType(StrEnum):
    BEHAVIOUR = "behaviour"
    BUG = "bug"
    CHORE = "chore"
    ACCEPTANCE = "acceptance"  # its test comes first, and is red until its children are done


class Priority(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Failure:
    """The plan's view of a failed item (F5)."""

    error_id: str
    error_type: str
    summary: str  # at most 280 characters
    at: str
    retry_count: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """One behaviour. ``order`` sorts the list (lower is earlier); ``hours`` is an estimate; ``after``
    are the ids of items that must be done before."""

    id: str
    title: str
    description: str = ""
    type: ItemType = ItemType.BEHAVIOUR
    priority: Priority = Priority.MEDIUM
    parent: str = ""
    tags: tuple[str, ...] = ()
    hours: float = 0.0
    issue: int = 0
    test_file: str = ""
    impl_file: str = ""
    order: float = 0.0
    status: Status = Status.PLANNED
    failure: Failure | None = field(default=None)
    mutant: Mutant | None = None  # a fault that no test notices; the item's test is to fail with it in place
    after: tuple[str, ...] = ()
    claimed_by: str = ""  # the clone that works on it
    claimed_until: str = ""  # UTC, as in records; afterwards the claim is none

    @property
    def begun_by_hand(self) -> bool:
        """Whether only a person starts it: a fix item (`tdd errors fix`), a refactoring left behind."""
        return FIX_TAG in self.tags or LEFT_TAG in self.tags

    @property
    def needs(self) -> tuple[str, ...]:
        """What the machine of its agents must have: the names of its tags ``needs:NAME``."""
        return tuple(tag.removeprefix(NEEDS_TAG) for tag in self.tags if tag.startswith(NEEDS_TAG))

    def authored(self) -> dict[str, Any]:
        """Return what a person wrote, for the plan's own ref; the status is not stored there."""
        data = asdict(self)
        del data["failure"]
        if self.status not in (Status.CANCELLED, Status.ALREADY_COVERED):
            del data["status"]
        for left_out in ("mutant", "claimed_by", "claimed_until"):
            if not data[left_out]:
                del data[left_out]
        data["tags"] = list(self.tags)
        del data["after"]
        return {**data, "after": list(self.after)} if self.after else data


def from_authored(data: dict[str, Any]) -> Item:
    """Read one stored item; unknown keys of later versions are ignored."""
    known = {f.name for f in fields(Item)} - {"failure"}
    values = {key: value for key, value in data.items() if key in known}
    return Item(
        **{
            **values,
            "type": ItemType(values.get("type", "behaviour")),
            "priority": Priority(values.get("priority", "medium")),
            "status": Status(values.get("status", "planned")),
            "tags": tuple(values.get("tags", ())),
            "mutant": Mutant(**values["mutant"]) if values.get("mutant") else None,
            "after": tuple(values.get("after", ())),
        }
    )


@dataclass(frozen=True)
class Plan:
    items: tuple[Item, ...] = ()

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {item.id: item for item in reversed(self.items)}

    @cached_property
    def _children(self) -> dict[str, list[Item]]:
        found: dict[str, list[Item]] = {}
        for item in self.items:
            if item.parent and not item.begun_by_hand:
                found.setdefault(item.parent, []).append(item)
        return found

    def get(self, item_id: str) -> Item | None:
        return self._by_id.get(item_id)

    def nested(self) -> list[Item]:
        """Return the items in their order, each followed by those below it."""
        below: dict[str, list[Item]] = {}
        for item in self.items:
            below.setdefault(item.parent if item.parent in self._by_id else "", []).append(item)
        found: dict[str, Item] = {}
        for top in (*below.get("", []), *self.items):  # the latter for a circle of parents
            todo = [top]
            while todo:
                item = todo.pop()
                if item.id not in found:
                    found[item.id] = item
                    todo += reversed(below.get(item.id, []))
        return list(found.values())

    def depths(self) -> dict[str, int]:
        """Return how deep each item stands below others, by its id; at most 5."""
        depth: dict[str, int] = {}
        for item in self.nested():
            depth[item.id] = min(depth[item.parent] + 1, 5) if item.parent in depth else 0
        return depth

    def children(self, item: Item) -> list[Item]:
        """Return the items below it, without those that only a person starts."""
        return self._children.get(item.id, [])

    def next(self) -> Item | None:
        """Return the next item: one in progress, else the first planned one whose ``after`` items are
        done.

        Items that a person starts are skipped.
        """
        return next(iter(self._open()), None)

    def next_beside(self, busy: Collection[str]) -> Item | None:
        """Return the next item to work on beside the ``busy`` ones (ids); None if there is none now."""
        unfinished = [item for item in self.items if item.status in _UNFINISHED]
        for item in self._open():
            if item.id in busy:
                continue
            before = unfinished[: unfinished.index(item)]
            earlier = [other for other in before if item.id not in self.unmet(other)]
            beside = [other for other in self.items if other.id in busy]
            if not any(_ordered(other, item) for other in (*earlier, *beside)):
                return item
        return None

    def unmet(self, item: Item) -> tuple[str, ...]:
        """Return the ids of items that come before it: ``after`` ones that are not done, an acceptance item
        that has no test yet, and the open children of one that has."""
        known = self._by_id
        first = [one for one in item.after if one in known and known[one].status not in DONE]
        parent = known.get(item.parent)
        if parent and parent.type is ItemType.ACCEPTANCE and parent.status is Status.PLANNED:
            first.append(parent.id)
        return (*first, *(self.open_children(item) if self._waits(item) else ()))

    def open_children(self, item: Item) -> tuple[str, ...]:
        """Return the ids of an acceptance item's children that are not done; () of another item."""
        if item.type is not ItemType.ACCEPTANCE:
            return ()
        return tuple(one.id for one in self.children(item) if one.status not in DONE)

    def _waits(self, item: Item) -> bool:
        return item.status is Status.IN_PROGRESS and bool(self.open_children(item))

    def _open(self) -> list[Item]:
        mine = [item for item in self.items if not item.begun_by_hand]
        in_progress = [item for item in mine if item.status is Status.IN_PROGRESS and not self._waits(item)]
        return in_progress + [item for item in mine if item.status is Status.PLANNED and not self.unmet(item)]

    def left(self) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
        """Return the unfinished items that no person starts: those that a run can come to, and those that wait for a
        failed one."""
        stuck = {item.id for item in self.items if item.status is Status.FAILED}
        mine = [item for item in self.items if item.status in _UNFINISHED and not item.begun_by_hand]
        while more := {item.id for item in mine if not stuck.isdisjoint(self.unmet(item))} - stuck:
            stuck |= more
        return tuple(one for one in mine if one.id not in stuck), tuple(
            one for one in mine if one.id in stuck
        )

    def ids(self, *statuses: Status) -> tuple[str, ...]:
        return tuple(item.id for item in self.items if item.status in statuses)

    def with_statuses(self, statuses: Mapping[str, tuple[Status, Failure | None]]) -> Plan:
        """Return the plan with the audit log's ``statuses``: item id -> status after its last cycle.

        A person's decision stands: a cancelled item, and one marked as covered without a cycle for it."""
        merged = []
        for item in self.items:
            status, failure = statuses.get(item.id, (item.status, None))
            decided = item.status is Status.ALREADY_COVERED and status in (Status.PLANNED, Status.FAILED)
            if decided or item.status is Status.CANCELLED:
                status, failure = item.status, None
            merged.append(replace(item, status=status, failure=failure))
        return Plan(tuple(merged))


def _ordered(first: Item, later: Item) -> bool:
    """Whether two items exclude each other: one is part of the other, or both name the same file."""
    same_file = (first.impl_file and first.impl_file == later.impl_file) or (
        first.test_file and first.test_file == later.test_file
    )
    return bool(same_file) or later.parent == first.id or first.parent == later.id


def ordered(items: list[Item]) -> Plan:
    return Plan(tuple(sorted(items, key=lambda item: (item.order, item.id))))


@dataclass(frozen=True, slots=True)
class Mutant:
    """Lines ``line`` .. ``line + count - 1`` (from 1) of ``path``, which read ``old``, replaced by
    ``new``."""

    path: str
    line: int
    count: int
    old: str
    new: str

    def applied(self, text: str) -> str | None:
        """Return ``text`` with the fault in place, where ``old`` stands nearest to ``line``; None where it
        stands nowhere."""
        lines = text.splitlines(keepends=True)
        places = [at for at in range(len(lines)) if "".join(lines[at : at + self.count]) == self.old]
        if not places:
            return None
        at = min(places, key=lambda place: abs(place + 1 - self.line))
        return "".join((*lines[:at], self.new, *lines[at + self.count :]))

    def __str__(self) -> str:
        place = f"in {self.path}:{self.line}"
        if self.new.endswith(f"\n{self.old}"):
            return f"a failing statement before `{_short(self.old)}` {place}"
        return f"`{_short(self.old)}` as `{_short(self.new)}` {place}"


def _short(code: str) -> str:
    return " ".join(code.split())[:80]

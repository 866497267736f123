"""The plan as a board: each item with its status, its failure, its fix, and what it took. From the index
alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tdd_orchestrator.cycle.plan.repository import StatusRecord, statuses
from tdd_orchestrator.failures.fixes import is_fix
from tdd_orchestrator.history.index import Index
from tdd_orchestrator.history.metrics import compute, named
from tdd_orchestrator.model.plan import Item, Plan, Status, from_authored

COLUMNS: tuple[tuple[str, str, tuple[Status, ...]], ...] = (
    ("failed", "Failed", (Status.FAILED,)),
    ("in_progress", "In progress", (Status.IN_PROGRESS,)),
    ("planned", "Planned", (Status.PLANNED,)),
    ("done", "Done", (Status.COMPLETED, Status.ALREADY_COVERED, Status.CANCELLED)),
)

_COLUMN_OF = {status: name for name, _, held in COLUMNS for status in held}
_ITEMS = "SELECT * FROM items ORDER BY place, id"
_FIXES = "SELECT id, error_type FROM items WHERE fix"
STATES = "SELECT * FROM item_states WHERE touched > :seen"
_NO_STATE: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Card:
    """``parked``: its cycle is finished and waits for a merge by hand; ``fix``: the item that fixes this one;
    ``parent``: the item that this one fixes or belongs to; ``unmet``: those of the items that it comes after that
    are not done; ``children``: those below it, without fixes."""

    item: Item
    retries: int = 0
    actual_hours: float = 0.0
    cycle_id: str = ""
    waiting: str = ""
    parked: bool = False
    fix: Item | None = None
    parent: Item | None = None
    error_type: str = ""
    forecast: str = ""
    unmet: tuple[Item, ...] = ()
    children: tuple[Item, ...] = ()

    @property
    def is_fix(self) -> bool:
        return is_fix(self.item)


@dataclass(frozen=True, slots=True)
class Board:
    """The plan with what the index knows of its items; a card is made for an item that is shown."""

    plan: Plan
    states: Mapping[str, Mapping[str, Any]]  # by item
    waiting: Mapping[str, str]  # what the items that wait for a person wait with
    fixes: Mapping[str, Item]  # by the item that is fixed
    error_types: Mapping[str, str]  # of fix items
    risky: Mapping[str, float]  # times as often rejected, by path

    def cards(self) -> list[Card]:
        """Every item of the plan, in its order."""
        return [self.card(item) for item in self.plan.items]

    def columns(self) -> dict[str, list[Item]]:
        """Each column's items: those that wait for a person first (they are still in progress), then fixes;
        of those that are done the newest first."""
        ranks: tuple[dict[str, list[Item]], ...] = tuple(
            {name: [] for name, _, _ in COLUMNS} for _ in ("waiting", "fixes", "others")
        )
        for item in self.plan.items:
            if item.id in self.waiting:
                ranks[0][_COLUMN_OF[Status.IN_PROGRESS]].append(item)
            else:
                ranks[1 if is_fix(item) else 2][_COLUMN_OF[item.status]].append(item)
        found = {name: [item for rank in ranks for item in rank[name]] for name, _, _ in COLUMNS}
        found["done"].sort(key=lambda item: self.states.get(item.id, _NO_STATE).get("at", ""), reverse=True)
        return found

    def card(self, item: Item) -> Card:
        row = self.states.get(item.id, _NO_STATE)
        times = max(self.risky.get(item.impl_file, 0.0), self.risky.get(item.test_file, 0.0))
        failure, plan = item.failure, self.plan
        fixed = self.error_types.get(item.id, "")
        return Card(
            item,
            retries=max(failure.retry_count if failure else 0, row.get("retries") or 0),
            actual_hours=row.get("actual_hours") or 0.0,
            cycle_id=row.get("cycle_id") or "",
            waiting=self.waiting.get(item.id, ""),
            parked=row.get("outcome") == "parked" and item.status is Status.FAILED,
            fix=self.fixes.get(item.id),
            parent=plan.get(item.parent) if item.parent else None,
            error_type=fixed or (failure.error_type if failure else ""),
            forecast=f"Changes to this file were rejected {times:g} times as often as others"
            if times
            else "",
            unmet=tuple(one for word in plan.unmet(item) if (one := plan.get(word))),
            children=tuple(plan.children(item)),
        )


@dataclass
class _Known:
    """The items with their states as of the record ``seen``: of 10,000 items a record changes a few."""

    authored: dict[str, Item]
    items: dict[str, Item]
    error_types: dict[str, str]  # of fix items
    states: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    waiting: dict[str, str] = field(default_factory=dict)
    seen: int = 0

    @classmethod
    def of(cls, index: Index) -> _Known:
        authored = [_item(row) for row in index.select(_ITEMS)]
        types = {row["id"]: row["error_type"] for row in index.select(_FIXES)}
        return cls({item.id: item for item in authored}, {item.id: item for item in authored}, types)

    def update(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take in the states that changed."""
        rows = [row for row in rows if row["item_id"] in self.authored]
        changed = Plan(tuple(self.authored[row["item_id"]] for row in rows))
        self.items.update(
            (item.id, item) for item in changed.with_statuses(statuses(map(StatusRecord.of, rows))).items
        )
        for row in rows:
            self.states[row["item_id"]] = row
            self.waiting.pop(row["item_id"], None)
            if row["waiting"]:
                self.waiting[row["item_id"]] = row["waiting"]
        self.seen = max([self.seen, *(row["touched"] for row in rows)])


def board(index: Index) -> Board:
    return index.memo("board", lambda: _board(index))


def _board(index: Index) -> Board:
    known = index.memo("board items", lambda: _Known.of(index), of="plan")
    known.update(index.select(STATES, {"seen": known.seen}))
    plan = Plan(tuple(known.items.values()))
    fixes = {item.parent: item for item in plan.items if is_fix(item)}
    return Board(plan, known.states, known.waiting, fixes, known.error_types, _risky(index))


def _risky(index: Index) -> dict[str, float]:
    metric = named("forecast")
    rows: Iterable[Mapping[str, Any]] = compute(index, metric).rows if metric else ()
    return {row["path"]: row["times_as_often"] for row in rows}


def _item(row: Mapping[str, Any]) -> Item:
    tags = [tag for tag in row["tags"].split("\n") if tag]
    after = [one for one in row["after_items"].split("\n") if one]
    data = {**row, "tags": tags, "after": after, "status": row["authored_status"], "order": row["place"]}
    return from_authored({key: value for key, value in data.items() if value is not None})

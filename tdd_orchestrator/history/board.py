"""The plan as a board: each item with its status, its failure, its fix, and what it took. From the index
alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tdd_orchestrator.cycle.plan.status import statuses
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

_ITEMS = "SELECT * FROM items ORDER BY place, id"
STATES = """
SELECT items.id, state.kind, state.outcome, state.error_id, state.error_type, state.message AS summary, state.at,
    state.retry_count, state.cycle_id, cycle.retries,
    (SELECT sum(minutes) / 60 FROM cycles WHERE cycles.item_id = items.id) AS actual_hours,
    CASE WHEN state.asks THEN 'covered' ELSE cycle.waiting END AS waiting
FROM items JOIN item_states AS state ON state.item_id = items.id
    LEFT JOIN cycles AS cycle ON cycle.cycle_id = state.cycle_id
"""
_NO_STATE: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Card:
    """``fix``: the item that fixes this one; ``parent``: the item that this one fixes or belongs to;
    ``unmet``: those of the items that it comes after that are not done; ``children``: those below it, without fixes."""

    item: Item
    retries: int = 0
    actual_hours: float = 0.0
    cycle_id: str = ""
    waiting: str = ""
    fix: Item | None = None
    parent: Item | None = None
    error_type: str = ""
    forecast: str = ""
    unmet: tuple[Item, ...] = ()
    children: tuple[Item, ...] = ()

    @property
    def is_fix(self) -> bool:
        return is_fix(self.item)


def cards(index: Index) -> list[Card]:
    """Every item of the plan, in its order."""
    return index.memo("cards", lambda: _cards(index))


def _cards(index: Index) -> list[Card]:
    items = index.memo(
        "items", lambda: [(_item(row), row["error_type"]) for row in index.select(_ITEMS)], of_plan=True
    )
    states = {row["id"]: row for row in index.select(STATES)}
    stands = statuses({**row, "item_id": row["id"]} for row in states.values())
    plan = Plan(tuple(item for item, _ in items)).with_statuses(stands)
    fixes = {item.parent: item for item in plan.items if is_fix(item)}
    risky = _risky(index)
    return [
        _card(plan, item, states.get(item.id, _NO_STATE), fixes.get(item.id), risky, of)
        for item, (_, of) in zip(plan.items, items, strict=True)
    ]


def by_column(found: Iterable[Card]) -> dict[str, list[Card]]:
    """Each column's cards: those that wait for a person first (they are still in progress), then fixes."""
    columns: dict[str, list[Card]] = {name: [] for name, _, _ in COLUMNS}
    for card in sorted(found, key=lambda card: (not card.waiting, not card.is_fix)):
        status = Status.IN_PROGRESS if card.waiting else card.item.status
        columns[next(name for name, _, wanted in COLUMNS if status in wanted)].append(card)
    return columns


def _card(
    plan: Plan,
    item: Item,
    row: Mapping[str, Any],
    fix: Item | None,
    risky: Mapping[str, float],
    fixes_type: str,
) -> Card:
    times = max(risky.get(item.impl_file, 0.0), risky.get(item.test_file, 0.0))
    failure = item.failure
    return Card(
        item,
        retries=max(failure.retry_count if failure else 0, row.get("retries") or 0),
        actual_hours=row.get("actual_hours") or 0.0,
        cycle_id=row.get("cycle_id") or "",
        waiting=row.get("waiting") or "",
        fix=fix,
        parent=plan.get(item.parent) if item.parent else None,
        error_type=fixes_type if is_fix(item) else failure.error_type if failure else "",
        forecast=f"Changes to this file were rejected {times:g} times as often as others" if times else "",
        unmet=tuple(one for word in plan.unmet(item) if (one := plan.get(word))),
        children=tuple(plan.children(item)),
    )


def _risky(index: Index) -> dict[str, float]:
    metric = named("forecast")
    rows: Iterable[Mapping[str, Any]] = compute(index, metric).rows if metric else ()
    return {row["path"]: row["times_as_often"] for row in rows}


def _item(row: Mapping[str, Any]) -> Item:
    tags = [tag for tag in row["tags"].split("\n") if tag]
    after = [one for one in row["after_items"].split("\n") if one]
    data = {**row, "tags": tags, "after": after, "status": row["authored_status"], "order": row["place"]}
    return from_authored({key: value for key, value in data.items() if value is not None})

"""The plan as a board: each item with its status, its failure, its fix, and what it took. From the index
alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
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

_ITEMS = """
SELECT items.*, state.kind, state.outcome, state.error_id, state.error_type AS failed_with, state.message, state.at,
    state.retry_count, state.cycle_id,
    (SELECT sum(minutes) / 60 FROM cycles WHERE cycles.item_id = items.id) AS actual_hours,
    CASE WHEN state.asks THEN 'covered' ELSE (SELECT waiting FROM cycles WHERE cycles.cycle_id = state.cycle_id) END AS waiting,
    (SELECT max(retry_count) FROM attempts WHERE attempts.cycle_id = state.cycle_id) AS retries
FROM items LEFT JOIN item_states AS state ON state.item_id = items.id ORDER BY place, items.id
"""


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
    parked: bool = False

    @property
    def is_fix(self) -> bool:
        return is_fix(self.item)


def cards(index: Index) -> list[Card]:
    """Every item of the plan, in its order."""
    rows = index.select(_ITEMS)
    stands = statuses(_as_record(row) for row in rows if row["kind"])
    plan = Plan(tuple(_item(row) for row in rows)).with_statuses(stands)
    by_id = {item.id: item for item in plan.items}
    fixes = {item.parent: item for item in plan.items if is_fix(item)}
    risky = _risky(index)
    found = (_card(row, item, by_id, fixes, risky) for row, item in zip(rows, plan.items, strict=True))
    children: dict[str, list[Item]] = {}
    for item in plan.items:
        if not is_fix(item):
            children.setdefault(item.parent, []).append(item)
    return [
        replace(
            card,
            unmet=tuple(by_id[one] for one in plan.unmet(card.item)),
            children=tuple(children.get(card.item.id, ())),
        )
        for card in found
    ]


def by_column(found: Iterable[Card]) -> dict[str, list[Card]]:
    """Each column's cards: those that wait for a person first (they are still in progress), then fixes."""
    columns: dict[str, list[Card]] = {name: [] for name, _, _ in COLUMNS}
    for card in sorted(found, key=lambda card: (not card.waiting, not card.is_fix)):
        status = Status.IN_PROGRESS if card.waiting else card.item.status
        columns[next(name for name, _, wanted in COLUMNS if status in wanted)].append(card)
    return columns


def _card(
    row: Mapping[str, Any],
    item: Item,
    by_id: Mapping[str, Item],
    fixes: Mapping[str, Item],
    risky: Mapping[str, float],
) -> Card:
    times = max((risky.get(path, 0.0) for path in (item.impl_file, item.test_file)), default=0.0)
    failure = item.failure
    return Card(
        item,
        retries=max(failure.retry_count if failure else 0, row["retries"] or 0),
        actual_hours=row["actual_hours"] or 0.0,
        cycle_id=row["cycle_id"] or "",
        waiting=row["waiting"] or "",
        parked=row["outcome"] == "parked",
        fix=fixes.get(item.id),
        parent=by_id.get(item.parent),
        error_type=row["error_type"] if is_fix(item) else failure.error_type if failure else "",
        forecast=f"Changes to this file were rejected {times:g} times as often as others" if times else "",
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


def _as_record(row: Mapping[str, Any]) -> dict[str, Any]:
    """As the record that left the item so: what :func:`statuses` reads of it."""
    same = {key: row[key] for key in ("kind", "outcome", "error_id", "at")}
    return {**same, "item_id": row["id"], "error_type": row["failed_with"], "summary": row["message"],
            "retry_count": row["retry_count"] or 0}  # fmt: skip

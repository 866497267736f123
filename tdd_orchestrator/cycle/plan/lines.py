"""Lines of a list, as a file or an editor brings them, to items of the plan: nested by depth, with what
stands kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tdd_orchestrator.cycle.plan import markdown
from tdd_orchestrator.cycle.plan.markdown import Line
from tdd_orchestrator.cycle.plan.repository import PlanRepository, new_id
from tdd_orchestrator.model.plan import Item, Plan
from tdd_orchestrator.prompting.listing import same


def add_nested(plan_repository: PlanRepository, items: list[tuple[Item, int]]) -> list[Item]:
    """Add items, each below the parent that its depth names; one that is planned already is not added."""
    current = plan_repository.plan()
    known = {same(item.title) for item in current.items}
    items = [(item, depth) for item, depth in items if same(item.title) not in known]
    taken = {item.id for item in current.items}
    return plan_repository.add(_nested(items, taken), plan=current) if items else []


def _nested(items: Iterable[tuple[Item, int]], taken: set[str]) -> list[Item]:
    """Return items with ids, which are added to ``taken``, and with the parents that their depths name."""
    found: list[Item] = []
    ancestors: list[str] = []
    for item, depth in items:
        parent = ancestors[depth - 1] if 0 < depth <= len(ancestors) else ""
        identity = item.id or new_id(taken)
        taken.add(identity)
        found.append(replace(item, id=identity, parent=item.parent or parent))
        ancestors = [*ancestors[:depth], identity]
    return found


def take_over(plan_repository: PlanRepository, current: Plan, before: list[Line], after: list[Line]) -> None:
    """Apply an edited list: order, titles, descriptions, changed marks, removed and new lines."""
    written = {line.id: line.mark for line in before if line.id}
    marked = {line.id for line in after if written.get(line.id) != line.mark}
    rows: list[tuple[Item, int]] = []
    seen: set[str] = set()
    for item, depth in markdown.to_items(after):
        copied = item.id in seen or current.get(item.id) is None
        rows.append((replace(item, id="") if copied else item, depth))
        seen.add(item.id)
    lines = _nested(rows, {item.id for item in current.items})
    plan_repository.rewrite(
        [
            _edited(current.get(item.id), replace(item, order=float(number)), item.id in marked)
            for number, item in enumerate(lines)
        ],
        removed=[item.id for item in current.items if item.id not in seen],
    )


def _edited(stands: Item | None, line: Item, marked: bool) -> Item:
    """Return the item as its edited line describes it; the mark counts only where it changed."""
    if stands is None:
        return line
    return replace(stands, title=line.title, description=line.description, type=line.type,
        priority=line.priority,
                   parent=line.parent, order=line.order,
            status=line.status if marked else stands.status)  # fmt: skip

"""The plan as Markdown checkboxes for an editor and for import, and nested lines as items."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tdd_orchestrator.cycle.plan.repository import PlanRepository, new_id
from tdd_orchestrator.model.plan import Item, ItemType, Plan, Priority, Status
from tdd_orchestrator.prompting.listing import same

_BOX = re.compile(r"^(\s*)[-*+]\s+\[([ xX~!-])\]\s+(.*)$")
_BULLET = re.compile(r"^(\s*)(?:[-*+]|\d{1,4}[.)])\s+(.*)$")
_ID = re.compile(r"\s*<!--\s*([a-z0-9]{1,32})\s*-->\s*$")
_MARKS = {
    Status.PLANNED: " ",
    Status.IN_PROGRESS: "~",
    Status.COMPLETED: "x",
    Status.ALREADY_COVERED: "x",
    Status.CANCELLED: "-",
    Status.FAILED: "!",
}
_PRIORITY = re.compile(r"\s+!(high|medium|low)\b")
_TYPE = re.compile(r"^(bug|chore|behaviour|acceptance):\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One checkbox: ``id`` is empty for a new one, ``depth`` counts nesting from 0."""

    id: str
    title: str
    mark: str
    depth: int
    description: str = ""
    type: ItemType = ItemType.BEHAVIOUR
    priority: Priority = Priority.MEDIUM


def write(plan: Plan) -> str:
    """One checkbox an item, its description and the items below it indented, its id in a comment."""
    depth = plan.depths()
    lines = []
    for item in plan.nested():
        pad = "  " * depth.get(item.id, 0)
        kind = "" if item.type is ItemType.BEHAVIOUR else f"{item.type}: "
        priority = "" if item.priority is Priority.MEDIUM else f" !{item.priority}"
        lines.append(f"{pad}- [{_MARKS[item.status]}] {kind}{item.title}{priority} <!-- {item.id} -->")
        lines += [f"{pad}  {line}" for line in item.description.splitlines()]
    return "\n".join(lines) + "\n"


def read(text: str) -> list[Line]:
    """Read checkboxes, or plain bullets where there is no checkbox; indented text below is the
    description."""
    lines = text.splitlines()
    boxed = any(_BOX.match(line) for line in lines)
    found: list[Line] = []
    indents: list[int] = []
    fenced = False
    for line in lines:
        if line.strip().startswith(("```", "~~~")):
            fenced = not fenced
        hit = None if fenced else (_BOX if boxed else _BULLET).match(line)
        if hit:
            pad = len(hit[1].expandtabs(4))
            indents = [indent for indent in indents if indent < pad]
            found.append(_line(hit[3 if boxed else 2], hit[2] if boxed else " ", len(indents)))
            indents.append(pad)
        elif found and line.strip() and line[:1] in " \t":
            last = found[-1]
            joined = f"{last.description}\n{line.strip()}" if last.description else line.strip()
            found[-1] = Line(last.id, last.title, last.mark, last.depth, joined, last.type, last.priority)
    return [line for line in found if line.title]


def _line(words: str, mark: str, depth: int) -> Line:
    identity = _ID.search(words)
    words = _ID.sub("", words)
    priority = _PRIORITY.search(words)
    words = _PRIORITY.sub("", words)
    kind = _TYPE.match(words)
    words = _TYPE.sub("", words).strip()
    return Line(
        identity[1] if identity else "",
        words,
        mark,
        depth,
        "",
        ItemType(kind[1].lower()) if kind else ItemType.BEHAVIOUR,
        Priority(priority[1]) if priority else Priority.MEDIUM,
    )


def to_items(lines: list[Line]) -> list[tuple[Item, int]]:
    """New items with their depth; a ticked box is something that is covered already."""
    status = {"x": Status.ALREADY_COVERED, "X": Status.ALREADY_COVERED, "-": Status.CANCELLED}
    return [
        (
            Item(
                line.id,
                line.title,
                line.description,
                line.type,
                line.priority,
                status=status.get(line.mark, Status.PLANNED),
            ),
            line.depth,
        )
        for line in lines
    ]


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
    for item, depth in to_items(after):
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

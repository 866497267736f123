"""The plan: the items that people wrote, with the status that follows from the audit log."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Protocol

from tdd_orchestrator.cycle.plan.status import StatusRecord, waiting
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import Failure, Item, Plan, Status, from_authored, ordered
from tdd_orchestrator.text import one_line

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

"""The claims by which clones with one remote begin different items of the plan."""

from __future__ import annotations

import hashlib
import platform
import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from tdd_orchestrator.cycle.plan.repository import PlanRepository
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.plan import DONE, Item, Plan
from tdd_orchestrator.notes.sync import push_if_unmoved, sync
from tdd_orchestrator.notes.write_journal import pause
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

_LASTS = timedelta(hours=4)  # longer than a cycle; a clone that is gone blocks its item no longer


_TRIES = 12


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims in the plan; ``who`` names this clone."""

    git: Git
    objects: Objects
    plan: PlanRepository
    remote: str
    who: str

    def of_others(self, plan: Plan, now: datetime) -> frozenset[str]:
        """Return the ids of items that other clones have claimed, by what was fetched last."""
        return frozenset(item.id for item in plan.items if self._is_others(item, now))

    def take(self, item_id: str, now: datetime) -> bool:
        """Claim an item at the remote; False where another clone has it, or where it is done or gone.

        Paused or Refused as of ``notes.sync``."""
        for attempt in range(_TRIES):
            sync(self.git, self.objects, self.remote, push=False)
            item = self.plan.plan().get(item_id)
            if item is None or item.status in DONE or self._is_others(item, now):
                return False
            if item.claimed_by == self.who and _holds(item, now):
                return True
            claimed = replace(item, claimed_by=self.who, claimed_until=(now + _LASTS).isoformat())
            if self.plan.publish(claimed, self._send):
                return True
            time.sleep(pause(attempt))
        raise Paused(
            f"Others wrote to {self.remote} each time before we could.", "Run the same command again."
        )

    def share(self) -> None:
        """Send the records of a cycle that is over, so that others see what became of its item."""
        sync(self.git, self.objects, self.remote)

    def _send(self, ref: str, commit: str) -> bool:
        return push_if_unmoved(self.git, self.remote, ref, commit)

    def _is_others(self, item: Item, now: datetime) -> bool:
        return item.claimed_by not in ("", self.who) and _holds(item, now)


def _holds(item: Item, now: datetime) -> bool:
    return datetime.fromisoformat(item.claimed_until) > now


def name_of(identity: str, common_dir: Path) -> str:
    """Return a clone's name in claims: its person's, and a digest of the machine and the folder."""
    place = hashlib.sha256(f"{platform.node()}:{common_dir.resolve()}".encode()).hexdigest()[:12]
    return f"{identity.partition('<')[0].strip()} {place}"

"""The course of one ``tdd fix``, from its records alone: what stands of it when it was broken off (R2, R8).
Pure.

It begins with the record ``started`` and is over with ``ended``. In between every attempt is ``accepted`` or
``rejected``, every provider's fault is ``away``, and a test that nobody is sent to any more is ``settled``. A
person who rejects a fix before it lands ends it as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tdd_orchestrator.cycle.usage_text import of_record
from tdd_orchestrator.model.policy import Spent
from tdd_orchestrator.model.records import Approval, Fix, Incident, Landing, Record

_ATTEMPTS = frozenset({"accepted", "rejected"})


@dataclass(frozen=True, slots=True)
class Taken:
    """The work done on one failing test.

    ``transient`` counts the waits of its next attempt for a provider.
    """

    attempts: tuple[Fix, ...] = ()
    settled: Fix | None = None
    transient: int = 0


@dataclass(frozen=True, slots=True)
class FixProgress:
    """``started`` and the ``records`` after it, oldest first; ``spent`` is their sum."""

    started: Fix
    records: tuple[Fix, ...] = ()
    spent: Spent = Spent()

    @property
    def fix_id(self) -> str:
        return self.started.fix_id

    @property
    def base(self) -> str:
        return self.started.base

    def stands_at(self, branch: str, head: str) -> bool:
        """Whether it can go on here: the branch is where it left it, or where its newest fix is to land."""
        tips = [self.base, *(one.tip for one in self.records if one.status == "accepted")]
        return self.started.branch == branch and head in tips[-2:]

    def of(self, test: str, fingerprint: str) -> Taken:
        """Another error of the same test is counted anew."""
        mine = [one for one in self.records if _about(one) == (test, fingerprint)]
        return Taken(
            tuple(one for one in mine if one.status in _ATTEMPTS),
            next((one for one in mine if one.status == "settled"), None),
            mine[-1].transient if mine and mine[-1].status == "away" else 0,
        )


def broken_off(newest_first: Iterable[Record]) -> Iterable[FixProgress]:
    """Every ``tdd fix`` that has not ended, the newest first. After a sync the records of several may be
    mixed."""
    later: list[Record] = []
    ended: set[str] = set()
    for record in newest_first:
        if record.cycle_id or not isinstance(record, Fix | Landing | Incident | Approval):
            continue
        if (isinstance(record, Approval) and record.decision == "rejected") or (
            isinstance(record, Fix) and record.status == "ended"
        ):
            ended.add(record.fix_id)
        elif isinstance(record, Fix) and record.status == "started" and record.fix_id not in {"", *ended}:
            yield _course(record, later)
        later.append(record)


def _course(started: Fix, later: list[Record]) -> FixProgress:
    mine = [one for one in reversed(later) if not isinstance(one, Fix) or one.fix_id == started.fix_id]
    spent = Spent(minutes=sum(one.wall for one in (started, *mine)) / 60)
    for one in mine:
        spent += of_record(one)
    return FixProgress(started, tuple(one for one in mine if isinstance(one, Fix)), spent)


def _about(record: Fix) -> tuple[str, str]:
    return record.results[0].test if record.results else "", record.fingerprint

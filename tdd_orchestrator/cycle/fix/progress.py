"""The course of one ``tdd fix``, from its records alone: what stands of it when it was broken off (R2, R8). Pure.

It begins with the record ``started`` and is over with ``ended``. In between every attempt is ``accepted`` or
``rejected``, every provider's fault is ``away``, and a test that nobody is sent to any more is ``settled``. A person
who rejects a fix before it lands ends it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tdd_orchestrator.cycle.usage import of_record
from tdd_orchestrator.model.policy import Spent

Record = Mapping[str, Any]

_ITS_OWN = frozenset({"fix", "landing", "incident", "approval"})
_ATTEMPTS = frozenset({"accepted", "rejected"})


@dataclass(frozen=True, slots=True)
class Taken:
    """What was done about one failing test. ``transient``: how often its next attempt waited for a provider."""

    attempts: tuple[Record, ...] = ()
    settled: Record | None = None
    transient: int = 0


@dataclass(frozen=True, slots=True)
class Course:
    """``started`` and the ``records`` after it, oldest first; ``spent`` is what they say that it took."""

    started: Record
    records: tuple[Record, ...] = ()
    spent: Spent = Spent()

    @property
    def fix_id(self) -> str:
        return str(self.started["fix_id"])

    @property
    def base(self) -> str:
        return str(self.started["base"])

    def stands_at(self, branch: str, head: str) -> bool:
        """Whether it can go on here: the branch is where it left it, or where its newest fix is to land."""
        tips = [self.base, *(str(one["tip"]) for one in self.records if one.get("status") == "accepted")]
        return self.started.get("branch") == branch and head in tips[-2:]

    def of(self, test: str, fingerprint: str) -> Taken:
        """Another error of the same test is counted anew."""
        mine = [one for one in self.records if _about(one) == (test, fingerprint)]
        newest = mine[-1] if mine else {}
        return Taken(
            tuple(one for one in mine if one.get("status") in _ATTEMPTS),
            next((one for one in mine if one.get("status") == "settled"), None),
            int(newest.get("transient", 0)) if newest.get("status") == "away" else 0,
        )


def broken_off(newest_first: Iterable[Record]) -> Iterable[Course]:
    """Every ``tdd fix`` that has not ended, the newest first. After a sync the records of several may be mixed."""
    later: list[Record] = []
    ended: set[str] = set()
    for record in newest_first:
        if record["kind"] not in _ITS_OWN or record.get("cycle_id"):
            continue
        name = str(record.get("fix_id", ""))
        if record.get("status") == "ended" or record.get("decision") == "rejected":
            ended.add(name)
        elif record.get("status") == "started" and name and name not in ended:
            yield _course(record, later)
        later.append(record)


def _course(started: Record, later: list[Record]) -> Course:
    others = [one for one in later if one["kind"] == "fix" and one.get("fix_id") != started["fix_id"]]
    mine = [one for one in reversed(later) if one not in others]
    spent = Spent(minutes=sum(float(one.get("wall") or 0.0) for one in (started, *mine)) / 60)
    for one in mine:
        spent += of_record(one)
    return Course(started, tuple(one for one in mine if one["kind"] == "fix"), spent)


def _about(record: Record) -> tuple[str, str]:
    results = record.get("results") or [{}]
    return str(results[0].get("test", "")), str(record.get("fingerprint", ""))

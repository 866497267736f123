"""Find the open cycles in the records of this clone; the newest record says how far back they reach."""

from __future__ import annotations

from collections.abc import Iterable

from tdd_orchestrator.cycle.state import CycleState, fold
from tdd_orchestrator.model.records import CycleStarted, Record

Records = list[Record]


def cycles_at_hand(newest_first: Iterable[Record]) -> list[Records]:
    """Return the records of the newest cycle and of those that were open beside it, oldest first, a
    list for each.

    The newest cycle comes first. Nothing older than what is asked for is read.
    """
    found: dict[str, Records] = {}
    started: set[str] = set()
    for record in newest_first:
        cycle = record.cycle_id
        if not cycle:
            continue
        if not found:
            found = {name: [] for name in (cycle, *record.beside)}
        if cycle in found and cycle not in started:
            found[cycle].append(record)
            started |= {cycle} if isinstance(record, CycleStarted) else set()
        if len(started) == len(found):
            break
    return [records[::-1] for records in found.values() if records]


def choose(cycles: list[Records], wanted: str = "") -> Records:
    """Return the records of the cycle that a command is about: the one with the id ``wanted``, else the
    one to go on with.

    That is one whose landing was broken off, else the newest one that is open, else the newest.
    """
    if wanted:
        return next((one for one in cycles if one[0].cycle_id == wanted), [])
    ranked = sorted(cycles, key=lambda records: _urgency(fold(records)))
    return ranked[0] if ranked else []


def _urgency(state: CycleState | None) -> int:
    if state is None or state.over:
        return 2
    return 0 if state.landing is not None else 1

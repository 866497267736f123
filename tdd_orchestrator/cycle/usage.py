"""What was spent (R8): of a cycle from its trail, of a run from what it wrote. Values in, values out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tdd_orchestrator.cycle.state import CycleState, of_the_transport
from tdd_orchestrator.model.policy import Spent

_WORKED = frozenset({"handoff", "error", "fix"})


def spent_on(state: CycleState, unmarked: float = 0.0) -> Spent:
    """What a cycle has cost so far, with the agents that were only asked. ``unmarked``: seconds in no record yet.

    Where a provider was away nothing was attempted; what it took of time and money is counted all the same."""
    tokens, cost = state.asked
    return Spent(
        minutes=(state.wall + unmarked) / 60,
        attempts=sum(1 for attempt in state.attempts if not of_the_transport(attempt.move)),
        tokens=tokens + sum(attempt.tokens for attempt in state.attempts),
        cost=cost + sum(attempt.cost for attempt in state.attempts),
    )


def of_record(record: Mapping[str, Any]) -> Spent:
    """What one record says was spent, by whoever worked and whoever was asked on the way; its time is the clock's."""
    worker = (record.get("agent") or {}) if record["kind"] in _WORKED else {}
    paid = [worker, *(record.get("consulted") or ())]
    return Spent(
        attempts=int(bool(worker.get("name")) and not of_the_transport(record.get("move") or {})),
        tokens=sum(int(one.get("tokens") or 0) for one in paid),
        cost=sum(float(one.get("cost") or 0.0) for one in paid),
    )

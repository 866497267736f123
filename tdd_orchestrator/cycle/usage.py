"""Sum up what was spent (R8): by a cycle from its records, by a command from what it wrote. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.policy import Spent
from tdd_orchestrator.model.records import Record, Trouble, worker_of


@dataclass(slots=True)
class CommandUsage:
    """What one command has spent so far, in all its cycles; its time is the clock's."""

    spent: Spent = Spent()

    def add(self, more: Spent) -> None:
        self.spent += more


def spent_on(state: CycleState, unmarked: float = 0.0) -> Spent:
    """What a cycle has cost so far, with the agents that were only asked. ``unmarked``: seconds in no record
    yet.

    Where a provider was away nothing was attempted; what it took of time and money is counted all the
    same."""
    tokens, cost = state.asked
    return Spent(
        minutes=(state.wall + unmarked) / 60,
        attempts=sum(1 for attempt in state.attempts if not attempt.move.provider_away),
        tokens=tokens + sum(attempt.tokens for attempt in state.attempts),
        cost=cost + sum(attempt.cost for attempt in state.attempts),
    )


def of_record(record: Record) -> Spent:
    """Return what one record says was spent, by the agent and by those it asked; its time is the clock's."""
    worker = worker_of(record)
    paid = [worker, *record.consulted] if worker else record.consulted
    away = isinstance(record, Trouble) and record.move.provider_away
    return Spent(
        attempts=int(worker is not None and bool(worker.name) and not away),
        tokens=sum(one.tokens for one in paid),
        cost=sum(one.cost or 0.0 for one in paid),
    )

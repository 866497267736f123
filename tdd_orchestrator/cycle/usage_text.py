"""Sum up and describe what agents used, for one run, a cycle or a command (A11, R8). Unreported values are
called unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.model.policy import Spent
from tdd_orchestrator.model.summary import AgentSummary, summarize, summarize_agent
from tdd_orchestrator.notes.history import History
from tdd_orchestrator.notes.selection import Shortcut

if TYPE_CHECKING:  # `tdd cycle status` does without the models of records
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.model.parts import AgentInfo
    from tdd_orchestrator.model.records import Record


@dataclass(slots=True)
class CommandUsage:
    """What one command has spent so far, in all its cycles; its time is the clock's. ``under_way``: cycles with an
    attempt that was begun and has no outcome yet, which counts as one."""

    counted: Spent = Spent()
    under_way: set[str] = field(default_factory=set)

    def add(self, record: Record) -> None:
        self.counted += of_record(record)
        (self.under_way.add if record.kind == "intent" else self.under_way.discard)(record.cycle_id)

    @property
    def spent(self) -> Spent:
        return self.counted + Spent(attempts=len(self.under_way))


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
    from tdd_orchestrator.model.records import Trouble, worker_of

    worker = worker_of(record)
    paid = [worker, *record.consulted] if worker else record.consulted
    away = isinstance(record, Trouble) and record.move.provider_away
    return Spent(
        attempts=int(worker is not None and bool(worker.name) and not away),
        tokens=sum(one.tokens for one in paid),
        cost=sum(one.cost or 0.0 for one in paid),
    )


@dataclass(frozen=True, slots=True)
class Used:
    """Sums over agent calls. ``uncounted`` and ``unpriced`` are calls without reported tokens or cost."""

    calls: int = 0
    turns: int = 0
    tokens: int = 0
    cached: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    uncounted: int = 0
    unpriced: int = 0
    landed: int = 0
    wall: float = 0.0  # seconds of the commands that wrote the records

    def __add__(self, other: Used) -> Used:
        return Used(
            self.calls + other.calls,
            self.turns + other.turns,
            self.tokens + other.tokens,
            self.cached + other.cached,
            self.cost + other.cost,
            self.seconds + other.seconds,
            self.uncounted + other.uncounted,
            self.unpriced + other.unpriced,
            self.landed + other.landed,
            self.wall + other.wall,
        )


_NO_REQUEST = ("not_started", "session_lost")  # faults before the first request to the model


def used_by(agent: AgentInfo | AgentSummary) -> Used:
    """One agent call, from the ``agent`` of a record; nothing for a person, a recording, tdd itself and an
    empty one."""
    if agent.name in ("", "human", "replay", "tdd"):
        return Used()
    asked = agent.fault not in _NO_REQUEST
    return Used(
        1, agent.turns, agent.tokens, agent.cached_tokens, agent.cost or 0.0, agent.seconds,
        uncounted=int(asked and not agent.tokens), unpriced=int(asked and agent.cost is None),
    )  # fmt: skip


def used_in(records: Iterable[Record]) -> Used:
    """Sum the agent calls of records, those of agents that were only asked included."""
    from tdd_orchestrator.model.records import CycleEnded, worker_of

    total = Used()
    for record in records:
        for agent in (worker_of(record), *record.consulted):
            total += used_by(agent) if agent else Used()
        landed = isinstance(record, CycleEnded) and record.outcome == "landed"
        total += Used(landed=int(landed), wall=record.wall)
    return total


def render_used(used: Used) -> str:
    """Calls, tokens and cost on one line; ``""`` where no agent was called."""
    if not used.calls:
        return ""
    parts = [f"{used.calls} agent call{'s'[: used.calls != 1]}", _tokens(used), _cost(used)]
    if used.landed:
        seconds = used.wall / used.landed
        time = f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.1f} s"
        parts.append(f"{time} per landed behavior")
    return ", ".join(parts)


def render_agent(agent: AgentInfo | AgentSummary) -> str:
    """Describe one agent call: name, model, version, time, turns, tokens by kind, cost; ``""`` where
    there was none."""
    used = used_by(agent)
    if not used.calls:
        return agent.name
    who = " ".join(filter(None, (agent.name, agent.version, agent.model)))
    turns = f"{used.turns} turn{'s'[: used.turns != 1]}" if used.turns else ""
    return ", ".join(filter(None, (who, f"{used.seconds:.1f} s", turns, _kinds(agent, used), _cost(used))))


def _kinds(agent: AgentInfo | AgentSummary, used: Used) -> str:
    if used.uncounted:
        return "tokens unknown"
    rows = (
        (agent.input_tokens, "input"),
        (agent.cached_tokens, "cached"),
        (agent.cache_creation_tokens, "written to the cache"),
        (agent.output_tokens, "output"),
    )
    kinds = [f"{tokens:,} {word}" for tokens, word in rows if tokens]
    return f"{used.tokens:,} tokens" + (f" ({', '.join(kinds)})" if kinds else "")


def _tokens(used: Used) -> str:
    if used.uncounted and not used.tokens:
        return "tokens unknown"
    cached = f" ({used.cached:,} cached)" if used.cached else ""
    unknown = f" and an unknown number in {used.uncounted} of the calls" if used.uncounted else ""
    return f"{used.tokens:,} tokens{cached}{unknown}"


def _cost(used: Used) -> str:
    if used.unpriced and not used.cost:
        return "cost unknown"
    unknown = f" and an unknown cost of {used.unpriced} of the calls" if used.unpriced else ""
    return f"${used.cost:.4f}{unknown}" if used.cost < 1 else f"${used.cost:.2f}{unknown}"


_WORKED = ("handoff", "error", "fix")  # kinds whose agent did the work of the record


def used_in_all(history: History, common_dir: Path) -> Used:
    """Return the sums over the whole audit log. StoreDamaged where it cannot be read."""
    tip = history.tip()
    if tip is None:
        return Used()
    file = Shortcut(common_dir / "tdd" / "totals", history.ref)
    kept = file.read("notes", "newest", "used")
    notes, newest, sums = kept or ("", "", ())
    newer = history.since(notes, newest) if kept else None
    if newer is None:
        newest, sums, newer = "", (), list(history.trail(newest_first=False))
    used = sum((_used_by(entry.record) for entry in newer), Used(*sums))
    if newer:
        newest = max([newest, *(entry.record["at"] for entry in newer)])
        file.write(notes=tip[0], newest=newest, used=astuple(used))
    return used


def _used_by(record: dict[str, Any]) -> Used:
    seen = summarize(record)
    consulted = record.get("consulted")
    asked = [one for one in consulted if isinstance(one, dict)] if isinstance(consulted, list) else []
    agents = [*([seen.agent] if seen.kind in _WORKED else []), *map(summarize_agent, asked)]
    landed = seen.kind == "cycle_ended" and seen.outcome == "landed"
    return sum(map(used_by, agents), Used(landed=int(landed), wall=seen.wall))

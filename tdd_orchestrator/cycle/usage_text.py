"""What agents used, in words: of one run and of many records (A11). What nobody said is said as unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_WORKED = frozenset({"handoff", "error", "fix"})


@dataclass(frozen=True, slots=True)
class Used:
    """Sums over agent calls. ``uncounted`` and ``unpriced`` are calls whose tokens or whose cost nobody said."""

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


def used_by(agent: Mapping[str, Any]) -> Used:
    """One agent call, from the ``agent`` of a record; nothing for a person, a recording and an empty one."""
    if not agent.get("name") or agent["name"] in ("human", "replay"):
        return Used()
    tokens, cost = int(agent.get("tokens") or 0), agent.get("cost")
    return Used(
        1, int(agent.get("turns") or 0), tokens, int(agent.get("cached_tokens") or 0), float(cost or 0.0),
        float(agent.get("seconds") or 0.0), int(not tokens), int(cost is None),
    )  # fmt: skip


def used_in(records: Iterable[Mapping[str, Any]]) -> Used:
    """Sum the agent calls of records, those of agents that were only asked included."""
    total = Used()
    for record in records:
        if record["kind"] in _WORKED:
            total += used_by(record.get("agent") or {})
        for asked in record.get("consulted") or ():
            total += used_by(asked)
        landed = record["kind"] == "cycle_ended" and record.get("outcome") == "landed"
        total += Used(landed=int(landed), wall=float(record.get("wall") or 0.0))
    return total


def render_used(used: Used) -> str:
    """Calls, tokens and cost on one line; ``""`` where no agent was called."""
    if not used.calls:
        return ""
    parts = [f"{used.calls} agent call{'s'[: used.calls != 1]}", _tokens(used), _cost(used)]
    if used.landed:
        minutes = used.wall / 60 / used.landed
        parts.append(f"{minutes:.1f} min per landed behavior")
    return ", ".join(parts)


def render_agent(agent: Mapping[str, Any]) -> str:
    """One agent call: who, which model and version, how long, turns, tokens by kind, cost; ``""`` where there was none."""
    used = used_by(agent)
    if not used.calls:
        return str(agent.get("name") or "")
    who = " ".join(str(agent[key]) for key in ("name", "version", "model") if agent.get(key))
    turns = f"{used.turns} turn{'s'[: used.turns != 1]}" if used.turns else ""
    return ", ".join(filter(None, (who, f"{used.seconds:.1f} s", turns, _kinds(agent, used), _cost(used))))


def _kinds(agent: Mapping[str, Any], used: Used) -> str:
    if used.uncounted:
        return "tokens unknown"
    rows = (
        ("input", "input"),
        ("cached", "cached"),
        ("cache_creation", "written to the cache"),
        ("output", "output"),
    )
    kinds = [
        f"{int(agent.get(f'{key}_tokens') or 0):,} {word}" for key, word in rows if agent.get(f"{key}_tokens")
    ]
    return f"{used.tokens:,} tokens" + (f" ({', '.join(kinds)})" if kinds else "")


def _tokens(used: Used) -> str:
    if used.uncounted == used.calls:
        return "tokens unknown"
    cached = f" ({used.cached:,} cached)" if used.cached else ""
    unknown = f" and an unknown number in {used.uncounted} of the calls" if used.uncounted else ""
    return f"{used.tokens:,} tokens{cached}{unknown}"


def _cost(used: Used) -> str:
    if used.unpriced == used.calls:
        return "cost unknown"
    unknown = f" and an unknown cost of {used.unpriced} of the calls" if used.unpriced else ""
    return f"${used.cost:.4f}{unknown}" if used.cost < 1 else f"${used.cost:.2f}{unknown}"

"""What tokens cost, by a table in the configuration; nothing is guessed where it has no row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tdd_orchestrator.agents.agent import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each kind."""

    input: float = 0.0
    cached: float = 0.0
    cache_creation: float = 0.0
    output: float = 0.0


def priced(usage: Usage, model: str, prices: Mapping[str, Price]) -> Usage:
    """The usage with its cost: the client's own, else by the row of its model, else unknown (None)."""
    if usage.cost is not None:
        return replace(usage, cost_from="client")
    price = prices.get(model) or prices.get(model.rpartition("/")[2])
    if price is None or not usage.total:
        return usage
    cost = (
        usage.input_tokens * price.input
        + usage.cached_tokens * price.cached
        + usage.cache_creation_tokens * price.cache_creation
        + usage.output_tokens * price.output
    )
    return replace(usage, cost=cost / _MILLION, cost_from="prices")

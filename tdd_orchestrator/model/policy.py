"""How patient we are, as values: retries, budgets, loop prevention, clean-up."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Seconds before retry 1, 2, 3 ... (the last repeats); counts are of retries, not attempts (R2, R3)."""

    max_retries: int = 3
    delays: tuple[float, ...] = (1.0, 2.0, 4.0)
    fix_delays: tuple[float, ...] = (5.0, 10.0, 20.0)
    transient_retries: int = 5
    transient_delay: float = 1.0  # seconds, doubled at each retry

    def delay(self, retry: int) -> float:
        """Seconds to wait before retry ``retry`` (from 1)."""
        return _nth(self.delays, retry)

    def fix_delay(self, retry: int) -> float:
        return _nth(self.fix_delays, retry)


def _nth(values: tuple[float, ...], number: int) -> float:
    return values[min(number, len(values)) - 1] if values and number > 0 else 0.0


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """Opens when one agent made ``limit`` of the last ``window`` runs without progress (R5)."""

    window: int = 15
    limit: int = 8
    same_failure: int = 3  # attempts with the same fingerprint or a near-identical diff


@dataclass(frozen=True, slots=True)
class Budget:
    """0 = no limit. Per cycle and per run; reaching one stops cleanly, resumable (R8)."""

    minutes: float = 0.0
    attempts: int = 0
    tokens: int = 0
    cost: float = 0.0  # US dollars
    run_cost: float = 0.0  # US dollars for all cycles of one run
    run_before: float = 0.0  # what the run's earlier cycles cost, less what this one cost before the run


@dataclass(frozen=True, slots=True)
class Spent:
    minutes: float = 0.0
    attempts: int = 0
    tokens: int = 0
    cost: float = 0.0

    def over(self, budget: Budget) -> str:
        """Which limit was reached, as a sentence without its full stop, or nothing."""
        rows = (
            (budget.minutes, self.minutes, "{:.1f} of {:.1f} minutes"),
            (budget.attempts, self.attempts, "{} of {} attempts"),
            (budget.tokens, self.tokens, "{} of {} tokens"),
            (budget.cost, self.cost, "{:.2f} of {:.2f} dollars"),
        )
        for limit, used, words in rows:
            if limit and used >= limit:
                return words.format(used, limit) + " are used up"
        return ""

    def over_run(self, budget: Budget) -> str:
        """The same of the run's own limit, for what its current cycle has cost."""
        run = self.cost + budget.run_before
        return Spent(cost=run).over(Budget(cost=budget.run_cost))


class Keep(StrEnum):
    """What happens to a work tree after a failure (F8)."""

    NOW = "now"
    ON_FIX = "on_fix"
    KEEP = "keep"

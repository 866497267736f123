"""Policies as values: retries, budgets, loop prevention, clean-up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Seconds before retry 1, 2, 3 ... (the last repeats); counts are of retries, not attempts (R2, R3).

    The defaults of ``[retry]`` stand here and nowhere else.
    """

    max_retries: int = 3
    delays: tuple[float, ...] = (1, 2, 4)
    fix_delays: tuple[float, ...] = (5, 10, 20)
    transient_retries: int = 5
    transient_delay: float = 1  # seconds, doubled at each retry
    limit_wait: float = 21_600  # seconds; a usage limit that ends within them is waited for once; 0 = never

    def delay(self, retry: int) -> float:
        """Seconds to wait before retry ``retry`` (from 1)."""
        return _nth(self.delays, retry)

    def fix_delay(self, retry: int) -> float:
        return _nth(self.fix_delays, retry)


def _nth(values: tuple[float, ...], number: int) -> float:
    return values[min(number, len(values)) - 1] if values and number > 0 else 0.0


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """Opens when one agent made ``limit`` of the last ``window`` runs without progress (R5), and lets one more item
    be tried ``cooldown`` minutes after the last of them; 0: never by itself."""

    window: int = 15
    limit: int = 8
    same_failure: int = 3  # attempts with the same fingerprint or a near-identical diff
    cooldown: float = 30.0


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits (0 = none) of one cycle, and (``run_``) of one command; reaching one stops resumably (R8)."""

    minutes: float = 0.0
    attempts: int = 0
    tokens: int = 0
    cost: float = 0.0  # US dollars
    run_minutes: float = 0.0
    run_attempts: int = 0
    run_tokens: int = 0
    run_cost: float = 0.0

    @property
    def of_run(self) -> Budget:
        return Budget(self.run_minutes, self.run_attempts, self.run_tokens, self.run_cost)


_SMALL = 0.05  # a smaller limit needs more digits
_USED = {
    "minutes": "{:.1f} of {:.1f} minutes",
    "attempts": "{} of {} attempts",
    "tokens": "{:,} of {:,} tokens",
    "cost": "{:.2f} of {:.2f} dollars",
}


@dataclass(frozen=True, slots=True)
class Spent:
    minutes: float = 0.0
    attempts: int = 0
    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.minutes + other.minutes,
            self.attempts + other.attempts,
            self.tokens + other.tokens,
            self.cost + other.cost,
        )

    def reached(self, budget: Budget) -> str:
        """Return the name of the limit that was reached; '' if none."""
        return next((name for name in _USED if 0 < getattr(budget, name) <= getattr(self, name)), "")

    def over(self, budget: Budget) -> str:
        """Return the limit that was reached, as a sentence without its full stop; '' if none."""
        name = self.reached(budget)
        if not name:
            return ""
        limit, template = getattr(budget, name), _USED[name]
        small = template.replace(":.1f", ":.2g").replace(":.2f", ":.2g")
        return (small if limit < _SMALL else template).format(getattr(self, name), limit) + " are used up"


@dataclass(frozen=True, slots=True)
class Run:
    """One finished run of an agent. ``progress``: its phase was accepted; ``at``: when it was recorded."""

    agent: str
    role: str
    progress: bool
    at: str = ""

"""An account that its provider limits: the lanes that use it wait together; a single cycle pauses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tdd_orchestrator.cycle.attempt.account_limits import note_limit, refuse_limited
from tdd_orchestrator.cycle.context import CommandRun, CycleContext, Settings
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.policy import RetryPolicy
from tdd_orchestrator.model.reading import read

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Limited:
    """Lanes of one command whose account is limited until each of some times, one after the other."""

    def __init__(self, *ends: int) -> None:
        self.now, self.ends, self.started = NOW, [NOW + timedelta(seconds=end) for end in ends], list[float]()
        self.run = CommandRun.begin(NOW)

    def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def lane(self, settings: Settings, at: float = 0.0) -> None:
        """Start an agent of one lane, so many seconds after the command's beginning or after its limits."""
        self.now = NOW + timedelta(seconds=at)
        refuse_limited(self._context(settings), "b")
        self.started.append((self.now - NOW).total_seconds())

    def meets(self, settings: Settings, seconds: float) -> None:
        """A lane is asked by the provider to wait; the log does not hold that against others."""
        self.now = NOW
        note_limit(self._context(settings), "a", seconds)

    def _records(self) -> Iterator[SimpleNamespace]:
        if not self.ends:
            return iter([])
        met = [NOW, *self.ends]
        newest = [end for begin, end in zip(met, self.ends, strict=False) if begin <= self.now]
        record = read(
            {"kind": "error", "error": "", "error_details": {"type": "", "message": ""}, "agent": {"name": "a"},
             "move": {"kind": "wait", "until": newest[-1].isoformat()}}
        )  # fmt: skip
        return iter([SimpleNamespace(typed=record)])

    def _context(self, settings: Settings) -> CycleContext:
        clock = SimpleNamespace(now=lambda: self.now, sleep=self.sleep)
        parts: dict[str, Any] = {
            "settings": settings, "clock": clock, "agents": SimpleNamespace(registry=SimpleNamespace(account=lambda name: "one account")),
            "repo": SimpleNamespace(store=SimpleNamespace(mine=self._records)),
            "watch": SimpleNamespace(doing=lambda _: None), "run": self.run,
        }  # fmt: skip
        return cast(CycleContext, SimpleNamespace(**parts))


def test_lanes_wait_until_the_limit_of_their_account_ends_and_then_begin_apart() -> None:
    limited = Limited(90)
    for _ in range(3):
        limited.lane(Settings(lanes=3))
    assert limited.started == [90.0, 95.0, 100.0]


def test_a_rate_limit_of_one_lane_slows_those_on_its_account_and_its_own_lane_begins_first() -> None:
    limited, lanes = Limited(), Settings(lanes=3)
    limited.meets(lanes, 30)
    for at in (30, 0, 10):
        limited.lane(lanes, at)
    assert limited.started == [30.0, 35.0, 40.0]
    limited.lane(lanes, 50)
    assert limited.started[-1] == 50.0, "it has ended"


def test_a_limit_that_goes_on_is_waited_for_again() -> None:
    limited = Limited(90, 200)
    limited.lane(Settings(lanes=2))
    assert limited.started == [200.0]


@pytest.mark.parametrize("settings", [Settings(), Settings(lanes=2, retry=RetryPolicy(limit_wait=60))])
def test_alone_or_beyond_the_longest_wait_it_pauses(settings: Settings) -> None:
    limited = Limited(90)
    with pytest.raises(Paused):
        limited.lane(settings)
    assert limited.now == NOW, "nobody waited"

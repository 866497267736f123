"""An account that its provider limits: the lanes that use it wait together; a single cycle pauses."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tdd_orchestrator.cycle.attempt.attempt_plan import refuse_limited
from tdd_orchestrator.cycle.context import CycleContext, Settings
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.policy import RetryPolicy
from tdd_orchestrator.model.reading import read

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def context(settings: Settings, slept: list[float]) -> CycleContext:
    until = (NOW + timedelta(seconds=90)).isoformat()
    record = read(
        {"kind": "error", "error": "", "error_details": {"type": "", "message": ""}, "agent": {"name": "a"},
         "move": {"kind": "wait", "until": until}}
    )  # fmt: skip
    clock = SimpleNamespace(now=lambda: NOW, sleep=slept.append)
    parts: dict[str, Any] = {
        "settings": settings, "clock": clock, "agents": SimpleNamespace(registry=SimpleNamespace(account=lambda name: "one account")),
        "repo": SimpleNamespace(store=SimpleNamespace(mine=lambda: iter([SimpleNamespace(typed=record)]))),
        "watch": SimpleNamespace(doing=lambda _: None),
    }  # fmt: skip
    return cast(CycleContext, SimpleNamespace(**parts))


def test_a_lane_waits_until_the_limit_of_its_account_ends() -> None:
    slept: list[float] = []
    refuse_limited(context(Settings(lanes=2), slept), "b")
    assert slept == [90.0]


@pytest.mark.parametrize("settings", [Settings(), Settings(lanes=2, retry=RetryPolicy(limit_wait=60))])
def test_alone_or_beyond_the_longest_wait_it_pauses(settings: Settings) -> None:
    slept: list[float] = []
    with pytest.raises(Paused):
        refuse_limited(context(replace(settings), slept), "b")
    assert slept == []

"""A race alone: who wins, and what becomes of the error of one that was ended."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.fleet import race as fleet_race
from tdd_orchestrator.fleet.race import Race
from tdd_orchestrator.fleet.turn import Turn
from tdd_orchestrator.model.errors import Paused


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Race functions of a context; ``context.stopped`` is set when that racer is to end."""

    def put(one: Any, **more: Any) -> Any:
        return SimpleNamespace(**{**vars(one), **more})

    def seat(now: Any) -> Any:
        stopped = threading.Event()
        agents, prover = SimpleNamespace(), SimpleNamespace()
        return SimpleNamespace(agents=agents, prover=prover, stopped=stopped, stop=stopped.set)

    monkeypatch.setattr(fleet_race, "replace", put)
    turn = Turn()
    cycle: Any = SimpleNamespace(agents=SimpleNamespace(outside=turn.outside))

    def race(*tries: Any) -> list[Any]:
        with turn:
            return Race(turn, {}, [seat] * len(tries)).run(cycle, tries, lambda result: result == "good")

    return race


def waits(racer: Any) -> str:
    """Work until it is ended, and fail then, as an agent does whose worker was told to end it."""
    with racer.agents.outside():
        assert racer.stopped.wait(10)
        raise Paused("ended")


def test_the_error_of_one_that_lost_is_none_of_the_race(run: Any) -> None:
    assert run(waits, lambda _: "good") == [None, "good"]


def test_one_that_is_not_proven_leaves_the_race_to_the_others(run: Any) -> None:
    def later(racer: Any) -> str:
        with racer.agents.outside():
            pass
        return "good"

    assert run(lambda _: "bad", later) == ["bad", "good"]


def test_an_error_of_one_ends_all_and_is_raised(run: Any) -> None:
    def fails(_: Any) -> str:
        raise Paused("no scheduler")

    with pytest.raises(Paused, match="no scheduler"):
        run(waits, fails)

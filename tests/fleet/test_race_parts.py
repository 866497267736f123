"""A race alone: who wins, and what becomes of the error of one that was ended."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.cycle.attempt.candidate import changed_lines
from tdd_orchestrator.cycle.attempt.step import _rank
from tdd_orchestrator.fleet import race as fleet_race
from tdd_orchestrator.fleet.race import Race
from tdd_orchestrator.fleet.turn import Turn
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.workspace.guard import Change


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

    def race(*tries: Any, wins: Any = lambda result: result == "good") -> list[Any]:
        with turn:
            return Race(turn, {}, [seat] * len(tries)).run(cycle, tries, wins)

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


def test_where_nobody_wins_at_once_all_come_to_their_end(run: Any) -> None:
    def later(racer: Any) -> str:
        with racer.agents.outside():
            pass
        return "good, too"

    assert run(lambda _: "good", later, wins=lambda _: False) == ["good", "good, too"]


def tried(lines: int, cost: float | None, *, proven: bool = True, work: bool = True) -> Any:
    change = Change("a.py", "new", None, "line\n" * lines)
    reply = SimpleNamespace(usage=SimpleNamespace(cost=cost))
    done = (SimpleNamespace(changes=(change,)), None, None) if work else None
    return SimpleNamespace(proven=proven, work=done, reply=reply)


def test_the_best_is_proven_then_small_then_cheap() -> None:
    order = [
        tried(3, 0.1), tried(3, 0.2), tried(3, None), tried(4, 0.0), tried(1, 0.0, proven=False),
        tried(0, 0.0, proven=False, work=False),
    ]  # fmt: skip
    assert sorted([*order[3:], *order[:3]], key=lambda one: _rank(one, best=True)) == order
    assert min(reversed(order[:4]), key=lambda one: _rank(one, best=False)) is order[3], (
        "else the first in the list"
    )


def test_changed_lines_are_those_added_and_removed() -> None:
    changed = Change("a.py", "changed", "one\ntwo\n", "one\n2\nthree\n")
    assert changed_lines([changed]) == 3
    assert changed_lines([Change("new.py", "new", None, "a\nb\n"), Change("x.png", "new", None, None)]) == 3

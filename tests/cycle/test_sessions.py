"""A retry goes on in the same session where what the model read still holds, and afresh where it does not (A14)."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tdd_orchestrator.agents.agent import Agent
from tdd_orchestrator.cycle.attempt.attempt_plan import GOES_ON, AttemptPlan, session_of
from tdd_orchestrator.cycle.state import Attempt, CycleState
from tdd_orchestrator.model.parts import MoveInfo
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import Item

RETRY = MoveInfo(kind="retry")
LAST = Attempt(Phase.GREEN, 1, "still_failing", (), "claude", "green", "", "", "", move=RETRY, session="s-1")


def session(*attempts: Attempt, agent: str = "claude", **more: Any) -> str:
    state = CycleState("c", 1, "i", "it", "main", "b", "t", Phase.GREEN, attempts=attempts)
    worker = cast(Agent, SimpleNamespace(name=agent))
    move = MoveInfo(**(dict(attempts[-1].move) if attempts else {}))
    return session_of(
        state, AttemptPlan(Phase.GREEN, "green", worker, Item("i", "it"), 2, 1, "t", move, **more)
    )


def test_the_first_attempt_begins_afresh_and_a_retry_goes_on() -> None:
    assert session() == ""
    assert session(LAST) == "s-1"


@pytest.mark.parametrize("verdict", sorted(GOES_ON))
def test_verdicts_after_which_it_goes_on(verdict: str) -> None:
    assert session(replace(LAST, verdict=verdict)) == "s-1"


@pytest.mark.parametrize(
    "other",
    [
        replace(LAST, verdict="breaks_existing", move=MoveInfo(**{"kind": "roll_back"})),
        replace(LAST, move=MoveInfo(**{"kind": "roll_back"})),
        replace(LAST, move=MoveInfo(**{"kind": "replan"})),
        replace(LAST, fault="timeout_wall"),
        replace(LAST, session=""),
        replace(LAST, role="debugger"),
        replace(LAST, verdict="tampered"),
    ],
)
def test_it_begins_afresh_where_what_was_read_no_longer_holds(other: Attempt) -> None:
    assert session(other) == ""


def test_a_change_that_was_refused_goes_on_though_the_files_are_put_back() -> None:
    assert session(replace(LAST, verdict="forbidden_change", move=MoveInfo(**{"kind": "roll_back"}))) == "s-1"


def test_another_agent_a_loop_a_full_context_and_a_lost_session_begin_afresh() -> None:
    assert session(LAST, agent="codex") == ""
    assert session(LAST, LAST) == "s-1"
    assert session(LAST, LAST, LAST) == ""
    waited = replace(
        LAST,
        verdict="agent_failed",
        fault="context_filled",
        move=MoveInfo(**{"kind": "wait", "counts": False}),
    )
    assert session(LAST, waited) == ""
    assert session(LAST, replace(waited, fault="session_lost")) == ""
    limited = replace(waited, fault="rate_limited")
    assert session(LAST, limited) == "s-1"

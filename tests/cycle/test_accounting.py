"""What agents used, as a person reads it: unknown is said as unknown, and nothing is counted twice."""

from __future__ import annotations

from typing import Any

from tdd_orchestrator.cycle.usage_text import Used, render_agent, render_used, used_in
from tdd_orchestrator.model.parts import AgentInfo
from tdd_orchestrator.model.reading import read
from tdd_orchestrator.model.records import Record


def agent(**more: Any) -> AgentInfo:
    plain = AgentInfo(name="claude", seconds=2.0, tokens=110, input_tokens=30, cached_tokens=70, output_tokens=10,
                      turns=2, cost=0.25)  # fmt: skip
    return plain.model_copy(update=more)


def record(kind: str = "handoff", wall: float = 60.0, **more: Any) -> Record:
    return read({"kind": kind, "wall": wall, **{name: _stored(value) for name, value in more.items()}})


def _stored(value: Any) -> Any:
    if isinstance(value, list):
        return [_stored(one) for one in value]
    return value.model_dump() if isinstance(value, AgentInfo) else value


def test_calls_tokens_cost_and_minutes_per_landed_behavior() -> None:
    records = [
        record("intent", agent=AgentInfo(name="claude")),
        record(agent=agent(), consulted=[agent(name="other", cost=1.0)]),
        record("error", agent=agent()),
        record("cycle_ended", outcome="landed"),
    ]
    used = used_in(records)
    assert (used.calls, used.tokens, used.cached, used.cost, used.landed) == (3, 330, 210, 1.5, 1)
    assert render_used(used) == "3 agent calls, 330 tokens (210 cached), $1.50, 4.0 min per landed behavior"


def test_what_nobody_said_is_unknown() -> None:
    silent = agent(tokens=0, cost=None, cached_tokens=0)
    assert render_used(used_in([record(agent=silent)])) == "1 agent call, tokens unknown, cost unknown"
    both = render_used(used_in([record(agent=silent), record(agent=agent())]))
    assert "110 tokens (70 cached) and an unknown number in 1 of the calls" in both
    assert "an unknown cost of 1 of the calls" in both
    assert "tokens unknown" in render_agent(silent)


def test_a_person_and_a_recording_are_no_agent_calls() -> None:
    assert used_in([record(agent=AgentInfo(name="human")), record(agent=AgentInfo(name="replay"))]) == Used(
        wall=120.0
    )
    assert render_used(Used()) == ""
    assert render_agent(AgentInfo(name="human")) == "human"


def test_one_call_with_its_kinds_of_tokens() -> None:
    line = render_agent(agent(model="sonnet", version="2.1", cache_creation_tokens=0))
    assert line == "claude 2.1 sonnet, 2.0 s, 2 turns, 110 tokens (30 input, 70 cached, 10 output), $0.2500"

"""What agents used, as a person reads it: unknown is said as unknown, and nothing is counted twice."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tdd_orchestrator.agents.agent import AgentStatus, Reply, Request, Usage
from tdd_orchestrator.agents.command import CommandAgent
from tdd_orchestrator.agents.preset import PRESETS
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.start import note_unmetered
from tdd_orchestrator.cycle.usage_text import Used, of_record, render_agent, render_used, used_in
from tdd_orchestrator.model.parts import AgentInfo, ErrorDetails
from tdd_orchestrator.model.policy import Budget
from tdd_orchestrator.model.reading import read
from tdd_orchestrator.model.records import Record, Trouble


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


@pytest.mark.parametrize("fault", ["not_started", "session_lost"])
def test_a_call_that_asked_no_model_used_nothing(fault: str) -> None:
    none = agent(tokens=0, cost=None, cached_tokens=0, turns=0, fault=fault)
    both = render_used(used_in([record("error", agent=none), record(agent=agent())]))
    assert both == "2 agent calls, 110 tokens (70 cached), $0.2500"
    unknown = used_in(
        [record("error", agent=none), record(agent=agent(tokens=0, cost=None, cached_tokens=0))]
    )
    assert render_used(unknown) == "2 agent calls, tokens unknown, cost unknown"


def test_a_person_and_a_recording_are_no_agent_calls() -> None:
    assert used_in([record(agent=AgentInfo(name="human")), record(agent=AgentInfo(name="replay"))]) == Used(
        wall=120.0
    )
    assert render_used(Used()) == ""
    assert render_agent(AgentInfo(name="human")) == "human"


def test_one_call_with_its_kinds_of_tokens() -> None:
    line = render_agent(agent(model="sonnet", version="2.1", cache_creation_tokens=0))
    assert line == "claude 2.1 sonnet, 2.0 s, 2 turns, 110 tokens (30 input, 70 cached, 10 output), $0.2500"


def _anthropic(name: str) -> dict[str, Any]:
    return {
        "type": "assistant",
        "message": {"id": name, "content": [], "usage": {"input_tokens": 450, "output_tokens": 50}},
    }


STREAMS: dict[str, list[dict[str, Any]]] = {
    "claude": [_anthropic("m1"), _anthropic("m1"), _anthropic("m2")],
    "qwen": [_anthropic("m1"), _anthropic("m2")],
    "cursor": [_anthropic("m1"), _anthropic("m2")],
    "amp": [_anthropic("m1"), _anthropic("m2")],
    "codex": [
        {"type": "turn.completed", "usage": {"input_tokens": 900, "cached_input_tokens": 400, "output_tokens": 100}},
        {"type": "turn.failed", "error": {"message": "stopped"}},
    ],
    "opencode": [{"type": "step_finish", "part": {"reason": "tool-calls", "tokens": {"input": 450, "output": 50}}}] * 2,
    "pi": [{"type": "turn_end", "message": {"usage": {"input": 450, "output": 50}, "stopReason": "toolUse"}}] * 2,
    "copilot": [{"type": "assistant.usage", "data": {"inputTokens": 450, "outputTokens": 50}}] * 2,
    "gemini": [
        {"type": "init", "session_id": "s", "model": "m"},
        {"type": "result", "status": "error", "stats": {"models": {"m": {"input_tokens": 900, "output_tokens": 100}}}},
    ],
}  # fmt: skip
"""What each client had printed of two requests, 1000 tokens together, when its run failed."""


@pytest.mark.parametrize("client", STREAMS)
def test_a_budget_stops_on_the_tokens_of_a_run_that_failed(tmp_path: Path, client: str) -> None:
    stream = tmp_path / "stream.jsonl"
    stream.write_text("".join(json.dumps(event) + "\n" for event in STREAMS[client]))
    tree, output = tmp_path / "tree", tmp_path / "output"
    tree.mkdir()
    output.mkdir()
    agent = CommandAgent(client, ("sh", "-c", f"cat {stream}; exit 1"), PRESETS[client])
    reply = agent.work(Request("green", "green", "p", tree, output, "c-1"))
    details = ErrorDetails(type="AgentFailure", message=reply.failure_reason)
    record = Trouble(error="failed", error_details=details, agent=agent_info(reply, "green", client))
    spent = of_record(record)
    assert spent.over(Budget(tokens=1000)) == "1,000 of 1,000 tokens are used up"
    assert spent.over(Budget(tokens=1001)) == ""


def test_a_budget_that_an_agent_does_not_report_is_named_once() -> None:
    notes: list[str] = []
    context: Any = SimpleNamespace(
        settings=SimpleNamespace(budget=Budget(tokens=100, run_cost=1.0)),
        run=SimpleNamespace(unmetered=set()),
        watch=SimpleNamespace(note=notes.append),
    )
    note_unmetered(context, Reply("mine", AgentStatus.SUCCESS))
    note_unmetered(context, Reply("mine", AgentStatus.SUCCESS))
    note_unmetered(context, Reply("other", AgentStatus.SUCCESS, usage=Usage(5, cost=0.1)))
    note_unmetered(context, Reply("human", AgentStatus.SUCCESS))
    assert [note.partition(",")[0] for note in notes] == ["mine reports no tokens and no cost"]

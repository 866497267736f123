"""A client that asks its provider again by itself, though its limit is reached, is ended as soon as it says so (A10)."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply, Request
from tdd_orchestrator.agents.command import CommandAgent
from tdd_orchestrator.agents.faults import FAULTS
from tdd_orchestrator.agents.parsed_output import _SIGNS, LimitWatch
from tdd_orchestrator.agents.preset import PRESETS
from tdd_orchestrator.agents.transport import FaultAction, decide
from tdd_orchestrator.model.policy import RetryPolicy

from .provoked import RECORDED, recordings

CLIENTS = sorted(path.stem for path in RECORDED.glob("*.jsonl"))
WAITS = [
    (client, row)
    for client in CLIENTS
    for row in recordings(client)
    if row.provoked in ("quota", "usage limit")
    and row.timed_out
    and client != "qwen"  # qwen prints 429 alone
]
PRINTS = """
import os, sys, time
out, err = sys.argv[1:3]
for number, path in ((1, out), (2, err)):
    os.write(number, open(path, "rb").read())
time.sleep(float(sys.argv[3]))
"""


def run(preset: str, tmp_path: Path, out: str, err: str, stays: float) -> Reply:
    """Run a program that prints what the client printed, and stays for ``stays`` seconds."""
    for name, text in (("out", out), ("err", err)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o644)
    tree, output = tmp_path / "tree", tmp_path / "output"
    tree.mkdir()
    output.mkdir()
    prints = (sys.executable, "-c", PRINTS, str(tmp_path / "out"), str(tmp_path / "err"), str(stays), "--")
    request = Request("red", "red", "Write it.", tree, output, "c-1", timeout=60.0)
    return CommandAgent(preset, prints, PRESETS[preset]).work(request)


@pytest.mark.parametrize(("client", "row"), WAITS, ids=[f"{client}: {row.provoked}" for client, row in WAITS])
def test_a_client_that_waits_for_a_limit_is_ended(client: str, row, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    began = time.monotonic()
    reply = run(client, tmp_path, row.stdout, row.stderr, 50)
    assert time.monotonic() - began < 20
    assert (reply.status, reply.fault) == (AgentStatus.AGENT_FAILED, row.judgement(client).fault)
    assert reply.timed_out == "stop"
    assert reply.failure_reason.startswith("ended after ")
    assert "while it asked its provider again and again" in reply.failure_reason
    decision = decide(reply, 0, RetryPolicy(limit_wait=0))
    assert decision.move is FaultAction.PAUSE
    if row.provoked == "usage limit":
        assert reply.retry_after == 7200
        assert "in about 2 hours" in decision.todo


def test_at_least_one_recording_of_four_clients_waits() -> None:
    assert {client for client, _ in WAITS} == {"aider", "copilot", "gemini", "opencode"}


@pytest.mark.parametrize("client", ["aider", "gemini", "opencode", "pi", "qwen"])
def test_a_client_that_waits_for_a_short_limit_is_left_alone(client: str, tmp_path: Path) -> None:
    row = next(row for row in recordings(client) if row.provoked == "rate limit")
    reply = run(client, tmp_path, row.stdout, row.stderr, 2)
    assert not reply.failure_reason.startswith("ended"), "it ended by itself"
    assert reply.seconds >= 2


GEMINI = "Attempt 1 failed with status 429. Retrying with backoff... {}\n"
DAY = 'ApiError: {"error":{"message":"Your quota will reset after 12h3m4s."}}'
NOW = 'ApiError: {"error":{"message":"You have exhausted your capacity on this model. Your quota will reset after 0s."}}'
MINUTE = (
    'ApiError: {"error":{"message":"You exceeded your current quota, please check your plan and billing details. '
    'Please retry in 34.07s."}}'
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(clock: Clock) -> LimitWatch:
    return LimitWatch(PRESETS["gemini"].parse, clock)


def test_a_limit_that_ends_late_ends_the_client_at_once(watch: LimitWatch) -> None:
    watch.feed_stderr(GEMINI.format(DAY).encode())
    assert watch.stop.is_set()
    assert watch.found is not None
    assert (watch.found.fault, watch.found.retry_after) == (Fault.USAGE_LIMIT, 43384)


@pytest.mark.parametrize("said", [NOW, MINUTE])
def test_a_limit_that_ends_soon_is_the_clients_to_wait_for(
    watch: LimitWatch, clock: Clock, said: str
) -> None:
    for clock.now in (0.0, 100.0, 299.0):
        watch.feed_stderr(GEMINI.format(said).encode())
        assert not watch.stop.is_set()
    clock.now = 301.0
    watch.feed_stderr(GEMINI.format(said).encode())
    assert watch.stop.is_set(), "but not for ever"
    assert watch.found is not None
    assert watch.found.retry_after == 301, "what was waited for in vain is not asked again at once"


def test_work_between_two_waits_starts_the_time_anew(watch: LimitWatch, clock: Clock) -> None:
    for clock.now in (0.0, 250.0, 500.0, 750.0):
        watch.feed_stderr(GEMINI.format(NOW).encode())
        watch.feed_stdout(b'{"type":"tool_use","tool_name":"write_file","parameters":{"file_path":"a"}}\n')
    assert not watch.stop.is_set()


@pytest.mark.parametrize("client", CLIENTS)
def test_words_about_limits_in_the_work_end_nothing(client: str) -> None:
    """An agent that works on code about quotas prints such sentences in its answers and its tools' output."""
    said = (
        "You exceeded your current quota, please check your plan and billing details. Retrying in 5 seconds"
    )
    events = [
        {"type": "assistant", "message": {"content": [{"type": "text", "text": said}]}},
        {"type": "item.completed", "item": {"type": "command_execution", "aggregated_output": said}},
        {"type": "tool_result", "output": said},
        {"type": "message", "role": "assistant", "content": said},
        {"type": "text", "timestamp": 9999999999999, "part": {"text": said}},
        {"type": "tool_execution_end", "result": said},
        {"type": "assistant.message", "data": {"content": said}},
    ]
    watch = LimitWatch(PRESETS[client].parse)
    for event in events:
        watch.feed_stdout(json.dumps(event).encode() + b"\n")
    watch.feed_stdout(b"> " + said.encode() + b"\n")
    assert not watch.stop.is_set()


def test_a_sentence_in_pieces_is_read_as_one(watch: LimitWatch) -> None:
    for letter in GEMINI.format(DAY):
        watch.feed_stderr(letter.encode())
    assert watch.stop.is_set()


def test_every_sentence_of_a_limit_has_a_word_that_is_looked_for() -> None:
    for row in FAULTS:
        if row.fault in (Fault.RATE_LIMITED, Fault.USAGE_LIMIT, Fault.QUOTA):
            for _, said in row.samples:
                assert any(sign in said.lower().encode() for sign in _SIGNS), said


def test_a_flood_costs_next_to_nothing(watch: LimitWatch) -> None:
    """The pipe is read by the same thread: what takes long here is lost once the client has ended."""
    chunk = b"some words of a log line that says nothing at all 12345\n" * 1100
    began = time.thread_time()
    for _ in range(500):
        watch.feed_stdout(chunk)
    assert time.thread_time() - began < 2, "33 MB; 0.2 s where nothing else runs"

"""Actions, files and tokens from the streams of real clients, in pieces of any size (A13)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tdd_orchestrator.agents.live import Activity, actions_of

CLAUDE = {"type": "assistant", "message": {"id": "m", "usage": {"input_tokens": 1200, "output_tokens": 1}, "content": [
    {"type": "text", "text": "Writing."}, {"type": "tool_use", "name": "Write", "input": {"file_path": "/t/a.txt", "content": "x"}}]}}  # fmt: skip
ROWS: list[tuple[str, dict[str, Any], list[str], str]] = [
    ("claude", CLAUDE, ["Writing.", "Write a.txt"], "/t/a.txt"),
    ("claude runs", {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash", "input": {"command": "pytest -q"}}]}}, ["Bash pytest -q"], ""),
    ("codex", {"type": "item.started", "item": {"type": "command_execution", "command": "/bin/bash -c ls"}}, ["run /bin/bash -c ls"], ""),
    ("codex edits", {"type": "item.started", "item": {"type": "file_change", "changes": [{"path": "/t/b.py", "kind": "add"}]}}, ["edit b.py"], "/t/b.py"),
    ("codex says", {"type": "item.completed", "item": {"type": "agent_message", "text": "Done."}}, ["Done."], ""),
    ("gemini", {"type": "tool_use", "tool_name": "write_file", "parameters": {"file_path": "/t/a.txt"}}, ["write_file a.txt"], "/t/a.txt"),
    ("opencode", {"type": "tool_use", "part": {"tool": "write", "state": {"input": {"filePath": "/t/a.txt"}}}}, ["write a.txt"], "/t/a.txt"),
    ("pi", {"type": "tool_execution_start", "toolName": "write", "args": {"path": "/t/a.txt"}}, ["write a.txt"], "/t/a.txt"),
    ("copilot", {"type": "tool.execution_start", "data": {"toolName": "create", "arguments": {"path": "/t/a.txt"}}}, ["create a.txt"], "/t/a.txt"),
    ("kimi", {"role": "assistant", "content": "Writing.", "tool_calls": [{"function": {"name": "WriteFile", "arguments": '{"path": "/t/a.txt"}'}}]}, ["WriteFile a.txt", "Writing."], "/t/a.txt"),
    ("acp", {"method": "session/update", "params": {"update": {"sessionUpdate": "tool_call", "kind": "edit", "title": "Write a.txt", "locations": [{"path": "/t/a.txt"}]}}}, ["edit Write a.txt"], "/t/a.txt"),
]  # fmt: skip


@pytest.mark.parametrize(("client", "event", "shown", "edits"), ROWS, ids=[row[0] for row in ROWS])
def test_an_action_of_each_client(client: str, event: dict[str, Any], shown: list[str], edits: str) -> None:
    found = list(actions_of(event))
    assert [str(one) for one in found] == shown
    assert edits == "".join(one.edits for one in found)


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_stream_in_pieces(size: int) -> None:
    data = (json.dumps(CLAUDE) + "\nnot json\n" + json.dumps(CLAUDE) + "\n{broken\n").encode()
    seen: list[str] = []
    activity = Activity(lambda one: seen.append(one.last))
    for at in range(0, len(data), size):
        activity.feed(data[at : at + size])
    assert (activity.last, activity.files) == ("Write a.txt", {"/t/a.txt"})
    assert activity.tokens == 1201, "one message in two events is counted once"
    assert len(seen) == 4


def test_a_sentence_that_comes_in_pieces_is_shown_whole() -> None:
    activity, seen = Activity(), []
    activity.changed = lambda one: seen.append(one.last)
    pieces = [
        {"type": "message", "role": "assistant", "content": text, "delta": True}
        for text in ("I cannot", " do this.")
    ]
    tool = {"type": "tool_use", "tool_name": "shell", "parameters": {"command": "ls"}}
    for event in (*pieces, tool, pieces[0]):
        activity.feed(json.dumps(event).encode() + b"\n")
    assert seen == ["I cannot", "I cannot do this.", "shell ls", "I cannot"]


TOKENS: list[tuple[str, dict[str, Any], int]] = [
    ("claude", CLAUDE, 1201),
    ("codex", {"type": "turn.completed", "usage": {"input_tokens": 900, "cached_input_tokens": 400, "output_tokens": 20}}, 920),
    ("copilot", {"type": "assistant.usage", "data": {"inputTokens": 700, "outputTokens": 30}}, 730),
    ("gemini", {"type": "result", "stats": {"models": {"gemini-2.5-pro": {"input_tokens": 500, "output_tokens": 9}}}}, 509),
    ("opencode", {"type": "step_finish", "part": {"tokens": {"input": 60, "output": 7, "reasoning": 3, "cache": {"read": 5, "write": 0}}}}, 75),
    ("pi", {"type": "turn_end", "message": {"usage": {"input": 40, "output": 8, "cacheRead": 2, "cacheWrite": 1}}}, 51),
    ("acp", {"result": {"stopReason": "end_turn", "usage": {"inputTokens": 11, "outputTokens": 2, "totalTokens": 13}}}, 13),
]  # fmt: skip


@pytest.mark.parametrize(("client", "event", "tokens"), TOKENS, ids=[row[0] for row in TOKENS])
def test_tokens_of_each_client_while_it_works(client: str, event: dict[str, Any], tokens: int) -> None:
    activity = Activity()
    activity.feed(json.dumps(event).encode() + b"\n")
    assert activity.tokens == tokens


@pytest.mark.parametrize(
    "junk", [b"[1]\n", b'{"type":[]}\n', b'{"type":"assistant","message":[]}\n', b'{"type":"tool_use","part":7}\n', b"\xff\n", b"x" * 3_000_000 + b"\n"]
)  # fmt: skip
def test_junk_is_passed_over(junk: bytes) -> None:
    activity = Activity()
    activity.feed(junk)
    activity.feed(json.dumps(CLAUDE).encode() + b"\n")
    assert activity.last == "Write a.txt"

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
    activity = Activity(lambda one: seen.append(str(one)))
    for at in range(0, len(data), size):
        activity.feed(data[at : at + size])
    assert str(activity) == "Write a.txt, 1 file, 2,402 tokens"
    assert len(seen) == 4


@pytest.mark.parametrize(
    "junk", [b"[1]\n", b'{"type":[]}\n', b'{"type":"assistant","message":[]}\n', b'{"type":"tool_use","part":7}\n', b"\xff\n", b"x" * 3_000_000 + b"\n"]
)  # fmt: skip
def test_junk_is_passed_over(junk: bytes) -> None:
    activity = Activity()
    activity.feed(junk)
    activity.feed(json.dumps(CLAUDE).encode() + b"\n")
    assert activity.last == "Write a.txt"

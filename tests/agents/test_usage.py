"""What each client's stream says of tokens and cost, also of runs that failed or were ended; as it was observed (A11)."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.agent import Fault, Usage
from tdd_orchestrator.agents.command import session_log
from tdd_orchestrator.agents.live import Activity
from tdd_orchestrator.agents.parsed_output import Output
from tdd_orchestrator.agents.preset import PRESETS, acp_of
from tdd_orchestrator.agents.usage import (
    Price,
    codex_session,
    logged_or,
    openhands_session,
    priced,
    usage_of_acp,
)

from .provoked import ONE_REQUEST, RECORDED, recordings


def lines(*found: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in found)


def claude(
    identity: str, fresh: int, created: int, read: int, out: int, model: str = "claude-sonnet-4-5"
) -> dict[str, Any]:
    usage = {
        "input_tokens": fresh,
        "cache_creation_input_tokens": created,
        "cache_read_input_tokens": read,
        "output_tokens": out,
    }
    content = [{"type": "text", "text": f"Working on {identity}."}]
    return {
        "type": "assistant",
        "message": {"id": identity, "model": model, "content": content, "usage": usage},
    }


RESULT = {
    "type": "result", "subtype": "success", "is_error": False, "num_turns": 9, "result": "Done.", "total_cost_usd": 0.31,
    "usage": {"input_tokens": 178, "cache_creation_input_tokens": 31240, "cache_read_input_tokens": 412300, "output_tokens": 3000},
}  # fmt: skip


def test_tokens_read_from_and_written_to_the_cache_count() -> None:
    usage = PRESETS["claude"].parse(Output(lines(RESULT))).usage
    assert usage == Usage(178, 412300, 3000, 0.31, 9, 31240)
    assert usage.total == 446_718


def test_all_models_of_a_run_count_subagents_included() -> None:
    row = {"inputTokens": 100, "outputTokens": 10, "cacheReadInputTokens": 5, "cacheCreationInputTokens": 3}
    found = lines({**RESULT, "modelUsage": {"claude-sonnet-4-5": row, "claude-haiku-4-5": row}})
    assert PRESETS["claude"].parse(Output(found)).usage == Usage(200, 10, 20, 0.31, 9, 6)


def test_a_run_that_was_ended_counts_what_its_stream_said_each_message_once() -> None:
    parts = [claude("m1", 10, 3000, 0, 1), claude("m1", 10, 3000, 0, 7), claude("m2", 4, 20, 3000, 9)]
    synthetic = claude("m3", 0, 0, 0, 0, "<synthetic>")
    heard = PRESETS["claude"].parse(Output(lines(*parts, synthetic), exit_code=143))
    assert heard.usage == Usage(14, 3000, 16, None, 2, 3020)
    assert heard.text == "Working on m3."


def test_pi_that_was_ended_in_a_tool_counts_the_request_that_called_it() -> None:
    """Its words and its usage come before the tool runs, and the end of the turn after it."""
    said = {"role": "assistant", "content": [{"type": "text", "text": "Looking."}], "model": "m",
            "usage": {"input": 1196, "output": 8, "cost": {"total": 0.25}}, "stopReason": "toolUse"}  # fmt: skip
    whole = [{"type": "message_end", "message": said}, {"type": "turn_end", "message": said}]
    asked = {"type": "message_end", "message": {"role": "user", "content": []}}
    open_turn = [
        {"type": "message_end", "message": said},
        {"type": "tool_execution_start", "toolName": "bash"},
    ]
    heard = PRESETS["pi"].parse(Output(lines(asked, *whole, *open_turn), exit_code=143))
    assert heard.usage == Usage(2392, 0, 16, 0.5, 2)
    first = PRESETS["pi"].parse(Output(lines(asked, *open_turn), exit_code=143))
    assert (first.usage, first.text, first.model) == (Usage(1196, 0, 8, 0.25, 1), "Looking.", "m")


def test_qwen_counts_the_cache_into_its_input() -> None:
    usage = {"input_tokens": 4100, "cache_read_input_tokens": 100, "output_tokens": 150, "total_tokens": 4250}
    found = lines({"type": "result", "result": "x", "num_turns": 3, "usage": usage})
    assert PRESETS["qwen"].parse(Output(found)).usage == Usage(4000, 100, 150, None, 3)


def count(at: str, **last: int) -> dict[str, Any]:
    info = {"total_token_usage": {"input_tokens": hash(at) % 999}, "last_token_usage": last}
    return {"timestamp": at, "type": "event_msg", "payload": {"type": "token_count", "info": info}}


def test_a_codex_run_that_failed_is_counted_from_its_session_log() -> None:
    log = lines(
        count("2026-11-23T14:00:00.000Z", input_tokens=9, output_tokens=9),
        count("2026-11-23T14:10:00.000Z", input_tokens=1200, cached_input_tokens=700, output_tokens=80),
        count("2026-11-23T14:10:00.000Z", input_tokens=1200, cached_input_tokens=700, output_tokens=80),
        count("2026-11-23T14:11:00.000Z", input_tokens=1500, cached_input_tokens=900, output_tokens=20),
        {"timestamp": 7, "payload": {"type": "token_count", "info": None}},
    )
    since = datetime(2026, 11, 23, 14, 5, tzinfo=UTC)
    assert codex_session(log, since) == Usage(1100, 1600, 100, None, 2)


def test_a_gemini_run_that_was_ended_is_counted_from_its_session_log() -> None:
    """gemini 0.61 writes a message again when its tools have run."""
    tokens = {"input": 1200, "output": 80, "cached": 700, "thoughts": 5, "tool": 0, "total": 1285}
    at = {"timestamp": "2026-11-28T16:56:32.540Z", "type": "gemini"}
    log = lines(
        {"sessionId": "7b53bf01", "kind": "main"},
        {**at, "id": "m0", "timestamp": "2026-11-28T16:00:00.000Z", "tokens": tokens},
        {**at, "id": "m1", "content": "Writing."},
        {**at, "id": "m1", "content": "Writing.", "tokens": tokens},
        {**at, "id": "m1", "content": "Writing.", "tokens": tokens, "toolCalls": []},
    )
    row = PRESETS["gemini"]
    assert row.read_log is not None
    logged = row.read_log(log, datetime(2026, 11, 28, 16, 30, tzinfo=UTC))
    assert logged == Usage(500, 700, 85, None, 1)
    assert logged_or(Usage(turns=1), logged, first=row.log_first) == logged
    assert logged_or(Usage(900, 900, 90, 0.5), logged, first=row.log_first) == Usage(900, 900, 90, 0.5, 1)


WORKED = [name for name in sorted(path.stem for path in RECORDED.glob("*.jsonl")) if name not in ONE_REQUEST]


@pytest.mark.parametrize("client", WORKED)
def test_a_recorded_run_counts_what_its_model_counted(client: str) -> None:
    """Two requests: 1200 tokens, 700 of them from the cache, and 80 out; then 1500, 900 and 20."""
    (row,) = [one for one in recordings(client) if one.provoked == "works"]
    usage = row.parsed(client).usage
    assert replace(usage, cost=None) == Usage(500 + 600, 700 + 900, 80 + 20, turns=2)
    if client in ("gemini", "opencode", "pi"):  # the others' events count in another way, or not at all
        seen = Activity()
        seen.feed(row.stdout.encode())
        assert seen.tokens == usage.total == 2800


@pytest.mark.parametrize(("provoked", "turns"), [("context filled", 1), ("hang", 0)])
def test_a_failed_run_over_acp_is_counted_from_the_clients_session_log(provoked: str, turns: int) -> None:
    """The protocol names tokens in its last answer alone, which such a run does not have."""
    (row,) = [one for one in recordings("claude-agent-acp") if one.provoked == provoked]
    assert replace(row.parsed("claude-agent-acp").usage, cost=None) == Usage(
        1200 * turns, 0, 80 * turns, turns=turns
    )


def test_the_cost_of_recorded_runs_is_what_their_clients_print() -> None:
    costs = {
        path.stem: row.parsed(path.stem).usage.cost
        for path in RECORDED.glob("*.jsonl")
        for row in recordings(path.stem)
        if row.provoked == "works"
    }
    printed = {
        "claude": 0.00528,
        "claude-agent-acp": 0.00528,
        "opencode": 0.0013,
        "pi": 0.0013,
        "aider": 0.0014,
    }
    assert costs == {**dict.fromkeys(costs), **printed}


STATS = {
    "models": {
        "gemini-2.5-pro": {"total_tokens": 1280, "input_tokens": 1200, "output_tokens": 80, "cached": 700}
    }
}
GEMINI = (
    {"type": "init", "session_id": "75", "model": "gemini-2.5-pro"},
    {"type": "message", "role": "user", "content": "Do it."},
    {"type": "message", "role": "assistant", "content": "Writing.", "delta": True},
    {"type": "tool_use", "tool_name": "write_file"},
    {"type": "tool_result", "status": "success"},
)


def test_gemini_counts_a_run_that_failed_after_a_turn() -> None:
    error = {"type": "unknown", "message": '[API Error: {"error":{"code":401,"message":"Invalid API key"}}]'}
    heard = events.gemini(
        Output(
            lines(*GEMINI, {"type": "result", "status": "error", "error": error, "stats": STATS}),
            exit_code=145,
        )
    )
    assert heard.usage == Usage(500, 700, 80, None, 1)
    assert (heard.fault, heard.session, heard.model) == (Fault.AUTH, "75", "gemini-2.5-pro")


def test_gemini_as_it_succeeds() -> None:
    said = {"type": "message", "role": "assistant", "content": "RED: done.", "delta": True}
    heard = events.gemini(
        Output(lines(*GEMINI, said, {"type": "result", "status": "success", "stats": STATS}))
    )
    assert (heard.completed, heard.text, heard.usage.turns) == (True, "RED: done.", 2)


def test_acp_keeps_the_cost_of_an_update_beside_the_tokens_of_the_end() -> None:
    update = {
        "sessionUpdate": "usage_update",
        "used": 0,
        "size": 200000,
        "cost": {"amount": 0.0048, "currency": "USD"},
    }
    end = {"stopReason": "end_turn", "usage": {"inputTokens": 11, "outputTokens": 2, "totalTokens": 13}}
    messages: list[dict[str, Any]] = [{"params": {"update": update}}, {"result": end}]
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    assert events.acp(Output(lines.encode())).usage == Usage(11, 0, 2, 0.0048)


def test_gemini_over_acp_counts_in_a_field_of_its_own() -> None:
    """gemini 0.61's answer to a prompt."""
    count = {"input_tokens": 2700, "output_tokens": 100}
    quota = {
        "quota": {"token_count": count, "model_usage": [{"model": "gemini-2.5-pro", "token_count": count}]}
    }
    answer = {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn", "_meta": quota}}
    assert events.acp(Output(lines(answer))).usage == Usage(2700, 0, 100)


def qwen_chunk(**counted: int) -> dict[str, Any]:
    """qwen 0.15's message after each request."""
    usage = {**counted, "totalTokens": counted["inputTokens"] + counted["outputTokens"], "thoughtTokens": 0}
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""},
              "_meta": {"usage": usage, "durationMs": 231}}  # fmt: skip
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": update}}


def test_qwen_over_acp_counts_each_request_as_it_comes() -> None:
    first = qwen_chunk(inputTokens=1200, outputTokens=80, cachedReadTokens=700)
    second = qwen_chunk(inputTokens=1500, outputTokens=20, cachedReadTokens=900)
    seen = Activity()
    seen.feed(lines(first, second))
    assert seen.tokens == 2800
    assert events.acp(Output(lines(first, second), exit_code=143)).usage == Usage(1100, 1600, 100, None, 2)
    failed = {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "bad request, really"}}
    assert events.acp(Output(lines(first, failed))).usage == Usage(500, 700, 80, None, 1)


def cline(**event: Any) -> dict[str, Any]:
    return {"ts": "2026-11-28T17:47:26.719Z", "type": "agent_event", "event": event}


def test_cline_counts_each_request_and_shows_its_tools() -> None:
    """cline 3.0.65; a run that is ended has no ``run_result``, and one that failed an error of its own."""
    first = cline(type="usage", inputTokens=1200, outputTokens=80, cacheReadTokens=700, totalInputTokens=1200)
    tool = cline(
        type="content_start", contentType="tool", toolName="editor", input={"path": "tests/test_calc.py"}
    )
    second = cline(
        type="usage", inputTokens=1500, outputTokens=20, cacheReadTokens=900, totalInputTokens=2700
    )
    task = {"type": "hook_event", "hookEventName": "tool_call", "taskId": "conv_1_f1"}
    seen = Activity()
    seen.feed(lines(first, tool, second))
    assert (seen.last, seen.tokens) == ("editor test_calc.py", 2800)
    heard = PRESETS["cline"].parse(Output(lines(task, first, tool, second), exit_code=143))
    assert heard.usage == Usage(1100, 1600, 100, None, 2)
    error = cline(type="error", error={"message": "Invalid API key (scripted)"}, errorClass="auth")
    ended = {"type": "run_result", "finishReason": "error", "text": "Invalid API key (scripted)"}
    failed = PRESETS["cline"].parse(Output(lines(first, error, ended), exit_code=1))
    assert (failed.fault, failed.trouble) == (Fault.AUTH, "Invalid API key (scripted)")
    assert failed.usage == Usage(500, 700, 80, None, 1)


def test_acp_does_not_count_the_cache_twice() -> None:
    found = {"totalTokens": 1280, "inputTokens": 1200, "cachedReadTokens": 700, "outputTokens": 80}
    assert usage_of_acp(found) == Usage(500, 700, 80)
    apart = {
        "totalTokens": 1983,
        "inputTokens": 1200,
        "cachedReadTokens": 700,
        "outputTokens": 80,
        "cachedWriteTokens": 3,
    }
    assert usage_of_acp(apart) == Usage(1200, 700, 80, cache_creation_tokens=3)
    assert usage_of_acp({"cost": {"amount": 0.5, "currency": "USD"}}, Usage(7)).cost == 0.5


TABLE = {"gpt-5": Price(1.25, 0.125, 0, 10)}


@pytest.mark.parametrize(
    ("usage", "model", "cost", "source"),
    [
        (Usage(1_000_000, 1_000_000, 100_000), "gpt-5", 2.375, "prices"),
        (Usage(1_000_000), "openai/gpt-5", 1.25, "prices"),
        (Usage(1_000_000, cost=7.0), "gpt-5", 7.0, "client"),
        (Usage(1_000_000), "gpt-6", None, ""),
        (Usage(), "gpt-5", None, ""),
    ],
)
def test_cost_is_the_clients_or_the_tables_and_never_guessed(
    usage: Usage, model: str, cost: float | None, source: str
) -> None:
    found = priced(usage, model, TABLE)
    assert (found.cost, found.cost_from) == (cost, source)


def test_an_openhands_run_is_counted_from_the_state_of_its_conversation() -> None:
    said = b"Agent finished\n\nGoodbye!\nConversation ID: 27aef25d084b42de9fb75c81714c3aa1\nHint: run openhands\n"
    parsed = PRESETS["openhands"].parse(Output(said, exit_code=0))
    assert (parsed.session, parsed.completed) == ("27aef25d084b42de9fb75c81714c3aa1", True)
    requests = [
        {"prompt_tokens": 1200, "completion_tokens": 80, "cache_read_tokens": 700, "cache_write_tokens": 0},
        {"prompt_tokens": 1500, "completion_tokens": 20, "cache_read_tokens": 900, "cache_write_tokens": 100},
    ]
    metrics = {"agent": {"token_usages": requests}, "condenser": {"token_usages": []}}
    log = json.dumps({"id": "27aef25d", "stats": {"usage_to_metrics": metrics}}).encode()
    since = datetime(2026, 11, 23, 14, 5, tzinfo=UTC)
    assert openhands_session(log, since) == Usage(1000, 1600, 100, None, 2, 100)
    assert openhands_session(b"{", since) == Usage()


def test_a_resumed_run_of_qwen_counts_its_own_requests() -> None:
    """Its last event counts the whole session: figures of Qwen Code 0.15.10 in the second run of one."""

    def message(identity: str, fresh: int, out: int) -> dict[str, Any]:
        usage = {
            "input_tokens": fresh,
            "output_tokens": out,
            "cache_read_input_tokens": 0,
            "total_tokens": fresh + out,
        }
        return {
            "type": "assistant",
            "message": {"id": identity, "usage": usage if fresh else {"input_tokens": 0, "output_tokens": 0}},
        }

    total = {"input_tokens": 58051, "output_tokens": 95, "cache_read_input_tokens": 0, "total_tokens": 58146}
    done = {"type": "result", "is_error": False, "result": "Done.", "num_turns": 2, "usage": total}
    said = lines(message("a", 0, 0), message("b", 16024, 39), message("c", 16058, 4), done)
    assert events.result_event(Output(said, b"", b"", 0)).usage == Usage(32082, 0, 43, None, 2)


def opencode_database(home: Path, *rows: tuple[str, str, int, dict[str, Any]]) -> None:
    """What OpenCode 1.18.33 keeps under HOME, with the tables and columns that are read."""
    folder = home / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "opencode.db")) as database, database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE session (id text PRIMARY KEY, parent_id text)")
        database.execute("CREATE TABLE message (id text, session_id text, time_created integer, data text)")
        for parent, session, _, _ in rows:
            database.execute("INSERT OR IGNORE INTO session VALUES (?, ?)", (session, parent or None))
        for number, (_, session, at, data) in enumerate(rows):
            found = json.dumps({"time": {"created": at}, **data})
            database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (f"msg_{number}", session, at, found))


def opencode_message(fresh: int, read: int, out: int, cost: float) -> dict[str, Any]:
    tokens = {"input": fresh, "output": out, "reasoning": 0, "cache": {"write": 0, "read": read}}
    return {"role": "assistant", "cost": cost, "tokens": tokens}


def test_a_run_of_opencode_over_acp_counts_each_of_its_requests(tmp_path: Path) -> None:
    """Its answer counts the last request alone, and its cost that of the whole session."""
    since = datetime(2026, 11, 28, 16, 30, tzinfo=UTC)
    now = int(since.timestamp() * 1000)
    opencode_database(
        tmp_path,
        ("", "ses_mine_1", now - 1, opencode_message(9000, 0, 90, 0.9)),
        ("", "ses_mine_1", now, {"role": "user"}),
        ("", "ses_mine_1", now, opencode_message(500, 700, 80, 0.25)),
        ("ses_mine_1", "ses_task_1", now + 5, opencode_message(10, 0, 1, 0.125)),
        ("", "ses_mine_1", now + 9, opencode_message(600, 900, 20, 0.5)),
        ("", "ses_mine_1", now + 9, opencode_message(0, 0, 0, 0.0)),
        ("", "ses_other1", now + 9, opencode_message(7000, 0, 70, 0.7)),
    )  # fmt: skip
    row = acp_of(("opencode", "acp"))
    assert row.read_log is not None
    logged = row.read_log(session_log(row, "ses_mine_1", {"HOME": str(tmp_path)}), since)
    assert logged == Usage(1110, 1600, 101, 0.875, 3)
    assert logged_or(Usage(600, 900, 20, 1.775), logged, first=row.log_first) == logged


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_a_database_that_cannot_be_read_counts_nothing(tmp_path: Path, content: bytes | None) -> None:
    place = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    place.parent.mkdir(parents=True)
    if content is None:
        os.mkfifo(place)
    else:
        place.write_bytes(content)
    row = PRESETS["opencode"]
    assert session_log(row, "ses_mine_1", {"HOME": str(tmp_path)}) == b""

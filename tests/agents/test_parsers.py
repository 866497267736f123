"""What the known command lines print, as it was observed, and what is made of it: status, fault, answer, figures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tdd_orchestrator.agents import documents, events
from tdd_orchestrator.agents.agent import AgentStatus, Fault, Usage
from tdd_orchestrator.agents.faults import fault_of
from tdd_orchestrator.agents.parsed_output import Output, ParsedOutput, retry_after
from tdd_orchestrator.agents.preset import PRESETS, acp_of, argv_of
from tdd_orchestrator.agents.validate import Judgement, judge
from tdd_orchestrator.process import Finished


def lines(*events: dict[str, Any]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def claude_result(**more: Any) -> dict[str, Any]:
    return {
        "type": "result", "subtype": "success", "is_error": False, "api_error_status": None, "num_turns": 3, "result": "RED: done.",
        "session_id": "f517", "total_cost_usd": 0.01455,
        "usage": {"input_tokens": 4100, "cache_read_input_tokens": 12, "output_tokens": 150}, **more,
    }  # fmt: skip


CLAUDE_INIT = {
    "type": "system",
    "subtype": "init",
    "session_id": "f517",
    "model": "claude-sonnet-4-5",
    "claude_code_version": "2.1.197",
}
CODEX = (
    {"type": "thread.started", "thread_id": "01a2"},
    {
        "type": "item.completed",
        "item": {"id": "item_0", "type": "error", "message": "Model metadata for `gpt-5` not found."},
    },
    {"type": "turn.started"},
)
CODEX_SAID = {"type": "item.completed", "item": {"type": "agent_message", "text": "RED: done."}}
CODEX_DONE = {
    "type": "turn.completed",
    "usage": {"input_tokens": 4100, "cached_input_tokens": 5, "output_tokens": 150},
}


def codex_failed(message: str) -> str:
    return lines(
        *CODEX, {"type": "error", "message": message}, {"type": "turn.failed", "error": {"message": message}}
    )


VIBE_SAID = json.dumps([
    {"type": "message", "role": "user", "sessionId": "eaa2", "content": []},
    {"type": "message", "role": "assistant", "generationStatus": "completed", "content": [{"type": "text", "text": "RED: done."}]},
])  # fmt: skip
VIBE_USAGE = {"input_tokens": 2700, "output_tokens": 100, "cached_input_tokens": 1600, "total_tokens": 2800}


def vibe_export(outcome: str, **more: Any) -> str:
    """``export.json`` of ``--output-dir``, by Vibe 3.0.2's own model of it."""
    return json.dumps({"outcome": outcome, "error": None, "session_id": "eaa2", "usage": None, "cost_usd": None,
                       "steps": None, "schema_version": 1, "vibe_version": "3.0.2", **more})  # fmt: skip


def gemini_error(code: int, message: str, kind: str = "Error") -> str:
    error = json.dumps(
        {"session_id": "03", "error": {"type": kind, "message": message, "code": code}}, indent=2
    )
    return (
        f"YOLO mode is enabled.\n    at async Turn.run (file:///x.js:1:2) {{\n  status: {code}\n}}\n{error}\n"
    )


GEMINI = json.dumps(
    {
        "session_id": "7cb4", "response": "RED: done.",
        "stats": {"models": {"gemini-2.5-pro": {"api": {"totalRequests": 3}, "tokens": {"prompt": 4100, "candidates": 150, "cached": 7}}}},
    },
    indent=2,
)  # fmt: skip


def opencode_step(reason: str) -> dict[str, Any]:
    part = {"reason": reason, "tokens": {"input": 1200, "output": 80, "cache": {"read": 3}}, "cost": 0.00136}
    return {"type": "step_finish", "sessionID": "ses_1", "part": part}


def pi_message(**more: Any) -> dict[str, Any]:
    usage = {"input": 604, "output": 39, "cacheRead": 2, "cost": {"total": 0.000682}}
    return {
        "role": "assistant",
        "content": [{"type": "text", "text": "RED: done."}],
        "model": "fake-model",
        "usage": usage,
        "stopReason": "stop",
        **more,
    }


def pi(*messages: dict[str, Any], end: bool = True) -> str:
    turns = [{"type": "turn_end", "message": message} for message in messages]
    last = [{"type": "agent_end", "messages": list(messages)}] if end else []
    return lines({"type": "session", "version": 3, "id": "01a20"}, {"type": "agent_start"}, *turns, *last)


def copilot(code: int, *before: dict[str, Any]) -> str:
    said = {"type": "assistant.message", "data": {"content": "RED: done.", "model": "fake-model"}}
    return lines(
        said,
        *before,
        {"type": "result", "sessionId": "1634", "exitCode": code, "usage": {"premiumRequests": 0}},
    )


def mini(status: str, exception: str = "") -> str:
    stats = {"instance_cost": 0.5, "api_calls": 3}
    info = {"exit_status": status, "submission": "", "model_stats": stats, "mini_version": "2.4.6"}
    last = {"role": "exit", "content": "", "extra": {"exit_status": status, "exception_str": exception}}
    return json.dumps({"info": info, "messages": [last]})


AIDER_HEAD = "Aider v0.86.2\nModel: openai/fake-model with diff edit format\nGit repo: .git with 2 files\nRepo-map: disabled\n\n"
AIDER_TOKENS = "\nTokens: 1.9k sent, 41 received. Cost: $0.0020 message, $0.0020 session.\n"

SUCCESS, FAILED, AGENT_FAILED = AgentStatus.SUCCESS, AgentStatus.FAILED, AgentStatus.AGENT_FAILED


@dataclass(frozen=True)
class Sample:
    preset: str
    name: str
    status: AgentStatus
    fault: Fault = Fault.NONE
    out: str = ""
    err: str = ""
    file: str = ""
    code: int = 0
    timed_out: str = ""
    heard: tuple[tuple[str, Any], ...] = ()
    after: float = 0.0


FULL = (("text", "RED: done."), ("session", "f517"), ("model", "claude-sonnet-4-5"), ("version", "2.1.197"),
        ("usage", Usage(4100, 12, 150, 0.01455, 3)))  # fmt: skip
QWEN_401 = claude_result(result="[API Error: 401 Invalid API key (scripted)]")
CODEX_429 = "exceeded retry limit, last status: 429 Too Many Requests, request id: req_9aa5"

SAMPLES = (
    Sample("claude", "success", SUCCESS, out=lines(CLAUDE_INIT, claude_result()), heard=FULL),
    Sample("claude", "one object", SUCCESS, out=json.dumps(claude_result())),
    Sample("claude", "no result event", FAILED, Fault.PROTOCOL, out=lines(CLAUDE_INIT)),
    Sample("claude", "nothing at all", FAILED, Fault.PROTOCOL),
    Sample("claude", "error with subtype success and exit 0", FAILED, Fault.UNKNOWN,
           out=lines(claude_result(is_error=True, result="API Error: Failed to parse JSON"))),
    Sample("claude", "429", AGENT_FAILED, Fault.RATE_LIMITED, code=1,
           out=lines(claude_result(is_error=True, api_error_status=429, result="API Error: Rate limit exceeded"))),
    Sample("claude", "529", AGENT_FAILED, Fault.OVERLOADED, code=1,
           out=lines(claude_result(is_error=True, api_error_status=529, result="API Error: 529 Overloaded"))),
    Sample("claude", "401", AGENT_FAILED, Fault.AUTH, code=1,
           out=lines(claude_result(is_error=True, api_error_status=401, result="Invalid API key · Fix external API key"))),
    Sample("claude", "context", AGENT_FAILED, Fault.CONTEXT_OVERFLOW, code=1,
           out=lines(claude_result(is_error=True, api_error_status=400, result="Prompt is too long · the request is ~250000 tokens", usage={}))),
    Sample("claude", "max turns", AGENT_FAILED, Fault.MAX_TURNS, code=1,
           out=lines(claude_result(is_error=True, subtype="error_max_turns", result=None))),
    Sample("claude", "budget", AGENT_FAILED, Fault.MAX_BUDGET, code=1,
           out=lines(claude_result(is_error=True, subtype="error_max_budget_usd", result=None))),
    Sample("claude", "stopped while it waited for its provider", AGENT_FAILED, Fault.RATE_LIMITED, code=143, timed_out="wall", after=4.6,
           out=lines(CLAUDE_INIT, {"type": "system", "subtype": "api_retry", "error_status": 429, "retry_delay_ms": 4600, "error": "rate_limit"})),
    Sample("claude", "stopped while it worked", AGENT_FAILED, Fault.TIMEOUT_WALL, code=143, timed_out="wall", out=lines(CLAUDE_INIT)),
    Sample("codex", "success", SUCCESS, out=lines(*CODEX, CODEX_SAID, CODEX_DONE),
           heard=(("text", "RED: done."), ("session", "01a2"), ("usage", Usage(4095, 5, 150, None, 1)))),
    Sample("codex", "no turn.completed", FAILED, Fault.PROTOCOL, out=lines(*CODEX, CODEX_SAID)),
    Sample("codex", "429", AGENT_FAILED, Fault.RATE_LIMITED, code=1, out=codex_failed(CODEX_429)),
    Sample("codex", "529", AGENT_FAILED, Fault.OVERLOADED, code=1,
           out=codex_failed("unexpected status 529 <unknown status code>: Overloaded (scripted), url: http://127.0.0.1:43305/v1/responses")),
    Sample("codex", "401", AGENT_FAILED, Fault.AUTH, code=1, out=codex_failed("unexpected status 401 Unauthorized: Invalid API key (scripted)")),
    Sample("codex", "quota", AGENT_FAILED, Fault.QUOTA, code=1, out=codex_failed("Quota exceeded. Check your plan and billing details.")),
    Sample("codex", "context", AGENT_FAILED, Fault.CONTEXT_OVERFLOW, code=1,
           out=codex_failed("Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.")),
    Sample("codex", "cut stream", AGENT_FAILED, Fault.UNREACHABLE, code=1,
           out=codex_failed("stream disconnected before completion: stream closed before response.completed")),
    Sample("codex", "unreachable for ever", AGENT_FAILED, Fault.UNREACHABLE, code=143, timed_out="wall",
           out=lines(*CODEX, {"type": "error", "message": "Reconnecting... waiting for network (Connection failed: error sending request)"})),
    Sample("codex", "retry worked", SUCCESS, out=lines(*CODEX, {"type": "error", "message": "Reconnecting... 1/1 (429)"}, CODEX_SAID, CODEX_DONE)),
    Sample("gemini", "success", SUCCESS, out=GEMINI,
           heard=(("text", "RED: done."), ("session", "7cb4"), ("model", "gemini-2.5-pro"), ("usage", Usage(4093, 7, 150, None, 3)))),
    Sample("gemini", "401 as exit code 145", AGENT_FAILED, Fault.AUTH, code=145,
           err=gemini_error(401, '{"error":{"code":401,"message":"Invalid API key (scripted)","status":"UNAUTHENTICATED"}}')),
    Sample("gemini", "400 as exit code 144", AGENT_FAILED, Fault.CONTEXT_OVERFLOW, code=144,
           err=gemini_error(400, '{"error":{"message":"prompt is too long: 250000 tokens > 200000 maximum"}}')),
    Sample("gemini", "turns", AGENT_FAILED, Fault.MAX_TURNS, code=53, err=gemini_error(53, "Reached max session turns for this session.", "FatalTurnLimitedError")),
    Sample("gemini", "exit 0 on SIGTERM while it waited", AGENT_FAILED, Fault.RATE_LIMITED, code=0, timed_out="wall", after=1.0,
           err="Attempt 3 failed: Rate limit exceeded (scripted)\nSuggested retry after 1s.. Retrying after 23131ms...\n"),
    Sample("gemini", "exit 0 and nothing", FAILED, Fault.PROTOCOL),
    Sample("gemini", "a dead socket", AGENT_FAILED, Fault.UNREACHABLE, code=1, err=gemini_error(1, "terminated")),
    Sample("opencode", "success", SUCCESS,
           out=lines(opencode_step("tool-calls"), {"type": "text", "sessionID": "ses_1", "part": {"text": "RED: done."}}, opencode_step("stop")),
           heard=(("text", "RED: done."), ("session", "ses_1"), ("usage", Usage(2400, 6, 160, 0.00272, 2)))),
    Sample("opencode", "ended between tools", FAILED, Fault.PROTOCOL, out=lines(opencode_step("tool-calls"))),
    Sample("opencode", "429", AGENT_FAILED, Fault.RATE_LIMITED, code=1, after=7.0,
           out=lines({"type": "error", "sessionID": "s", "error": {"name": "APIError", "data": {"message": "Rate limit exceeded", "statusCode": 429,
                      "responseHeaders": {"retry-after": "7"}}}})),
    Sample("opencode", "context", AGENT_FAILED, Fault.CONTEXT_OVERFLOW, code=1,
           out=lines({"type": "error", "sessionID": "s", "error": {"name": "ContextOverflowError", "data": {"message": "too long"}}})),
    Sample("pi", "success", SUCCESS, out=pi(pi_message()),
           heard=(("text", "RED: done."), ("session", "01a20"), ("model", "fake-model"), ("usage", Usage(604, 2, 39, 0.000682, 1)))),
    Sample("pi", "429 with exit 0", FAILED, Fault.RATE_LIMITED,
           out=pi(pi_message(content=[], stopReason="error", errorMessage="429 Rate limit exceeded (scripted)"))
           + lines({"type": "auto_retry_end", "success": False, "attempt": 3, "finalError": "429 Rate limit exceeded (scripted)"})),
    Sample("pi", "401 with exit 0", FAILED, Fault.AUTH, out=pi(pi_message(stopReason="error", errorMessage="401 Invalid API key (scripted)"))),
    Sample("pi", "529 with exit 0", FAILED, Fault.OVERLOADED, out=pi(pi_message(stopReason="error", errorMessage="529 Overloaded (scripted)"))),
    Sample("pi", "quota with exit 0", FAILED, Fault.QUOTA,
           out=pi(pi_message(stopReason="error", errorMessage="429 You exceeded your current quota, please check your plan and billing details."))),
    Sample("pi", "context with exit 0", FAILED, Fault.CONTEXT_OVERFLOW,
           out=pi(pi_message(stopReason="error", usage={}, errorMessage="400 prompt is too long: 250000 tokens > 200000 maximum"))),
    Sample("pi", "unreachable with exit 0", FAILED, Fault.UNREACHABLE, out=pi(pi_message(stopReason="error", errorMessage="Connection error."))),
    Sample("pi", "cut short", FAILED, Fault.PROTOCOL, out=pi(pi_message(), end=False)),
    Sample("pi", "stopped while it asked its model", AGENT_FAILED, Fault.UNREACHABLE, code=143, timed_out="wall",
           out=pi(pi_message(stopReason="toolUse"), end=False) + lines({"type": "turn_start"})),
    Sample("pi", "stopped while it waited to ask again", AGENT_FAILED, Fault.RATE_LIMITED, code=143, timed_out="idle", after=90.0,
           out=pi(end=False) + lines({"type": "auto_retry_start", "attempt": 1, "delayMs": 90000, "errorMessage": "429 Rate limit"})),
    Sample("pi", "stopped while it asked again", AGENT_FAILED, Fault.RATE_LIMITED, code=143, timed_out="wall",
           out=pi(pi_message(content=[], stopReason="error", errorMessage="429 Rate limit exceeded (scripted)"), end=False)
           + lines({"type": "auto_retry_start", "delayMs": 2000}, {"type": "agent_start"}, {"type": "turn_start"})),
    Sample("pi", "stopped in a tool", AGENT_FAILED, Fault.TIMEOUT_WALL, code=143, timed_out="wall",
           out=pi(end=False) + lines({"type": "turn_start"}, {"type": "tool_execution_start"})),
    Sample("pi", "error, then a retry that worked", SUCCESS, out=pi(pi_message(stopReason="error", errorMessage="529 x"), pi_message())),
    Sample("qwen", "success", SUCCESS, out=json.dumps([{"type": "system", "subtype": "init", "session_id": "5000"}, claude_result(session_id="5000")])),
    Sample("qwen", "401 with exit 0 and is_error false", FAILED, Fault.AUTH, out=json.dumps([QWEN_401])),
    Sample("qwen", "unreachable with exit 0", FAILED, Fault.UNREACHABLE,
           out=lines(claude_result(result="[API Error: Connection error. (cause: fetch failed)]"))),
    Sample("qwen", "cut stream with exit 0", FAILED, Fault.UNREACHABLE,
           out=lines(claude_result(result="A partial answer.[API Error: terminated (cause: other side closed)]"))),
    Sample("qwen", "unreachable, as 0.24 says it", AGENT_FAILED, Fault.UNREACHABLE, code=1,
           out=lines({"type": "result", "subtype": "error_during_execution", "is_error": True, "num_turns": 1, "session_id": "ea84",
                      "error": {"message": "[API Error: Connection error. (cause: fetch failed)]"}})),
    Sample("qwen", "turns", AGENT_FAILED, Fault.MAX_TURNS, code=53, err=gemini_error(53, "Reached max session turns", "FatalTurnLimitedError")),
    Sample("copilot", "success", SUCCESS, out=copilot(0), heard=(("text", "RED: done."), ("session", "1634"), ("model", "fake-model"))),
    Sample("copilot", "429", AGENT_FAILED, Fault.RATE_LIMITED, code=1,
           out=copilot(1, {"type": "session.error", "data": {"errorType": "rate_limit", "statusCode": 429, "message": "retried 5 times Last error: 429 Rate limit"}})),
    Sample("copilot", "401", AGENT_FAILED, Fault.AUTH, code=1,
           out=copilot(1, {"type": "session.error", "data": {"message": "Authentication failed with provider (HTTP 401)", "statusCode": 401}})),
    Sample("copilot", "no result", FAILED, Fault.PROTOCOL, out=lines({"type": "assistant.message", "data": {"content": "x"}})),
    Sample("mini", "submitted", SUCCESS, file=mini("Submitted"), heard=(("usage", Usage(cost=0.5, turns=3)), ("version", "2.4.6"))),
    Sample("mini", "step limit with exit 0", FAILED, Fault.MAX_TURNS, file=mini("LimitsExceeded")),
    Sample("mini", "api failure", AGENT_FAILED, Fault.RATE_LIMITED, code=1,
           file=mini("RateLimitError", exception="litellm.RateLimitError: 429 Rate limit exceeded")),
    Sample("mini", "never called a tool, with exit 0", FAILED, Fault.PROTOCOL, file=mini("RepeatedFormatError")),
    Sample("mini", "no trajectory", FAILED, Fault.PROTOCOL),
    Sample("aider", "success", SUCCESS, out=AIDER_HEAD + "Here is the test.\n" + AIDER_TOKENS + "\nApplied edit to a.py\n",
           heard=(("text", "Here is the test."), ("version", "0.86.2"), ("usage", Usage(1900, 0, 41, 0.002, 1)))),
    Sample("aider", "401 with exit 0", FAILED, Fault.AUTH, out=AIDER_HEAD + "litellm.AuthenticationError: OpenAIException - Invalid API key \n"),
    Sample("aider", "context with exit 0", FAILED, Fault.CONTEXT_OVERFLOW,
           out=AIDER_HEAD + "litellm.BadRequestError: OpenAIException - prompt is too long: 250000 tokens > \n200000 maximum\n\n"),
    Sample("aider", "stopped while it waited", AGENT_FAILED, Fault.UNREACHABLE, code=143, timed_out="wall",
           out=AIDER_HEAD + "litellm.InternalServerError: OpenAIException - Connection \nerror.\nThe API provider's servers are down or overloaded.\nRetrying in 32.0 seconds...\n"),
    Sample("aider", "no tokens line", FAILED, Fault.PROTOCOL, out=AIDER_HEAD),
    Sample("goose", "success", SUCCESS,
           out=json.dumps({"messages": [{"role": "assistant", "content": [{"type": "text", "text": "RED: done."}]}], "metadata": {"total_tokens": 9, "status": "completed"}}, indent=2),
           heard=(("text", "RED: done."), ("usage", Usage(9, turns=1)))),
    Sample("goose", "nothing", FAILED, Fault.PROTOCOL),
    Sample("cursor", "success", SUCCESS, out=lines(claude_result())),
    Sample("amp", "success", SUCCESS, out=lines(
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "4."}], "usage": {"input_tokens": 12783, "cache_creation_input_tokens": 367,
         "cache_read_input_tokens": 12416, "output_tokens": 8}}},
        {"type": "result", "subtype": "success", "duration_ms": 2906, "is_error": False, "num_turns": 1, "result": "4.", "session_id": "T-2775"}),
        heard=(("text", "4."), ("session", "T-2775"), ("usage", Usage(12783, 12416, 8, None, 1, 367)))),
    Sample("amp", "nothing", FAILED, Fault.PROTOCOL),
    Sample("droid", "success", SUCCESS, out=json.dumps(claude_result())),
    Sample("droid", "nothing", FAILED, Fault.PROTOCOL),
    Sample("kimi", "success", SUCCESS, out=lines({"role": "assistant", "content": "Looking.", "tool_calls": [{"id": "tc_1"}]},
        {"role": "tool", "tool_call_id": "tc_1", "content": "file1.py"}, {"role": "assistant", "content": "Two files."}),
        heard=(("text", "Two files."), ("usage", Usage(turns=2)))),
    Sample("kimi", "ended at a tool call", FAILED, Fault.PROTOCOL, out=lines({"role": "assistant", "content": "", "tool_calls": [{"id": "tc_1"}]})),
    *(row for name in ("auggie", "crush", "openhands") for row in (
        Sample(name, "success", SUCCESS, out="RED: done.", heard=(("text", "RED: done."),)),
        Sample(name, "failed", AgentStatus.AGENT_FAILED, err="Error: it did not work\n", code=1),
    )),
    Sample("cline", "success", SUCCESS, heard=(("text", "RED: done."),),
           out=lines({"type": "agent_event", "text": "Reading."}, {"type": "run_result", "text": "RED: done."})),
    Sample("cline", "no result", FAILED, Fault.PROTOCOL, out=lines({"type": "agent_event", "text": "Reading."})),
    Sample("claude-agent-acp", "success", SUCCESS, heard=(("text", "RED: done."), ("session", "9b74"), ("version", "0.23.1")),
           out=lines({"id": 0, "result": {"protocolVersion": 1, "agentInfo": {"name": "@zed-industries/claude-agent-acp", "version": "0.23.1"}}},
                     {"method": "session/update", "params": {"sessionId": "9b74", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "RED: done."}}}},
                     {"id": 2, "result": {"stopReason": "end_turn", "usage": {"inputTokens": 11, "outputTokens": 2, "totalTokens": 13}}})),
    Sample("claude-agent-acp", "prompt too long", AGENT_FAILED, Fault.CONTEXT_OVERFLOW, code=1,
           out=lines({"id": 2, "error": {"code": -32603, "message": "Internal error: Prompt is too long"}})),
    Sample("vibe", "success", SUCCESS,
           out=json.dumps([{"type": "message", "role": "user", "sessionId": "eaa2", "content": []},
                           {"type": "message", "role": "assistant", "generationStatus": "completed", "content": [{"type": "text", "text": "RED: done."}]}]),
           heard=(("text", "RED: done."), ("session", "eaa2"))),
    Sample("vibe", "counted", SUCCESS, out=VIBE_SAID,
           file=vibe_export("finished", usage=VIBE_USAGE, cost_usd=0.0012, steps=2, subagents=[{"usage": VIBE_USAGE, "cost_usd": 0.0012, "steps": 1}]),
           heard=(("session", "eaa2"), ("version", "3.0.2"), ("usage", Usage(2200, 3200, 200, 0.0024, 3)))),
    Sample("vibe", "stopped", AGENT_FAILED, Fault.MAX_TURNS, code=3, err="Stopped: turn_limit\n"),
    Sample("vibe", "stopped at its price", AGENT_FAILED, Fault.MAX_BUDGET, code=3, out="[]", err="Stopped: price_limit\n",
           file=vibe_export("price_limit", usage=VIBE_USAGE, cost_usd=0.0012, steps=2), heard=(("session", "eaa2"), ("usage", Usage(1100, 1600, 100, 0.0012, 2)))),
    Sample("vibe", "refused", AGENT_FAILED, Fault.REFUSED, code=3, file=vibe_export("refusal", error={"message": "The model refused.", "code": None})),
    Sample("vibe", "the answer was cut", AGENT_FAILED, Fault.OUTPUT_CUT, code=3, file=vibe_export("length")),
    Sample("vibe", "its time limit", AGENT_FAILED, Fault.TIMEOUT_WALL, code=3, file=vibe_export("deadline")),
    Sample("vibe", "no server of its own", AGENT_FAILED, Fault.UNKNOWN, code=2,  # 3.0.2's own
           err="Error: spawn app-server: failed to spawn `uv`: No such file or directory (os error 2)\n",
           file=vibe_export("infrastructure_failure", session_id=None,
                            error={"message": "spawn app-server: failed to spawn `uv`: No such file or directory (os error 2)", "code": None})),
)  # fmt: skip


def heard_of(sample: Sample) -> ParsedOutput:
    return PRESETS[sample.preset].parse(
        Output(sample.out.encode(), sample.err.encode(), sample.file.encode(), sample.code)
    )


def judged(sample: Sample) -> Judgement:
    finished = Finished((sample.preset,), sample.code, timed_out=sample.timed_out, seconds=1.0)
    return judge(
        finished, heard_of(sample), completion=PRESETS[sample.preset].completion, required="", size=None
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=[f"{sample.preset}: {sample.name}" for sample in SAMPLES])
def test_sample(sample: Sample) -> None:
    heard = heard_of(sample)
    judgement = judged(sample)
    assert (judgement.status, judgement.fault) == (sample.status, sample.fault), judgement.reason
    assert bool(judgement.reason) is (judgement.status is not SUCCESS)
    assert heard.retry_after == sample.after
    for name, value in sample.heard:
        assert getattr(heard, name) == value


def test_every_row_has_a_success_and_a_failure() -> None:
    seen = {(sample.preset, sample.status is SUCCESS) for sample in SAMPLES}
    assert [name for name in PRESETS if (name, True) not in seen] == []
    assert [name for name in PRESETS if (name, False) not in seen and name != "cursor"] == []


@pytest.mark.parametrize("preset", list(PRESETS))
@pytest.mark.parametrize(
    "junk",
    [
        b"", b"\x00\xff\xfe", b"{", b"[" * 100_000, b'{"a":' * 50_000, b"null\n", b"[]", b"[1,2]", b'{"type":"result"}', b'{"type":[]}',
        b'{"type":"turn_end","message":[]}\n{"type":"agent_end"}', b'{"type":"error","error":7}', b'{"error":{"message":[1]}}',
        b'{"type":"turn.completed","usage":"x"}', b'{"type":"step_finish","part":[]}', b'{"response":7,"stats":{"models":[]}}', b'{"messages":[1,{"role":"assistant","content":7}]}',
        b'{"type":"result","usage":{"input_tokens":1e400,"output_tokens":-1},"total_cost_usd":NaN}', b'{"info":{"exit_status":7}}',
        b"x" * 3_000_000, b"Tokens: ..k sent, ..k received.\n",
    ],
)  # fmt: skip
def test_junk_is_never_a_crash(preset: str, junk: bytes) -> None:
    for output in (Output(junk), Output(b"", junk, exit_code=1), Output(b"", b"", junk)):
        heard = PRESETS[preset].parse(output)
        assert isinstance(heard.text, str)
        assert heard.usage.input_tokens >= 0


@pytest.mark.parametrize(
    ("words", "status", "fault"),
    [
        ("Rate limit reached for requests", None, Fault.RATE_LIMITED),
        ("HTTP 503", None, Fault.OVERLOADED),
        ("status: 502", None, Fault.OVERLOADED),
        ("status code 402", None, Fault.QUOTA),
        ("boom", 403, Fault.AUTH),
        ("boom", 418, Fault.UNKNOWN),
        ("boom", 400, Fault.DENIED),
        ("The model `gpt-9` does not exist or you do not have access to it.", None, Fault.DENIED),
        ("Model metadata for gpt-5 is old. 429 Too Many Requests", None, Fault.RATE_LIMITED),
        ("connect ECONNREFUSED 127.0.0.1:9", None, Fault.UNREACHABLE),
        ("Request timed out", None, Fault.UNREACHABLE),
        ("your credit balance is too low", 400, Fault.QUOTA),
        ("something else", None, Fault.UNKNOWN),
        ("litellm.ContextWindowExceededError: too large", None, Fault.CONTEXT_OVERFLOW),
        (
            "input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000",
            400,
            Fault.CONTEXT_OVERFLOW,
        ),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed",
            400,
            Fault.CONTEXT_OVERFLOW,
        ),
        ("the request exceeds the available context size", 400, Fault.CONTEXT_OVERFLOW),
        ("context deadline exceeded", None, Fault.UNKNOWN),
    ],
)
def test_words_and_faults(words: str, status: int | None, fault: Fault) -> None:
    assert fault_of(words, status) is fault


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Retry-After: 30", 30.0), ('{"retry_after": 2.5}', 2.5), ("retry-after-ms: 1500", 1.5), ("Please try again in 20s.", 20.0),
        ('"retryDelay": "41s"', 41.0), ("no hint", 0.0), ("retry after", 0.0),
    ],
)  # fmt: skip
def test_retry_after(words: str, seconds: float) -> None:
    assert retry_after(words) == seconds


PLACES = {"prompt": "Do it.", "scratch": "/s", "output": "/o"}


@pytest.mark.parametrize("preset", list(PRESETS))
def test_a_command_line_has_no_slot_left_and_knows_its_modes(preset: str) -> None:
    row = PRESETS[preset]
    edit = argv_of(row, (), model="m-1", session="s-1", places=PLACES)
    read = argv_of(row, (), read_only=True, places=PLACES)
    own = argv_of(row, ("/opt/x", "-v"), places=PLACES)
    at = own.index("/opt/x")
    assert own[at : at + 2] == ["/opt/x", "-v"]
    assert (at > 0) is bool(row.before), "only a program of ours that leads it stands before it"
    assert row.program in (edit if row.before else edit[:1])
    assert not [word for word in (*edit, *read) if "{" in word]
    assert ("m-1" in " ".join(edit)) is bool(row.model)
    assert ("s-1" in " ".join(edit)) is bool(row.session)
    assert ("Do it." in edit) is (row.prompt == "argument")
    if row.read_only is not None:
        assert read != argv_of(row, (), places=PLACES)


def test_inside_our_sandbox_codex_leaves_its_own_out() -> None:
    words = argv_of(PRESETS["codex"], (), read_only=True, contained=True, places=PLACES)
    assert 'sandbox_mode="danger-full-access"' in words
    assert 'sandbox_mode="read-only"' in argv_of(PRESETS["codex"], (), read_only=True, places=PLACES)


@pytest.mark.parametrize("delay", ["1e400", "-5", "NaN", "1" + "0" * 400, '"x"', "null", "[]"])
def test_an_odd_wait_is_none(delay: str) -> None:
    said = f'{{"type": "auto_retry_start", "errorMessage": "429", "delayMs": {delay}}}\n'
    heard = events.pi(Output(said.encode(), b"", b"", 1))
    assert heard.retry_after == 0
    assert heard.waiting


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (
            "ContextWindowExceededError: This model's maximum context length is 8192 tokens",
            Fault.CONTEXT_OVERFLOW,
        ),
        ("the prompt is too long for the context window", Fault.CONTEXT_OVERFLOW),
        ("FAILED test_context_window - AssertionError", Fault.NONE),
        ("assert context_size == 3", Fault.NONE),
        ("429 Too Many Requests", Fault.RATE_LIMITED),
        ("401 Unauthorized", Fault.NONE),
        ("You've reached your usage limit. Try again in 3 days.", Fault.USAGE_LIMIT),
        ("Your weekly limit has been reached.", Fault.USAGE_LIMIT),
        ("FAILED test_session_limit - assert 3 == 4", Fault.NONE),
    ],
)
def test_of_an_unknown_command_its_tests_words_are_no_fault(said: str, fault: Fault) -> None:
    heard = documents.any_command(Output(b"", f"working\n{said}\n".encode(), b"", 1))
    assert heard.fault is fault
    assert heard.trouble


@pytest.mark.parametrize("errors", [5, True, None, "abc", {"a": 1}, [5, None, "told"]])
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_odd_errors_are_no_error_of_ours(preset: str, errors: object) -> None:
    said = {"type": "result", "subtype": "error_x", "is_error": True, "errors": errors, "usage": 5}
    assert not PRESETS[preset].parse(Output(f"{json.dumps(said)}\n".encode(), b"", b"", 1)).usage.turns


@pytest.mark.parametrize(
    ("stderr", "said"),
    [
        ("12 |   throw\n\nerror: Unexpected server error: database is locked\n      at open (/$bunfs/x.js:1)\n\nBun v1.3.14 (Linux x64 baseline)\n",
         "error: Unexpected server error: database is locked"),
        ("EROFS: read-only file system, mkdir '/s/opencode'\n    path: \"/s/opencode\",\n syscall: \"mkdir\",\n    code: \"EROFS\"\n\n\nBun v1.3.14\n",
         "EROFS: read-only file system, mkdir '/s/opencode'"),
        ("/app/cli.js:3\nTypeError: fetch is not a function\n    at main (/app/cli.js:3:1)\n\nNode.js v20.11.0\n", "TypeError: fetch is not a function"),
        ("could not begin\n", "could not begin"),
        ("Bun v1.3.14 (Linux x64 baseline)\n", "Bun v1.3.14 (Linux x64 baseline)"),
    ],
    ids=["bun", "bun's system error", "node", "plain", "alone"],
)  # fmt: skip
def test_a_crash_of_the_client_is_said_by_its_error_and_not_by_its_runtime(stderr: str, said: str) -> None:
    assert events.opencode(Output(b"", stderr.encode(), exit_code=1)).trouble == said


def test_an_agent_over_the_protocol_keeps_the_keys_of_its_client() -> None:
    for command in (
        ("claude-agent-acp",),
        ("npx", "-y", "@zed-industries/claude-agent-acp"),
        ("claude-code-acp",),
    ):
        assert acp_of(command).keys == PRESETS["claude"].keys

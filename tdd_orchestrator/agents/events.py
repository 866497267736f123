"""Clients that print events, one JSON object a line: pure functions from bytes to ParsedOutput.

The exit code alone says little: several clients exit 0 after a wrong key.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

from tdd_orchestrator.agents import documents
from tdd_orchestrator.agents.agent import Fault, Usage
from tdd_orchestrator.agents.parsed_output import (
    Output,
    ParsedOutput,
    dig,
    json_lines,
    load,
    retry_after,
    stderr_error,
    text_of,
    trouble,
    whole,
    words,
)
from tdd_orchestrator.agents.usage import (
    usage_of_acp,
    usage_of_acp_message,
    usage_of_cline,
    usage_of_copilot,
    usage_of_messages,
    usage_of_models,
    usage_of_pi,
    usage_of_result,
    usage_of_step,
    usage_with_cache_inside,
)
from tdd_orchestrator.text import one_line


def result_event(output: Output) -> ParsedOutput:
    """Claude Code, Qwen Code, Cursor: a last event ``result``; as JSON lines, as one object or as one
    array."""
    events = list(json_lines(output.stdout))
    if not events:
        found = load(output.stdout)
        events = [
            event for event in (found if isinstance(found, list) else [found]) if isinstance(event, dict)
        ]
    result = next((event for event in reversed(events) if event.get("type") == "result"), None)
    session = next((words(event.get("session_id")) for event in events if event.get("session_id")), "")
    opening = next((event for event in events if event.get("subtype") == "init"), {})
    known: dict[str, Any] = {
        "session": session,
        "model": words(opening.get("model")),
        "version": words(opening.get("claude_code_version") or opening.get("qwen_code_version")),
    }
    if result is None:
        stopped = _retrying(events) or _asking_again(output) or stderr_error(output)
        return replace(stopped, text=_last_text(events), usage=usage_of_messages(events), **known)
    usage = usage_of_result(result, events)
    text = words(result.get("result")) or words(dig(result, "error", "message"))  # qwen from 0.24
    subtype = words(result.get("subtype"))
    if words(result.get("stop_reason")) in _CUT:
        parsed = trouble(text or "no answer", completed=True, usage=usage, **known)
        return replace(parsed, fault=_CUT[words(result.get("stop_reason"))], text=text)
    if result.get("is_error") or "[API Error" in text[-2000:] or subtype.startswith("error"):
        if opening and not usage_of_messages(events).output_tokens:
            usage = replace(usage, output_tokens=0)  # no message counts any: the result's is a guess
        return _result_trouble(result, text, subtype, {**known, "usage": usage})
    return ParsedOutput(completed=True, text=text, usage=usage, **known)


_CUT = {"refusal": Fault.REFUSED, "max_tokens": Fault.OUTPUT_CUT}


def _last_text(events: list[dict[str, Any]]) -> str:
    """Return the model's last message, where there is no result event."""
    texts = (text_of(dig(event, "message")) for event in reversed(events) if event.get("type") == "assistant")
    return next((text for text in texts if text), "")


def _result_trouble(result: dict[str, Any], text: str, subtype: str, known: dict[str, Any]) -> ParsedOutput:
    status = result.get("api_error_status")
    api_error = text[text.find("[API Error") :] if "[API Error" in text else text
    errors = result.get("errors")
    message = api_error or "; ".join(map(words, errors if isinstance(errors, list) else ())) or subtype
    parsed = trouble(message, status if isinstance(status, int) else None, completed=True, **known)
    by_name = {"error_max_turns": Fault.MAX_TURNS, "error_max_budget_usd": Fault.MAX_BUDGET}
    return replace(parsed, fault=by_name.get(subtype, parsed.fault), text=text)


def _retrying(events: list[dict[str, Any]]) -> ParsedOutput | None:
    """Claude's last event ``system/api_retry``: it was waiting for its provider when it was stopped."""
    last: dict[str, Any] = next((one for one in reversed(events) if one.get("type") == "system"), {})
    if last.get("subtype") != "api_retry":
        return None
    status = last.get("error_status")
    parsed = trouble(
        words(last.get("error")) or "the provider does not answer",
        status if isinstance(status, int) else None,
    )
    return replace(parsed, waiting=True, retry_after=whole(last.get("retry_delay_ms")) / 1000)


_REQUEST = re.compile(rb"(?m)^\[log_\w+[^]\n]*\] (.*)")


def _asking_again(output: Output) -> ParsedOutput | None:
    """Qwen's last line of its OpenAI library: a request that failed, and that is made again."""
    requests = _REQUEST.findall(output.stdout)
    said = requests[-1].decode("utf-8", "replace") if requests else ""
    return trouble(said, waiting=True) if re.search(r" failed\b| timed out\b", said) else None


def codex(output: Output) -> ParsedOutput:
    """JSON lines: ``thread.started``, items, then ``turn.completed`` or ``turn.failed``.

    Its usage stands in ``turn.completed`` alone; of other runs it is in the session's own log
    (:func:`codex_session`)."""
    parsed, usage, text, session, turns, last_error = ParsedOutput(), Usage(), "", "", 0, ""
    for event in json_lines(output.stdout):
        kind = event.get("type")
        if kind == "thread.started":
            session = words(event.get("thread_id"))
        elif kind == "item.completed":
            item = dig(event, "item", "type")
            turns += item != "error"
            if item == "agent_message":
                text = words(dig(event, "item", "text"))
            last_error = ""
        elif kind == "turn.completed":
            usage += usage_with_cache_inside(event.get("usage"))
            parsed = ParsedOutput(completed=True)
        elif kind == "turn.failed":
            parsed = trouble(words(dig(event, "error", "message")) or "the turn failed", completed=True)
        elif kind == "error":
            last_error = words(event.get("message"))
    if not parsed.completed:
        parsed = trouble(last_error, waiting=True) if last_error else stderr_error(output)
    return replace(parsed, text=text, session=session, usage=replace(usage, turns=turns))


def opencode(output: Output) -> ParsedOutput:
    """JSON lines; each ``step_finish`` has tokens and cost, the last one has ``reason`` stop. While it asks
    its provider again, only its log on standard error says so."""
    parsed, text, session, usage, at = ParsedOutput(), "", "", Usage(), 0
    error: ParsedOutput | None = None
    for event in json_lines(output.stdout):
        at = whole(event.get("timestamp"))
        session = words(event.get("sessionID")) or session
        part = event.get("part")
        kind = event.get("type")
        if kind == "text":
            text = words(dig(part, "text"))
        elif kind == "step_finish":
            usage += usage_of_step(part)
            parsed = _opencode_end(words(dig(part, "reason")))
        elif kind == "error":
            error = _opencode_error(event)
            parsed = error
    if error and output.exit_code:  # a step after the error (its summary) does not undo it
        parsed = error
    if not parsed.completed and not parsed.trouble:
        own = b"\n".join(line for line in output.stderr.split(b"\n") if not line.startswith(b"timestamp="))
        parsed = _opencode_log(output.stderr, at) or stderr_error(replace(output, stderr=own))
    return replace(parsed, text=text, session=session, usage=usage)


_STREAM_ERROR = re.compile(
    r'(?m)^timestamp=(\S+) level=ERROR .*message="stream error".* error\.error="((?:[^"\\]|\\.)*)"'
)


def _opencode_log(log: bytes, since: int) -> ParsedOutput | None:
    """Return the newest error of a request in OpenCode's log, where nothing came after it; ``since``: the
    time of its last event, in milliseconds."""
    found = _STREAM_ERROR.findall(log.decode("utf-8", "replace"))
    at, message = found[-1] if found else ("", "")
    newer = bool(at) and datetime.fromisoformat(at).timestamp() * 1000 > since
    return trouble(message, waiting=True) if newer else None


def _opencode_end(reason: str) -> ParsedOutput:
    ends = {"length": Fault.OUTPUT_CUT, "content-filter": Fault.REFUSED}
    if reason in ends:
        return ParsedOutput(completed=True, trouble=f"the step ended by {reason}", fault=ends[reason])
    return ParsedOutput(completed=reason == "stop")


def _opencode_error(event: dict[str, Any]) -> ParsedOutput:
    name = words(dig(event, "error", "name"))
    message = words(dig(event, "error", "data", "message")) or name or "the step failed"
    status = dig(event, "error", "data", "statusCode")
    asked = dig(event, "error", "data", "responseHeaders", "retry-after")
    parsed = trouble(f"{name}: {message}", status if isinstance(status, int) else None, completed=True)
    return replace(parsed, retry_after=retry_after(f"retry-after: {asked}") if asked else parsed.retry_after)


def pi(output: Output) -> ParsedOutput:
    """JSON lines; the last ``agent_end`` has the messages. Exit code 0 whatever happened."""
    session, ended, text = "", False, ""
    last: Any = None
    in_turn: Any = None  # the answer of a turn that has not ended: its tools run
    newest: dict[str, Any] = {}
    usage = Usage()
    for event in json_lines(output.stdout):
        kind, newest = event.get("type"), event
        if kind == "session":
            session = words(event.get("id"))
        elif kind == "message_end" and dig(event, "message", "role") == "assistant":
            in_turn = event.get("message")
        elif kind == "turn_end":
            last, in_turn = event.get("message"), None
            usage += usage_of_pi(dig(last, "usage"))
            text = text_of(last) or text
        elif kind in ("agent_start", "agent_end"):
            ended = kind == "agent_end"
    if in_turn:
        usage, text = usage + usage_of_pi(dig(in_turn, "usage")), text_of(in_turn) or text
    known: dict[str, Any] = {
        "session": session, "text": text, "usage": usage, "model": words(dig(last or in_turn, "model")),
    }  # fmt: skip
    if words(newest.get("type")) in _PI_ASKS and not ended:
        return replace(_pi_waits(newest, last), **known)
    if last is None and not ended:
        return replace(stderr_error(output), **known)
    if dig(last, "stopReason") in ("error", "aborted"):
        parsed = trouble(words(dig(last, "errorMessage")) or "stopped by an error", completed=ended)
        return replace(parsed, waiting=not ended, **known)
    if dig(last, "stopReason") == "length":
        return ParsedOutput(completed=ended, trouble="reason: length", fault=Fault.OUTPUT_CUT, **known)
    return ParsedOutput(completed=ended, **known)


_NO_ANSWER = ParsedOutput(trouble="its model had not answered", fault=Fault.UNREACHABLE, waiting=True)
_PI_ASKS = frozenset({"turn_start", "message_start", "message_update", "message_end", "auto_retry_start"})
"""Where its output ends with one of these, its model had not answered."""


def _pi_waits(event: dict[str, Any], last: Any) -> ParsedOutput:
    """Return the fault of a client that waits silently for its provider: stopped then, the provider is
    at fault, not the work."""
    failed = dig(last, "stopReason") in ("error", "aborted")
    message = words(event.get("errorMessage")) or (words(dig(last, "errorMessage")) if failed else "")
    parsed = trouble(message) if message else _NO_ANSWER
    return replace(parsed, waiting=True, retry_after=whole(event.get("delayMs")) / 1000)


def gemini(output: Output) -> ParsedOutput:
    """Parse JSON lines: ``init``, messages and tools, then ``result`` with its status and usage."""
    parsed: ParsedOutput | None = None
    text, session, model, usage, tools, turns = "", "", "", Usage(), True, 0
    for event in json_lines(output.stdout):
        kind = event.get("type")
        if kind == "init":
            session, model = words(event.get("session_id")), words(event.get("model"))
        elif kind in ("message", "tool_use") and event.get("role") != "user":
            turns += tools
            text = ("" if tools else text) + words(event.get("content"))
            tools = False
        elif kind == "tool_result":
            tools = True
        elif kind == "result":
            usage = usage_of_models(dig(event, "stats", "models"))
            parsed = ParsedOutput(completed=True)
            if event.get("status") != "success":
                parsed = trouble(words(dig(event, "error", "message")) or "the run failed", completed=True)
    if not session and parsed is None:
        return documents.gemini(output)
    parsed = parsed or stderr_error(output)
    known = replace(usage, turns=turns)
    return replace(parsed, text=text, session=session, model=model, usage=known)


def cline(output: Output) -> ParsedOutput:
    """JSON lines: requests and errors as ``agent_event``; the last, ``run_result``, has the answer in
    ``text``."""
    parsed, text, usage, error = ParsedOutput(), "", Usage(), ""
    for event in json_lines(output.stdout):
        usage += usage_of_cline(event)
        error = words(dig(event, "event", "error", "message")) or error
        if event.get("type") == "run_result":
            text, parsed = words(event.get("text")), ParsedOutput(completed=True)
    if output.exit_code != 0 or not parsed.completed:
        parsed = trouble(error) if error else stderr_error(output)
    return replace(parsed, text=text, usage=usage)


def kimi(output: Output) -> ParsedOutput:
    """JSON lines of messages by role; the run is complete where it exits 0 after an answer without tool
    calls."""
    text, calls, turns = "", False, 0
    for event in json_lines(output.stdout):
        if event.get("role") == "assistant":
            content = event.get("content")
            text = words(content) or text_of(event) or text
            calls, turns = bool(event.get("tool_calls")), turns + 1
    known = Usage(turns=turns)  # it says nothing of tokens
    if output.exit_code != 0 or not turns:
        return replace(stderr_error(output), text=text, usage=known)
    return ParsedOutput(completed=not calls, text=text, usage=known)


_ACP_STOPS = {
    "refusal": Fault.REFUSED,
    "max_tokens": Fault.OUTPUT_CUT,
    "max_turn_requests": Fault.MAX_TURNS,
    "cancelled": Fault.KILLED,
}


def acp(output: Output) -> ParsedOutput:
    """Parse the agent's side of an Agent Client Protocol session: updates, and the answers to our
    requests; the last has ``stopReason``. Its last words are the text after the last tool call."""
    parsed, usage, text, session, version = ParsedOutput(), Usage(), "", "", ""
    worked, requests = False, Usage()
    for event in json_lines(output.stdout):
        version = words(dig(event, "result", "agentInfo", "version")) or version
        update = dig(event, "params", "update")
        kind = dig(update, "sessionUpdate")
        if kind == "usage_update":
            usage = usage_of_acp(update, usage)
        elif kind == "agent_message_chunk":
            text += words(dig(update, "content", "text"))
            requests += usage_of_acp_message(event)
        elif kind in ("tool_call", "tool_call_update") or event.get("method") == "session/request_permission":
            text, worked = "", True
        session = (
            words(dig(event, "result", "sessionId")) or words(dig(event, "params", "sessionId")) or session
        )
        stop = words(dig(event, "result", "stopReason"))
        if "result" in event and not stop:
            text = ""  # what it said until then was of a session that goes on
        if stop:
            reason = f"it stopped by {stop}" if stop in _ACP_STOPS else ""
            parsed = ParsedOutput(completed=True, trouble=reason, fault=_ACP_STOPS.get(stop, Fault.NONE))
            spent = usage_of_acp_message(event)
            usage = replace(spent, cost=usage.cost) if spent.total else usage  # said in an update alone
        elif isinstance(event.get("error"), dict):
            parsed = _acp_error(event["error"])
            if parsed.fault is Fault.CONTEXT_OVERFLOW and worked:  # its tokens are not said before its end
                parsed = replace(parsed, fault=Fault.CONTEXT_FILLED)
        elif event.get("bridge"):
            parsed = ParsedOutput(
                trouble=words(event["bridge"]), fault=Fault.DENIED if event.get("model") else Fault.PROTOCOL
            )
    if not parsed.completed and not parsed.trouble:
        parsed = stderr_error(output)
    usage = usage if usage.total else replace(requests, cost=usage.cost)
    return replace(parsed, text=text, session=session, version=version, usage=usage)


_OF_AGENT = -32603
_PREFIX = re.compile(r"(?i)^internal error(?:: )?")


def _acp_error(error: dict[str, Any]) -> ParsedOutput:
    code = error.get("code")
    details = dig(error, "data", "details") or dig(error, "data", "message") or error.get("data")
    message = ": ".join(filter(None, (words(error.get("message")), str(details or ""))))
    if code == _OF_AGENT:  # of the agent's own, whatever the words behind it are about
        message = _PREFIX.sub("", message)
    parsed = trouble(
        message or "the agent answered with an error", code if isinstance(code, int) and code > 0 else None
    )
    return replace(parsed, fault=Fault.AUTH) if code == -32000 else parsed


def copilot(output: Output) -> ParsedOutput:
    """JSON lines; the last event ``result`` has ``exitCode``; errors are ``session.error`` before it, and
    ``model.call_failure`` where it asks again."""
    parsed, text, usage, session, model = ParsedOutput(), "", Usage(), "", ""
    error: ParsedOutput | None = None
    asks: ParsedOutput | None = None
    for event in json_lines(output.stdout):
        kind, data = event.get("type"), event.get("data")
        if kind == "assistant.message":
            text = words(dig(data, "content")) or text
            model = words(dig(data, "model")) or model
            usage, asks = usage + Usage(turns=1), None
        elif kind == "model.call_start":
            asks = asks or _NO_ANSWER
        elif kind == "model.call_failure":
            asks = _copilot_failure(data)
        elif kind == "assistant.usage":
            usage += replace(usage_of_copilot(data), turns=0)
        elif kind == "session.error":
            status = dig(data, "statusCode")
            error = trouble(
                words(dig(data, "message")) or "the session failed",
                status if isinstance(status, int) else None,
            )
        elif kind == "result":
            session = words(event.get("sessionId"))
            parsed = ParsedOutput(completed=True)
            if event.get("exitCode") != 0:
                parsed = error or trouble(f"result with exit code {event.get('exitCode')}")
                parsed = replace(parsed, completed=True)
    if not parsed.completed:
        parsed = error or asks or stderr_error(output)
    return replace(parsed, text=text, session=session, model=model, usage=usage)


def _copilot_failure(data: Any) -> ParsedOutput:
    said, status = words(dig(data, "errorMessage")), dig(data, "statusCode")
    parsed = trouble(said, status if isinstance(status, int) else None, waiting=True)
    return replace(parsed, trouble=one_line(words(dig(load(said), "message")) or said))

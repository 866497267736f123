"""Output of the known command lines, read: pure functions from bytes to :class:`Heard`.

The exit code alone says little: several tools exit 0 after a wrong key, and one exits with the HTTP status modulo 256.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tdd_orchestrator.agents.agent import Fault, Usage
from tdd_orchestrator.agents.heard import (
    Heard,
    Output,
    dig,
    fault_of,
    json_lines,
    last_object,
    load,
    money,
    retry_after,
    trouble,
    whole,
    words,
)
from tdd_orchestrator.text import one_line

_A_PROVIDERS_WORD = frozenset({Fault.RATE_LIMITED, Fault.OVERLOADED, Fault.QUOTA, Fault.AUTH})


def any_command(output: Output) -> Heard:
    """A command of the user's: its exit code is its word. Where that is not 0, its last lines may name a fault."""
    if output.exit_code == 0:
        return Heard(completed=True)
    last = b"\n".join((output.stderr or output.stdout)[-4000:].splitlines()[-5:]).decode("utf-8", "replace")
    fault = fault_of(last)
    return trouble(last) if fault in _A_PROVIDERS_WORD else Heard()


def result_event(output: Output) -> Heard:
    """Claude Code, Qwen Code, Cursor: a last event ``result``; as JSON lines, as one object or as one array."""
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
        return replace(_retrying(events) or _stderr_error(output), **known)
    usage = Usage(
        whole(dig(result, "usage", "input_tokens")),
        whole(dig(result, "usage", "cache_read_input_tokens")),
        whole(dig(result, "usage", "output_tokens")),
        money(result.get("total_cost_usd")),
        whole(result.get("num_turns")),
    )
    text = words(result.get("result"))
    subtype = words(result.get("subtype"))
    if result.get("is_error") or "[API Error" in text[-2000:] or subtype.startswith("error"):
        return _result_trouble(result, text, subtype, {**known, "usage": usage})
    return Heard(completed=True, text=text, usage=usage, **known)


def _result_trouble(result: dict[str, Any], text: str, subtype: str, known: dict[str, Any]) -> Heard:
    status = result.get("api_error_status")
    told = text[text.find("[API Error") :] if "[API Error" in text else text
    said = told or "; ".join(words(error) for error in result.get("errors") or []) or subtype
    heard = trouble(said, status if isinstance(status, int) else None, completed=True, **known)
    by_name = {"error_max_turns": Fault.MAX_TURNS, "error_max_budget_usd": Fault.MAX_BUDGET}
    return replace(heard, fault=by_name.get(subtype, heard.fault), text=text)


def _retrying(events: list[dict[str, Any]]) -> Heard | None:
    """Claude's last event ``system/api_retry``: it was waiting for its provider when it was stopped."""
    last: dict[str, Any] = next((one for one in reversed(events) if one.get("type") == "system"), {})
    if last.get("subtype") != "api_retry":
        return None
    status = last.get("error_status")
    heard = trouble(
        words(last.get("error")) or "the provider does not answer",
        status if isinstance(status, int) else None,
    )
    delay = last.get("retry_delay_ms")
    return replace(heard, waiting=True, retry_after=delay / 1000 if isinstance(delay, int | float) else 0.0)


def codex(output: Output) -> Heard:
    """JSON lines: ``thread.started``, items, then ``turn.completed`` or ``turn.failed``."""
    heard, usage, text, session, turns, last_error = Heard(), Usage(), "", "", 0, ""
    for event in json_lines(output.stdout):
        kind = event.get("type")
        if kind == "thread.started":
            session = words(event.get("thread_id"))
        elif kind == "item.completed":
            turns += 1
            if dig(event, "item", "type") == "agent_message":
                text = words(dig(event, "item", "text"))
            last_error = ""
        elif kind == "turn.completed":
            found = event.get("usage")
            usage = Usage(
                whole(dig(found, "input_tokens")),
                whole(dig(found, "cached_input_tokens")),
                whole(dig(found, "output_tokens")),
                turns=turns,
            )
            heard = Heard(completed=True)
        elif kind == "turn.failed":
            heard = trouble(words(dig(event, "error", "message")) or "the turn failed", completed=True)
        elif kind == "error":
            last_error = words(event.get("message"))
    if not heard.completed:
        heard = trouble(last_error, waiting=True) if last_error else _stderr_error(output)
    return replace(heard, text=text, session=session, usage=usage)


def gemini(output: Output) -> Heard:
    """One JSON object on standard output; a failure is a JSON object on standard error, after stack traces."""
    found = last_object(output.stdout)
    session = words(found.get("session_id"))
    if "response" in found and not found.get("error"):
        models = dig(found, "stats", "models")
        models = models if isinstance(models, dict) else {}
        tokens = [dig(model, "tokens") for model in models.values()]
        usage = Usage(
            sum(whole(dig(one, "prompt")) for one in tokens),
            sum(whole(dig(one, "cached")) for one in tokens),
            sum(whole(dig(one, "candidates")) for one in tokens),
            turns=sum(whole(dig(model, "api", "totalRequests")) for model in models.values()),
        )
        return Heard(
            True, words(found.get("response")), session=session, usage=usage, model=next(iter(models), "")
        )
    return replace(_stderr_error(output), session=session)


def opencode(output: Output) -> Heard:
    """JSON lines; each ``step_finish`` has tokens and cost, the last one has ``reason`` stop."""
    heard, text, session = Heard(), "", ""
    read = cached = wrote = turns = 0
    cost: float | None = None
    for event in json_lines(output.stdout):
        session = words(event.get("sessionID")) or session
        part = event.get("part")
        kind = event.get("type")
        if kind == "text":
            text = words(dig(part, "text"))
        elif kind == "step_finish":
            turns += 1
            read += whole(dig(part, "tokens", "input"))
            cached += whole(dig(part, "tokens", "cache", "read"))
            wrote += whole(dig(part, "tokens", "output"))
            spent = money(dig(part, "cost"))
            cost = (cost or 0.0) + spent if spent is not None else cost
            heard = Heard(completed=dig(part, "reason") == "stop")
        elif kind == "error":
            heard = _opencode_error(event)
    if not heard.completed and not heard.trouble:
        heard = _stderr_error(output)
    return replace(heard, text=text, session=session, usage=Usage(read, cached, wrote, cost, turns))


def _opencode_error(event: dict[str, Any]) -> Heard:
    name = words(dig(event, "error", "name"))
    message = words(dig(event, "error", "data", "message")) or name or "the step failed"
    status = dig(event, "error", "data", "statusCode")
    asked = dig(event, "error", "data", "responseHeaders", "retry-after")
    heard = trouble(f"{name}: {message}", status if isinstance(status, int) else None, completed=True)
    return replace(heard, retry_after=retry_after(f"retry-after: {asked}") if asked else heard.retry_after)


def pi(output: Output) -> Heard:
    """JSON lines; the last ``agent_end`` has the messages. Exit code 0 whatever happened."""
    session, ended, text = "", False, ""
    last: Any = None
    read = cached = wrote = turns = 0
    cost: float | None = None
    for event in json_lines(output.stdout):
        kind = event.get("type")
        if kind == "session":
            session = words(event.get("id"))
        elif kind == "turn_end":
            last = event.get("message")
            turns += 1
            read += whole(dig(last, "usage", "input"))
            cached += whole(dig(last, "usage", "cacheRead"))
            wrote += whole(dig(last, "usage", "output"))
            spent = money(dig(last, "usage", "cost", "total"))
            cost = (cost or 0.0) + spent if spent is not None else cost
            text = _pi_text(last) or text
        elif kind in ("agent_start", "agent_end"):
            ended = kind == "agent_end"
    known: dict[str, Any] = {
        "session": session, "text": text, "usage": Usage(read, cached, wrote, cost, turns), "model": words(dig(last, "model")),
    }  # fmt: skip
    if last is None and not ended:
        return replace(_stderr_error(output), **known)
    if dig(last, "stopReason") in ("error", "aborted"):
        heard = trouble(words(dig(last, "errorMessage")) or "stopped by an error", completed=ended)
        return replace(heard, waiting=not ended, **known)
    return Heard(completed=ended, **known)


def _pi_text(message: Any) -> str:
    parts = dig(message, "content")
    found = (
        [words(dig(part, "text")) for part in parts if dig(part, "type") == "text"]
        if isinstance(parts, list)
        else []
    )
    return "\n".join(part for part in found if part)


def copilot(output: Output) -> Heard:
    """JSON lines; the last event ``result`` has ``exitCode``; errors are ``session.error`` before it."""
    heard, text, error, turns, session, model = Heard(), "", None, 0, "", ""
    for event in json_lines(output.stdout):
        kind, data = event.get("type"), event.get("data")
        if kind == "assistant.message":
            text = words(dig(data, "content")) or text
            model = words(dig(data, "model")) or model
            turns += 1
        elif kind == "session.error":
            status = dig(data, "statusCode")
            error = trouble(
                words(dig(data, "message")) or "the session failed",
                status if isinstance(status, int) else None,
            )
        elif kind == "result":
            session = words(event.get("sessionId"))
            heard = Heard(completed=True)
            if event.get("exitCode") != 0:
                heard = error or trouble(f"result with exit code {event.get('exitCode')}")
                heard = replace(heard, completed=True)
    if not heard.completed:
        heard = error or _stderr_error(output)
    return replace(heard, text=text, session=session, model=model, usage=Usage(turns=turns))


def mini(output: Output) -> Heard:
    """mini-swe-agent: the trajectory file has ``info.exit_status``; only ``Submitted`` is an end."""
    info = dig(load(output.file), "info")
    status = words(dig(info, "exit_status"))
    stats = dig(info, "model_stats")
    usage = Usage(cost=money(dig(stats, "instance_cost")), turns=whole(dig(stats, "api_calls")))
    known: dict[str, Any] = {"usage": usage, "version": words(dig(info, "mini_version"))}
    if status == "Submitted":
        return Heard(completed=True, text=words(dig(info, "submission")), **known)
    if status:
        said = f"{status}: {words(dig(info, 'exception_str')) or words(dig(info, 'submission'))}".rstrip(": ")
        return trouble(said, completed=True, **known)
    return replace(_stderr_error(output), **known)


_AIDER_TOKENS = re.compile(
    r"Tokens: ([\d.]+)(k?) sent,(?: [^,]+(?:cache)[^,]*,)* ([\d.]+)(k?) received\.(?:\s+Cost: \$[\d.]+ message, \$([\d.]+)\s+session)?"
)
_AIDER_ERROR = re.compile(
    r"(?m)^(?:litellm\.\w+(?:Error|Exception|Found|Exceeded)?: .*(?:\n(?!Retrying|The API).+){0,6}|The API provider .*)"
)


def aider(output: Output) -> Heard:
    """Human text: the line with tokens and cost is the completion record; ``litellm.*Error`` is an error mark."""
    text = output.stdout.decode("utf-8", "replace")
    tokens = list(_AIDER_TOKENS.finditer(text))
    errors = list(_AIDER_ERROR.finditer(text))
    version = re.search(r"(?m)^Aider v(\S+)", text)
    known: dict[str, Any] = {"version": version[1] if version else ""}
    if tokens:
        last = tokens[-1]
        known["usage"] = Usage(
            input_tokens=_kilo(last[1], last[2]),
            output_tokens=_kilo(last[3], last[4]),
            cost=float(last[5]) if last[5] else None,
            turns=len(tokens),
        )
    if errors and (not tokens or errors[-1].start() > tokens[-1].start()):
        retrying = "Retrying in" in text[errors[-1].start() :]
        return trouble(errors[-1][0], waiting=retrying, completed=not retrying, **known)
    if not tokens:
        return replace(_stderr_error(output), **known)
    opening = text.find("Repo-map:")
    body = text[max(text.find("\n", opening), 0) : tokens[-1].start()] if opening >= 0 else ""
    return Heard(completed=True, text=body.strip(), **known)


def _kilo(number: str, unit: str) -> int:
    try:
        return int(float(number) * (1000 if unit else 1))
    except ValueError:
        return 0


def goose(output: Output) -> Heard:
    """One JSON object with ``messages`` and ``metadata.status``."""
    found = last_object(output.stdout)
    if not isinstance(found.get("messages"), list):
        return _stderr_error(output)
    status = words(dig(found, "metadata", "status"))
    said = [
        words(dig(part, "text"))
        for message in found["messages"]
        if dig(message, "role") == "assistant"
        for part in (dig(message, "content") or [])
    ]
    text = next((part for part in reversed(said) if part), "")
    usage = Usage(input_tokens=whole(dig(found, "metadata", "total_tokens")), turns=len(said))
    if status and status != "completed":
        return trouble(f"{status}: {text}", completed=True, usage=usage)
    return Heard(completed=True, text=text, usage=usage)


def vibe(output: Output) -> Heard:
    """An array of entries; the last assistant message is the answer."""
    found = load(output.stdout)
    entries = found if isinstance(found, list) else []
    answers = [
        entry for entry in entries if dig(entry, "type") == "message" and dig(entry, "role") == "assistant"
    ]
    session = words(dig(entries, 0, "sessionId"))
    if not answers or output.exit_code != 0:
        return replace(_stderr_error(output), session=session)
    parts = dig(answers[-1], "content")
    text = "\n".join(words(dig(part, "text")) for part in parts) if isinstance(parts, list) else ""
    done = dig(entries, -1, "role") == "assistant" and dig(answers[-1], "generationStatus") == "completed"
    return Heard(completed=done, text=text, session=session, usage=Usage(turns=len(answers)))


_TRYING = re.compile(r"(?i)retrying (?:in|after)|reconnecting|attempt \d+ failed")


def _stderr_error(output: Output) -> Heard:
    """No completion record: what standard error says last, as a JSON error object or as lines."""
    found = last_object(output.stderr)
    error = found.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        message = f"{words(error.get('type'))}: {words(error.get('message'))}"
        status = code if isinstance(code, int) and 400 <= code < 600 else None
        return trouble(message, status, completed=True)
    text = output.stderr[-20_000:].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if _TRYING.search(line) or fault_of(line) is not Fault.API_ERROR]
    if telling:
        heard = trouble("\n".join(telling[-3:]))
        return replace(heard, waiting=bool(_TRYING.search("\n".join(lines[-40:]))))
    return Heard(trouble=one_line(lines[-1])) if lines and output.exit_code else Heard()

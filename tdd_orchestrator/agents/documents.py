"""Command lines that leave one document or human text, and any command of the user's: bytes to
:class:`Heard`.

The exit code alone says little: one tool exits with the HTTP status modulo 256, another with 0 when it is
ended.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tdd_orchestrator.agents.agent import Fault, Usage
from tdd_orchestrator.agents.faults import fault_of
from tdd_orchestrator.agents.parsed_output import (
    Output,
    ParsedOutput,
    dig,
    last_object,
    load,
    money,
    stderr_error,
    text_of,
    trouble,
    whole,
    words,
)
from tdd_orchestrator.agents.usage import usage_of_models, usage_of_vibe
from tdd_orchestrator.text import one_line

_OF_ANY = frozenset({Fault.RATE_LIMITED, Fault.OVERLOADED, Fault.CONTEXT_OVERFLOW, Fault.USAGE_LIMIT})
"""What is believed of a command that we do not know: a "401" in its last lines may be a test's."""
_ANSWER = 16 << 10  # bytes at the end of its standard output, which are its answer
_TOO_LONG = re.compile(r"(?i)exceed|too (?:long|large|many)|overflow|maximum|larger|longer")
_REACHED = re.compile(r"(?i)hit your|reached your|limit (?:(?:is|was|has been) )?reached")
_SURE = {Fault.CONTEXT_OVERFLOW: _TOO_LONG, Fault.USAGE_LIMIT: _REACHED}
"""Without such a word a "context_size" or a "session limit" in its last lines may be a test's too."""


def any_command(output: Output) -> ParsedOutput:
    """Classify the result of a user-defined agent command by its exit code; its last output is its
    answer. Where the exit code is not 0, the last lines may name a fault."""
    text = output.stdout[-_ANSWER:].decode("utf-8", "replace")
    if output.exit_code == 0:
        return ParsedOutput(completed=True, text=text)
    lines = (output.stderr or output.stdout)[-4000:].decode("utf-8", "replace").strip().splitlines()[-5:]
    said = "\n".join(lines)
    fault = fault_of(said)
    if fault in _OF_ANY and (fault not in _SURE or _SURE[fault].search(said)):
        return trouble(said, text=text)
    return ParsedOutput(trouble=one_line(lines[-1], 200) if lines else "", text=text)


def gemini(output: Output) -> ParsedOutput:
    """One JSON object on standard output; a failure is a JSON object on standard error, after stack
    traces."""
    found = last_object(output.stdout)
    session = words(found.get("session_id"))
    if "response" in found and not found.get("error"):
        models = dig(found, "stats", "models")
        model = next(iter(models), "") if isinstance(models, dict) else ""
        usage = usage_of_models(models)
        return ParsedOutput(True, words(found.get("response")), session=session, usage=usage, model=model)
    return replace(stderr_error(output), session=session)


_MINI_ENDS = {
    "LimitsExceeded": Fault.MAX_TURNS,
    "TimeExceeded": Fault.TIMEOUT_WALL,
    "RepeatedFormatError": Fault.PROTOCOL,
}


def mini(output: Output) -> ParsedOutput:
    """mini-swe-agent: the trajectory file has ``info.exit_status``; only ``Submitted`` is an end."""
    trajectory = load(output.file)
    info = dig(trajectory, "info")
    status = words(dig(info, "exit_status"))
    stats = dig(info, "model_stats")
    usage = Usage(cost=money(dig(stats, "instance_cost")) or None, turns=whole(dig(stats, "api_calls")))
    usage += _of_trajectory(trajectory)
    known: dict[str, Any] = {"usage": usage, "version": words(dig(info, "mini_version"))}
    if status == "Submitted":
        return ParsedOutput(completed=True, text=words(dig(info, "submission")), **known)
    if status:
        last = words(dig(trajectory, "messages", -1, "extra", "exception_str"))
        parsed = trouble(f"{status}: {last}".rstrip(": "), completed=True, **known)
        return replace(parsed, fault=_MINI_ENDS.get(status, parsed.fault))
    return replace(stderr_error(output), **known)


def _of_trajectory(trajectory: Any) -> Usage:
    """The tokens of every answer that the trajectory keeps."""
    messages = dig(trajectory, "messages")
    usage = Usage()
    for message in messages if isinstance(messages, list) else ():
        found = dig(message, "extra", "response", "usage")
        read = whole(dig(found, "prompt_tokens_details", "cached_tokens"))
        fresh = max(0, whole(dig(found, "prompt_tokens")) - read)
        usage += Usage(fresh, read, whole(dig(found, "completion_tokens")))
    return usage


_AIDER_TOKENS = re.compile(
    r"Tokens: ([\d.]+)(k?) sent,(?: [^,]+(?:cache)[^,]*,)* ([\d.]+)(k?) received\.(?:\s+Cost: "
    r"\$[\d.]+ message, \$([\d.]+)\s+session)?"
)
_AIDER_ERROR = re.compile(
    r"(?m)^litellm\.\w+(?:Error|Exception|Found|Exceeded)?: .*(?:\n(?!Retrying|The API|litellm).+){0,6}"
    r"|^Model \S+ has hit a token limit!(?:\n.*){0,5}"
)


def aider(output: Output) -> ParsedOutput:
    """Human text: the line with tokens and cost is the completion record; ``litellm.*Error`` is an error
    mark."""
    text = output.stdout.decode("utf-8", "replace")
    tokens = list(_AIDER_TOKENS.finditer(text))
    errors = list(_AIDER_ERROR.finditer(text))
    version = re.search(r"(?m)^Aider v(\S+)", text)
    known: dict[str, Any] = {"version": version[1] if version else ""}
    if tokens:
        last = tokens[-1]
        known["usage"] = Usage(
            input_tokens=sum(_kilo(one[1], one[2]) for one in tokens),
            output_tokens=sum(_kilo(one[3], one[4]) for one in tokens),
            cost=float(last[5]) if last[5] else None,
            turns=len(tokens),
        )
    if errors and (not tokens or errors[-1].start() > tokens[-1].start()):
        retrying = "Retrying in" in text[errors[-1].start() :]
        return trouble(errors[-1][0], waiting=retrying, completed=not retrying, **known)
    if not tokens:
        return replace(stderr_error(output), **known)
    opening = text.find("Repo-map:")
    body = text[max(text.find("\n", opening), 0) : tokens[-1].start()] if opening >= 0 else ""
    return ParsedOutput(completed=True, text=body.strip(), **known)


def _kilo(number: str, unit: str) -> int:
    try:
        return int(float(number) * (1000 if unit else 1))
    except ValueError:
        return 0


def goose(output: Output) -> ParsedOutput:
    """One JSON object with ``messages`` and ``metadata.status``."""
    found = last_object(output.stdout)
    if not isinstance(found.get("messages"), list):
        return stderr_error(output)
    status = words(dig(found, "metadata", "status"))
    answers = [message for message in found["messages"] if dig(message, "role") == "assistant"]
    texts = [text_of(message) for message in answers]
    text = next((part for part in reversed(texts) if part), "")
    usage = Usage(input_tokens=whole(dig(found, "metadata", "total_tokens")), turns=len(texts))
    if status and status != "completed":
        return trouble(f"{status}: {text}", completed=True, usage=usage)
    return ParsedOutput(completed=True, text=text, usage=usage)


def openhands(output: Output) -> ParsedOutput:
    """Text for people; what it ends with names the conversation, whose own file counts the tokens."""
    named = re.search(r"(?m)^Conversation ID: (\w+)", output.stdout[-_ANSWER:].decode("utf-8", "replace"))
    return replace(any_command(output), session=named[1] if named else "")


_VIBE_ENDS = {
    "turn_limit": Fault.MAX_TURNS,
    "token_limit": Fault.MAX_BUDGET,
    "price_limit": Fault.MAX_BUDGET,
    "deadline": Fault.TIMEOUT_WALL,
    "length": Fault.OUTPUT_CUT,
    "refusal": Fault.REFUSED,
}


def vibe(output: Output) -> ParsedOutput:
    """An array of entries, of which the last assistant message is the answer; ``export.json`` has the outcome
    and the usage, of runs that failed or were ended too."""
    found, export = load(output.stdout), load(output.file)
    entries = found if isinstance(found, list) else []
    answers = [
        entry for entry in entries if dig(entry, "type") == "message" and dig(entry, "role") == "assistant"
    ]
    outcome, message = words(dig(export, "outcome")), words(dig(export, "error", "message"))
    if outcome in _VIBE_ENDS:
        parsed = ParsedOutput(trouble=message or f"Stopped: {outcome}", fault=_VIBE_ENDS[outcome])
    elif message:
        parsed = trouble(message)
    elif not answers or output.exit_code != 0:
        parsed = stderr_error(output)
    else:
        done = dig(entries, -1, "role") == "assistant" and dig(answers[-1], "generationStatus") == "completed"
        parsed = ParsedOutput(completed=done)
    usage = usage_of_vibe(export)
    return replace(
        parsed,
        text=text_of(answers[-1]) if answers else "",
        session=words(dig(export, "session_id")) or words(dig(entries, 0, "sessionId")),
        version=words(dig(export, "vibe_version")),
        usage=replace(usage, turns=usage.turns or len(answers)),
    )

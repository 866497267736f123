"""What clients say of tokens and cost, in one shape: each kind of token once, whatever the client counts into
which (A11); and its cost, by the table of prices where the client says none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from tdd_orchestrator.agents.agent import Usage
from tdd_orchestrator.agents.parsed_output import dig, json_lines, load, money, whole, words

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens of each kind."""

    input: float = 0.0
    cached: float = 0.0
    cache_creation: float = 0.0
    output: float = 0.0


def priced(usage: Usage, model: str, prices: Mapping[str, Price]) -> Usage:
    """The usage with its cost: the client's own, else by the row of its model, else unknown (None)."""
    if usage.cost is not None:
        return replace(usage, cost_from="client")
    price = prices.get(model) or prices.get(model.rpartition("/")[2])
    if price is None or not usage.total:
        return usage
    cost = (
        usage.input_tokens * price.input
        + usage.cached_tokens * price.cached
        + usage.cache_creation_tokens * price.cache_creation
        + usage.output_tokens * price.output
    )
    return replace(usage, cost=cost / _MILLION, cost_from="prices")


def usage_with_cache_inside(found: Any, turns: int = 0) -> Usage:
    """Count usage where cache reads are part of the input and reasoning of the output (OpenAI, Google)."""
    cached = whole(dig(found, "cached_input_tokens")) or whole(dig(found, "cache_read_input_tokens"))
    written = whole(dig(found, "cache_write_input_tokens"))
    fresh = max(0, whole(dig(found, "input_tokens")) - cached - written)
    return Usage(
        fresh, cached, whole(dig(found, "output_tokens")), turns=turns, cache_creation_tokens=written
    )


def usage_beside_cache(found: Any, turns: int = 0) -> Usage:
    """Count usage where input, cache reads and cache writes are apart (Anthropic); ``total_tokens``
    reveals the other way."""
    total, read = whole(dig(found, "total_tokens")), whole(dig(found, "cache_read_input_tokens"))
    if total and total == whole(dig(found, "input_tokens")) + whole(dig(found, "output_tokens")):
        return usage_with_cache_inside(found, turns)
    created = whole(dig(found, "cache_creation_input_tokens"))
    fresh, out = whole(dig(found, "input_tokens")), whole(dig(found, "output_tokens"))
    return Usage(fresh, read, out, turns=turns, cache_creation_tokens=created)


def usage_of_result(result: dict[str, Any], events: Iterable[dict[str, Any]]) -> Usage:
    """The figures of a last event ``result``: of all its models where it lists them, subagents included;
    else those of the messages before it, as Qwen's own figures are of all the runs of a session."""
    models = result.get("modelUsage")
    rows = list(models.values()) if isinstance(models, dict) else []
    usage = Usage()
    for row in rows:
        usage += Usage(
            whole(dig(row, "inputTokens")), whole(dig(row, "cacheReadInputTokens")),
            whole(dig(row, "outputTokens")),
            cache_creation_tokens=whole(dig(row, "cacheCreationInputTokens")),
        )  # fmt: skip
    if not usage.total:
        usage = usage_of_messages(events)
    if not usage.total:
        usage = usage_beside_cache(result.get("usage"))
    cost = money(result.get("total_cost_usd"))
    return usage + Usage(cost=cost, turns=max(0, whole(result.get("num_turns")) - usage.turns))


def usage_of_messages(events: Iterable[dict[str, Any]]) -> Usage:
    """The sum over the assistant's messages of a stream that has no result: each message once, though it
    comes in parts."""
    newest: dict[str, Any] = {}
    for event in events:
        message = event.get("message")
        if event.get("type") == "assistant":
            known = dig(message, "id")
            newest[known if isinstance(known, str) else str(len(newest))] = message
    counted = [
        usage_beside_cache(dig(message, "usage"), 1)
        for message in newest.values()
        if dig(message, "model") != "<synthetic>"
    ]
    # one answer of Qwen's is a message for each of its parts, of which the last is counted
    return sum([one for one in counted if one.total] or counted, Usage())


def usage_of_step(part: Any) -> Usage:
    """One step of OpenCode."""
    tokens = dig(part, "tokens")
    return Usage(
        whole(dig(tokens, "input")), whole(dig(tokens, "cache", "read")),
        whole(dig(tokens, "output")) + whole(dig(tokens, "reasoning")), money(dig(part, "cost")), 1,
        whole(dig(tokens, "cache", "write")),
    )  # fmt: skip


def usage_of_pi(found: Any) -> Usage:
    """One turn of pi."""
    return Usage(
        whole(dig(found, "input")), whole(dig(found, "cacheRead")), whole(dig(found, "output")),
        money(dig(found, "cost", "total")), 1, whole(dig(found, "cacheWrite")),
    )  # fmt: skip


def usage_of_acp(found: Any, before: Usage | None = None) -> Usage:
    """Return the figures of an answer, or the cost of a ``usage_update``; an update's ``used`` is the
    context size."""
    cost = money(dig(found, "cost", "amount")) if dig(found, "cost", "currency") in ("USD", None) else None
    fresh, out = whole(dig(found, "inputTokens")), whole(dig(found, "outputTokens"))
    read, written = whole(dig(found, "cachedReadTokens")), whole(dig(found, "cachedWriteTokens"))
    if whole(dig(found, "totalTokens")) == fresh + out:  # the cache is counted inside
        fresh = max(0, fresh - read - written)
    else:
        out += whole(dig(found, "thoughtTokens"))
    usage = Usage(fresh, read, out, cost, cache_creation_tokens=written)
    return usage if usage.total or usage.cost is not None or before is None else before


def usage_of_acp_message(message: Any) -> Usage:
    """What one message of the Agent Client Protocol counts: the answer to a prompt, or (Qwen) one request."""
    answer, update = dig(message, "result"), dig(message, "params", "update")
    request = usage_of_acp(dig(update, "_meta", "usage"))
    if request.total:
        return replace(request, turns=1)
    gemini = usage_with_cache_inside(dig(answer, "_meta", "quota", "token_count"))
    return gemini if gemini.total else usage_of_acp(dig(answer, "usage"))


def usage_of_cline(event: Any) -> Usage:
    """One request of Cline."""
    found = dig(event, "event")
    if dig(found, "type") != "usage":
        return Usage()
    read, written = whole(dig(found, "cacheReadTokens")), whole(dig(found, "cacheWriteTokens"))
    fresh = max(0, whole(dig(found, "inputTokens")) - read - written)
    return Usage(fresh, read, whole(dig(found, "outputTokens")), None, 1, written)


def usage_of_copilot(found: Any) -> Usage:
    """One request of Copilot."""
    read, written = whole(dig(found, "cacheReadTokens")), whole(dig(found, "cacheWriteTokens"))
    fresh = max(0, whole(dig(found, "inputTokens")) - read - written)
    return Usage(fresh, read, whole(dig(found, "outputTokens")), None, 1, written)


def usage_of_models(models: Any) -> Usage:
    """Gemini's statistics, by model; those of its stream have no ``tokens`` inside."""
    usage = Usage()
    for model in models.values() if isinstance(models, dict) else ():
        tokens = dig(model, "tokens") or model
        read = whole(dig(tokens, "cached"))
        prompt = whole(dig(tokens, "prompt")) or whole(dig(tokens, "input_tokens"))
        out = whole(dig(tokens, "candidates")) + whole(dig(tokens, "thoughts")) or whole(
            dig(tokens, "output_tokens")
        )
        usage += Usage(max(0, prompt - read), read, out, turns=whole(dig(model, "api", "totalRequests")))
    return usage


def usage_of_vibe(export: Any) -> Usage:
    """Return the figures of a run of Vibe and of its subagents, which stand apart there."""
    usage, subagents = Usage(), dig(export, "subagents")
    for run in (export, *(subagents if isinstance(subagents, list) else ())):
        usage += usage_with_cache_inside(dig(run, "usage"), whole(dig(run, "steps")))
        usage += Usage(cost=money(dig(run, "cost_usd")))
    return usage


def codex_session(log: bytes, since: datetime) -> Usage:
    """What Codex's own session log counts from ``since`` on: runs that failed or were ended have no other
    figures, and a resumed session's stream counts the whole of it."""
    usage, newest = Usage(), None
    for event in json_lines(log):
        info = dig(event, "payload", "info")
        total = dig(info, "total_token_usage")
        if dig(event, "payload", "type") != "token_count" or not total or total == newest:
            continue
        newest = total
        if _at(event) >= since:
            usage += usage_with_cache_inside(dig(info, "last_token_usage"), 1)
    return usage


def logged_or(usage: Usage, logged: Usage, *, first: bool) -> Usage:
    """Return a run's usage by its output; by its session log where that counts more, as after a run that was
    ended, or ``first``."""
    if logged.total and (first or logged.total > usage.total):
        return replace(logged, cost=usage.cost if logged.cost is None else logged.cost)
    return replace(usage, turns=usage.turns or logged.turns)


def gemini_session(log: bytes, since: datetime) -> Usage:
    """Return the usage that Gemini's session log counts from ``since`` on, each message once; its output
    counts at its end alone."""
    newest = {
        words(event.get("id")): event["tokens"]
        for event in json_lines(log)
        if event.get("type") == "gemini" and event.get("tokens") and _at(event) >= since
    }
    usage = Usage()
    for tokens in newest.values():
        read = whole(dig(tokens, "cached"))
        out = whole(dig(tokens, "output")) + whole(dig(tokens, "thoughts"))
        usage += Usage(max(0, whole(dig(tokens, "input")) - read), read, out, turns=1)
    return usage


def claude_session(log: bytes, since: datetime) -> Usage:
    """Return the usage that Claude Code's session log counts from ``since`` on, subagents included."""
    return usage_of_messages(event for event in json_lines(log) if _at(event) >= since)


def copilot_session(log: bytes, since: datetime) -> Usage:
    """Return the usage that Copilot's session log counts from ``since`` on; its stream counts none."""
    usage = Usage()
    for event in json_lines(log):
        if event.get("type") == "session.usage_record" and _at(event) >= since:
            usage += usage_of_copilot(dig(event, "data", "usage"))
    return usage


def opencode_session(log: bytes, since: datetime) -> Usage:
    """Return the usage that OpenCode's messages count from ``since`` on, subagents included; over ACP its
    answer counts the last request alone."""
    usage, start = Usage(), since.timestamp() * 1000
    for message in json_lines(log):
        one = usage_of_step(message)
        if one.total and whole(dig(message, "time", "created")) >= start:
            usage += one
    return usage


def openhands_session(log: bytes, since: datetime) -> Usage:
    """Return what OpenHands counts of a conversation, by use; each run has a conversation of its own."""
    usage, metrics = Usage(), dig(load(log), "stats", "usage_to_metrics")
    for found in metrics.values() if isinstance(metrics, dict) else ():
        requests = dig(found, "token_usages")
        for one in requests if isinstance(requests, list) else ():
            read, written = whole(dig(one, "cache_read_tokens")), whole(dig(one, "cache_write_tokens"))
            fresh = max(0, whole(dig(one, "prompt_tokens")) - read - written)
            usage += Usage(fresh, read, whole(dig(one, "completion_tokens")), None, 1, written)
    return usage


def _at(event: Any) -> datetime:
    try:
        at = datetime.fromisoformat(str(dig(event, "timestamp")))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return at if at.tzinfo else at.replace(tzinfo=UTC)

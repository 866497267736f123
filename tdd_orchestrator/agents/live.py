"""Follow an agent while it works, from its stream: last action, files, tokens (A13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.agents.parsed_output import dig, load, text_of, words
from tdd_orchestrator.agents.usage import (
    usage_beside_cache,
    usage_of_acp_message,
    usage_of_cline,
    usage_of_copilot,
    usage_of_models,
    usage_of_pi,
    usage_of_step,
    usage_with_cache_inside,
)
from tdd_orchestrator.text import one_line

_LONGEST = 1 << 20  # bytes of a line that is waited for
_SHOWN = 80  # characters of an action
_TARGETS = ("file_path", "filePath", "path", "absolute_path", "command", "cmd", "pattern", "query", "url")
_FILES = frozenset(_TARGETS[:4])
_EDITS = ("edit", "write", "create", "replace", "patch", "apply", "str_replace", "file_change")


@dataclass(frozen=True, slots=True)
class Action:
    """One tool call (with its subject) or one sentence."""

    tool: str = ""
    target: str = ""
    said: str = ""
    edits: str = ""  # the path that it changes

    def __str__(self) -> str:
        return one_line(f"{self.tool} {self.target}".strip() or self.said, _SHOWN)


@dataclass(frozen=True, slots=True)
class AgentProgress:
    """What an agent at work did last, for a screen or as an event; ``seconds`` since it was started."""

    phase: str
    agent: str
    action: str
    files: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        parts = [
            self.action.removesuffix("."),
            f"{self.files} file{'s'[: self.files != 1]}" if self.files else "",
            f"{self.tokens:,} tokens" if self.tokens else "",
        ]
        return f"{self.phase}: {self.agent}: {', '.join(part for part in parts if part)}"


@dataclass(slots=True)
class Activity:
    """The agent's activity so far.

    ``feed`` takes the client's standard output in pieces of any size; ``changed`` is called after each
    action.
    """

    changed: Callable[[Activity], None] = lambda _: None
    last: str = ""
    files: set[str] = field(default_factory=set)
    _tokens: dict[str, int] = field(default_factory=dict)  # by message: one comes in several events
    _sentence: str = ""
    _rest: bytes = b""
    _skips: bool = False

    def feed(self, data: bytes) -> None:
        """Read the lines that ``data`` completes."""
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        if self._skips and lines:
            lines, self._skips = lines[1:], False
        if len(self._rest) > _LONGEST:
            self._rest, self._skips = b"", True
        for line in lines:
            event = load(line) if line.lstrip().startswith(b"{") else None
            if isinstance(event, dict):
                self._see(event)

    @property
    def tokens(self) -> int:
        return sum(self._tokens.values())

    def _see(self, event: dict[str, Any]) -> None:
        tokens = tokens_of(event)
        if tokens:
            known = words(dig(event, "message", "id")) if event.get("type") == "assistant" else ""
            self._tokens[known or f"#{len(self._tokens)}"] = tokens
        for action in actions_of(event):
            begun = self._sentence if event.get("delta") is True else ""  # gemini: a sentence in pieces
            self._sentence = (begun + action.said)[: 2 * _SHOWN]
            self.last = str(replace(action, said=self._sentence))
            self.files |= {action.edits} - {""}
            self.changed(self)


def actions_of(event: dict[str, Any]) -> Iterator[Action]:
    """The tool calls and sentences of one event of any client that streams JSON lines."""
    kind = words(event.get("type"))
    if kind == "assistant":  # claude, qwen, cursor
        for part in dig(event, "message", "content") or ():
            if dig(part, "type") == "tool_use":
                yield _call(words(dig(part, "name")), dig(part, "input"))
            elif words(dig(part, "text")).strip():
                yield Action(said=words(dig(part, "text")))
    elif kind == "item.started" or (
        kind == "item.completed" and dig(event, "item", "type") == "agent_message"
    ):  # codex
        yield from _codex(event.get("item"))
    elif kind == "tool_use" and "tool_name" in event:  # gemini
        yield _call(words(event.get("tool_name")), event.get("parameters"))
    elif kind == "tool_use":  # opencode
        yield _call(words(dig(event, "part", "tool")), dig(event, "part", "state", "input"))
    elif kind == "tool_execution_start":  # pi
        yield _call(words(event.get("toolName")), event.get("args"))
    elif (
        dig(event, "event", "contentType") == "tool" and dig(event, "event", "type") == "content_start"
    ):  # cline
        yield _call(words(dig(event, "event", "toolName")), dig(event, "event", "input"))
    elif kind == "tool.execution_start":  # copilot
        yield _call(words(dig(event, "data", "toolName")), dig(event, "data", "arguments"))
    elif dig(event, "params", "update", "sessionUpdate") == "tool_call":  # the Agent Client Protocol
        update = dig(event, "params", "update")
        place = words(dig(update, "locations", 0, "path"))
        edits = place if dig(update, "kind") == "edit" else ""
        yield Action(words(dig(update, "kind")) or "tool", words(dig(update, "title")), edits=edits)
    elif event.get("role") == "assistant":  # kimi
        for call in event.get("tool_calls") or ():
            given = load(words(dig(call, "function", "arguments")))
            yield _call(words(dig(call, "function", "name")), given)
        if words(event.get("content")).strip():
            yield Action(said=words(event.get("content")))
    elif kind == "turn_end" and text_of(event.get("message")):  # pi
        yield Action(said=text_of(event.get("message")))


def _codex(item: Any) -> Iterator[Action]:
    kind = words(dig(item, "type"))
    if kind == "command_execution":
        yield Action("run", words(dig(item, "command")))
    elif kind == "file_change":
        for change in dig(item, "changes") or ():
            yield _call("edit", change)
    elif kind == "agent_message":
        yield Action(said=words(dig(item, "text")))
    elif kind:
        yield Action(kind)


def _call(tool: str, given: Any) -> Action:
    key = next((name for name in _TARGETS if words(dig(given, name))), "")
    target = words(dig(given, key)) if key else ""
    edits = target if key in _FILES and any(word in tool.lower() for word in _EDITS) else ""
    return Action(tool, target.rpartition("/")[2] if key in _FILES else target, edits=edits)


def tokens_of(event: dict[str, Any]) -> int:
    """Return the tokens that one event adds; 0 where it counts none, or repeats a count."""
    kind = event.get("type")
    if kind == "assistant":  # claude, qwen, cursor
        return usage_beside_cache(dig(event, "message", "usage")).total
    if kind == "turn_end":  # pi
        return usage_of_pi(dig(event, "message", "usage")).total
    if kind == "step_finish":  # opencode
        return usage_of_step(event.get("part")).total
    if kind == "assistant.usage":  # copilot
        return usage_of_copilot(event.get("data")).total
    if kind == "agent_event":  # cline
        return usage_of_cline(event).total
    if kind == "turn.completed":  # codex
        return usage_with_cache_inside(event.get("usage")).total
    if kind == "result" and "stats" in event:  # gemini
        return usage_of_models(dig(event, "stats", "models")).total
    return usage_of_acp_message(event).total

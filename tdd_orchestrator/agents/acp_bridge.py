"""The client's side of the Agent Client Protocol, as a program of its own between us and any agent that
speaks it.

``python acp_bridge.py --output FOLDER [--read-only] [--model M] [--session ID] -- COMMAND...`` takes the
prompt on standard input, leads COMMAND through one turn in the current folder, and prints each message of the
agent's as one JSON line; the parser ``events.acp`` makes sense of them. It is a program, and not an object in
ours, so that what holds for every command line holds for this one: limits, sandbox, ending whatever it
started, transcript, redaction. It imports nothing of ours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, RequestError, spawn_agent_process, text_block
from acp.connection import StreamDirection, StreamEvent
from acp.schema import AllowedOutcome, DeniedOutcome, PermissionOption, RequestPermissionResponse

LONGEST_LINE = 64 << 20  # bytes of one message
READS = frozenset({"read", "search", "think"})
EDITS = frozenset({"edit", "delete", "move"})
NEVER = frozenset({"switch_mode"})  # a mode that asks no more is not the agent's to choose


class Referee:
    """Answers the agent's permission requests: reading always; editing inside ``places`` only, and not
    at all where it only reads."""

    def __init__(self, places: tuple[Path, ...], *, read_only: bool) -> None:
        self.places = tuple(place.resolve() for place in places)
        self.read_only = read_only
        self.calls: dict[str, tuple[str, tuple[str, ...]]] = {}

    def note_activity(self, event: StreamEvent) -> None:
        """Pass every message on, and remember a tool call's announcement: the request for its permission
        may leave facts out."""
        if event.direction is not StreamDirection.INCOMING:
            return
        sys.stdout.write(json.dumps(event.message) + "\n")
        sys.stdout.flush()
        update = (event.message.get("params") or {}).get("update") or {}
        if update.get("sessionUpdate") == "tool_call":
            self.calls[str(update.get("toolCallId"))] = (str(update.get("kind") or ""), _paths(update))

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Do nothing: updates were passed on already, in the order in which they came."""

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        kind, paths = self.calls.get(tool_call.tool_call_id, ("", ()))
        may = self.may(tool_call.kind or kind, _paths(tool_call.model_dump(by_alias=True)) or paths)
        # Once, never always: an agent that is let off asking could edit anywhere.
        wanted = ("allow_once",) if may else ()
        offered = {option.kind: option.option_id for option in reversed(options)}
        for kind_of_answer in (*wanted, "reject_once", "reject_always"):
            if kind_of_answer in offered:
                chosen = AllowedOutcome(outcome="selected", option_id=offered[kind_of_answer])
                return RequestPermissionResponse(outcome=chosen)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    def may(self, kind: str, paths: tuple[str, ...]) -> bool:
        if kind in READS:
            return True
        if self.read_only or kind in NEVER:
            return False
        return all(map(self.inside, paths)) and (bool(paths) or kind not in EDITS)

    def inside(self, path: str) -> bool:
        real = Path(path).resolve()
        return any(real.is_relative_to(place) for place in self.places)


def _paths(call: dict[str, Any]) -> tuple[str, ...]:
    """Return the paths that a tool call names: its locations, and the files of its diffs."""
    named = (*(call.get("locations") or ()), *(call.get("content") or ()))
    return tuple(str(one["path"]) for one in named if isinstance(one, dict) and "path" in one)


class NoSuchModel(Exception):
    """The agent does not offer the model that the user named."""


async def turn(referee: Referee, command: list[str], prompt: str, model: str, session: str) -> None:
    """Run one session with one prompt.

    Raises RequestError for what the agent refuses, ConnectionError where it ends.
    """
    streams = {"limit": LONGEST_LINE, "stderr": None}  # its standard error is ours
    client: Any = referee  # files and terminals are the agent's own: the client's are not offered
    async with spawn_agent_process(
        client, *command, env=dict(os.environ), transport_kwargs=streams, observers=[referee.note_activity]
    ) as (agent, _):  # fmt: skip
        greeting = await agent.initialize(PROTOCOL_VERSION)
        known, offered = await opened(agent, greeting.agent_capabilities, session)
        if model:
            config, value = chosen(offered, model)
            await agent.set_config_option(config_id=config, session_id=known, value=value)
        await agent.prompt(session_id=known, prompt=[text_block(prompt)])


async def opened(agent: Any, capabilities: Any, session: str) -> tuple[str, Any]:
    """Return the session's id and what may be set in it: the one that is named, where the agent can go on with
    it; else a new one."""
    where: dict[str, Any] = {"cwd": str(Path.cwd()), "mcp_servers": []}
    ways = getattr(capabilities, "session_capabilities", None)
    resume = agent.resume_session if getattr(ways, "resume", None) is not None else None
    if resume is None and getattr(capabilities, "load_session", False):
        resume = agent.load_session
    if session and resume:
        # An agent may have lost it: Gemini 0.61 deletes one that had no answer yet while its cleanup ran.
        with suppress(RequestError):
            return session, (await resume(session_id=session, **where)).config_options
    new = await agent.new_session(**where)
    return new.session_id, new.config_options


def chosen(offered: Any, model: str) -> tuple[str, str]:
    """Which option of the session takes the model, and its value there. Raises NoSuchModel."""
    options = [one for one in offered or () if one.type == "select" and one.category == "model"]
    if not options:
        raise NoSuchModel("it leaves no choice of its model: set it where the agent itself is configured")
    rows = [inner for one in options[0].options for inner in getattr(one, "options", [one])]
    for row in rows:
        if model in (row.value, row.name):
            return options[0].id, row.value
    known = ", ".join(row.value for row in rows[:20])
    raise NoSuchModel(f"it offers no model '{model}', but: {known}")


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--read-only", action="store_true")
    options.add_argument("--model", default="")
    options.add_argument("--session", default="")
    options.add_argument("command", nargs="+")
    given = options.parse_args()
    referee = Referee((Path.cwd(), given.output), read_only=given.read_only)
    prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        asyncio.run(turn(referee, given.command, prompt, given.model, given.session))
    except RequestError:
        return 1  # told already, in its own words
    except NoSuchModel as error:
        return _failed(str(error), model=True)
    except ConnectionError:
        return _failed("the agent ended before it answered")
    except ValueError as error:
        return _failed(f"the agent's answer is not of the protocol: {str(error).splitlines()[0]}")
    return 0


def _failed(why: str, *, model: bool = False) -> int:
    sys.stdout.write(json.dumps({"bridge": why, "model": model}) + "\n")
    return 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # what the agent left running may hold the pipes; whoever started us ends it

"""``tdd mcp``: an MCP server on standard input and output, for sessions in Claude Code, Cursor and others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from itertools import count
from typing import Any

import click

from tdd_orchestrator import __version__
from tdd_orchestrator.agents.editors import EDITORS, entries, merged
from tdd_orchestrator.cli import boundary, command_context
from tdd_orchestrator.cli.render import echo_wrapped, item_shape, json_line
from tdd_orchestrator.cli.watch import TerminalWatcher
from tdd_orchestrator.model.errors import Refused, TddError, add_extra
from tdd_orchestrator.text import one_line

TOOLS = """\
You work under a referee that makes test-driven development real. Call next_step: it says which phase it is, which
folder to edit, and what is wanted. Edit only that folder. Then call prove: the referee runs the tests itself and says
whether the phase is proven, and why not. Go on until the cycle is over.
"""


@click.group(invoke_without_command=True)
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Plan, next step, proof, status and record as tools of an MCP server, for the editor or agent that you
    work in.
    """
    if ctx.invoked_subcommand is None:
        _serve(ctx)


@mcp.command()
@click.argument("client", type=click.Choice(sorted(EDITORS)))
@click.pass_context
def install(ctx: click.Context, client: str) -> None:
    """Tell CLIENT of this server, in its configuration files in this repository; what stands there stays.

    Where the client can be told which other folders it may edit, it is told the one that the work is done in.
    """
    with command_context.opened(ctx) as repository:
        root = repository.found.work_tree
        place = root if repository.config.workspace.mode == "inplace" else repository.places.agent
    editor = EDITORS[client]
    files: dict[str, str] = {}
    for entry, value in entries(editor, str(place)):
        path = root / entry.file
        try:
            before = files.get(entry.file) or (path.read_text("utf-8") if path.exists() else "")
            files[entry.file] = merged(before, entry, value)
        except (OSError, ValueError) as error:
            raise Refused(
                f"{entry.file} cannot be read as {client}'s settings ({error}).",
                f"Add this to it by hand:\n{merged('', entry, value)}",
            ) from error
    if editor.folders is not None:  # a client passes over a folder that is not there when it starts
        place.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
        click.echo(f"Wrote {name}.")
    if editor.folders is not None:
        echo_wrapped(
            f"{editor.folders.file} names a folder of this machine: {place}. Keep that file out of git."
        )
    elif place != root:
        echo_wrapped(
            f"{client} must be allowed to edit {place}: open it beside the project, "
            "or set workspace.mode to inplace."
        )
    click.echo(f"Restart {client}, then ask it for the next step of tdd.")


def _serve(ctx: click.Context) -> None:
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError as error:
        raise Refused("The MCP server's library is not installed.", add_extra("mcp")) from error
    from mcp.types import CallToolResult, TextContent, ToolAnnotations

    def answer(tool: Tool) -> Callable[..., Any]:
        @wraps(tool.call)
        def answered(**words: Any) -> Any:
            found, failed = _answer(tool.call, words)
            if not failed:
                return found
            text = TextContent(type="text", text=json_line(found))
            return CallToolResult(content=[text], structured_content=found, is_error=True)

        return answered

    server = MCPServer(
        "tdd", version=__version__, instructions=TOOLS, log_level="ERROR", middleware=[notify_progress]
    )
    for tool in _tools(ctx):
        hints = ToolAnnotations(
            read_only_hint=tool.reads, destructive_hint=tool.ends, idempotent_hint=tool.reads,
            open_world_hint=False,
        )  # fmt: skip
        server.tool(annotations=hints)(answer(tool))
    server.run("stdio")


@dataclass(frozen=True, slots=True)
class Tool:
    """``reads``: it changes nothing; ``ends``: it ends work that has begun."""

    call: Callable[..., dict[str, Any]]
    reads: bool = False
    ends: bool = False


def _tools(ctx: click.Context) -> list[Tool]:
    ctx.find_root().obj["watcher"] = CallWatcher  # standard output is the protocol's
    editor = {"model": ""}

    def work(step: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        from tdd_orchestrator.cycle.mcp_session import EditorAgents

        with command_context.cycle_context(ctx, everyone="human") as context:
            context.agents.registry = EditorAgents(context.agents.registry, editor["model"])
            return step(context)

    def next_step(model: str = "") -> dict[str, Any]:
        """What is to be done now: the phase, the folder to edit, and the brief. ``model``: the model that
        you are, for the record."""
        from tdd_orchestrator.cycle import mcp_session

        editor["model"] = one_line(model, 100) or editor["model"]

        def step(context: Any) -> dict[str, Any]:
            found = mcp_session.next_step(context)
            if found is None:
                return {"done": True, "say": "The list is done."}
            return {"phase": found.phase, "item": found.item, "tree": found.tree, "brief": found.brief}

        return work(step)

    def prove() -> dict[str, Any]:
        """Run the proof on what you left in the tree: verdict, reasons, what comes next."""
        from tdd_orchestrator.cycle import mcp_session

        return work(mcp_session.prove)

    def hint(text: str) -> dict[str, Any]:
        """Add what the user wants the next attempts of this cycle to know; an aborted cycle goes on."""
        from tdd_orchestrator.cycle import mcp_session

        return work(lambda context: mcp_session.hint(context, text))

    def abort(reason: str = "ended in the editor") -> dict[str, Any]:
        """End the current cycle. Its item goes back to the list; what it made is kept. Only when the user asks
        for it."""
        from tdd_orchestrator.cycle import mcp_session

        return work(lambda context: mcp_session.abort(context, reason))

    def plan() -> dict[str, Any]:
        """The list of behaviors, with where each stands."""
        with command_context.opened(ctx) as repository:
            return {"items": [item_shape(item) for item in repository.plan_repository.plan().items]}

    def plan_add(title: str, description: str = "") -> dict[str, Any]:
        """Add one behavior to the end of the list."""
        from tdd_orchestrator.cli.plan import without_secrets
        from tdd_orchestrator.model.plan import Item

        title, description = without_secrets(title, description)
        with command_context.opened(ctx) as repository:
            (added,) = repository.plan_repository.add([Item("", title, description)])
            return item_shape(added)

    def status() -> dict[str, Any]:
        """Where the cycle stands, from the newest record, and the fix that waits for a person."""
        from pathlib import Path

        from tdd_orchestrator.cli.standing import newest

        return newest(Path.cwd())._asdict()

    def record(count: int = 5) -> dict[str, Any]:
        """The newest records of the audit log, newest first; ``count`` is 1 to 50."""
        with command_context.opened(ctx) as repository:
            entries = repository.store.trail(newest_first=True, limit=max(1, min(count, 50)))
            return {"records": [entry.record for entry in entries]}

    changing = [Tool(next_step), Tool(prove), Tool(hint), Tool(plan_add), Tool(abort, ends=True)]
    return [*changing, *(Tool(call, reads=True) for call in (plan, status, record))]


def _answer(tool: Callable[..., dict[str, Any]], words: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The tool's answer, and whether it failed. What would be an error message, or the log of a bug, is an
    answer here, and the server lives on."""
    try:
        return tool(**words), False
    except TddError as error:
        known = error
    except Exception as error:  # noqa: BLE001  saved and told, as at the terminal
        fault = boundary.fault(error)
        if fault is None:
            boundary.report_bug(error)
            fault = TddError(f"A bug of ours stopped this: {type(error).__name__}.", "Call the tool again.")
        known = fault
    return {"error": known.what, "todo": known.todo, "exit_code": known.exit_code}, True


_AGAIN = 10.0  # seconds of silence after which the newest sentence is sent once more, as a sign of life
_tell: ContextVar[Callable[[str], None]] = ContextVar("tell")


class CallWatcher(TerminalWatcher):
    """Hands what runs now to the call that it runs for; the screen stays silent."""

    def __init__(self) -> None:
        super().__init__(quiet=True)

    def doing(self, what: str, *, begins: bool = True) -> None:
        _tell.get()(one_line(what, 160))


async def notify_progress(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Answer the request; as long as a tool works, tell the client what it does. Tools work in threads."""
    if ctx.method != "tools/call":
        return await call_next(ctx)
    loop, said = asyncio.get_running_loop(), asyncio.Queue[str]()

    def tell(text: str) -> None:
        loop.call_soon_threadsafe(said.put_nowait, text)

    _tell.set(tell)
    teller = asyncio.create_task(_repeat(ctx.session, said))
    try:
        return await call_next(ctx)
    finally:
        teller.cancel()
        await asyncio.gather(teller, return_exceptions=True)


async def _repeat(session: Any, said: asyncio.Queue[str]) -> None:
    text = "at work"
    for step in count(1):
        with suppress(TimeoutError):
            text = await asyncio.wait_for(said.get(), _AGAIN)
        await session.report_progress(step, message=text)

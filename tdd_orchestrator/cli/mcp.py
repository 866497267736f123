"""``tdd mcp``: an MCP server on standard input and output, for whoever works in Claude Code, Cursor or the
like."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from tdd_orchestrator import __version__
from tdd_orchestrator.agents.editors import EDITORS, entries, merged
from tdd_orchestrator.cli import boundary, command_context
from tdd_orchestrator.model.errors import Refused, TddError

TOOLS = """\
You work under a referee that makes test-driven development real. Call next_step: it says which phase it is, which
folder to edit, and what is wanted. Edit only that folder. Then call prove: the referee runs the tests itself and says
whether the phase is proven, and why not. Go on until the cycle is over.
"""


@click.group(invoke_without_command=True)
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Next step, proof, status and record as tools of an MCP server, for the editor or agent that you work
    in.
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
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
        click.echo(f"Wrote {name}.")
    if editor.folders is not None:
        click.echo(
            f"{editor.folders.file} names a folder of this machine: {place}. Keep that file out of git."
        )
    elif place != root:
        click.echo(
            f"{client} must be allowed to edit {place}: open it beside the project, "
            "or set workspace.mode to inplace."
        )
    click.echo(f"Restart {client}, then ask it for the next step of tdd.")


def _serve(ctx: click.Context) -> None:
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError as error:
        raise Refused(
            "The MCP server needs the extra 'mcp'.", "Install it: pip install 'tdd-orchestrator[mcp]'."
        ) from error
    server = MCPServer("tdd", version=__version__, instructions=TOOLS, log_level="ERROR")
    for tool in _tools(ctx):
        server.tool()(_told(tool))
    server.run("stdio")


def _tools(ctx: click.Context) -> list[Callable[..., dict[str, Any]]]:
    ctx.find_root().obj["quiet"] = True  # standard output is the protocol's, and nobody reads the rest

    def next_step() -> dict[str, Any]:
        """What is to be done now: the phase, the folder to edit, and the brief."""
        from tdd_orchestrator.cycle import mcp_session

        def work(context: Any) -> dict[str, Any]:
            found = mcp_session.next_step(context)
            if found is None:
                return {"done": True, "say": "The list is done."}
            return {"phase": found.phase, "item": found.item, "tree": found.tree, "brief": found.brief}

        return _in_the_workshop(ctx, work)

    def prove() -> dict[str, Any]:
        """Run the proof on what you left in the tree: verdict, reasons, what comes next."""
        from tdd_orchestrator.cycle import mcp_session

        return _in_the_workshop(ctx, mcp_session.prove)

    def status() -> dict[str, Any]:
        """Where the cycle stands, from the newest record, and the fix that waits for a person."""
        from pathlib import Path

        from tdd_orchestrator.cli.status import newest

        return newest(Path.cwd())._asdict()

    def record(count: int = 5) -> dict[str, Any]:
        """The newest records of the audit log, newest first; ``count`` is 1 to 50."""
        with command_context.opened(ctx) as repository:
            entries = repository.store.trail(newest_first=True, limit=max(1, min(count, 50)))
            return {"records": [entry.record for entry in entries]}

    return [next_step, prove, status, record]


def _in_the_workshop(ctx: click.Context, work: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Under the run lock; whoever calls is the one who edits."""
    with command_context.workshop(ctx, everyone="human") as context:
        return work(context)


def _told(tool: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """What would be an error message, or the log of a bug, is an answer here, and the server lives on."""

    @wraps(tool)
    def answered(**words: Any) -> dict[str, Any]:
        try:
            return tool(**words)
        except TddError as error:
            return {"error": error.what, "todo": error.todo}
        except Exception as error:  # noqa: BLE001  saved and told, as at the terminal
            known = boundary.fault(error)
            if known is None:
                boundary.report_bug(error)
                known = TddError(
                    f"A bug of ours stopped this: {type(error).__name__}.", "Call the tool again."
                )
            return {"error": known.what, "todo": known.todo}

    return answered

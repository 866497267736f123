"""``tdd mcp``: an MCP server on standard input and output, for whoever works in Claude Code, Cursor or the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tdd_orchestrator.cli import here
from tdd_orchestrator.model.errors import Refused, TddError

TOOLS = """\
You work under a referee that makes test-driven development real. Call next_step: it says which phase it is, which
folder to edit, and what is wanted. Edit only that folder. Then call prove: the referee runs the tests itself and says
whether the phase is proven, and why not. Go on until the cycle is over.
"""


@click.command()
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """The editor-side door: next step, proof, status and record, as tools of an MCP server."""
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError as error:
        raise Refused(
            "The MCP server needs the extra 'mcp'.", "Install it: pip install 'tdd-orchestrator[mcp]'."
        ) from error
    server = MCPServer("tdd", instructions=TOOLS)
    for tool in _tools(ctx):
        server.tool()(tool)
    server.run("stdio")


def _tools(ctx: click.Context) -> list[Callable[..., dict[str, Any]]]:
    ctx.find_root().obj["quiet"] = True  # standard output is the protocol's, and nobody reads the rest

    def next_step() -> dict[str, Any]:
        """What is to be done now: the phase, the folder to edit, and the brief."""
        from tdd_orchestrator.cycle import door

        def work(shop: Any) -> dict[str, Any]:
            found = door.next_step(shop)
            if found is None:
                return {"done": True, "say": "The list is done."}
            return {"phase": found.phase, "item": found.item, "tree": found.tree, "brief": found.brief}

        return _inside(ctx, work)

    def prove() -> dict[str, Any]:
        """Run the proof on what you left in the tree: verdict, reasons, what comes next."""
        from tdd_orchestrator.cycle import door

        return _inside(ctx, door.prove)

    def status() -> dict[str, Any]:
        """Where the cycle stands, from the newest record."""
        from pathlib import Path

        from tdd_orchestrator.cli.status import newest

        return {"cycle": newest(Path.cwd())}

    def record(count: int = 5) -> dict[str, Any]:
        """The newest records of the trail, newest first."""
        with here.opened(ctx) as repository:
            entries = repository.store.trail(newest_first=True, limit=max(1, min(count, 50)))
            return {"records": [entry.record for entry in entries]}

    return [next_step, prove, status, record]


def _inside(ctx: click.Context, work: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Under the run lock; what would be an error message is an answer here."""
    try:
        with here.workshop(ctx, everyone="human") as shop:
            return work(shop)
    except TddError as error:
        return {"error": error.what, "todo": error.todo}

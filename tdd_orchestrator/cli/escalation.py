"""At an escalation on a terminal: what now? (R7)"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import clean, columns

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.context import CycleContext
    from tdd_orchestrator.cycle.state import CycleState


def what_now(ctx: click.Context, context: CycleContext, state: CycleState) -> bool:
    """Ask what to do about a cycle that failed for good, and do it; return whether the loop goes on.

    Without a terminal nothing is asked, and the loop ends.
    """
    from tdd_orchestrator.cli.render import wrapped
    from tdd_orchestrator.failures.choices import WORDS, ask_at_escalation, carry_out

    if state.over != "aborted" or not command_context.can_ask(ctx):
        return False
    for line in ("", *wrapped(f"'{clean(state.item)}' failed for good. What now?", columns())):
        click.echo(line, err=True)
    for choice, words in WORDS.items():
        click.echo(f"  {choice:9} {words}", err=True)
    answer = ask_at_escalation(
        choose=lambda: str(click.prompt("Your choice", err=True, default="", show_default=False)),
        hint=lambda: str(click.prompt("Your hint for the agents", err=True, default="", show_default=False)),
        show=lambda: _open(context, state),
        say=lambda text: click.echo(text, err=True),
    )
    return carry_out(context, state, answer)


def _open(context: CycleContext, state: CycleState) -> None:
    from tdd_orchestrator.failures.choices import lay_out

    path = lay_out(context, state)
    click.echo(f"What was refused lies in {path}; what you change there is not kept.", err=True)
    if _has_desktop():
        click.launch(str(Path(path)))


def _has_desktop() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

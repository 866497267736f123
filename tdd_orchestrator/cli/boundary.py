"""A bug of ours: the traceback is saved, its path is shown, exit code 70."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

import click

from tdd_orchestrator import __version__


def report_bug(error: BaseException) -> int:
    """Save what happened where the user's state lives; the terminal gets two sentences."""
    text = "".join(traceback.format_exception(error))
    head = f"tdd {__version__}\npython {sys.version}\nargv {len(sys.argv) - 1} words\n\n"
    name = f"bug-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.log"
    path = _folder() / name
    try:
        path.write_text(head + text, encoding="utf-8")
        where = f"The log is saved: {path}"
    except OSError as failed:
        where = f"The log could not be saved ({failed.strerror})."
    click.echo(f"tdd: a bug of ours stopped this: {type(error).__name__}: {str(error)[:200]}", err=True)
    click.echo(f"     {where}  Nothing accepted is lost; the same command goes on.", err=True)
    return 70


def _folder() -> Path:
    from tdd_orchestrator.workspace.places import state_home

    try:
        folder = state_home() / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    except OSError:
        return Path(tempfile.gettempdir())

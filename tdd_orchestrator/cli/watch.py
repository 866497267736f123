"""Progress while a command works: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tdd_orchestrator.cli.render import JSON_VERSION, echo_wrapped, json_line, wrapped
from tdd_orchestrator.text import one_line, plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from tdd_orchestrator.agents.live import AgentProgress


_EVERY = 30.0  # seconds between two lines of what an agent does, where there is no terminal


_LONGEST = 240  # characters of a sentence on the screen


class TerminalWatcher:
    """``doing`` is what runs now, with the time since it began; ``done`` stays on the screen. Everything goes to
    standard error."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty() and not quiet and os.environ.get("TERM") != "dumb"
        self._progress: Progress | None = None
        self._task: Any = None
        self._said = time.monotonic()

    def doing(self, what: str, *, begins: bool = True) -> None:
        text = one_line(what, 160)
        if self._quiet:
            return
        if self._progress is not None and not begins:
            self._progress.update(self._task, description=text)
            return
        if not self._live:
            click.echo(f"  … {text}", err=True)
            return
        self._begin(text)

    def working(self, progress: AgentProgress) -> None:
        """Show what the agent does now: beside the elapsed time on a terminal, elsewhere one line each
        half minute."""
        text = one_line(str(progress), 160)
        if self._progress is not None:
            self._progress.update(self._task, description=text)
        elif not self._quiet and not self._live and time.monotonic() - self._said >= _EVERY:
            self._said = time.monotonic()
            click.echo(f"      {text}", err=True)

    def done(self, what: str, good: bool) -> None:
        self.close()
        if not self._quiet or not good:
            mark, color = ("✓", "green") if good else ("✗", "red")
            first, *rest = self.lines(what, f"  {mark} ")
            click.echo(f"  {_styled(mark, color)}{first.removeprefix(f'  {mark}')}", err=True)
            for line in rest:
                click.echo(line, err=True)

    def note(self, what: str) -> None:
        self.close()
        if not self._quiet:
            for line in self.lines(what, "    "):
                click.echo(line, err=True)

    def lines(self, what: str, first: str) -> list[str]:
        """The sentence on a terminal wrapped at words, elsewhere on one line; a line of code as it is."""
        whole = "\n" not in what and len(what) <= _LONGEST
        text = plain(what).rstrip() if whole else one_line(what, _LONGEST)
        if not sys.stderr.isatty():
            return [f"{first}{text}"]

        return wrapped(text, shutil.get_terminal_size().columns, first=first, rest=" " * len(first))

    def say(self, text: str) -> None:
        """Print what a person has to read, also when quiet, on lines of its own."""
        self.close()
        echo_wrapped(text, rest=" " * 7, err=True)  # behind the words of a person's turn: do, where, check

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _begin(self, text: str) -> None:
        from rich.console import Console

        self.close()
        self._progress = live_line(Console(stderr=True, markup=False))
        self._progress.start()
        self._task = self._progress.add_task(text, total=None)


class EventWatcher(TerminalWatcher):
    """With ``--json``: all that a person would see is one JSON object a line on standard error."""

    def __init__(self, *, quiet: bool = False, lane: int = 0) -> None:
        super().__init__(quiet=quiet)
        self._lane = {"lane": lane} if lane else {}

    def doing(self, what: str, *, begins: bool = True) -> None:
        if not self._quiet:
            self._emit("step", text=one_line(what))

    def working(self, progress: AgentProgress) -> None:
        if not self._quiet:
            self._emit("agent", **asdict(progress))

    def done(self, what: str, good: bool) -> None:
        if not self._quiet or not good:
            self._emit("result", text=one_line(what), good=good)

    def note(self, what: str) -> None:
        if not self._quiet:
            self._emit("note", text=one_line(what))

    def say(self, text: str) -> None:
        self._emit("message", text=text)

    def _emit(self, kind: str, **values: Any) -> None:
        event = {"schema": "tdd/progress", "v": JSON_VERSION, "kind": kind, **self._lane, **values}
        click.echo(json_line(event), err=True)


def live_line(console: Console) -> Progress:
    """Return a line with the elapsed time and, as far as there is room, what is done now."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    words = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    return Progress(
        SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", table_column=words),
        console=console, transient=True, expand=True,
    )  # fmt: skip


def _styled(text: str, colour: str) -> str:
    if os.environ.get("NO_COLOR") or not sys.stderr.isatty():
        return text
    return click.style(text, fg=colour)

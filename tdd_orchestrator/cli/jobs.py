"""``--jobs``: several cycles at once; on a terminal a live table with a row a lane, elsewhere lines with the
lane's number."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

import click

from tdd_orchestrator.cli.watch import EventWatcher, TerminalWatcher
from tdd_orchestrator.model.errors import TddError, Waiting
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from tdd_orchestrator.agents.live import AgentProgress
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.cycle.context import CycleContext, Watcher
    from tdd_orchestrator.cycle.state import CycleState

_WIDE = 120  # characters of a row


def in_lanes(
    ctx: click.Context, repository: OpenRepository, context: CycleContext, jobs: int, limit: int
) -> Iterator[tuple[CycleContext, CycleState]]:
    """Yield each cycle that ended, from ``jobs`` lanes; at the end raise what stopped one, else what
    one waits for."""
    from tdd_orchestrator.app.lanes import lanes_of
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cli.cycle_result import close_reports
    from tdd_orchestrator.fleet.lanes import Fleet
    from tdd_orchestrator.fleet.turn import Turn

    turn, lock = Turn(), threading.RLock()
    quiet = bool(command_context.options(ctx).get("quiet"))
    events = bool(ctx.params.get("as_json"))
    live = sys.stderr.isatty() and not quiet and not events and os.environ.get("TERM") != "dumb"
    table = LaneTable(jobs) if live else None

    def watcher(number: int) -> Watcher:
        return EventWatcher(quiet=quiet, lane=number) if events else LaneWatcher(number, lock, quiet, table)

    lander, *lanes = lanes_of(repository, context, jobs, turn, watcher)
    errors: list[TddError] = []
    with table or nullcontext():
        for done in Fleet(lanes, lander, turn, close_reports, limit).run():
            if done.error is not None:
                errors.append(done.error)
                done.context.watch.done(f"stopped: {done.error.what}", False)
            elif done.state is not None:
                with lock:
                    yield done.context, done.state
    if errors:
        raise min(errors, key=lambda error: isinstance(error, Waiting))


class LaneTable:
    """What each lane and the landing do now, and for how long; what is said meanwhile scrolls above it."""

    def __init__(self, lanes: int, console: Console | None = None) -> None:
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        words = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        self._console = console or Console(stderr=True, markup=False)
        self._rows = Progress(
            SpinnerColumn(), TextColumn("{task.fields[lane]}"),
            TextColumn("{task.description}", markup=False, table_column=words), TimeElapsedColumn(),
            console=self._console, transient=True, expand=True, redirect_stdout=False, redirect_stderr=False,
        )  # fmt: skip
        self._tasks = [
            self._rows.add_task("idle", total=None, lane=_name(number), visible=False)
            for number in range(lanes + 1)
        ]
        self._streams = ExitStack()

    def __enter__(self) -> LaneTable:
        self._rows.start()
        self._streams.enter_context(redirect_stderr(_above(self._console, sys.stderr)))
        if sys.stdout.isatty():
            self._streams.enter_context(redirect_stdout(_above(self._console, sys.stdout)))
        return self

    def __exit__(self, *_: object) -> None:
        self._streams.close()
        self._rows.stop()

    def show(self, lane: int, what: str, *, begins: bool = False) -> None:
        """Show what a lane does; ``begins`` counts its time anew."""
        task = self._tasks[lane]
        text = one_line(what, _WIDE)
        if begins:
            self._rows.reset(task, visible=True, description=text)
        else:
            self._rows.update(task, description=text)

    def hide(self, lane: int) -> None:
        self._rows.update(self._tasks[lane], visible=False)


def _above(console: Console, stream: IO[str]) -> IO[str]:
    """Return a stream whose lines are printed above the table."""
    from rich.file_proxy import FileProxy

    class Above(FileProxy):
        encoding, errors = "utf-8", "replace"  # click writes past a stream that names none

    return cast("IO[str]", Above(console, stream))


def _name(lane: int) -> str:
    return str(lane) if lane else "landing"


@dataclass(slots=True)
class LaneWatcher:
    """The progress of one lane, or of the landing (0): a row of the table, or plain lines with the lane's number."""

    number: int
    lock: threading.RLock
    quiet: bool
    table: LaneTable | None = None

    def _line(self, mark: str, what: str) -> None:
        with self.lock:
            for line in TerminalWatcher(quiet=self.quiet).lines(what, f"  [{_name(self.number)}] {mark} "):
                click.echo(line, err=True)

    def doing(self, what: str, *, begins: bool = True) -> None:
        if self.table is not None:
            self.table.show(self.number, what, begins=begins)
        elif not self.quiet:
            self._line("…", what)

    def working(self, progress: AgentProgress) -> None:
        """Show what the agent does now, where there is a table: lines would be too many."""
        if self.table is not None:
            self.table.show(self.number, str(progress))

    def done(self, what: str, good: bool) -> None:
        if self.table is not None:
            self.table.hide(self.number)
        if not self.quiet or not good:
            self._line("✓" if good else "✗", what)

    def note(self, what: str) -> None:
        if not self.quiet:
            self._line(" ", what)

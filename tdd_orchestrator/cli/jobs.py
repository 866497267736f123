"""``--jobs``: several cycles at once, each line of progress with the lane that it is of."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.cli.watch import EventWatcher, TerminalWatcher
from tdd_orchestrator.model.errors import TddError, Waiting

if TYPE_CHECKING:
    from tdd_orchestrator.agents.live import AgentProgress
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.cycle.workshop import Watcher, Workshop


def in_lanes(
    ctx: click.Context,
    repository: OpenRepository,
    context: Workshop,
    jobs: int,
    limit: int,
    settle: Callable[[Workshop, CycleState], None],
) -> Iterator[tuple[Workshop, CycleState]]:
    """Yield each cycle that ended, from ``jobs`` lanes; at the end raise what stopped one, else what
    one waits for."""
    from tdd_orchestrator.app.lanes import lanes_of
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.fleet.lanes import Fleet
    from tdd_orchestrator.fleet.turn import AttemptPlan

    turn, lock = AttemptPlan(), threading.RLock()
    quiet = bool(command_context.options(ctx).get("quiet"))

    def watcher(number: int) -> Watcher:
        events = ctx.params.get("as_json")
        return EventWatcher(quiet=quiet, lane=number) if events else LaneWatcher(number, lock, quiet)

    lanes = lanes_of(repository, context, jobs, turn, watcher)
    errors: list[TddError] = []
    for done in Fleet(lanes, turn, settle, limit).run():
        if done.error is not None:
            errors.append(done.error)
            done.context.watch.done(f"stopped: {done.error.what}", False)
        elif done.state is not None:
            with lock:
                yield done.context, done.state
    if errors:
        raise min(errors, key=lambda error: isinstance(error, Waiting))


@dataclass(slots=True)
class LaneWatcher:
    """Plain lines with the lane's number; no spinner, for several lanes share the screen."""

    number: int
    lock: threading.RLock
    quiet: bool

    def _line(self, mark: str, what: str) -> None:
        with self.lock:
            for line in TerminalWatcher(quiet=self.quiet).lines(what, f"  [{self.number}] {mark} "):
                click.echo(line, err=True)

    def doing(self, what: str) -> None:
        if not self.quiet:
            self._line("…", what)

    def working(self, progress: AgentProgress) -> None:
        """What an agent does is not shown line by line: there are several."""

    def done(self, what: str, good: bool) -> None:
        if not self.quiet or not good:
            self._line("✓" if good else "✗", what)

    def note(self, what: str) -> None:
        if not self.quiet:
            self._line(" ", what)

"""What every command of the cycle needs: the repository opened, the context wired, the terminal asked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tdd_orchestrator.cli.watch import EventWatcher, TerminalWatcher

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.config.schema import Config
    from tdd_orchestrator.cycle.context import Agents, CycleContext, Escalated
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.model.plan import Item


def options(ctx: click.Context) -> dict[str, Any]:
    """The global options, as ``tdd`` stored them."""
    found = ctx.find_root().obj
    return found if isinstance(found, dict) else {}


def can_ask(ctx: click.Context) -> bool:
    """Whether a person sits at a terminal and may be asked."""
    return not options(ctx).get("no_input") and sys.stdin.isatty() and sys.stderr.isatty()


def read_text(path: Path) -> str:
    """Return the text of a file, or of standard input for ``-``. Raises Refused where it is no text."""
    from tdd_orchestrator.model.errors import Refused

    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.", "Name a text file.") from error
    except UnicodeDecodeError as error:
        raise Refused(f"{path} cannot be read: it is no text in UTF-8.", "Name a text file.") from error


def watcher_of(ctx: click.Context) -> TerminalWatcher:
    """Progress on the screen; as events where the command was given ``--json``; to its client in ``tdd mcp``."""
    own: type[TerminalWatcher] | None = options(ctx).get("watcher")
    if own is not None:
        return own()
    kind = EventWatcher if ctx.params.get("as_json") else TerminalWatcher
    return kind(quiet=bool(options(ctx).get("quiet")))


@contextmanager
def opened(ctx: click.Context) -> Iterator[OpenRepository]:
    from tdd_orchestrator.app.open_repository import OpenRepository

    with OpenRepository(Path.cwd()) as repository:
        yield repository


def config_of(ctx: click.Context) -> Config:
    """The configuration of the repository that the command works in."""
    with opened(ctx) as repository:
        return repository.config


@contextmanager
def cycle_context(
    ctx: click.Context, *, command: tuple[str, ...] = (), everyone: str = "", giving_up: bool = False
) -> Iterator[CycleContext]:
    """Yield everything that a cycle needs, under the run lock.

    ``command`` replaces the configured test command; with ``giving_up`` a cycle can only be ended.
    """
    with wired(ctx, command=command, everyone=everyone, giving_up=giving_up) as (_, context):
        yield context


@contextmanager
def wired(
    ctx: click.Context, *, command: tuple[str, ...] = (), everyone: str = "", giving_up: bool = False
) -> Iterator[tuple[OpenRepository, CycleContext]]:
    """As :func:`cycle_context`, with the repository that it was made from."""
    from tdd_orchestrator.app import context as wiring

    _refuse_a_tree_of_ours()
    watcher = watcher_of(ctx)
    with opened(ctx) as repository:
        try:
            with ExitStack() as stack:
                made = stack.enter_context(_report_stops(repository, watcher.note))
                around = wiring.Surroundings(
                    watcher,
                    _LazyReporter(repository.config, watcher.note),
                    watcher.say,
                    _wait(ctx, repository, watcher) if can_ask(ctx) else None,
                )
                context = wiring.make_context(
                    repository, around, command=command, everyone=everyone, giving_up=giving_up
                )
                made.append(context)
                stack.enter_context(_left_in_order(context.agents))
                yield repository, context
        finally:
            watcher.close()


def _refuse_a_tree_of_ours() -> None:
    from tdd_orchestrator.model.errors import Refused
    from tdd_orchestrator.workspace.folders import repository_of_tree

    owner = repository_of_tree(Path.cwd())
    if owner is not None:
        raise Refused(
            f"This folder is a work tree that tdd made for {owner}.", f"Run it there: tdd -C {owner} ..."
        )


@contextmanager
def _left_in_order(agents: Agents) -> Iterator[None]:
    """Release the agents' tree, however the command ends; where that fails, the next command recovers as
    after a kill."""
    from tdd_orchestrator.model.errors import TddError

    try:
        yield
    finally:
        with suppress(OSError, TddError):
            agents.tree.stop()


@contextmanager
def _report_stops(repository: OpenRepository, say: Callable[[str], None]) -> Iterator[list[CycleContext]]:
    """Notify the user of an error that ends the command early (F11), and pass it on. The list takes the
    context, once there is one."""
    made: list[CycleContext] = []
    try:
        yield made
    except (BrokenPipeError, click.Abort):  # the reader of the output has left, as `| head` does; Ctrl-D
        raise
    except Exception as error:
        from tdd_orchestrator.app.context import repository_of
        from tdd_orchestrator.cli.boundary import fault
        from tdd_orchestrator.cycle.context import WallClock
        from tdd_orchestrator.failures.stops import Stop, report_stop
        from tdd_orchestrator.model.errors import Busy, Refused, TddError
        from tdd_orchestrator.redaction import redactor

        known = error if isinstance(error, TddError) else None
        bug = TddError(f"A bug of ours stopped this: {type(error).__name__}.", "Run the same command again.")
        if not made and isinstance(error, Busy | Refused):  # the repository may not be fit to be written to
            raise
        try:
            stop = Stop(
                fault(error) or known or bug,
                made[0].state() if made else None,
                WallClock().now(),
                redactor({}, repository.secrets),
            )
            report_stop(repository_of(repository), stop, repository.config.notify, say)
        except Exception as worse:  # noqa: BLE001  what stopped the command stays what is told (F10)
            say(f"the notification failed ({type(worse).__name__})")
        raise


@dataclass(frozen=True, slots=True)
class _LazyReporter:
    """The failure reporter, loaded when something has failed for good."""

    config: Config
    say: Callable[[str], None]

    def escalated(self, context: CycleContext, state: CycleState, item: Item, why: str) -> Escalated:
        from tdd_orchestrator.failures.escalation import FailureReporter

        return FailureReporter(self.config, self.say).escalated(context, state, item, why)

    def landed(self, context: CycleContext, state: CycleState) -> None:
        from tdd_orchestrator.failures.escalation import FailureReporter

        FailureReporter(self.config, self.say).landed(context, state)


def _wait(ctx: click.Context, repository: OpenRepository, watcher: TerminalWatcher) -> Callable[[], None]:
    from tdd_orchestrator.cli import human_input

    inplace = repository.config.workspace.mode == "inplace"
    tree = repository.found.work_tree if inplace else repository.places.agent
    kind = human_input.wait_for_save if options(ctx).get("watch") else human_input.wait_for_enter
    return kind(tree, watcher.close)

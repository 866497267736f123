"""``tdd cycle``: the next step, and everything about where it stands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tdd_orchestrator.cli import command_context, complete
from tdd_orchestrator.cli.cycle_result import (
    as_dict,
    close_reports,
    covered_question,
    print_result,
    print_run,
    print_to_the_end,
    row_of,
)
from tdd_orchestrator.cli.inspect_tree import status
from tdd_orchestrator.cli.render import JSON, clean, echo_grouped, echo_wrapped, emit_json
from tdd_orchestrator.model.errors import Busy, Gated, Refused, TddError

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.cycle.context import CycleContext
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.model.errors import Busy


F = TypeVar("F", bound=Callable[..., Any])


def _item_option(text: str) -> Callable[[F], F]:
    return click.option("--item", default="", metavar="ID", shell_complete=complete.items, help=text)


ITEM = _item_option("The item that waits for the answer, where several do.")
ONE_ITEM = _item_option(
    "Work on this item of the plan: begin it, go on with its cycle, or try it again after it failed."
)
JOBS = click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Work on so many items at once (run: fleet.jobs, where it is not given).",
)
AGENT = click.option(
    "--agent",
    default="",
    metavar="NAME",
    help="Let this agent play every role.",
    shell_complete=complete.agents,
)
RACE = click.option(
    "--race",
    default="",
    metavar="AGENT,AGENT",
    help="Let these agents try each phase at once; the first that is proven wins.",
)
RACE_BEST = click.option(
    "--race-best",
    is_flag=True,
    help="Let all of a race come to their end; the smallest proven change wins, then the cheapest.",
)


@dataclass(frozen=True, slots=True)
class Workers:
    """Who works, on which item, and on how many at once: the options that `next` and `run` share."""

    item: str
    agent: str
    jobs: int | None
    race: str
    race_best: bool

    def set_race(self, repository: OpenRepository, context: CycleContext) -> None:
        if self.race and self.agent:
            raise click.UsageError("--race names the agents; leave out --agent.")
        if self.race or self.race_best:
            from tdd_orchestrator.app.context import set_race

            names = tuple(name.strip() for name in self.race.split(",") if name.strip())
            set_race(repository, context, names, self.race_best)
        if self.race_best and context.agents.race is None:
            raise click.UsageError("--race-best needs agents that race: --race, or [race] in tdd.toml.")


def _with_workers(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of ``Workers``, as one value."""

    @functools.wraps(command)
    def gathered(**options: Any) -> int:
        workers = Workers(**{one.name: options.pop(one.name) for one in fields(Workers)})
        return command(workers=workers, **options)

    return ONE_ITEM(AGENT(JOBS(RACE(RACE_BEST(gathered)))))


_AFTER_TIME = 23  # columns before what a line of `cycle show` says


@click.group()
def cycle() -> None:
    """RED, GREEN, REFACTOR: the next step, proven."""


@cycle.command("next")
@click.option("--phase", "one_phase", is_flag=True, help="Stop after one phase.")
@click.option("--watch", is_flag=True, help="With yourself as the agent: judge your work each time you save.")
@_with_workers
@JSON
@click.pass_context
def next_(ctx: click.Context, one_phase: bool, watch: bool, workers: Workers, as_json: bool) -> int:
    """Do the next thing that the state asks for, up to the end of the cycle."""
    from tdd_orchestrator.cycle import loop

    if workers.jobs is not None and workers.jobs > 1:
        if one_phase or watch or workers.item:
            raise click.UsageError("--jobs works on several items, each to the end of its cycle.")
        return int(ctx.invoke(run, max_cycles=workers.jobs, budget=None, as_json=as_json, **asdict(workers)))
    if watch and not command_context.can_ask(ctx):
        raise click.UsageError(
            "--watch needs a terminal. Without one, run the command again when you are done."
        )
    command_context.options(ctx)["watch"] = watch
    with command_context.wired(ctx, everyone=workers.agent) as (repository, context):
        workers.set_race(repository, context)
        until = _current_phase(context) if one_phase else None
        return print_to_the_end(ctx, context, loop.cycle(context, until=until, item_id=workers.item), as_json)


@cycle.command()
@click.option("--max-cycles", type=click.IntRange(1), help="Stop after this many cycles.")
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="DOLLARS",
    help="Stop when the agents have cost this much.",
)
@_with_workers
@JSON
@click.pass_context
def run(
    ctx: click.Context, max_cycles: int | None, budget: float | None, workers: Workers, as_json: bool
) -> int:
    """Go on until the list is done; at the end a table says what became of each item."""
    from tdd_orchestrator.cycle.usage_text import Used, used_in

    if workers.item and (workers.jobs or 1) > 1:
        raise click.UsageError("--jobs works on several items; leave out --item.")
    worst, used = 0, Used()
    rows: list[tuple[str, str, str]] = []
    with command_context.wired(ctx, everyone=workers.agent) as (repository, context):
        workers.set_race(repository, context)
        if budget is not None:
            context.settings = replace(
                context.settings, budget=replace(context.settings.budget, run_cost=budget)
            )
        try:
            for lane, state in _cycles(ctx, repository, context, workers, max_cycles):
                worst = max(worst, print_result(lane, state, as_json, alone=False))
                used += used_in(lane.run.records)
                rows.append(row_of(lane.run, state))
        except (TddError, KeyboardInterrupt):  # what was done until then is what a person wants to know
            if rows and not as_json:
                with suppress(TddError, OSError):  # of the plan: what stopped the run is what is told
                    print_run(context.repo, rows, used)
            raise
        if not as_json:
            print_run(context.repo, rows, used)
        if as_json and (max_cycles is None or len(rows) < max_cycles):
            print_result(context, None, as_json)
        waiting = context.repo.plan.waiting()
    if waiting and not as_json:
        echo_wrapped(f"Waiting for you: {covered_question(waiting)}")
    return worst or (Gated.exit_code if waiting else 0)


def _cycles(
    ctx: click.Context, repository: OpenRepository, context: CycleContext, workers: Workers, most: int | None
) -> Iterator[tuple[CycleContext, CycleState]]:
    """Yield each cycle as it ends, with the context that holds its records."""
    jobs, limit = (1, 1) if workers.item else (workers.jobs or repository.config.fleet.jobs, most)
    if jobs > 1:
        from tdd_orchestrator.cli.jobs import in_lanes

        yield from in_lanes(ctx, repository, context, jobs, limit or 0)
        return
    from tdd_orchestrator.cycle import loop

    done = 0
    while (limit is None or done < limit) and (
        state := loop.cycle(context, item_id=workers.item)
    ) is not None:
        done += 1
        yield context, state
        close_reports(context, state)


@cycle.command()
@click.option("--hint", default="", help="What the agents should know now.")
@JSON
@click.pass_context
def resume(ctx: click.Context, hint: str, as_json: bool) -> int:
    """Go on with an interrupted cycle, or take up an aborted one after your help."""
    from tdd_orchestrator.cli.standing import newest
    from tdd_orchestrator.cli.status import next_command
    from tdd_orchestrator.cycle import controls, loop

    with command_context.cycle_context(ctx) as context:
        before = context.state()
        if before is not None and before.over not in ("", "aborted"):
            if as_json:
                emit_json("cycle-result", as_dict(before))
                return 0
            echo_wrapped(
                f"Cycle {before.number} ({clean(before.item)}) is over ({before.over}): nothing to resume."
            )
            echo_wrapped(f"  next: {next_command(newest(Path.cwd()))}")
            return 0
        controls.take_up(context, hint)
        return print_to_the_end(ctx, context, loop.cycle(context), as_json)


cycle.add_command(status)


@cycle.command()
@click.argument("cycle_id", required=False, shell_complete=complete.cycles)
@JSON
@click.pass_context
def show(ctx: click.Context, cycle_id: str | None, as_json: bool) -> None:
    """One cycle, attempt by attempt (the newest, or the one with this id or number)."""
    from tdd_orchestrator.cli.status import warning_lines
    from tdd_orchestrator.cycle.controls import records_of

    with command_context.opened(ctx) as repository:
        records = records_of(repository.store, cycle_id or "")
    if as_json:
        emit_json("cycle", {"records": records})
        return
    echo_grouped(warning_lines(records), _AFTER_TIME)


@cycle.command()
@click.option(
    "--reason",
    default="ended by a person",
    help="Why, for the record. The next `tdd fix` of the same test is told.",
)
@click.argument("cycle_id", required=False, shell_complete=complete.cycles)
@click.pass_context
def abort(ctx: click.Context, reason: str, cycle_id: str | None) -> None:
    """End the current cycle, or the open one with this id or number; its item goes back to the list, its
    attempts are kept. A run with --jobs that is at work ends it and goes on with the others."""
    from tdd_orchestrator.cycle import controls

    try:
        with command_context.cycle_context(ctx, giving_up=True) as context:
            controls.focus_on(context, cycle_id or "")
            state = controls.abort(context, reason)
    except Busy as busy:
        state = _ask_the_run(ctx, cycle_id or "", reason, busy)
    if state.over == "landed":
        echo_wrapped(
            f"Cycle {state.number} was on {state.branch} already, as {state.tip[:12]}; it has landed now."
        )
        return
    echo_wrapped(
        f"Cycle {state.number} is ended; what it made is kept under refs/tdd/attempts/{state.cycle_id}."
    )


_ANSWER = 60.0  # seconds in which a run at work must have ended a cycle


def _ask_the_run(ctx: click.Context, word: str, why: str, busy: Busy) -> CycleState:
    """Let the run at work end one of its cycles, and return that. Raises ``busy`` where the run takes no requests,
    Refused where no lane works on the cycle."""
    from tdd_orchestrator.cycle import controls
    from tdd_orchestrator.cycle.context import open_states
    from tdd_orchestrator.fleet.abort_requests import AbortRequests
    from tdd_orchestrator.repo.lock import owner_of

    with command_context.opened(ctx) as repository:
        owner = owner_of(repository.found.common_dir)
        requests = AbortRequests.below(repository.places.root, owner.pid if owner else 0)
        if not requests.folder.is_dir():
            raise busy
        wanted = controls.chosen(open_states(repository.store), word)
        if not requests.ask(wanted.cycle_id, why, _ANSWER):
            raise busy
    with command_context.opened(ctx) as repository:
        if wanted.cycle_id in {one.cycle_id for one in open_states(repository.store)}:
            raise Refused(
                f"No lane works on cycle {wanted.number} ({wanted.item}): it lands, or waits for you.",
                "Run the same command again once the run at work is done.",
            )
    return wanted


@cycle.command()
@click.option("--comment", default="", help="For the record.")
@ITEM
@JSON
@click.pass_context
def approve(ctx: click.Context, comment: str, item: str, as_json: bool) -> int:
    """Let a waiting cycle go on, and go on with it; or let a fix of `tdd fix` land that waits for it."""
    from tdd_orchestrator.cycle import controls, loop
    from tdd_orchestrator.cycle.fix import landing

    with command_context.cycle_context(ctx) as context:
        asked = landing.waiting(context.repo)
        if asked is not None:
            message = landing.answer(context, asked, "approved", comment)
            if as_json:
                emit_json("fix-landed", {"fix_id": asked.fix_id, "commit": asked.tip})
            else:
                echo_wrapped(message)
            return 0
        if _about_covered(context, item):
            closed = controls.answer_covered(context, item, "approved", comment)
            echo_wrapped(f"Closed as covered: {clean(closed.title)}.")
            return 0
        controls.answer(context, "approved", comment)
        return print_to_the_end(ctx, context, loop.cycle(context), as_json)


@cycle.command()
@click.option("--comment", default="", help="Why, for the record.")
@ITEM
@click.pass_context
def reject(ctx: click.Context, comment: str, item: str) -> None:
    """Do not let a waiting cycle go on, or a fix land: it is ended, everything is kept."""
    from tdd_orchestrator.cycle import controls
    from tdd_orchestrator.cycle.fix import landing

    with command_context.cycle_context(ctx, giving_up=True) as context:
        asked = landing.waiting(context.repo)
        if asked is not None:
            echo_wrapped(landing.answer(context, asked, "rejected", comment))
            return
        if _about_covered(context, item):
            opened = controls.answer_covered(context, item, "rejected", comment)
            echo_wrapped(f"Back in the list: {clean(opened.title)}.")
            return
        controls.answer(context, "rejected", comment)
        controls.abort(context, comment or "rejected by a person")
    echo_wrapped("Rejected; the cycle is ended and its item is back in the list.")


def _about_covered(context: CycleContext, item: str) -> bool:
    """Whether the answer is about an item that seems covered, as no cycle waits for it and one is named or waits;
    else the cycle that waits is the one of this command."""
    from tdd_orchestrator.cycle import controls

    return not controls.focus_on_waiting(context, item) and bool(item or context.repo.plan.waiting())


def _current_phase(context: CycleContext) -> Any:
    from tdd_orchestrator.model.phase import Phase

    state = context.state()
    return Phase.RED if state is None or state.over else state.phase

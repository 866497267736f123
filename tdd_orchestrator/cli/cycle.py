"""``tdd cycle``: the next step, and everything about where it stands."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from tdd_orchestrator.cli import complete
from tdd_orchestrator.cli.render import clean, columns, echo_grouped, emit_json, tinted
from tdd_orchestrator.cli.status import TAKE_UP
from tdd_orchestrator.model.errors import Gated, TddError

if TYPE_CHECKING:
    from tdd_orchestrator.app.open_repository import OpenRepository
    from tdd_orchestrator.cycle.context import CommandRun, CycleContext, Repository
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.cycle.usage_text import Used

ITEM = click.option(
    "--item",
    default="",
    metavar="ID",
    shell_complete=complete.items,
    help="The item that seems covered.",
)
JOBS = click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Work on so many items at once (run: fleet.jobs, where it is not given).",
)
ONE_ITEM = click.option(
    "--item",
    default="",
    metavar="ID",
    shell_complete=complete.items,
    help="Work on this item of the plan: begin it, or go on with its cycle.",
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
_AFTER_TIME = 23  # columns before what a line of `cycle show` says
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")


@click.group()
def cycle() -> None:
    """RED, GREEN, REFACTOR: the next step, proven."""


@cycle.command("next")
@click.option("--phase", "one_phase", is_flag=True, help="Stop after one phase.")
@click.option("--watch", is_flag=True, help="With yourself as the agent: judge your work each time you save.")
@ONE_ITEM
@AGENT
@JOBS
@RACE
@JSON
@click.pass_context
def next_(
    ctx: click.Context,
    one_phase: bool,
    watch: bool,
    item: str,
    agent: str,
    jobs: int | None,
    race: str,
    as_json: bool,
) -> int:
    """Do the next thing that the state asks for, up to the end of the cycle."""
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cycle import loop

    if jobs is not None and jobs > 1:
        if one_phase or watch or item:
            raise click.UsageError("--jobs works on several items, each to the end of its cycle.")
        shared = {"budget": None, "jobs": jobs, "item": "", "agent": agent, "race": race, "as_json": as_json}
        return int(ctx.invoke(run, max_cycles=jobs, **shared))
    if watch and not command_context.can_ask(ctx):
        raise click.UsageError(
            "--watch needs a terminal. Without one, run the command again when you are done."
        )
    command_context.options(ctx)["watch"] = watch
    with command_context.wired(ctx, everyone=agent) as (repository, context):
        _set_race(repository, context, race, agent)
        until = _current_phase(context) if one_phase else None
        return _to_the_end(ctx, context, loop.cycle(context, until=until, item_id=item), as_json)


@cycle.command()
@click.option("--max-cycles", type=click.IntRange(1), help="Stop after this many cycles.")
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="DOLLARS",
    help="Stop when the agents have cost this much.",
)
@ONE_ITEM
@AGENT
@JOBS
@RACE
@JSON
@click.pass_context
def run(
    ctx: click.Context,
    max_cycles: int | None,
    budget: float | None,
    item: str,
    agent: str,
    jobs: int | None,
    race: str,
    as_json: bool,
) -> int:
    """Go on until the list is done; at the end a table says what became of each item."""
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cycle.usage_text import Used, used_in

    worst, used = 0, Used()
    rows: list[tuple[str, str, str]] = []
    with command_context.wired(ctx, everyone=agent) as (repository, context):
        _set_race(repository, context, race, agent)
        if budget is not None:
            context.settings = replace(
                context.settings, budget=replace(context.settings.budget, run_cost=budget)
            )
        at_once = 1 if item else jobs or repository.config.fleet.jobs
        try:
            for lane, state in _cycles(ctx, repository, context, at_once, 1 if item else max_cycles, item):
                worst = max(worst, _tell(lane, state, as_json))
                used += used_in(lane.run.records)
                rows.append(_row(lane.run, state))
        except (TddError, KeyboardInterrupt):  # what was done until then is what a person wants to know
            if not as_json:
                _say_items(rows)
            raise
        if not as_json:
            _say_run(context.repo, rows, used)
        if as_json and (max_cycles is None or len(rows) < max_cycles):
            _tell(context, None, as_json)
        waiting = context.repo.plan.waiting()
    if waiting and not as_json:
        click.echo(f"Waiting for you: {_covered_question(waiting)}")
    return worst or (Gated.exit_code if waiting else 0)


def _set_race(repository: OpenRepository, context: CycleContext, race: str, agent: str) -> None:
    if race and agent:
        raise click.UsageError("--race names the agents; leave out --agent.")
    if race:
        from tdd_orchestrator.app.context import set_race

        set_race(repository, context, tuple(name.strip() for name in race.split(",") if name.strip()))


def _cycles(
    ctx: click.Context,
    repository: OpenRepository,
    context: CycleContext,
    jobs: int,
    limit: int | None,
    item: str,
) -> Iterator[tuple[CycleContext, CycleState]]:
    """Yield each cycle as it ends, with the context that holds its records."""
    if jobs > 1:
        from tdd_orchestrator.cli.jobs import in_lanes

        yield from in_lanes(ctx, repository, context, jobs, limit or 0, _settle)
        return
    from tdd_orchestrator.cycle import loop

    done = 0
    while (limit is None or done < limit) and (state := loop.cycle(context, item_id=item)) is not None:
        done += 1
        yield context, state
        _settle(context, state)


@cycle.command()
@click.option("--hint", default="", help="What the agents should know now.")
@JSON
@click.pass_context
def resume(ctx: click.Context, hint: str, as_json: bool) -> int:
    """Go on with an interrupted cycle, or take up an aborted one after your help."""
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cycle import controls, loop

    with command_context.cycle_context(ctx) as context:
        before = context.state()
        if before is not None and before.over not in ("", "aborted"):
            click.echo(
                f"Cycle {before.number} ({clean(before.item)}) is over ({before.over}): nothing to resume."
            )
            click.echo("  An earlier one that failed: tdd errors list, then tdd errors fix ID")
            return 0
        controls.take_up(context, hint)
        return _to_the_end(ctx, context, loop.cycle(context), as_json)


@cycle.command()
@JSON
def status(as_json: bool) -> None:
    """Where the cycle stands, from the newest record, and whether a fix of `tdd fix` waits for you."""
    from pathlib import Path

    from tdd_orchestrator.cli.status import newest, shape, status_text

    standing = newest(Path.cwd())
    if as_json:
        emit_json("cycle-status", shape(standing))
        return
    echo_grouped(status_text(standing).splitlines())


@cycle.command()
@click.argument("cycle_id", required=False, shell_complete=complete.cycles)
@JSON
@click.pass_context
def show(ctx: click.Context, cycle_id: str | None, as_json: bool) -> None:
    """One cycle, attempt by attempt (the newest, or the one with this id or number)."""
    from tdd_orchestrator.cli import command_context
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
    attempts are kept."""
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cycle import controls

    with command_context.cycle_context(ctx, giving_up=True) as context:
        controls.focus_on(context, cycle_id or "")
        state = controls.abort(context, reason)
    if state.over == "landed":
        click.echo(
            f"Cycle {state.number} was on {state.branch} already, as {state.tip[:12]}; it has landed now."
        )
        return
    click.echo(
        f"Cycle {state.number} is ended; what it made is kept under refs/tdd/attempts/{state.cycle_id}."
    )


@cycle.command()
@click.option("--comment", default="", help="For the record.")
@ITEM
@JSON
@click.pass_context
def approve(ctx: click.Context, comment: str, item: str, as_json: bool) -> int:
    """Let a waiting cycle go on, and go on with it; or let a fix of `tdd fix` land that waits for it."""
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cycle import controls, loop
    from tdd_orchestrator.cycle.fix import landing

    with command_context.cycle_context(ctx) as context:
        asked = landing.waiting(context.repo)
        if asked is not None:
            message = landing.answer(context, asked, "approved", comment)
            if as_json:
                emit_json("fix-landed", {"fix_id": asked.fix_id, "commit": asked.tip})
            else:
                click.echo(message)
            return 0
        if _about_an_item(context, item):
            closed = controls.answer_covered(context, item, "approved", comment)
            click.echo(f"Closed as covered: {clean(closed.title)}.")
            return 0
        controls.answer(context, "approved", comment)
        return _to_the_end(ctx, context, loop.cycle(context), as_json)


@cycle.command()
@click.option("--comment", default="", help="Why, for the record.")
@ITEM
@click.pass_context
def reject(ctx: click.Context, comment: str, item: str) -> None:
    """Do not let a waiting cycle go on, or a fix land: it is ended, everything is kept."""
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cycle import controls
    from tdd_orchestrator.cycle.fix import landing

    with command_context.cycle_context(ctx, giving_up=True) as context:
        asked = landing.waiting(context.repo)
        if asked is not None:
            click.echo(landing.answer(context, asked, "rejected", comment))
            return
        if _about_an_item(context, item):
            opened = controls.answer_covered(context, item, "rejected", comment)
            click.echo(f"Back in the list: {clean(opened.title)}.")
            return
        controls.answer(context, "rejected", comment)
        controls.abort(context, comment or "rejected by a person")
    click.echo("Rejected; the cycle is ended and its item is back in the list.")


def _about_an_item(context: CycleContext, item: str) -> bool:
    """Whether the answer is about an item that seems covered: one is named, or no cycle waits and an item
    does."""
    state = context.state()
    waits = state is not None and not state.over and bool(state.waiting)
    return bool(item) or (not waits and bool(context.repo.plan.waiting()))


def _covered_question(waiting: Mapping[str, str]) -> str:
    names = ", ".join(f"{clean(title)} ({item})" for item, title in waiting.items())
    verb = "seems" if len(waiting) == 1 else "seem"
    return (
        f"{names} {verb} covered. Answer with `tdd cycle approve --item ID` or `tdd cycle reject --item ID`."
    )


def _to_the_end(ctx: click.Context, context: CycleContext, state: CycleState | None, as_json: bool) -> int:
    """Print how the cycle ended; where it failed for good and a person is present, ask how to continue
    and do it."""
    from tdd_orchestrator.cli import command_context
    from tdd_orchestrator.cli.escalation import what_now
    from tdd_orchestrator.cycle import loop

    code = _tell(context, state, as_json)
    _settle(context, state)
    while state is not None and state.over == "aborted" and command_context.can_ask(ctx):
        if what_now(ctx, context, state) != "go_on":
            break
        state = loop.cycle(context)
        code = _tell(context, state, as_json)
        _settle(context, state)
    return code


def _row(run: CommandRun, state: CycleState) -> tuple[str, str, str]:
    """A cycle as a row of the table at the end of a run: item, outcome, and where to look."""
    from tdd_orchestrator.model.records import CycleEnded
    from tdd_orchestrator.text import one_line

    last = run.records[-1] if run.records else None
    summary = one_line(last.summary, 100) if isinstance(last, CycleEnded) else ""
    more = ": ".join(filter(None, (_report_of(run), clean(summary))))
    more = f"git merge {state.tip[:12]}" if state.over == "parked" else more
    return clean(state.item), state.over, more


def _report_of(run: CommandRun) -> str:
    """The error report that the cycle ended with; "" where it ended with none."""
    from tdd_orchestrator.model.records import CycleEnded

    last = run.records[-1] if run.records else None
    return last.error_id if isinstance(last, CycleEnded) else ""


def _say_run(repo: Repository, rows: list[tuple[str, str, str]], used: Used) -> None:
    """What a run came to: a row for each item, what is left, what was used."""
    from tdd_orchestrator.cli.layout import run_counts

    _say_items(rows)
    click.echo(f"{run_counts([outcome for _, outcome, _ in rows])}. {_left(repo)}")
    if len(rows) > 1:
        _say_used(used)


def _say_items(rows: list[tuple[str, str, str]]) -> None:
    from tdd_orchestrator.cli.layout import items_table

    for line in items_table(rows, columns()):
        click.echo(tinted(line))


def _say_summary(context: CycleContext, state: CycleState) -> None:
    """Print the summary of a cycle: tests, changes, attempts, time, tokens and cost, warnings."""
    from tdd_orchestrator.cli.layout import summary_lines, summary_of
    from tdd_orchestrator.cycle.usage_text import render_used, used_in

    changed = ""
    if state.tip != state.base and state.over != "aborted":
        words = ("diff", "--shortstat", "--end-of-options", state.base, state.tip)
        changed = context.repo.git.run(*words).decode("utf-8", "replace").strip()
    used = render_used(replace(used_in(context.run.records), landed=0))  # its time is named already
    summary = summary_of(context.run.records, changed, f"used {used}" if used else "")
    for line in summary_lines(summary, columns()):
        click.echo(clean(line))


def _say_used(used: Used) -> None:
    from tdd_orchestrator.cycle.usage_text import render_used

    line = render_used(used)
    if line:
        click.echo(f"Used: {line}.")


def _settle(context: CycleContext, state: CycleState | None) -> None:
    """A cycle that fixed something closes its error report."""
    from tdd_orchestrator.failures.fix_cycle import settle_landed

    for line in settle_landed(context.repo, state) if state is not None else ():
        context.watch.note(line)


def _left(repo: Repository) -> str:
    """Return what the plan still holds: items to begin, failed ones, or nothing."""
    from tdd_orchestrator.model.plan import Status

    plan = repo.plan.plan()
    waiting = (Status.PLANNED, Status.IN_PROGRESS)
    left = sum(item.status in waiting and not item.begun_by_hand for item in plan.items)
    if left:
        return f"{left} item{'s are' if left != 1 else ' is'} left: run it again to go on."
    failed = [item for item in plan.items if item.status is Status.FAILED and not item.begun_by_hand]
    if not failed:
        return "The list is done: every item is completed, covered or set aside."
    some = f"{len(failed)} item{'s'[: len(failed) != 1]}"
    return f"Nothing is left to begin; {some} failed.\n  next: tdd errors list"


def _nothing_started(repo: Repository) -> dict[str, Any]:
    """``list_done`` only where it is: items that failed leave the list open."""
    from tdd_orchestrator.model.plan import Status

    items = repo.plan.plan().items
    failed = [item.id for item in items if item.status is Status.FAILED and not item.begun_by_hand]
    return {"outcome": "failed_left", "failed_items": failed} if failed else {"outcome": "list_done"}


def _current_phase(context: CycleContext) -> Any:
    from tdd_orchestrator.model.phase import Phase

    state = context.state()
    return Phase.RED if state is None or state.over else state.phase


def _tell(context: CycleContext, state: CycleState | None, as_json: bool) -> int:
    """Say how it stands; the exit code comes back: 1 where the cycle was aborted."""
    if state is None:
        if as_json:
            emit_json("cycle-result", _nothing_started(context.repo))
        else:
            click.echo(_left(context.repo))
        return 0
    from tdd_orchestrator.cycle.usage_text import used_in

    aborted = state.over == "aborted"
    if as_json:
        emit_json("cycle-result", {**as_dict(state), "used": asdict(used_in(context.run.records))})
    elif state.over:
        last = state.attempts[-1] if state.attempts else None
        words = {
            "landed": f"landed on {state.branch} as {state.tip[:12]}",
            "already_covered": "seems covered: nothing was built, and no test was kept",
            "outer_red": "waits until what is below it is done; its test is kept, and fails until then",
            "parked": f"is parked: it conflicts with what came to {state.branch}",
            "aborted": f"was aborted in {last.phase if last else state.phase}; {state.branch} stands as it was",
        }.get(state.over, state.over)
        click.echo(f"Cycle {state.number} ({clean(state.item)}) {words}.")
        if last is not None and state.over == "already_covered":
            why = clean("; ".join(last.reasons))
            click.echo(
                f"What says so: {why} (git show {last.commit[:12]}). Does it not test that? `tdd plan add` "
                "it again, in plainer words."
            )
        _say_summary(context, state)
        if state.over == "parked":
            click.echo(f"  next: git merge {state.tip[:12]}, solve the conflict, commit; then tdd cycle next")
        if aborted:
            error_id = _report_of(context.run)
            click.echo(f"  why: tdd errors show {error_id}" if error_id else "  why: tdd cycle show")
            click.echo(f"  next: {TAKE_UP}")
    else:
        click.echo(f"Cycle {state.number} ({clean(state.item)}): next is {state.phase}.")
    sys.stdout.flush()
    if state.asks:
        if not as_json:
            click.echo(_covered_question({state.item_id: state.item}))
        return Gated.exit_code
    return 1 if state.over in ("aborted", "parked") else 0


def as_dict(state: CycleState) -> dict[str, Any]:
    """The documented, stable shape of a cycle's state."""
    return {
        "cycle_id": state.cycle_id,
        "cycle_number": state.number,
        "item_id": state.item_id,
        "item": state.item,
        "branch": state.branch,
        "base": state.base,
        "tip": state.tip,
        "phase": str(state.phase),
        "outcome": state.over or "in_progress",
        "retry_count": state.retry,
        "waiting": state.waiting,
        "attempts": [
            {
                "phase": str(attempt.phase),
                "attempt": attempt.attempt,
                "verdict": attempt.verdict,
                "accepted": attempt.accepted,
                "agent": attempt.agent,
                "role": attempt.role,
                "reasons": list(attempt.reasons),
                "commit": attempt.commit,
            }
            for attempt in state.attempts
        ],
    }

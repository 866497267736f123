"""Print how a cycle or a run ended, and what to run next; at an escalation on a terminal, ask (R7)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import (
    clean,
    columns,
    echo_wrapped,
    emit_json,
    items_table,
    run_counts,
    summary_lines,
    summary_of,
    tinted,
    warning_lines,
    warnings_of,
    wrapped,
)
from tdd_orchestrator.cli.standing import newest
from tdd_orchestrator.cli.status import after_failure, next_command
from tdd_orchestrator.model.errors import Gated

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.context import CommandRun, CycleContext, Repository
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.cycle.usage_text import Used


def print_to_the_end(
    ctx: click.Context, context: CycleContext, state: CycleState | None, as_json: bool
) -> int:
    """Print how the cycle ended; where it failed for good and a person is present, ask how to continue
    and do it."""
    from tdd_orchestrator.cycle import loop

    code = print_result(context, state, as_json)
    close_reports(context, state)
    while state is not None and what_now(ctx, context, state):
        state = loop.cycle(context)
        code = print_result(context, state, as_json)
        close_reports(context, state)
    return code


def print_result(
    context: CycleContext, state: CycleState | None, as_json: bool, *, alone: bool = True
) -> int:
    """Say how it stands; the exit code comes back: 1 where the cycle was aborted.

    ``alone``: no other cycle follows, so an aborted one can be resumed.
    """
    if state is None:
        if as_json:
            emit_json("cycle-result", _nothing_started(context.repo))
        else:
            echo_wrapped(_left(context.repo))
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
        echo_wrapped(f"Cycle {state.number} ({state.item}) {words}.", rest="  ")
        if last is not None and state.over == "already_covered":
            why = clean("; ".join(last.reasons))
            echo_wrapped(
                f"What says so: {why} (git show {last.commit[:12]}). Does it not test that? `tdd plan add` "
                "it again, in plainer words."
            )
        _print_summary(context, state)
        if state.over == "parked":
            echo_wrapped(
                f"  next: git merge {state.tip[:12]}, solve the conflict, commit; then tdd cycle next"
            )
        if aborted:
            error_id = _report_of(context.run)
            echo_wrapped(f"  why: tdd errors show {error_id}" if error_id else "  why: tdd cycle show")
            if alone:
                echo_wrapped(f"  next: {after_failure(context.repo.store, error_id)}")
    else:
        echo_wrapped(f"Cycle {state.number} ({clean(state.item)}): next is {state.phase}.")
        for line in warning_lines(warnings_of(context.run.records[-1:]), columns()):
            click.echo(clean(line))
    sys.stdout.flush()
    if state.asks:
        if not as_json:
            echo_wrapped(covered_question({state.item_id: state.item}))
        return Gated.exit_code
    return 1 if state.over in ("aborted", "parked") else 0


def _print_summary(context: CycleContext, state: CycleState) -> None:
    """Print the summary of a cycle: tests, changes, attempts, time, tokens and cost, warnings."""
    from tdd_orchestrator.cycle.usage_text import render_used, used_in
    from tdd_orchestrator.repo.diff import diff_of_trees, shortstat

    changed = ""
    if state.tip != state.base and state.over != "aborted":
        before, after = (context.repo.objects.read_commit(one).tree for one in (state.base, state.tip))
        changed = shortstat(diff_of_trees(context.repo.git, before, after))
    used = render_used(replace(used_in(context.run.records), landed=0))  # its time is named already
    summary = summary_of(context.run.records, changed, f"used {used}" if used else "")
    for line in summary_lines(summary, columns()):
        click.echo(clean(line))


def covered_question(waiting: Mapping[str, str]) -> str:
    names = ", ".join(f"{clean(title)} ({item})" for item, title in waiting.items())
    verb = "seems" if len(waiting) == 1 else "seem"
    return (
        f"{names} {verb} covered. Answer with `tdd cycle approve --item ID` or `tdd cycle reject --item ID`."
    )


def _report_of(run: CommandRun) -> str:
    """The error report that the cycle ended with; "" where it ended with none."""
    from tdd_orchestrator.model.records import CycleEnded

    last = run.records[-1] if run.records else None
    return last.error_id if isinstance(last, CycleEnded) else ""


def close_reports(context: CycleContext, state: CycleState | None) -> None:
    """A cycle that fixed something closes its error report."""
    from tdd_orchestrator.failures.reports import settle_landed

    for line in settle_landed(context.repo, state) if state is not None else ():
        context.watch.note(line)


def row_of(run: CommandRun, state: CycleState) -> tuple[str, str, str]:
    """A cycle as a row of the table at the end of a run: item, outcome, and where to look."""
    from tdd_orchestrator.model.records import CycleEnded, Handoff
    from tdd_orchestrator.text import one_line

    last = run.records[-1] if run.records else None
    summary = one_line(last.summary, 100) if isinstance(last, CycleEnded) else ""
    given_up = [one for one in run.records if isinstance(one, Handoff) and one.status == "given_up"]
    if state.over == "landed" and given_up:
        summary = given_up[-1].reasons[0]
    more = ": ".join(filter(None, (_report_of(run), clean(summary))))
    more = f"parked: git merge {state.tip[:12]}" if state.over == "parked" else more
    return clean(state.item), state.over, more


def print_run(repo: Repository, rows: list[tuple[str, str, str]], used: Used) -> None:
    """What a run came to: a row for each item, what is left, what was used."""
    for line in items_table(rows, columns()):
        click.echo(tinted(line))
    echo_wrapped(f"{run_counts([outcome for _, outcome, _ in rows])}. {_left(repo)}")
    if len(rows) > 1:
        _print_used(used)


def _print_used(used: Used) -> None:
    from tdd_orchestrator.cycle.usage_text import render_used

    line = render_used(used)
    if line:
        echo_wrapped(f"Used: {line}.")


def _left(repo: Repository) -> str:
    """Return what the plan still holds: items to begin, failed ones, or nothing."""
    from tdd_orchestrator.model.plan import Status
    from tdd_orchestrator.text import one_line

    plan = repo.plan.plan()
    left, stuck = plan.left()
    if left:
        return f"{len(left)} item{'s are' if len(left) != 1 else ' is'} left: run it again to go on."
    failed = [item for item in plan.items if item.status is Status.FAILED and not item.begun_by_hand]
    by_hand = [item for item in plan.items if item.begun_by_hand and item.status is Status.PLANNED]
    if not failed and by_hand:
        some = "1 item is" if len(by_hand) == 1 else f"{len(by_hand)} items are"
        first = f"tdd cycle next --item {by_hand[0].id} ({one_line(by_hand[0].title, 60)})"
        return f"The list is done; {some} left for you to begin: {first}."
    if not failed:
        return "The list is done: every item is completed, covered or set aside."
    some = f"{len(failed)} item{'s'[: len(failed) != 1]} failed"
    if stuck:
        some += f", {len(stuck)} wait{'s'[: len(stuck) == 1]} for {'it' if len(failed) == 1 else 'them'}"
    return f"Nothing is left to begin; {some}.\n  next: {next_command(newest(Path.cwd()))}"


def _nothing_started(repo: Repository) -> dict[str, Any]:
    """``list_done`` only where it is: items that failed leave the list open."""
    from tdd_orchestrator.model.plan import Status

    items = repo.plan.plan().items
    failed = [item.id for item in items if item.status is Status.FAILED and not item.begun_by_hand]
    outcome = {"outcome": "failed_left", "failed_items": failed} if failed else {"outcome": "list_done"}
    return {**outcome, "next": next_command(newest(Path.cwd()))}


def as_dict(state: CycleState) -> dict[str, Any]:
    """The documented, stable shape of a cycle's state."""
    from tdd_orchestrator.cycle.state import place

    return {
        **place(state),
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


def what_now(ctx: click.Context, context: CycleContext, state: CycleState) -> bool:
    """Ask what to do about a cycle that failed for good, and do it; return whether the loop goes on.

    Without a terminal nothing is asked, and the loop ends.
    """
    from tdd_orchestrator.failures.fix_cycle import WORDS, ask_at_escalation, carry_out

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
    from tdd_orchestrator.failures.fix_cycle import lay_out

    path = lay_out(context, state)
    click.echo(f"What was refused lies in {path}; what you change there is not kept.", err=True)
    if _has_desktop():
        click.launch(str(Path(path)))


def _has_desktop() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))

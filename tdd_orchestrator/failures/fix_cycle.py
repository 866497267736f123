"""``tdd errors fix``: the fix item's own cycle, with the same gates as any; then the report is settled. And what a person may
choose where a cycle failed for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from tdd_orchestrator.cycle import controls, loop
from tdd_orchestrator.cycle.start import begin
from tdd_orchestrator.failures import cleanup, fixes, strategy
from tdd_orchestrator.failures.context import failed_commit
from tdd_orchestrator.failures.fixes import is_fix
from tdd_orchestrator.failures.reports import StoredReport, close, note_work, read, settle
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import DONE, Item, Status

if TYPE_CHECKING:
    from pathlib import Path

    from tdd_orchestrator.cycle.context import CycleContext, Repository
    from tdd_orchestrator.cycle.state import CycleState


def run_fix_cycle(
    context: CycleContext, table: Mapping[str, cleanup.When], one: StoredReport, say: Callable[[str], None]
) -> CycleState | None:
    """Run the cycle of the report's fix item, from where a kill left it. None: it was fixed already. Where
    nothing in the code is to be changed, it is the failed item's own cycle.

    ``table`` is error type -> when its folders go; see :func:`cleanup.table_with`.
    Refused where the report is closed, or the cycle of another item is not over.
    """
    if one.status == "closed":
        raise Refused(f"{one.error_id} is closed ({one.reason}).", "`tdd errors list` shows what is open.")
    item = _fix_item(context.repo, one)
    running = context.state()
    if running is not None and not running.over and running.item_id != item.id:
        raise Refused(
            f"The cycle of '{running.item}' is not over.",
            "Finish it (tdd cycle next) or end it (tdd cycle abort) first.",
        )
    state = None
    if item.status not in DONE:
        if running is None or running.over:
            _started(context.repo, table, one, item, say)
            begin(context, item)
        state = loop.cycle(context)
    for sentence in settle(context.repo.store, context.repo.plan.plan(), context.repo.plan.change):
        say(sentence)
    return state


def _fix_item(repo: Repository, one: StoredReport) -> Item:
    if strategy.is_stop(one.report):
        raise Refused("Nothing in the code is to be fixed here.", one.report.recommended_workflow)
    plan = repo.plan.plan()
    found = fixes.fix_of(one.report, plan.items)
    if found is not None:
        return found
    failed = plan.get(one.item_id)
    if failed is None:
        raise Refused(
            f"The item of {one.error_id} is not in the plan any more.",
            f"Close the report: tdd errors close {one.error_id}.",
        )
    if fixes.is_fix(failed) or not strategy.is_in_code(one.report):
        return failed  # it is tried again, not fixed by another one
    return repo.plan.add([fixes.fix_item(one.report, failed)], plan=plan)[0]


def _started(
    repo: Repository,
    table: Mapping[str, cleanup.When],
    one: StoredReport,
    item: Item,
    say: Callable[[str], None],
) -> None:
    """Record that the fix begins, and remove what was kept until now (F8)."""
    note_work(repo.store, one, "fix", "begun", item=item.id)
    now = [
        again
        for again in cleanup.decide(read(repo.store, mine=True), table)
        if again.error_id == one.error_id
    ]
    try:
        removed, _ = cleanup.carry_out(repo.places.runs, now)
    except OSError as error:
        say(f"the clean-up failed ({error.strerror}); the fix goes on")
        note_work(repo.store, one, "clean_up", "failed", str(error.strerror))
        return
    for line in removed:
        say(f"removed the transcripts of {line}")


class Choice(StrEnum):
    CONTINUE = "continue"
    RETRY = "retry"
    SKIP = "skip"
    OPEN = "open"
    ABORT = "abort"


WORDS: dict[Choice, str] = {
    Choice.CONTINUE: "go on with the next item; this one stays failed",
    Choice.RETRY: "try this one again, with a hint of yours",
    Choice.SKIP: "set this item aside and go on",
    Choice.OPEN: "look at what was refused, in a work tree",
    Choice.ABORT: "stop here",
}


@dataclass(frozen=True, slots=True)
class Answer:
    choice: Choice
    hint: str = ""


def choice_of(word: str) -> Choice | None:
    """Return the choice that a typed word names, or is the only beginning of; None for other words."""
    typed = word.strip().casefold()
    hits = [choice for choice in Choice if typed and choice.startswith(typed)]
    return hits[0] if len(hits) == 1 else None


def ask_at_escalation(
    choose: Callable[[], str], hint: Callable[[], str], show: Callable[[], None], say: Callable[[str], None]
) -> Answer:
    """Ask until there is an answer that ends the asking; ``show`` opens the tree, after which it is asked
    again."""
    while True:
        choice = choice_of(choose())
        if choice is None:
            say(f"Choose one of {', '.join(Choice)}.")
        elif choice is Choice.OPEN:
            show()
        elif choice is Choice.RETRY:
            return Answer(choice, hint().strip())
        else:
            return Answer(choice)


def carry_out(context: CycleContext, state: CycleState, answer: Answer) -> bool:
    """Carry out the choice, in the audit log and in the plan; return whether the loop is to be called again.

    ``state`` is the aborted cycle's.
    """
    if answer.choice is Choice.RETRY:
        controls.take_up(context, answer.hint)
    elif answer.choice is Choice.SKIP:
        aside = [
            item for item in context.repo.plan.plan().items
            if item.id == state.item_id or (is_fix(item) and item.parent == state.item_id)
        ]  # fmt: skip
        for item in aside:
            context.repo.plan.change(replace(item, status=Status.CANCELLED))
        for one in read(context.repo.store):
            if one.item_id in {item.id for item in aside}:
                close(context.repo.store, one, "its item was set aside")
    return answer.choice is not Choice.ABORT


def lay_out(context: CycleContext, state: CycleState) -> Path:
    """Put the last refused attempt into the agent's tree, for inspection; the tree is made anew before
    the next attempt. In mode ``inplace`` the tree is the user's own, and nothing is moved."""
    if not context.settings.inplace:
        context.agents.tree.move_to(failed_commit(state))
    return context.agents.tree.path

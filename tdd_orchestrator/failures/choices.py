"""A person's choices after a cycle failed for good (R7), and what each does. The caller asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from tdd_orchestrator.cycle import controls
from tdd_orchestrator.failures.context import failed_commit
from tdd_orchestrator.failures.fixes import is_fix
from tdd_orchestrator.failures.reports import close, read
from tdd_orchestrator.model.plan import Status

if TYPE_CHECKING:
    from pathlib import Path

    from tdd_orchestrator.cycle.context import CycleContext
    from tdd_orchestrator.cycle.state import CycleState


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

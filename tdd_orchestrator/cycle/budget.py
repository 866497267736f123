"""Whether there is more to spend (R8): for a cycle, for a run, for a `tdd fix`."""

from __future__ import annotations

from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.usage import spent_on
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.policy import Spent


def within_cycle(context: CycleContext, state: CycleState) -> None:
    """Raises Paused where the cycle, or the run that it is part of, has nothing left."""
    _allow("The budget of this cycle", spent_on(state, context.unmarked()).over(context.settings.budget))
    within_run(context)


def within_fix(context: CycleContext, before: Spent) -> None:
    """The same of ``tdd fix``, which is one piece of work as a cycle is. ``before``: spent on it by earlier
    commands."""
    _allow("The budget of this fix", (before + context.spent()).over(context.settings.budget))
    within_run(context)


def within_run(context: CycleContext) -> None:
    reached = context.spent().over(context.settings.budget.of_run)
    if reached:
        raise Paused(
            f"The budget of this run: {reached}.",
            "Run it again to go on, or give it more: --budget, or [budget] in tdd.toml.",
        )


def _allow(whose: str, reached: str) -> None:
    if reached:
        raise Paused(f"{whose}: {reached}.", "Raise [budget] in tdd.toml and run the same command again.")

"""A cycle that waits to land is proven on what lands before it, while that is still being proven.

Nothing is recorded here. Where the one before it lands as expected, the runs are there when they are needed;
where it does not, they are of trees that nobody asks for, and the cycle is proven by itself.
"""

from __future__ import annotations

from collections.abc import Callable

from tdd_orchestrator.cycle.attempt.candidate import tree_of
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.landing.reproof import run_moved
from tdd_orchestrator.cycle.rebase import LandingConflict, rebased
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.phase import Phase


def prove_ahead(context: CycleContext, state: CycleState, head: str, wanted: Callable[[], bool]) -> None:
    """Run the tests on each commit of the cycle as it would stand on ``head``, as long as that is ``wanted``."""
    try:
        mapping = rebased(context.repo, state.base, state.tip, head, state.branch)
    except LandingConflict:
        return
    context.run.tips[state.cycle_id] = mapping.get(state.tip, state.tip)
    phases = {state.red: Phase.RED, state.green: Phase.GREEN}
    for old, new in mapping.items():
        if not wanted():
            return
        phase = phases.get(old, Phase.REFACTOR)
        context.watch.doing(f"{phase}: proving on {head[:12]}, which is to land first")
        context.run.proved_ahead[tree_of(context.repo, new)] = run_moved(context, state, phase, new)

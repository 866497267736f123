"""Prove a list of changes: every tree once, then each change by itself."""

from __future__ import annotations

from collections.abc import Callable

from tdd_orchestrator.audit.run_trees import Runs
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.prove.examine import Examiner, whole_runs
from tdd_orchestrator.prove.values import ChangeRange, ChangeResult, ProveOptions, ProveReport


def prove(
    changes: list[ChangeRange],
    options: ProveOptions,
    means: Callable[[], tuple[Workshop, Runs]],
    say: Callable[[ChangeResult], None] = lambda _: None,
) -> ProveReport:
    """Return the verdict of each change. ``means`` makes the clean trees; ``say`` gets each result at once."""
    context, runs = means()
    runs.all_of(whole_runs(changes, options))
    examiner = Examiner(context, runs, options)
    report = ProveReport()
    for change in changes:
        result = examiner.examine(change)
        report.results.append(result)
        say(result)
    report.trees, report.seconds = len(runs.proofs), round(runs.seconds, 3)
    return report

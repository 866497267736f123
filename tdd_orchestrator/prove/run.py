"""Prove a list of changes: every tree once, then each change by itself, on as many work trees as there are
jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from itertools import count
from threading import Lock
from typing import Any

from tdd_orchestrator.audit.run_trees import Runs
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.model.coverage import Coverage
from tdd_orchestrator.model.report import Case, Report
from tdd_orchestrator.prove.examine import Examiner, whole_runs
from tdd_orchestrator.prove.values import ChangeRange, ChangeResult, ProveOptions, ProveReport


def prove(
    changes: list[ChangeRange], options: ProveOptions, means: Callable[[], tuple[CycleContext, Runs]]
) -> ProveReport:
    """Return the verdict of each change, in their order. ``means`` makes the clean trees.

    Changes are examined side by side: one thread at a time reads and decides, and lets the others do so while
    its tests run. So nothing but the work trees has to be safe for threads.
    """
    context, runs = means()
    runs.all_of(whole_runs(changes, options))
    coverage: dict[str, Coverage] = {}
    lock, number = Lock(), count(1)
    runs.provers = [_unlocking(prover, lock) for prover in runs.provers]

    def examine(prover: Prover, change: ChangeRange) -> ChangeResult:
        with lock:
            context.watch.doing(f"{change.name}: {change.subject[:50]} ({next(number)} of {len(changes)})")
            return Examiner(replace(context, prover=prover), runs, options, coverage).examine(change)

    results = runs.on_each(changes, examine)
    return ProveReport(results, len(runs.proofs), round(runs.seconds, 3))


@dataclass(slots=True)
class _UnlockingProver(Prover):
    """Lets go of ``lock`` while tests run."""

    lock: Lock = field(default_factory=Lock)

    def prove(self, commit: str, tree_oid: str, **how: Any) -> Proof:
        with _released(self.lock):
            return Prover.prove(self, commit, tree_oid, **how)

    def run_rewritten(
        self, commit: str, texts: Mapping[str, str], only: Sequence[Case], limit: float
    ) -> tuple[Report, str]:
        with _released(self.lock):
            return Prover.run_rewritten(self, commit, texts, only, limit)

    def measure(self, commit: str, limit: float) -> Coverage:
        with _released(self.lock):
            return Prover.measure(self, commit, limit)


@contextmanager
def _released(lock: Lock) -> Iterator[None]:
    lock.release()
    try:
        yield
    finally:
        lock.acquire()


def _unlocking(prover: Prover, lock: Lock) -> _UnlockingProver:
    return _UnlockingProver(**{one.name: getattr(prover, one.name) for one in fields(Prover)}, lock=lock)

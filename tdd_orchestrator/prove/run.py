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
from tdd_orchestrator.prove.values import (
    ChangeClass,
    ChangeRange,
    ChangeResult,
    ChangeVerdict,
    ProveOptions,
    ProveReport,
)


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
            place = f"{min(next(number), len(changes))} of {len(changes)}"
            context.watch.doing(f"{change.name}: {change.subject[:50]} ({place})")
            return Examiner(replace(context, prover=prover), runs, options, coverage).examine(change)

    results = runs.on_each(changes, examine)
    results = joined_where_red(results, lambda change: runs.on_each([change], examine)[0])
    return ProveReport(results, len(runs.proofs), round(runs.seconds, 3))


_RED = frozenset({ChangeVerdict.STILL_FAILING, ChangeVerdict.BUILD_ERROR, ChangeVerdict.BREAKS_EXISTING})
_FOLLOWING = 5  # commits that are looked at for the code of a test


def joined_where_red(
    results: list[ChangeResult], examine: Callable[[ChangeRange], ChangeResult]
) -> list[ChangeResult]:
    """Return the results with a commit of tests that fail, as they are written first, and the commits that make
    them pass as one change, where that one is proven; else as they are."""
    found = []
    place = 0
    while place < len(results):
        used, result = _until_green(results[place : place + _FOLLOWING + 1], examine)
        found.append(result)
        place += used
    return found


def _until_green(
    results: list[ChangeResult], examine: Callable[[ChangeRange], ChangeResult]
) -> tuple[int, ChangeResult]:
    """Return how many results the first one was joined from, and it."""
    first = last = results[0]
    for more, following in enumerate(results[1:] if first.kind is ChangeClass.TESTS else (), 1):
        if last.verdict not in _RED or following.change.base != last.change.head:
            break
        last = examine(_joined(first.change, following.change, more))
        if last.proven:
            return more + 1, last
    return 1, first


def _joined(first: ChangeRange, last: ChangeRange, more: int) -> ChangeRange:
    return replace(
        last,
        name=f"{first.base[:9]}..{last.head[:9]}",
        subject=f"{first.subject} (and {more} more commit{'s' * (more > 1)})",
        base=first.base,
        base_tree=first.base_tree,
        claim="",
        undoes="",
    )


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

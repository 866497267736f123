"""Run the suite on a candidate's tree with some of its files as they were before: how the other tests do
without them."""

from __future__ import annotations

import os
import time
from collections.abc import Collection

from tdd_orchestrator.cycle.attempt.candidate import Candidate, tree_of
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model.report import Report
from tdd_orchestrator.repo.diff import differing


def run_without(
    context: CycleContext, state: CycleState, candidate: Candidate, paths: Collection[str]
) -> Report | None:
    """Put ``paths`` back to where the phase began and run the suite once; None where that leaves no change at
    all."""
    base = tree_of(context.repo, state.tip)
    before = {
        path: was
        for path, was, _ in differing(context.repo.objects, base, candidate.tree)
        if os.fsdecode(path) in paths
    }
    tree = context.repo.objects.edit_tree(candidate.tree, before)
    if tree == base:
        return None
    context.watch.doing("running the other tests without the new ones")
    author = f"{context.repo.identity} {int(time.time())} +0000"
    commit = context.repo.objects.write_commit(
        tree, [state.tip], "test: without the new tests\n", author=author
    )
    return context.prover.prove(commit, tree, suspects=lambda _: ()).report

"""Maintenance at the end of a cycle: fold refs, pack objects, prune the state folder."""

from __future__ import annotations

from collections.abc import Callable

from tdd_orchestrator.model.errors import GitFailed, RefMoved
from tdd_orchestrator.notes import pins
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.packing import pack
from tdd_orchestrator.workspace.pruning import prune
from tdd_orchestrator.workspace.state_folders import Places

_PRUNED_EVERY = 16  # cycles


def tidy(git: Git, objects: Objects, places: Places, number: int, note: Callable[[str], None]) -> None:
    """Fold old refs, pack loose objects and prune the state folder after cycle ``number``; ``note`` gets
    what is postponed. The cycle's records are written by then: a failure here is no failure of the
    cycle."""
    try:
        if pins.count(git) > pins.LIMIT:
            pins.fold(git, objects)
        if pack(git):
            objects.close()  # the packs that it had open are gone
        if number % _PRUNED_EVERY == 0:
            prune(places)
    except (GitFailed, RefMoved, OSError) as error:
        note(f"Clean-up is put off to the end of the next cycle: {error}")

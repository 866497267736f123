"""At the end of a cycle: what would grow with every cycle is folded, packed and pruned."""

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
    """Fold old refs, pack loose objects, prune the state folder after cycle ``number``; ``note`` gets what is
    put off.

    The cycle's records are written, and none of this is needed to go on: a failure here is no failure of the
    cycle.
    """
    try:
        if pins.count(git) > pins.LIMIT:
            pins.fold(git, objects)
        if pack(git):
            objects.close()  # the packs that it had open are gone
        if number % _PRUNED_EVERY == 0:
            prune(places)
    except (GitFailed, RefMoved, OSError) as error:
        note(f"Clean-up is put off to the end of the next cycle: {error}")

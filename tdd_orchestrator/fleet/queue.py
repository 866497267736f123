"""Places where one lane at a time may be: the landing queue, and the beginning of a cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tdd_orchestrator.fleet.turn import Turn

Place = tuple[float, str]
"""Where an item stands in the plan; lower is earlier."""
_LOOK = 0.2  # seconds between two looks at what could be done while one waits


class Queue:
    """One lane at a time, the earliest in the plan of those that wait. Its owner keeps its place while
    programs run."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.waiting: list[Place] = []
        self.owner: Place | None = None

    @contextmanager
    def place(self, mine: Place, meanwhile: Callable[[], None] | None = None) -> Iterator[None]:
        """Wait for one's time, then hold the place for the length of the block. ``meanwhile`` is called now and
        then as long as one waits."""
        self.waiting.append(mine)
        try:
            while not self._turn.wait(lambda: self._is_next(mine), _LOOK if meanwhile else None):
                if meanwhile is not None:
                    meanwhile()
            self.owner = mine
        finally:
            self.waiting.remove(mine)
        try:
            yield
        finally:
            self.owner = None
            self._turn.changed()

    def before(self, mine: Place) -> Place | None:
        """Return who lands just before ``mine``; None where that is nobody."""
        ahead = [place for place in sorted(self.waiting) if place < mine]
        return ahead[-1] if ahead else self.owner

    def _is_next(self, mine: Place) -> bool:
        return self.owner is None and min(self.waiting) == mine

"""Places where one lane at a time may be: the landing queue, and the beginning of a cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tdd_orchestrator.fleet.turn import Turn

Work = Callable[[], None]
Place = tuple[float, str]
"""Where an item stands in the plan; lower is earlier."""


class Queue:
    """One lane at a time, the earliest in the plan of those that wait. Its owner keeps its place while
    programs run."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.waiting: list[Place] = []
        self.owner: Place | None = None

    @contextmanager
    def place(self, mine: Place, meanwhile: Callable[[], Work | None] = lambda: None) -> Iterator[None]:
        """Wait for one's time, then hold the place for the length of the block. ``meanwhile`` returns what can be
        done while one waits, None where there is nothing."""
        self.waiting.append(mine)
        try:
            while not self._is_next(mine):
                work = meanwhile()
                if work is not None:
                    work()
                else:
                    self._turn.wait(lambda: self._is_next(mine) or meanwhile() is not None)
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

"""A place where one lane at a time may be: the beginning of a cycle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tdd_orchestrator.fleet.turn import Turn

Place = tuple[float, str]
"""Where an item stands in the plan; lower is earlier."""


class Queue:
    """One lane at a time, the earliest in the plan of those that wait. Its owner keeps its place while
    programs run."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.waiting: list[Place] = []
        self._owner: Place | None = None

    @contextmanager
    def place(self, mine: Place) -> Iterator[None]:
        """Wait for one's time, then hold the place for the length of the block."""
        self.waiting.append(mine)
        try:
            self._turn.wait(lambda: self._owner is None and min(self.waiting) == mine)
            self._owner = mine
        finally:
            self.waiting.remove(mine)
        try:
            yield
        finally:
            self._owner = None
            self._turn.changed()

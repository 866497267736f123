"""The turn: the right to read and write the repository; and the queue of lanes that begin a cycle."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime


class Stopped(BaseException):
    """The run ends: the lane stops where it is, as after a kill. Not an Exception: nothing may go on
    from it."""


class Turn:
    """A lock with a list of those who wait for a condition. ``with turn`` takes it, ``turn.outside()``
    gives it away."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._stopped = False

    def __enter__(self) -> Turn:
        self._changed.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._changed.release()

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Give the turn away for the length of the block. Stopped is raised at its end where the run ends."""
        self._go_on()
        self._changed.notify_all()  # what was done under the turn may be what another lane waits for
        self._changed.release()
        try:
            yield
        finally:
            self._changed.acquire()
            self._go_on()

    def wait(self, until: Callable[[], bool], seconds: float | None = None) -> bool:
        """Give the turn away until the condition holds, or some seconds have passed; return whether it
        holds."""
        held = self._changed.wait_for(lambda: self._stopped or until(), seconds)
        self._go_on()
        return held

    def changed(self) -> None:
        """Let those who wait look at their conditions again."""
        self._changed.notify_all()

    @property
    def stopped(self) -> bool:
        return self._stopped

    def stop(self) -> None:
        """End the run: every lane is stopped when it next takes the turn or waits. The caller does not
        have the turn."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _go_on(self) -> None:
        if self._stopped:
            raise Stopped


class LaneClock:
    """The wall clock, whose waits give the turn away."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        until = time.monotonic() + max(0.0, seconds)
        while (left := until - time.monotonic()) > 0:
            self._turn.wait(lambda: False, min(left, threading.TIMEOUT_MAX))


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

"""The turn: the right to read and write the repository; the queue of lanes that begin a cycle; and requests to abort one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tdd_orchestrator.workspace.folders import remove


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


_LOOK = 0.1  # seconds between two looks at whether the run has answered


@dataclass(frozen=True)
class AbortRequests:
    """``folder`` is there as long as the run of one process takes requests; a run that was killed leaves its
    own."""

    folder: Path

    @classmethod
    def below(cls, root: Path, process: int) -> AbortRequests:
        return cls(root / "aborts" / str(process))

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take requests for the length of the block."""
        remove(self.folder.parent)
        self.folder.mkdir(parents=True)
        try:
            yield
        finally:
            remove(self.folder.parent)

    def pending(self) -> dict[str, str]:
        """Return the reason for each cycle that is to be ended, by its id."""
        found = {}
        for path in sorted(self.folder.glob("c-*")):
            found[path.name] = path.read_text(encoding="utf-8")
        return found

    def answer(self, cycle_id: str) -> None:
        """The cycle is over, or cannot be ended."""
        (self.folder / cycle_id).unlink(missing_ok=True)

    def ask(self, cycle_id: str, why: str, seconds: float) -> bool:
        """Ask the run at work to end a cycle; return whether it answered in so many seconds. False where none
        takes requests."""
        path = self.folder / cycle_id
        try:
            fresh = path.with_name(f".{cycle_id}")
            fresh.write_text(why, encoding="utf-8")
            fresh.rename(path)
        except FileNotFoundError:
            return False
        until = time.monotonic() + seconds
        while path.exists() and time.monotonic() < until:
            time.sleep(_LOOK)
        answered = not path.exists()
        path.unlink(missing_ok=True)
        return answered

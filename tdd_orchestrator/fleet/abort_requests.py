"""Requests to abort a cycle of a run at work: files that another process writes and the run answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tdd_orchestrator.workspace.folders import remove

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

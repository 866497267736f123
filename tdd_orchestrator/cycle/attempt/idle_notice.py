"""Report an agent that prints nothing: it may work silently, or wait for its provider."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from tdd_orchestrator.agents.live import Activity
from tdd_orchestrator.agents.transport import duration_text

FIRST = (
    60.0  # seconds without a word, after which the first one is ours; then each time that they have doubled
)


class IdleNotice:
    """Call ``say`` while an agent prints nothing.

    ``limit`` are the seconds after which it is stopped, 0 = never.
    """

    def __init__(
        self,
        name: str,
        limit: float,
        say: Callable[[str], None],
        first: float = FIRST,
        activity: Activity | None = None,
    ) -> None:
        self._name, self._say, self._first = name, say, first
        self._end = f"; it is stopped after {duration_text(limit)}" if limit else ""
        self._activity = activity or Activity()
        self._over = threading.Event()
        self._last = time.monotonic()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def heard(self, data: bytes) -> None:
        self._last = time.monotonic()
        self._activity.feed(data)

    def __enter__(self) -> IdleNotice:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        since, due = self._last, self._first
        while not self._over.wait(max(0.0, since + due - time.monotonic())):
            if self._last != since:
                since, due = self._last, self._first
                continue
            seen = f" (last: {self._activity.last})" if self._activity.last else ""
            self._say(f"{self._name} has said nothing for {duration_text(due)}{seen}{self._end}")
            due *= 2

"""Stretches that a signal may not cut in two: from a child's start until it is known, and while it is being
ended."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def shielded() -> Iterator[None]:
    """Signals that would raise here wait until the end of the stretch, which must be short; then the first is
    raised.

    Those that nobody handles, or that are ignored, are left as they are. Only the main thread is ever
    interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    handled = {number: handler for number in _INTERRUPTS if callable(handler := signal.getsignal(number))}
    for number in handled:
        signal.signal(number, lambda number, _: held.append(number))
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
        if held:
            signal.raise_signal(signal.Signals(held[0]))

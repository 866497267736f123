"""Delay signals while a child is started or ended, so that it is never lost."""

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
    pending: list[int] = []
    handled = {number: handler for number in _INTERRUPTS if callable(handler := signal.getsignal(number))}
    for number in handled:
        signal.signal(number, lambda number, _: pending.append(number))
    try:
        yield
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
        if pending:
            signal.raise_signal(signal.Signals(pending[0]))

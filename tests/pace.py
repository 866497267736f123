"""Limits of time that hold on a slow machine as well: a pattern that backtracks takes a thousand times as long."""

from __future__ import annotations

import time

STEPS = 200_000
QUICK = 0.010  # seconds that the machine on which the limits were set takes for the steps


def within(seconds: float) -> float:
    """What may take this long on a quick machine may take so long here, in seconds; never less."""
    return seconds * max(1.0, min(_steps() for _ in range(3)) / QUICK)


def _steps() -> float:
    begun, total = time.process_time(), 0
    for step in range(STEPS):
        total += step
    return time.process_time() - begun

"""Interleaved measuring: each round runs every candidate once, so that a busy machine slows all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def interleaved(candidates: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median milliseconds of each candidate."""
    for run in candidates.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            begun = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - begun) * 1000)
    return {name: statistics.median(values) for name, values in times.items()}


def bound(what: str, ours: float, theirs: float, limit: float) -> bool:
    """Print a ratio beside its bound; True where it holds."""
    ratio = ours / theirs
    word = "ok" if ratio <= limit else "OVER"
    print(
        f"{what:<66} {ours:9.2f} ms / {theirs:9.2f} ms = {ratio:5.2f}  (at most {limit:g})  {word}",
        flush=True,
    )
    return ratio <= limit

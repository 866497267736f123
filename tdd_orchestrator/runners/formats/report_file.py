"""A report file to a Reading: which format it is, whether it is this run's."""

from __future__ import annotations

from pathlib import Path

from tdd_orchestrator.runners.reading import Reading


def read_report(path: Path, not_before: float) -> tuple[Reading | None, tuple[str, ...]]:
    """The reading, if the file is this run's and can be read; else None, and a sentence that says why."""
    return None, (f"{path.name}: unknown format",)

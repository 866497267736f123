"""The rooms of the crash tests, and the table of what the sweeps found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from faulty import Swift
from wreck import Point, Room

_SWEPT: dict[str, list[Point]] = {}


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@pytest.fixture
def swift(tmp_path: Path) -> Iterator[Swift]:
    room = Swift(tmp_path)
    yield room
    room.warm.end()


@pytest.fixture
def swept(request: pytest.FixtureRequest) -> list[Point]:
    """Where a sweep puts its points: they are counted in the table at the end of the run."""
    return _SWEPT.setdefault(request.node.name, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _SWEPT:
        return
    line = terminalreporter.write_line
    terminalreporter.section("broken off, and taken up again")
    line(
        f"{'sweep':60} {'found':>6} {'points':>6} {'struck':>6} {'stopped':>7} {'resumed':>7} {'extra calls':>11} {'trees':>5} {'commits':>7} {'locks':>5}"
    )
    for name, points in _SWEPT.items():
        struck = [point for point in points if point.reached]
        good = sum(not point.wrong for point in struck)
        extra = sum(point.extra for point in struck)
        bad = [sum(getattr(point, what) for point in struck) for what in ("trees", "commits", "locks")]
        stopped = sum(getattr(point, "stopped", True) for point in struck)
        found = max((getattr(point, "of", 0) for point in points), default=0) or len(points)
        line(
            f"{name[:60]:60} {found:6} {len(points):6} {len(struck):6} {stopped:7} {good:7} {extra:11} {bad[0]:5} {bad[1]:7} {bad[2]:5}"
        )

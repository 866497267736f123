"""A metric as a chart: bars as SVG made here, series over weeks as data for uPlot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tdd_orchestrator.history.metrics import Numbers
from tdd_orchestrator.text import one_line

_BARS = 12
_WIDTH = 100.0  # of the longest bar, per cent


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    value: float
    width: float


@dataclass(frozen=True, slots=True)
class Chart:
    """``bars`` or ``points`` (Unix seconds, value); ``title`` is the column that is drawn."""

    title: str
    bars: tuple[Bar, ...] = ()
    points: tuple[tuple[int, float], ...] = ()


def of(one: Numbers) -> Chart | None:
    """The chart of a metric; None where it has none, or where it would say nothing: one row, or only zeros."""
    if not one.metric.plot or len(one.rows) < 2:
        return None
    across, up = one.metric.plot.split()
    if not any(row[up] for row in one.rows):
        return None
    if across == "week":
        points = [(_seconds(row[across]), float(row[up] or 0)) for row in one.rows]
        return Chart(up.replace("_", " "), points=tuple(point for point in points if point[0]))
    values = [(one_line(str(row[across] or "-"), 30), float(row[up] or 0)) for row in one.rows[:_BARS]]
    most = max(value for _, value in values) or 1.0
    bars = (Bar(label, value, max(0.5, round(_WIDTH * value / most, 1))) for label, value in values)
    return Chart(up.replace("_", " "), bars=tuple(bars))


def _seconds(week: Any) -> int:
    """The week's Monday; 0 where a record's time was none."""
    try:
        return int(datetime.fromisoformat(week).replace(tzinfo=UTC).timestamp())
    except (TypeError, ValueError):
        return 0

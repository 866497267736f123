"""Templates, filled; charts of metrics, and source lines with their syntax marked. Records are hostile input: every value
is escaped, and controls are taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from tdd_orchestrator.failures.strategy import kind_of
from tdd_orchestrator.history.metrics import Numbers
from tdd_orchestrator.text import one_line, plain
from tdd_orchestrator.web.diffs import File

if TYPE_CHECKING:
    from jinja2 import Environment


HERE = Path(__file__).parent
STATIC = HERE / "static"


@cache
def environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: plain(as_text(value)) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "line": line,
        "when": when,
        "clock": lambda value: when(value, "%H:%M:%S"),
        "words": lambda value: as_text(value).replace("_", " "),
        "number": number,
        "identity": id,
        "kind": kind_of,
        "duration": duration,
        "money": lambda value: f"${value:,.2f}" if value else "",
    }
    return found


def render(name: str, values: Mapping[str, Any]) -> str:
    return environment().get_template(name).render(values)


def style(name: str) -> str:
    """A style sheet of ours, to be put into a page that travels alone."""
    return (STATIC / name).read_text(encoding="utf-8")


def as_text(value: Any) -> str:
    """A value as text that UTF-8 can hold."""
    return str(value if value is not None else "").encode("utf-8", "replace").decode()


def line(value: Any, limit: int = 280) -> str:
    """On one line, cut."""
    return one_line(as_text(value), limit)


def when(value: Any, shape: str = "%Y-%m-%d %H:%M") -> str:
    """A record's time to the minute, or in another shape, as UTC; what is no time stays as it is."""
    text = as_text(value)
    try:
        return datetime.fromisoformat(text).astimezone(UTC).strftime(shape)
    except (ValueError, OverflowError):
        return one_line(text, 30)


def number(value: Any) -> str:
    """With thousands set apart; "-" where there is none."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.2f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else as_text(value)


def duration(seconds: Any) -> str:
    if not isinstance(seconds, int | float) or seconds <= 0:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = seconds / 60
    return f"{minutes:.1f} min" if minutes < 60 else f"{minutes / 60:.1f} h"


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


def chart_of(one: Numbers) -> Chart | None:
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


_MOST = 60_000  # characters of one file that are coloured
_CLASSES = (("Comment", "c"), ("Literal.String", "s"), ("Literal.Number", "m"), ("Keyword", "k"),
    ("Name.Function", "f"),
            ("Name.Class", "f"), ("Name.Decorator", "f"))  # fmt: skip


def coloured(file: File) -> list[tuple[Markup, Markup]]:
    """For each row of the file its left and right side."""
    left = _lines(file.path, [plain(row.left) for row in file.rows])
    right = _lines(file.path, [plain(row.right) for row in file.rows])
    return list(zip(left, right, strict=True))


def _lines(path: str, lines: Sequence[str]) -> list[Markup]:
    single = [line.replace("\n", " ") for line in lines]
    text = "\n".join(single)
    found = _tokens(path, text) if len(text) <= _MOST else None
    if found is None:
        return [escape(line) for line in single]
    rows: list[list[Markup]] = [[]]
    for name, value in found:
        for number, part in enumerate(value.split("\n")):
            if number:
                rows.append([])
            if part:
                rows[-1].append(
                    Markup('<span class="{}">{}</span>').format(name, part) if name else escape(part)
                )
    joined = [Markup("").join(row) for row in rows]
    return joined if len(joined) == len(single) else [escape(line) for line in single]


def _tokens(path: str, text: str) -> list[tuple[str, str]] | None:
    """(class, text) of each token; None where the language is not known."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(path.rpartition("/")[2], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return [(_class(str(kind).removeprefix("Token.")), value) for kind, value in lexer.get_tokens(text)]


def _class(kind: str) -> str:
    return next((name for start, name in _CLASSES if kind.startswith(start)), "")

"""Templates, filled. Records are hostile input: every value is escaped, and controls are taken out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.text import one_line, plain

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
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "plain": lambda value: plain(as_text(value)),
        "line": line,
        "when": when,
        "clock": lambda value: when(value, "%H:%M:%S"),
        "words": lambda value: as_text(value).replace("_", " "),
        "number": number,
        "identity": id,
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

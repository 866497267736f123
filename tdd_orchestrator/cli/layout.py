"""What commands put on the screen, as lines of text: wrapped at words, plain. Pure; colors are added elsewhere."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

NARROW = 60  # columns; narrower terminals get lines of this width
_OUTCOMES = {
    "landed": "landed", "already_covered": "covered", "aborted": "failed", "parked": "parked", "cancelled": "cancelled",
    "rolled_back": "rolled back",
}  # fmt: skip


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most ``width`` columns, broken at words; ``first`` and ``rest`` stand before the lines."""
    lines = textwrap.wrap(
        text, max(width, NARROW), initial_indent=first, subsequent_indent=rest, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
    return lines or [first.rstrip()]


def duration(seconds: float) -> str:
    """Seconds as people say them: 0.4 s, 12 s, 3 min 20 s, 1 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")


@dataclass(frozen=True, slots=True)
class Summary:
    """What is said of a cycle at its end."""

    attempts: int
    seconds: float
    tests: str  # "12 passing"
    changed: str  # "2 files changed, 14 insertions(+)"
    used: str  # tokens and cost, or that they are not known
    warnings: tuple[str, ...] = ()


def summary_of(records: Sequence[Mapping[str, Any]], changed: str, used: str) -> Summary:
    """The summary of a cycle from its records, oldest first."""
    worked = [one for one in records if one["kind"] in ("handoff", "error")]
    counts: Mapping[str, Any] = {}
    for record in worked:
        if record["kind"] == "handoff" and (record.get("tests") or {}).get("counts"):
            counts = record["tests"]["counts"]
    passing = f"{counts['passed']} passing" if counts else ""
    warnings = [str(text) for record in worked for text in record.get("warnings") or ()]
    seconds = sum(float(record.get("wall") or 0.0) for record in records)
    return Summary(len(worked), seconds, passing, changed, used, tuple(dict.fromkeys(warnings)))


def summary_lines(summary: Summary, width: int) -> list[str]:
    attempts = f"{summary.attempts} attempt{'s'[: summary.attempts != 1]}"
    facts = [summary.tests, summary.changed, attempts, duration(summary.seconds), summary.used]
    lines = wrapped(" · ".join(filter(None, facts)), width, first="  ", rest="  ")
    for warning in summary.warnings:
        lines += wrapped(warning, width, first="  warning: ", rest="           ")
    return lines


def items_table(rows: Iterable[tuple[str, str, str]], width: int) -> list[str]:
    """The items of a run: (item, outcome, what more there is to say), the outcome in a column of its own."""
    lines = []
    for title, outcome, more in rows:
        said = f"{title}  ({more})" if more else title
        lines += wrapped(said, width, first=f"  {_OUTCOMES.get(outcome, outcome):11} ", rest=" " * 14)
    return lines


def log_lines(
    entries: Iterable[tuple[Mapping[str, Any], str, str]], zone: tzinfo | None, width: int
) -> list[str]:
    """The trail for a person, grouped by cycle, in the time of ``zone`` (None: this machine's).

    ``entries`` are (record, commit, subject), the newest first.
    """
    lines: list[str] = []
    group = None
    for record, commit, subject in entries:
        cycle = str(record.get("cycle_id") or "")
        if cycle != group:
            if lines:
                lines.append("")
            title = (
                f"cycle {record.get('cycle_number')}: {record.get('item')}" if cycle else "outside of cycles"
            )
            lines += wrapped(title, width, rest="  ")
            group = cycle
        said = subject.replace(f": {record.get('item')}", "", 1) if cycle else subject
        head = f"  {local(str(record['at']), zone)}  {commit[:9]}  "
        lines += wrapped(said or str(record.get("kind")), width, first=head, rest=" " * len(head))
    return lines


def local(stamp: str, zone: tzinfo | None) -> str:
    """A record's time as the clock on the wall says it; as it is where it is no time."""
    try:
        return datetime.fromisoformat(stamp).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return stamp[:19]

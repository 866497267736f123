"""``tdd stats``: cost, failures and trends of the cycles, each number with its SQL and its cycles."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from tdd_orchestrator.cli import command_context
from tdd_orchestrator.cli.render import clean, columns, emit_json, wrapped

if TYPE_CHECKING:
    from tdd_orchestrator.history.metrics import Numbers

_WIDTH = 60  # characters of a cell
_BAR = 40  # characters of the longest bar
_SHOWN = 10  # cycles named beside a row
_AGO = re.compile(r"(\d{1,5})([dwhm])")
_UNITS = {"d": "days", "w": "weeks", "h": "hours", "m": "minutes"}


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--since", metavar="WHEN", help="Only from then on: 2026-05-01, a time, or 30d, 12w, 24h.")
@click.option("--plot", is_flag=True, help="Draw what can be drawn, in the terminal.")
@click.option(
    "--sql", "with_sql", is_flag=True, help="Also the SQL of each table, and the cycles behind each row."
)
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values on standard output.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, schema tdd/stats.")
@click.pass_context
def stats(
    ctx: click.Context,
    names: tuple[str, ...],
    since: str | None,
    plot: bool,
    with_sql: bool,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Failures, retries, fixes, cost and trends of this repository's cycles, computed from the notes.

    NAME is one of the tables; without it, all are shown. With a NAME the SQL and the cycles are shown too.
    """
    from tdd_orchestrator.app.analytics import Analytics
    from tdd_orchestrator.history.metrics import everything

    wanted = _wanted(names)
    with command_context.opened(ctx) as repository:
        analytics = Analytics.of(repository)
        try:
            analytics.update()
            found = everything(analytics.index, _moment(since), wanted)
            numbers = {
                row["cycle_id"]: row["number"]
                for row in analytics.index.select("SELECT cycle_id, number FROM cycles")
            }
        finally:
            analytics.close()
    for problem in analytics.problems:
        click.echo(f"tdd: {clean(problem)}", err=True)
    if as_json:
        emit_json("stats", {"metrics": [as_data(one) for one in found]})
    elif as_csv:
        click.echo(as_comma_separated(found), nl=False)
    else:
        for one in found:
            if one.rows or names:
                _show(one, numbers if with_sql or names else None, plot=plot)
        empty = ", ".join(one.metric.name for one in found if not one.rows)
        if empty and not names:
            click.echo("\n".join(wrapped(f"Nothing yet: {empty}", columns(), rest="  ")))


def _wanted(names: tuple[str, ...]) -> list[Any]:
    from tdd_orchestrator.history.metrics import METRICS, named

    unknown = [name for name in names if named(name) is None]
    if unknown:
        known = ", ".join(metric.name for metric in METRICS)
        raise click.UsageError(f"there is no table '{unknown[0]}'. Choose from: {known}.")
    return [metric for metric in METRICS if not names or metric.name in names]


def _moment(since: str | None) -> str:
    """Return a time as records hold it, "" where none was given."""
    from tdd_orchestrator.history.metrics import as_at

    if not since:
        return ""
    try:
        if ago := _AGO.fullmatch(since):
            return as_at(datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
        moment = datetime.fromisoformat(since)
    except (ValueError, OverflowError) as error:
        raise click.UsageError(f"'{since}' is no time. Write 2026-05-01, 30d, 12w or 24h.") from error
    return as_at(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def as_data(one: Numbers) -> dict[str, Any]:
    """A metric as public JSON; ``cycles`` stand row by row beside ``rows``."""
    metric = one.metric
    return {
        "name": metric.name,
        "title": metric.title,
        "note": metric.note,
        "since": one.since or None,
        "sql": metric.sql.strip(),
        "rows": list(one.rows),
        "cycles": [list(ids) for ids in one.cycles],
    }


def as_comma_separated(found: list[Numbers]) -> str:
    """One table with its own columns; several as rows of metric, row, column, value."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if len(found) == 1:
        writer.writerow([*found[0].columns, "cycles"])
        for row, cycles in zip(found[0].rows, found[0].cycles, strict=True):
            writer.writerow([*map(_cell, row.values()), " ".join(map(_cell, cycles))])
        return out.getvalue()
    writer.writerow(("metric", "row", "column", "value"))
    for one in found:
        for number, row in enumerate(one.rows, 1):
            writer.writerows((one.metric.name, number, column, _cell(value)) for column, value in row.items())
    return out.getvalue()


def _cell(value: Any) -> str:
    """Return text that no spreadsheet takes for a formula: records may hold anything."""
    text = "" if value is None else clean(str(value)).replace("\n", " ")
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t") else text


def _show(one: Numbers, numbers: dict[str, int] | None, *, plot: bool) -> None:
    metric = one.metric
    since = f" since {one.since[:10]}" if one.since else ""
    click.secho(f"{metric.title}{since}  [{metric.name}]", bold=True)
    if metric.note:
        click.echo("\n".join(wrapped(metric.note, columns())))
    if not one.rows:
        click.echo("  nothing yet\n")
        return
    names = [name.replace("_", " ") for name in one.columns]
    cells = [[_short(row[column]) for column in one.columns] for row in one.rows]
    widths = [max(len(name), *(len(row[n]) for row in cells)) for n, name in enumerate(names)]
    right = [all(not isinstance(row[name], str) for row in one.rows) for name in one.columns]
    narrow = 2 * len(widths) + sum(widths) > columns()
    if not narrow:
        click.echo("  " + _line(names, widths, right))
    for number, row in enumerate(cells):
        if narrow:  # a row as sentences: a table that the terminal breaks cannot be read
            facts = " · ".join(f"{name} {cell}" for name, cell in zip(names, row, strict=True))
            click.echo("\n".join(wrapped(facts, columns(), first="  ", rest="    ")))
        else:
            click.echo("  " + _line(row, widths, right))
        if numbers is not None:
            click.echo(f"      from {_behind(one.cycles[number], numbers)}")
    if numbers is not None:
        click.echo("\n  " + metric.sql.strip().replace("\n", "\n  "))
    if plot and metric.plot:
        _draw(one)
    click.echo()


def _line(cells: list[str], widths: list[int], right: list[bool]) -> str:
    parts = [
        cell.rjust(width) if end else cell.ljust(width)
        for cell, width, end in zip(cells, widths, right, strict=True)
    ]
    return "  ".join(parts).rstrip()


def _short(value: Any) -> str:
    from tdd_orchestrator.text import one_line

    if value is None:
        return "-"
    return (
        clean(one_line(value, _WIDTH))
        if isinstance(value, str)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def _behind(cycles: tuple[str, ...], numbers: dict[str, int]) -> str:
    if not cycles:
        return "no cycle"
    numbers_of = sorted((numbers.get(one, 0) for one in cycles), reverse=True)
    more = f" and {len(numbers_of) - _SHOWN} more" if len(numbers_of) > _SHOWN else ""
    noun = "cycle" if len(numbers_of) == 1 else "cycles"
    return f"{noun} {', '.join(map(str, numbers_of[:_SHOWN]))}{more}"


def _draw(one: Numbers) -> None:
    """Bars, as long as the numbers are large."""
    across, up = one.metric.plot.split()
    names = [_short(row[across]) or "-" for row in one.rows]
    values = [float(row[up] or 0) for row in one.rows]
    width, most = max(map(len, names)), max(values) or 1.0
    click.echo(f"\n  {up.replace('_', ' ')}")
    for name, value in zip(names, values, strict=True):
        bar = "█" * round(_BAR * value / most) or "▏"
        click.echo(f"  {name.ljust(width)}  {bar} {value:g}")

"""Render values as text, tables and JSON; every output goes through here."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tdd_orchestrator.model.plan import Item

JSON_VERSION = 1
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
"""The option of every command that can print its result as JSON."""
_PLAIN = 10_000  # columns without a terminal


def emit_json(schema: str, data: dict[str, Any]) -> None:
    """One JSON object on standard output: ``schema`` and ``v`` first, then the data."""
    click.echo(json_line({"schema": f"tdd/{schema}", "v": JSON_VERSION, **data}))


def json_line(data: Mapping[str, Any]) -> str:
    """Return JSON that UTF-8 can hold: lone surrogates and terminal controls are written as escapes."""
    line = json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    if line.isprintable():
        return line
    from tdd_orchestrator.text import escaped

    return escaped(line)


def clean(text: str) -> str:
    """Remove what a terminal would act on (escape sequences, controls, bidirectional marks: T38);
    invalid UTF-8 becomes question marks."""
    from tdd_orchestrator.text import plain

    return plain(text.encode("utf-8", "replace").decode())


def item_shape(item: Item) -> dict[str, Any]:
    """Return a plan item in its documented, stable shape."""
    data = asdict(item)
    data["tags"], data["after"] = list(item.tags), list(item.after)
    data["failure"] = asdict(item.failure) if item.failure else None
    return data


_COLORS = {
    "green": "completed|covered|already_covered|landed|accepted|approved|proven|installed|always there",
    "red": "failed|refused|rejected|aborted",
    "yellow": "in_progress|parked|wanted|your turn|begun|rolled back|seems covered",
    "bright_black": "cancelled|missing",
}
_STATUS = re.compile(
    r"\s*(?:(?:RED|GREEN|REFACTOR):?\s+(?:(?:attempt \d+|approval) (?:was )?)?)?(?:"
    + "|".join(rf"(?P<{color}>(?:{words})\b)" for color, words in _COLORS.items())
    + ")"
)


def tinted(line: str, start: int = 0) -> str:
    """The line with the status word at column ``start``, which a phase may precede, in a color; click leaves
    colors out where there is no terminal."""
    found = _STATUS.match(line, start)
    if found is None or found.lastgroup is None:
        return line
    begin, end = found.span(found.lastgroup)
    return line[:begin] + click.style(line[begin:end], fg=found.lastgroup) + line[end:]


def columns() -> int:
    """The width of the terminal; without one nothing is wrapped."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PLAIN


def echo_grouped(lines: Iterable[str], start: int = 0) -> None:
    """Print lines whose headings begin at the margin: those in bold, the others tinted from ``start`` on and
    wrapped at words."""
    from tdd_orchestrator.cli.layout import wrapped

    for line in map(clean, lines):
        text = line.lstrip()
        indent = len(line) - len(text)
        for number, part in enumerate(wrapped(text, columns(), first=" " * indent, rest=" " * (indent + 2))):
            heading = click.style(part, bold=True) if not indent else ""
            click.echo(heading or (part if number else tinted(part, start)))

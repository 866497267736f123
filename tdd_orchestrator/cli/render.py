"""Values to text, tables and JSON: all that is shown goes through here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tdd_orchestrator.model.plan import Item

JSON_VERSION = 1


def emit_json(schema: str, data: dict[str, Any]) -> None:
    """One JSON object on standard output: ``schema`` and ``v`` first, then the data."""
    click.echo(json_line({"schema": f"tdd/{schema}", "v": JSON_VERSION, **data}))


def json_line(data: Mapping[str, Any]) -> str:
    """JSON that UTF-8 can hold: half a character (from a name that is no UTF-8) stands as its escape, and so
    does what a terminal would act on."""
    line = json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    if line.isprintable():
        return line
    from tdd_orchestrator.text import escaped

    return escaped(line)


def clean(text: str) -> str:
    """Strip what a terminal would act on (escape sequences, controls, bidirectional marks: T38); bytes that
    are no UTF-8 show as question marks."""
    from tdd_orchestrator.text import plain

    return plain(text.encode("utf-8", "replace").decode())


def item_shape(item: Item) -> dict[str, Any]:
    """Return a plan item in its documented, stable shape."""
    data = asdict(item)
    data["tags"], data["after"] = list(item.tags), list(item.after)
    data["failure"] = asdict(item.failure) if item.failure else None
    return data

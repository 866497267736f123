"""Values to text, tables and JSON: all that is shown goes through here."""

from __future__ import annotations

import json
from typing import Any

import click

JSON_VERSION = 1


def emit_json(schema: str, data: dict[str, Any]) -> None:
    """One JSON object on standard output: ``schema`` and ``v`` first, then the data."""
    click.echo(json.dumps({"schema": f"tdd/{schema}", "v": JSON_VERSION, **data}, ensure_ascii=False))


def clean(text: str) -> str:
    """Strip what a terminal would act on: escape sequences, controls, bidirectional marks (T38)."""
    from tdd_orchestrator.text import plain

    return plain(text)

"""``tdd errors``: failures, told and classified."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tdd_orchestrator.model.errors import Refused

if TYPE_CHECKING:
    from tdd_orchestrator.model.diagnosis import Diagnosis

_READ_LIMIT = 64 * 1024 * 1024  # bytes of one message


@click.group()
def errors() -> None:
    """Failures: what they are, what was tried, what to do."""


@errors.command()
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, schema tdd/diagnosis.")
def classify(file: str, as_json: bool) -> None:
    """Say what kind of failure a text tells of, where it is, and who should mend it."""
    from tdd_orchestrator.diagnosis.classify import classify as judge

    found = judge(_text(file), root=str(Path.cwd()))
    if as_json:
        from tdd_orchestrator.cli.render import emit_json

        emit_json("diagnosis", as_data(found))
    else:
        click.echo(as_text(found))


def _text(file: str) -> str:
    """The message, as UTF-8 with whatever is not replaced, from a file or standard input."""
    try:
        if file == "-":
            data = sys.stdin.buffer.read(_READ_LIMIT)
        else:
            with open(file, "rb") as stream:
                data = stream.read(_READ_LIMIT)
    except OSError as error:
        raise Refused(f"Cannot read {file}: {error.strerror}.", "Give a file, or - for standard input.") from error
    return data.decode("utf-8", "replace")


def as_data(found: Diagnosis) -> dict[str, object]:
    """A diagnosis as the public JSON: absent values are null, never empty strings."""
    return {
        "routing_type": found.routing_type.value,
        "secondary": found.secondary.value if found.secondary else None,
        "error_type": found.error_type.value if found.error_type else None,
        "category": found.category.value if found.category else None,
        "severity": found.severity.value,
        "confidence": found.confidence,
        "evidence": found.evidence,
        "rule": found.rule,
        "file": found.file or None,
        "line": found.line or None,
        "message": found.message,
        "exception": found.exception,
        "fingerprint": found.fingerprint,
        "specialist": found.specialist,
        "warning": found.warning,
    }


def as_text(found: Diagnosis) -> str:
    """A diagnosis for a person, a line for each thing that is known."""
    place = f"{found.file}:{found.line}" if found.line else found.file
    kinds = " · ".join(
        part.value for part in (found.error_type, found.category, found.severity) if part is not None
    )
    second = f", then {found.secondary.value}" if found.secondary else ""
    rows = (
        ("kind", f"{found.routing_type.value}{second}"),
        ("is", kinds),
        ("where", place),
        ("says", found.message),
        ("because", f"{found.evidence} (rule {found.rule}, {found.confidence:.0%})" if found.rule else ""),
        ("goes to", found.specialist),
        ("key", found.fingerprint),
        ("warning", found.warning),
    )
    return "\n".join(f"{name:>8}  {value}" for name, value in rows if value)

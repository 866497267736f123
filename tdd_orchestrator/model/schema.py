"""Render JSON Schema and documentation of the records from the models and their descriptions.

``python -m tdd_orchestrator.model.schema`` in a source tree rewrites both files; a test compares them.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tdd_orchestrator.model import error_report, parts, records
from tdd_orchestrator.model.descriptions import DESCRIPTIONS

PACKAGE = Path(__file__).resolve().parents[1]
SCHEMA = PACKAGE / "schema" / "record.schema.json"
DOCUMENT = PACKAGE.parent / "docs" / "notes-format.md"
"""Exists only in a source tree; the schema is in the package too."""

PARTS: Sequence[tuple[str, type[BaseModel]]] = (
    ("Test run", parts.TestEvidence),
    ("Counts", parts.CountsInfo),
    ("Agent", parts.AgentInfo),
    ("Error details", parts.ErrorDetails),
    ("Fix result", parts.FixResult),
    ("Move", parts.MoveInfo),
    ("Files changed", parts.FilesChanged),
    ("Questions", parts.QuestionsInfo),
    ("Question", parts.QuestionInfo),
    ("Mutant", parts.MutantInfo),
    ("Error report", error_report.ErrorReport),
    ("Trigger", error_report.ReportTrigger),
    ("Investigation", error_report.ReportAdvice),
    ("Reported agent", error_report.ReportAgent),
    ("Seen", error_report.ReportSeen),
    ("Exchange", error_report.ReportExchange),
    ("Snapshot", error_report.ReportSnapshot),
)


class NoDescription(LookupError):
    """A field of a record has no description."""

    def __init__(self, model: type[BaseModel], field: str) -> None:
        super().__init__(
            f"The field '{field}' of {model.__name__} has no description: add one to "
            "tdd_orchestrator/model/descriptions.py."
        )


def description(model: type[BaseModel], field: str) -> str:
    """Return the sentence on a field, the model's own one first; NoDescription where there is none."""
    for base in model.__mro__:
        found = DESCRIPTIONS.get(f"{base.__name__}.{field}")
        if found:
            return found
    if field not in DESCRIPTIONS:
        raise NoDescription(model, field)
    return DESCRIPTIONS[field]


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of all records; every property has its description."""
    found: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A record of tdd",
        **records.json_schema(),
    }
    for model in (*records.KINDS, *(part for _, part in PARTS)):
        properties = found["$defs"][model.__name__]["properties"]
        for name in model.model_fields:
            properties[name]["description"] = description(model, name)
    return found


def document() -> str:
    """Return the text of docs/notes-format.md."""
    common = records.Record.model_fields
    text = HEAD + _table(records.Record, skip=())
    text += "\n## Kinds\n"
    for kind in records.KINDS:
        fields = [name for name in kind.model_fields if name not in common]
        doc = " ".join((kind.__doc__ or "").split())
        doc = "" if doc == " ".join((records.Record.__doc__ or "").split()) else doc
        text += f"\n### {kind.model_fields['kind'].default}\n\n" + (f"{doc}\n\n" if doc else "")
        text += _table(kind, skip=tuple(common)) if fields else "Nothing more.\n"
    text += (
        "\nA commit that was proven again on a moved branch has a `handoff` with an empty "
        "`cycle_id`; its `rebased` names "
        "the cycle.\n\n## Parts\n"
    )
    for title, part in PARTS:
        text += f"\n### {title}\n\n" + _table(part, skip=())
    return text


def _table(model: type[BaseModel], skip: tuple[str, ...]) -> str:
    rows = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        if name in skip:
            continue
        default = "required" if field.is_required() else _default(field.default)
        rows.append(f"| `{name}` | {_type(field.annotation)} | {default} | {description(model, name)} |")
    return "\n".join(rows) + "\n"


def _default(value: Any) -> str:
    return "empty" if isinstance(value, BaseModel) or value in ("", [], {}) else f"`{json.dumps(value)}`"


def _type(annotation: Any) -> str:
    plain = isinstance(annotation, type) and not typing.get_args(annotation)
    text = re.sub(
        r"tdd_orchestrator\.model\.\w+\.|typing\.", "", annotation.__name__ if plain else str(annotation)
    )
    text = re.sub(r"Literal\['(\w+)'\]", r'"\1"', text)
    return f"`{text}`".replace(" | ", " or ").replace("NoneType", "null").replace("None", "null")


def render_schema() -> str:
    """Return the text of record.schema.json."""
    return json.dumps(json_schema(), indent=1, sort_keys=True) + "\n"


def write() -> None:
    """Write both files of this source tree."""
    DOCUMENT.write_text(document(), encoding="utf-8")
    SCHEMA.write_text(render_schema(), encoding="utf-8")


HEAD = """\
# What a note holds

<!-- Written by `python -m tdd_orchestrator.model.schema` from model/records.py; a test keeps it in step. -->

Records live in Git Notes under `refs/notes/tdd`, one JSON object a line. `at`, `id`, `v` and `kind` come first, so that
sorting the lines as bytes sorts them by time; the last line of a note is the commit's current state. A line is at most
64 KiB, a note at most 256 KiB: where it would grow beyond that, its older lines become one blob, and a line of the kind
`folded` (`blob`, `lines`) names it. Bulk (every case of a run) is a blob of its own below `refs/tdd/evidence`, named in
the record as `evidence`.

Version 1 is the only one so far. Notes of every version are read for ever (`tests/golden/`). A line of a newer version
is refused with a sentence, never guessed at. Fields may be added within a version: readers pass over what they do not
know, and take a field that holds something else than it should for an empty one. The JSON Schema is in the package:
`tdd_orchestrator/schema/record.schema.json`; each field is described there too.

## Reading it with plain git

```sh
git notes --ref=tdd show HEAD                       # the records of a commit
git notes --ref=tdd show HEAD | tail -n 1           # the newest of them
git log --notes=tdd                                 # the history, with its records
git log --reverse refs/notes/tdd                    # the audit log, in order
git log -1 --format=%B refs/notes/tdd               # the newest record, with its trailers
git show EVIDENCE                                   # every case of a test run, as JSON
git for-each-ref refs/tdd                           # refused attempts, cycles, evidence: kept from gc
git fetch origin 'refs/notes/tdd:refs/notes/tdd'    # without tdd; `tdd sync` also merges
```

Each notes commit is one record, or some of one commit that are written at once (a phase's end and what follows at once): its
message has a subject for people, the lines, oldest first, and trailers: `Annotates` (commit), `Record` (their ids), `Hash`
(SHA-256 of each line), the `Subject` of each of several, and a `Moves` for each ref that follows. A line's `prev` is the hash of the newest line before it;
after a sync the audit log is a graph, in which every `prev` still names an earlier line.
With `notes.sign = true` the notes commits are signed in git's own format (`git verify-commit refs/notes/tdd`).

Commits of a cycle carry the trailers `Tdd-Cycle` and `Tdd-Phase`.

## In every record

"""


if __name__ == "__main__":
    write()

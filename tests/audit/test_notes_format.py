"""The format is documented field by field, its schema is shipped, and old notes are read for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from tdd_orchestrator.audit.findings import RULES
from tdd_orchestrator.model import schema as generator
from tdd_orchestrator.model.records import KINDS, SCHEMA_VERSION, Record, parse
from tdd_orchestrator.notes.codec import SCHEMA, decode_line, decode_note, digest, encode

ROOT = Path(__file__).parents[2]

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("schema-*.jsonl"))
LINES = [(path, line) for path in GOLDEN for line in path.read_text("utf-8").splitlines()]
ANEW = "write it anew: python -m tdd_orchestrator.model.schema"


def test_the_document_says_what_the_models_say() -> None:
    assert generator.DOCUMENT.read_text("utf-8") == generator.document(), ANEW


def test_the_shipped_schema_is_the_models_own() -> None:
    assert generator.SCHEMA.read_text("utf-8") == generator.render_schema(), ANEW


def test_the_version_is_one_number_and_each_has_its_golden_notes() -> None:
    assert SCHEMA == SCHEMA_VERSION
    assert [path.stem for path in GOLDEN] == [f"schema-{version}" for version in range(1, SCHEMA + 1)]


def test_a_field_without_a_description_is_named_in_a_sentence() -> None:
    class Planned(Record):
        kind: str = "planned"
        deadline: str = ""

    with pytest.raises(
        generator.NoDescription, match="The field 'deadline' of Planned has no description: add one to"
    ):
        generator.description(Planned, "deadline")
    assert generator.description(Planned, "branch") == generator.description(Record, "branch")


def test_every_field_of_the_shipped_schema_is_described() -> None:
    models = json.loads(generator.SCHEMA.read_text("utf-8"))["$defs"]
    missing = [
        f"{model}.{name}"
        for model, shape in models.items()
        for name, row in shape["properties"].items()
        if not row.get("description")
    ]
    assert missing == []


def test_every_description_is_of_a_field_that_there_is() -> None:
    models = (*KINDS, *(part for _, part in generator.PARTS))
    used = {name for model in models for name in model.model_fields}
    used |= {f"{model.__name__}.{name}" for model in models for name in model.model_fields}
    assert set(generator.DESCRIPTIONS) - used == set()


def _as_far_as(old: Any, new: Any) -> Any:
    """What the new value says of the fields that the old one has: a later version may know more of each part."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: _as_far_as(value, new.get(key)) for key, value in old.items()}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [_as_far_as(*pair) for pair in zip(old, new, strict=True)]
    return new


@pytest.mark.parametrize(("path", "line"), LINES, ids=[json.loads(line)["id"] for _, line in LINES])
def test_an_old_note_is_read_with_every_field(path: Path, line: str) -> None:
    record = decode_line(line)
    model = parse(record).model_dump(mode="json")
    assert _as_far_as(record, model) == record
    assert encode(record).decode() == line, "written again it has the same bytes, and so the same hash"


def test_golden_notes_have_every_kind_and_both_validators_agree() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(generator.SCHEMA.read_text("utf-8"))
    kinds = {name for kind in KINDS for name in get_args(kind.model_fields["kind"].annotation)}
    assert {json.loads(line)["kind"] for _, line in LINES} == kinds
    for _, line in LINES:
        jsonschema.validate(json.loads(line), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"kind": "handoff", "tests": "none"}, schema)


def test_golden_notes_are_one_note_of_which_nothing_is_damaged() -> None:
    data = GOLDEN[0].read_bytes()
    note = decode_note(data)
    assert note.damaged == ()
    assert len(note.records) == len(data.splitlines())
    assert digest(data.splitlines()[0]) == digest(encode(note.records[0]))


def test_every_rule_of_verify_is_in_the_users_document() -> None:
    text = (ROOT / "docs" / "trust.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{rule}` | {means}{' (*warning*)' if level == 'warning' else ''} |"
        for rule, (level, means) in RULES.items()
    ]

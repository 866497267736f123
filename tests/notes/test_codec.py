"""Lines and notes: what was written is read, what is no record is told apart."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdd_orchestrator.model.errors import NewerSchema, Refused, StoreDamaged
from tdd_orchestrator.notes import message
from tdd_orchestrator.notes.codec import (
    _HELD,
    LINE_LIMIT,
    decode_line,
    decode_note,
    digest,
    encode,
    joined,
    new_id,
    order,
    stamp,
)

_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


_names = st.text(max_size=8).filter(lambda name: name not in _HELD)  # readers take those for granted


@given(st.dictionaries(_names, _values, max_size=5))
def test_any_record_survives_and_its_line_is_canonical(content: dict[str, object]) -> None:
    record = {**content, "kind": "k", "v": 1, "id": new_id(), "at": stamp()}
    line = encode(record)
    assert b"\n" not in line
    assert decode_line(line) == record
    assert encode(decode_line(line)) == line
    assert list(json.loads(line))[:4] == ["at", "id", "v", "kind"]
    text = message.compose("subject", line, "c" * 40, record["id"], [])
    entry = message.parse(text)
    assert entry is not None
    assert (entry.record, entry.hash, entry.commit) == (record, digest(line), "c" * 40)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_crash_and_nothing_is_dropped(data: bytes) -> None:
    note = decode_note(data, "c" * 40)
    assert len(note.records) + len(note.damaged) + len(note.remarks) <= data.count(b"\n") + 1
    if data.strip():
        assert note.records or note.damaged or note.remarks
    for trouble in note.damaged:
        assert isinstance(trouble.error(), StoreDamaged)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a JSON object"),
        ('{"id":"i","v":1,"kind":"k"}', "no at"),
        ('{"at":1,"id":"i","v":1,"kind":"k"}', "no at"),
        ('{"at":"t","id":"i","v":"1","kind":"k"}', "no v"),
        ('{"at":"t","id":"i","v":1}', "no kind"),
    ],
)
def test_what_is_no_record_says_why(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        decode_line(line)


def test_missing_unreadable_and_newer_are_three_things() -> None:
    good, newer = '{"at":"t","id":"i","v":1,"kind":"k"}', '{"v":2,"anything":"else"}'
    assert decode_note(b"").strictly() == ()
    with pytest.raises(NewerSchema):
        decode_note(f"{good}\n{{scribble\n{newer}\n".encode()).strictly()
    with pytest.raises(StoreDamaged, match=r"\{scribble"):
        decode_note(f"{good}\n{{scribble\n".encode()).strictly()
    assert len(decode_note(f"\n{good}\n\n{good}\n".encode()).strictly()) == 1


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), b"bytes", "x" * LINE_LIMIT])
def test_what_cannot_be_kept_is_refused(value: object) -> None:
    with pytest.raises(Refused):
        encode({"at": "t", "id": "i", "v": 1, "kind": "k", "value": value})


def test_ids_and_times_sort_and_lines_sort_with_them() -> None:
    ids = [new_id() for _ in range(200)]
    assert len(set(ids)) == 200
    assert all(len(one) == 26 for one in ids)
    at = ""
    lines = []
    for one in ids:
        at = stamp(at)
        lines.append(encode({"at": at, "id": one, "v": 1, "kind": "k"}))
    assert sorted(lines) == lines
    assert joined(reversed(lines)) == b"\n".join(lines) + b"\n"
    assert list(map(order, decode_note(joined(lines)).records)) == list(map(order, map(decode_line, lines)))


@pytest.mark.parametrize("spoil", ["Hash: ", "Moves: refs/x ", '"kind"'])
def test_a_message_that_was_changed_is_not_ours(spoil: str) -> None:
    line = encode({"at": "t", "id": "i", "v": 1, "kind": "k"})
    text = message.compose("s", line, "c" * 40, "i", [("refs/x", "a" * 40, None)])
    assert message.parse(text) is not None
    assert message.parse(text.replace(spoil, spoil + "0 0 ")) is None
    assert message.parse("Notes added by 'git notes add'\n") is None


@pytest.mark.parametrize(
    ("field", "value"), [("how", []), ("tests", "words"), ("cycle_number", "one"), ("tests", {"counts": []})]
)
def test_a_record_nobody_can_read_on_in_is_none(field: str, value: object) -> None:
    line = encode({field: value, "kind": "k", "v": 1, "id": new_id(), "at": stamp()})
    with pytest.raises(ValueError, match="is not what it should be"):
        decode_line(line)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("as_text", [True, False])
def test_a_number_that_json_cannot_write_is_damage(number: str, as_text: bool) -> None:
    """Taken in, it would stop whoever writes the record again: a merge, the hash of a foreign line."""
    line = f'{{"at":"a","id":"i","v":1,"kind":"k","wall":{number}}}'
    with pytest.raises(ValueError):
        decode_line(line if as_text else line.encode())

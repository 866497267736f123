"""A record to its row in the index. Records are anybody's: whatever a field holds, a row comes out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tdd_orchestrator.history.schema import COLUMNS
from tdd_orchestrator.model.parts import MoveInfo
from tdd_orchestrator.model.plan import FIX_TAG, Item
from tdd_orchestrator.model.reading import read_as
from tdd_orchestrator.notes.message import Entry
from tdd_orchestrator.text import one_line, plain

Row = tuple[Any, ...]
_NONE: Mapping[str, Any] = {}
_LARGEST = (1 << 63) - 1  # what SQLite holds
_NUMBERS = (int, float)
_ENDS = ("cycle_ended", "item_failed")  # whose summary is what the plan shows
_TEXT = 400  # characters of a column; the record itself has the rest


def row_of(entry: Entry, seq: int) -> Row:
    """The values for ``schema.COLUMNS``, of whatever types the record has them; see :func:`as_stored`."""
    record = entry.record
    get = record.get
    kind = record["kind"]
    agent = get("agent") or _NONE
    tests = get("tests") or _NONE
    counts = tests.get("counts") or _NONE
    move = get("move") or _NONE
    report = _mapping(get("report")) if kind == "error_report" else _NONE
    tokens, cost = _spent(kind, agent, get("consulted") or ())
    details = get("error_details") or _NONE
    return (
        seq, record["id"], record["at"], kind, get("cycle_id", ""), get("cycle_number", 0),
        get("item_id", ""),
        _cut(get("item", "")), get("branch", ""), report.get("failed_phase") or get("phase", ""),
        get("attempt") or report.get("attempts", 0), get("retry_count", 0), entry.commit, entry.notes_commit,
        get("decision") or get("status", ""), get("verdict", ""), get("outcome", ""), get("error_id", ""),
        get("error_type") or (get("diagnosis") or _NONE).get("error_type") or "",
        _cut(
            (kind in _ENDS and get("summary"))
            or details.get("message")
            or get("summary")
            or get("error")
            or ""
        ),
        get("fingerprint") or report.get("fingerprint") or "",
        agent.get("name", ""), agent.get("role", ""), agent.get("model", ""), agent.get("seconds", 0.0),
        tokens, cost,
        get("wall", 0.0), int(_provider_away(move)), counts.get("passed", 0),
        _number(counts.get("failed")) + _number(counts.get("errors")), tests.get("seconds", 0.0),
        report.get("estimated_fix_hours", 0.0),
        _cut(get("gate") or get("step") or get("reason") or get("asks") or report.get("workflow_id") or ""),
    )  # fmt: skip


def _spent(kind: str, agent: Mapping[str, Any], consulted: Iterable[Any]) -> tuple[int, float]:
    """Tokens and cost: of the agent whose attempt ended with this record, and of those that were only
    asked."""
    tokens, cost = 0, 0.0
    if kind in ("handoff", "error", "fix"):
        tokens, cost = int(_number(agent.get("tokens"))), float(_number(agent.get("cost")))
    for one in consulted:
        tokens += int(_number(_mapping(one).get("tokens")))
        cost += float(_number(_mapping(one).get("cost")))
    return tokens, cost


def _provider_away(move: Mapping[str, Any]) -> bool:
    """Whether nothing was attempted; a move that counts need not be read as a model for that."""
    return move.get("counts", True) is not True and read_as(MoveInfo, move).provider_away


def _cut(value: Any) -> Any:
    return value[:_TEXT] if value.__class__ is str else value


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NONE


def _number(value: Any) -> int | float:
    usable = isinstance(value, _NUMBERS) and not isinstance(value, bool) and abs(value) <= _LARGEST
    return value if usable else 0


def as_stored(row: Row) -> Row:
    """The row with the types that the columns have; where it has them already, the very row."""
    shape = tuple(map(type, row))
    if shape in _SHAPES:
        return row
    fits = all(_right(kind, column) for kind, (_, column) in zip(shape, COLUMNS, strict=True))
    if fits:
        _SHAPES.add(shape)
        return row
    return safe(row)


def safe(row: Row) -> Row:
    """The row with every value made such that SQLite takes it."""
    return tuple(_fit(value, column) for value, (_, column) in zip(row, COLUMNS, strict=True))


_SHAPES: set[tuple[type, ...]] = set()
"""Types of rows that were found right: a few, since whether a number is whole is all that differs."""


def _right(kind: type, column: str) -> bool:
    return kind is str if column == "TEXT" else kind in (int, float)


def _fit(value: Any, kind: str) -> Any:
    if kind != "TEXT":
        return _number(value)
    text = value if isinstance(value, str) else "" if value is None else str(value)[:_TEXT]
    return text.encode("utf-8", "replace").decode()[:_TEXT]


def flaky_of(record: Mapping[str, Any]) -> list[Row]:
    tests = record.get("tests") or _NONE
    until = tests.get("quarantined_until") or _NONE
    return [
        (record["id"], _fit(name, "TEXT"), _fit(until.get(name, ""), "TEXT"))
        for name in tests.get("flaky_tests") or ()
        if isinstance(name, str)
    ]


def changed_of(record: Mapping[str, Any]) -> list[Row]:
    """The paths that an attempt changed, with what the forecast asks of the attempt."""
    if record["kind"] not in ("handoff", "error") or _provider_away(record.get("move") or _NONE):
        return []
    files = record.get("files_changed") or _NONE
    paths = [path for how in ("added", "modified", "deleted") for path in _texts(files.get(how))[:200]]
    place = (record["at"], _fit(record.get("cycle_id"), "TEXT"), int(record["kind"] == "handoff"))
    return [(record["id"], _fit(path, "TEXT"), *place) for path in paths]


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def context_of(record: Mapping[str, Any]) -> Row:
    """The repository when it failed, as an error report has it."""
    snapshot = _mapping(_mapping(record.get("report")).get("context_snapshot"))
    return record["id"], json.dumps(snapshot)


def superseded_of(record: Mapping[str, Any]) -> list[Row]:
    """The agents that lost a race against the one whose attempt this is."""
    return [
        (
            record["id"],
            _fit(one.get("name"), "TEXT"),
            _fit(one.get("role"), "TEXT"),
            _number(one.get("seconds")),
        )
        for one in map(_mapping, record.get("consulted") or ())
        if one.get("status") == "superseded"
    ]


def item_row(item: Item) -> Row:
    tags = [tag for tag in item.tags if isinstance(tag, str)]
    fix = FIX_TAG in tags
    kind = next((tag for tag in tags if tag not in ("auto-generated", FIX_TAG)), "") if fix else ""
    texts = (item.id, one_line(item.title, 200), plain(item.description)[:4000], str(item.type),
        str(item.priority), item.parent,
             "\n".join(tags))  # fmt: skip
    return (
        *(str(text).encode("utf-8", "replace").decode() for text in texts), float(_number(item.hours)),
        int(_number(item.issue)), _fit(item.test_file, "TEXT"), _fit(item.impl_file, "TEXT"),
        float(_number(item.order)),
        str(item.status), int(fix), kind, _fit("\n".join(item.after), "TEXT"),
    )  # fmt: skip

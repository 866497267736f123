"""The workflow's history as events: one a record that somebody waits for, in the order of the audit log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tdd_orchestrator.history.index import Index
from tdd_orchestrator.model.summary import REPORT_ACTIONS

FAILURE = "workflow_failure"
_TYPES: dict[tuple[str, str], str] = {
    # (kind, status or outcome) -> type of the event; "*" is whatever else
    ("cycle_started", "*"): "cycle_started",
    ("intent", "*"): "attempt_started",
    ("handoff", "*"): "attempt_accepted",
    ("error", "*"): "attempt_rejected",
    ("landing", "*"): "landing",
    ("cycle_ended", "landed"): "cycle_landed",
    ("cycle_ended", "aborted"): "cycle_aborted",
    ("cycle_ended", "*"): "cycle_ended",
    ("resumed", "*"): "cycle_resumed",
    ("rebased", "*"): "cycle_rebased",
    ("rollback", "*"): "rollback",
    ("approval", "wanted"): "approval_wanted",
    ("approval", "*"): "approval_answered",
    ("incident", "*"): "incident",
    ("error_report", "open"): FAILURE,
    ("error_report", "closed"): "failure_closed",
    ("item_failed", "*"): "item_failed",
    ("item_reopened", "*"): "item_reopened",
    ("fix", "*"): "fix",
    **{(kind, "*"): "failure_handled" for kind in REPORT_ACTIONS},
}
REBUILT = "history_rebuilt"
"""Type of the event that says that records came among older ones, so that all have new places: read them again."""
TYPES = tuple(sorted({*_TYPES.values(), REBUILT}))

_ENDS = """
SELECT coalesce((SELECT min(seq) FROM records), 0) AS first, coalesce((SELECT max(seq) FROM records), 0) AS last"""
_KINDS = ", ".join(f"'{kind}'" for kind in dict.fromkeys(kind for kind, _ in _TYPES))

_ROWS = "SELECT records.*, coalesce(context, '{}') AS context FROM records"
_CONTEXT = "LEFT JOIN contexts ON contexts.record = records.id"
_KEPT = ("seq", "id", "at", "cycle_id", "cycle_number", "item_id", "item", "phase", "attempt", "retry_count",
    "verdict",
         "error_id", "error_type", "message", "agent")  # fmt: skip


def event_of(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """A row of ``records`` as an event, a failure's with its context; None for a kind that is none."""
    kind = row["kind"]
    kinds = ((kind, row["outcome"]), (kind, row["status"]), (kind, "*"))
    found = next((_TYPES[key] for key in kinds if key in _TYPES), None)
    if found is None:
        return None
    context = {"context": json.loads(row["context"])} if found == FAILURE else {}
    return {"type": found, **{key: row[key] for key in _KEPT}, **context}


def after(index: Index, seq: int, limit: int = 500) -> list[dict[str, Any]]:
    """The events after a place in the audit log, oldest first."""
    rows = index.select(
        f"{_ROWS} INDEXED BY records_in_order {_CONTEXT} WHERE seq > :seq AND kind IN ({_KINDS}) ORDER BY seq LIMIT :limit",
        {"seq": seq, "limit": limit},
    )
    return [event for row in rows if (event := event_of(row)) is not None]


def following(index: Index, seq: int) -> list[dict[str, Any]]:
    """As :func:`after`; only ``history_rebuilt``, with the newest place, where the place was given before the history
    was read again, or in an index that is gone."""
    row = index.one(_ENDS)
    if seq > 0 and not row["first"] <= seq <= row["last"]:
        return [{"type": REBUILT, "seq": row["last"]}] if row["last"] else []
    return after(index, seq)


def last_seq(index: Index) -> int:
    return int(index.one("SELECT coalesce(max(seq), 0) AS seq FROM records")["seq"])

"""Where each item of the plan stands, as it follows from the records of the audit log. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tdd_orchestrator.model.plan import Failure, Status

_STATUS_OF = {
    ("cycle_started", ""): Status.IN_PROGRESS,
    ("resumed", ""): Status.IN_PROGRESS,
    ("cycle_ended", "landed"): Status.COMPLETED,
    ("cycle_ended", "already_covered"): Status.ALREADY_COVERED,
    ("cycle_ended", "aborted"): Status.FAILED,
    ("cycle_ended", "parked"): Status.FAILED,
    ("cycle_ended", "outer_red"): Status.IN_PROGRESS,
    ("cycle_ended", "cancelled"): Status.PLANNED,
    ("cycle_ended", "rolled_back"): Status.PLANNED,
    ("item_reopened", ""): Status.PLANNED,
    ("item_failed", ""): Status.FAILED,
}


def status_of(record: Mapping[str, Any]) -> Status | None:
    """Return the status that a record gives to its item; None where it gives none."""
    return _STATUS_OF.get((str(record.get("kind")), str(record.get("outcome", ""))))


def is_question_or_answer(record: Mapping[str, Any]) -> bool:
    """Whether a record asks or answers if its item is covered, and sets no status by itself."""
    return status_of(record) is None and (_asks(record) or _answers(record))


def _asks(record: Mapping[str, Any]) -> bool:
    return record.get("kind") == "cycle_ended" and record.get("asks") == "covered"


def _answers(record: Mapping[str, Any]) -> bool:
    return record.get("kind") == "approval" and record.get("gate") == "covered"


def statuses(records: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Status, Failure | None]]:
    """Item id -> where its newest cycle left it, from records in the order of the audit log."""
    found: dict[str, tuple[Status, Failure | None]] = {}
    for record in records:
        item = str(record.get("item_id") or "")
        status = status_of(record)
        if not item or status is None:
            continue
        failure = None
        if status is Status.FAILED:
            failure = Failure(
                str(record.get("error_id", "")),
                str(record.get("error_type", "")),
                str(record.get("summary", ""))[:280],
                str(record.get("at", "")),
                int(record.get("retry_count", 0)),
            )
        found[item] = (status, failure)
    return found


def waiting(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Item id -> title, of the items that a cycle found covered and about which a person has not decided."""
    found: dict[str, str] = {}
    for record in records:
        item = str(record.get("item_id") or "")
        if _asks(record):
            found[item] = str(record.get("item", ""))
        elif status_of(record) is not None or _answers(record):
            found.pop(item, None)
    return found

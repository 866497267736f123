"""Where each item of the plan stands, by the records of the audit log."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tdd_orchestrator.model.plan import Failure, Status
from tdd_orchestrator.notes.history import History

STATUS_OF = {
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
    return STATUS_OF.get((str(record.get("kind")), str(record.get("outcome", ""))))


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


_FORMAT = 1
_KEPT = (
    "kind",
    "outcome",
    "item_id",
    "gate",
    "item",
    "asks",
    "error_id",
    "error_type",
    "summary",
    "at",
    "retry_count",
)
_SUMMARY = 280  # characters that the plan shows
_PUT_OFF = 25  # records that are read again by the next command rather than have the file written for each


def path_in(common_dir: Path) -> Path:
    """Where the file is, in git's own folder."""
    return common_dir / "tdd" / "statuses"


def condense(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The newest record of each item that sets its status, and the newest answer about it, in the order of
    the audit log."""
    found: _ByItem = {}
    _add(found, records)
    return list(found.values())


_ByItem = dict[tuple[str, bool], dict[str, Any]]


def _add(found: _ByItem, records: Iterable[Mapping[str, Any]]) -> None:
    for record in records:
        item = str(record.get("item_id") or "")
        answer = is_question_or_answer(record)
        if item and (answer or status_of(record) is not None):
            found.pop((item, answer), None)  # a newer one stands behind the others
            found[item, answer] = _shortened(record)


def _shortened(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that the plan shows; a failure has more of them."""
    keys = _KEPT if status_of(record) is Status.FAILED or record.get("asks") else _KEPT[:4]
    short = {key: record[key] for key in keys if record.get(key)}
    if "summary" in short:
        short["summary"] = str(short["summary"])[:_SUMMARY]
    return short


class StatusRecords:
    """The records that set statuses, kept in the file ``path`` so that the whole log need not be read again.

    The file is believed only for the notes commit that it names; newer records are read, or all of them
    where the history is not a plain continuation (a sync, a rewrite).
    """

    def __init__(self, history: History, path: Path) -> None:
        self._history, self._path = history, path
        self._tip, self._newest, self._records = "", "", _ByItem()
        self._statuses: dict[str, tuple[Status, Failure | None]] = {}
        self._unsaved = 0

    def statuses(self) -> Mapping[str, tuple[Status, Failure | None]]:
        """As :func:`statuses` says of all records; only those that are new since the last call are looked at."""
        self._catch_up()
        return self._statuses

    def trail(self) -> Iterable[Mapping[str, Any]]:
        """The records that count for the plan, oldest first. StoreDamaged where the audit log cannot be
        read."""
        self._catch_up()
        return self._records.values()

    def _catch_up(self) -> None:
        tip = self._history.tip()
        if tip is None:
            self._take({}, "", "")
        elif self._tip != tip[0] and not self._load(tip[0]):
            newer = self._history.since(self._tip, self._newest) if self._tip else None
            if newer is None:
                self._take({}, "", "")
                self._unsaved, newer = _PUT_OFF, list(self._history.trail(newest_first=False))
            records = [entry.record for entry in newer]
            _add(self._records, records)
            self._statuses |= statuses(records)
            self._newest = max([self._newest, *(record["at"] for record in records)])
            self._tip = tip[0]
            self._unsaved += len(records)
            if self._unsaved >= _PUT_OFF:
                self._save()

    def _take(self, records: _ByItem, newest: str, tip: str) -> None:
        self._records, self._newest, self._tip = records, newest, tip
        self._statuses = statuses(records.values())

    def _load(self, tip: str) -> bool:
        """Read the file, unless a newer state is in memory; return whether it was made from this very
        notes commit."""
        if self._tip:
            return False
        try:
            data = json.loads(self._path.read_bytes())
            if data["format"] == _FORMAT and data["ref"] == self._history.ref:
                found: _ByItem = {}
                _add(found, data["records"])
                self._take(found, str(data["newest"]), str(data["notes"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False  # it is only a shortcut
        return self._tip == tip

    def _save(self) -> None:
        data = {"format": _FORMAT, "ref": self._history.ref, "notes": self._tip, "newest": self._newest,
                "records": list(self._records.values())}  # fmt: skip
        self._unsaved = 0
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with suppress(OSError):  # a folder that cannot be written costs time, nothing else
            fresh.parent.mkdir(exist_ok=True)
            fresh.write_text(
                json.dumps(data, separators=(",", ":")), encoding="utf-8", errors="surrogatepass"
            )
            os.replace(fresh, self._path)

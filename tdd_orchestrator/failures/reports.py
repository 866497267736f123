"""The error reports in the audit log, each with its state. Only records are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from tdd_orchestrator.failures.fixes import fix_of, set_aside
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import DONE, Item, Plan, Status
from tdd_orchestrator.model.records import (
    CycleEnded,
    DeskWork,
    ErrorReportRecord,
    ItemFailed,
    ItemReopened,
    Record,
)
from tdd_orchestrator.notes.message import Entry
from tdd_orchestrator.notes.selection import select
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.text import one_line


@dataclass(frozen=True, slots=True)
class StoredReport:
    """One report. ``status``: open, fixing, closed; ``work``: step -> its newest record; ``on``: the noted
    commit."""

    report: Mapping[str, Any]
    on: str
    at: str = ""
    status: str = "open"
    reason: str = ""
    outside: tuple[str, ...] = ()
    work: Mapping[str, DeskWork] = field(default_factory=dict)

    @property
    def error_id(self) -> str:
        return str(self.report["error_id"])

    @property
    def item_id(self) -> str:
        return str(self.report.get("item_id", ""))

    @property
    def cycle_id(self) -> str:
        return str(self.report.get("workflow_id", ""))

    @property
    def fixed_by(self) -> str:
        """Return the item whose cycle began last to fix it."""
        return str(self.done("fix").details.get("item", ""))

    @property
    def comments(self) -> list[dict[str, Any]]:
        """The last words of the linked issue, as they were when the failure was posted."""
        return list(self.done("post").details.get("comments") or ())

    def done(self, step: str) -> DeskWork:
        """The newest record of a step; an empty one where nothing was done."""
        return self.work.get(step) or DeskWork()


_NOT_MENDED = frozenset({"aborted", "cancelled"})
"""How the cycle of a fix item ends without a fix: its report is open again."""

_FIELDS: dict[str, Any] = {
    "error_id": "", "workflow_id": "", "failed_phase": "", "failed_at": "", "error_type": "",
    "error_message": "",
    "stack_trace": "", "root_cause": "", "affected_files": [], "fix_strategy": "", "fix_description": "",
    "estimated_fix_hours": 0.0, "confidence": "", "recommended_workflow": "", "summary": "", "item_id": "",
    "item": "", "attempts": 0, "routing_type": "", "fingerprint": "", "reasons": [], "verification": [],
    "seen": {}, "investigation": {},
    "trigger": {"stage": "", "level": ""},
    "context_snapshot": {"branch": "", "base": "", "commit": "", "changed_files": [], "tests_failed": 0,
                         "tests_passed": 0, "failing_tests": []},
}  # fmt: skip


def _whole(report: Mapping[str, Any], fields: Mapping[str, Any] = _FIELDS) -> dict[str, Any]:
    """The report with every field that is read somewhere: records also come from other people and
    versions."""
    found = dict(report)
    for key, default in fields.items():
        value = report.get(key)
        if isinstance(default, dict) and default:
            found[key] = _whole(value if isinstance(value, dict) else {}, default)
        elif not isinstance(value, type(default)):
            found[key] = float(value) if isinstance(default, float) and isinstance(value, int) else default
    return found


def filed(entries: Iterable[Entry]) -> list[StoredReport]:
    """Every report, oldest first, from entries of the audit log in any order."""
    found: dict[str, StoredReport] = {}
    for entry in sorted(entries, key=lambda one: (one.record["at"], one.record["id"])):
        record = entry.typed
        if isinstance(record, ErrorReportRecord) and record.status == "open" and record.error_id:
            report = _whole({**record.report, "error_id": record.error_id})
            made = StoredReport(report, entry.commit, record.at, outside=tuple(record.outside))
            found.setdefault(record.error_id, made)
        elif isinstance(record, ErrorReportRecord | DeskWork) and record.error_id in found:
            found[record.error_id] = _followed(found[record.error_id], record)
        elif isinstance(record, CycleEnded) and record.outcome in _NOT_MENDED:
            for one in found.values():
                if one.status == "fixing" and one.fixed_by == record.item_id:
                    found[one.error_id] = replace(one, status="open")
    return list(found.values())


def _followed(before: StoredReport, record: ErrorReportRecord | DeskWork) -> StoredReport:
    """The report after a record that came later: it was closed, or something was done about it."""
    if isinstance(record, DeskWork):
        fixing = record.step == "fix" and before.status == "open"
        work = {**before.work, record.step: record}
        return replace(before, status="fixing" if fixing else before.status, work=work)
    return replace(before, status="closed", reason=record.reason) if record.status == "closed" else before


def read(store: Store, *, mine: bool = False) -> list[StoredReport]:
    """Every report of the audit log, or of this clone alone, oldest first. StoreDamaged where the audit log
    cannot be read."""
    entries = select(store, store.common_dir, "failures", _is_of_failures)
    if mine and entries:
        places = store.journal.places()
        entries = [entry for entry in entries if places.of(entry.hash) >= 0]
    return filed(entries)


def _is_of_failures(record: Mapping[str, Any]) -> bool:
    return record["kind"] in ("error_report", "desk") or (
        record["kind"] == "cycle_ended" and record.get("outcome") in _NOT_MENDED
    )


def find(reports: Iterable[StoredReport], word: str) -> StoredReport:
    """The report with this id, or the only one whose id begins or ends so; ``last`` is the newest. Refused
    otherwise."""
    listed = list(reports)
    if not listed:
        raise Refused(
            "No failure was ever reported here.", "`tdd cycle status` shows where the cycle stands."
        )
    if word == "last":
        return listed[-1]
    hits = [one for one in listed if one.error_id == word]
    hits = hits or [
        one for one in listed if word and (one.error_id.startswith(word) or one.error_id.endswith(word))
    ]
    if len(hits) == 1:
        return hits[0]
    what = f"'{word}' fits {len(hits)} error reports" if hits else f"There is no error report '{word}'"
    raise Refused(f"{what}.", "`tdd errors list --all` shows every report with its id.")


def new_error_id(now: datetime, known: Iterable[str]) -> str:
    """``err_YYYYMMDD_HHMMSS``, with a number behind it where this second has one already."""
    first = f"err_{now:%Y%m%d_%H%M%S}"
    taken = {identity for identity in known if identity.startswith(first)}
    if first not in taken:
        return first
    return next(name for n in range(2, len(taken) + 3) if (name := f"{first}_{n}") not in taken)


def put(store: Store, commit: str, record: Record, subject: str) -> None:
    """One record of the desk's own: it belongs to no running cycle, so that none seems to go on."""
    data = record.model_dump(mode="json")
    for filled in ("at", "id", "v", "prev"):
        data.pop(filled, None)
    store.append(commit, data, subject=subject)


def note_work(store: Store, one: StoredReport, step: str, status: str, why: str = "", **details: Any) -> None:
    record = DeskWork(
        error_id=one.error_id, step=step, status=status, why=one_line(why, 400), details=details
    )
    put(store, one.on, record, f"{step} {status}: {one.error_id}")


def close(store: Store, one: StoredReport, reason: str) -> None:
    """Close a report; a closed one stays as it is."""
    if one.status == "closed":
        return
    record = ErrorReportRecord(status="closed", error_id=one.error_id, reason=one_line(reason, 500))
    put(store, one.on, record, f"error report closed: {one.error_id}")


def reopen(store: Store, one: StoredReport, reason: str) -> None:
    """Let the failed item of a report be tried again."""
    record = ItemReopened(item_id=one.item_id, item=str(one.report.get("item", "")), error_id=one.error_id,
                          reason=one_line(reason, 500))  # fmt: skip
    put(store, one.on, record, f"item reopened: {one.report.get('item', '')}")


def mark_failed(store: Store, commit: str, report: Mapping[str, Any], outside: Iterable[str] = ()) -> None:
    """File a report for a failure outside of a cycle, and mark its item failed with it."""
    names = {
        key: str(report.get(key, "")) for key in ("error_id", "error_type", "summary", "item_id", "item")
    }
    put(store, commit, ErrorReportRecord(**names, outside=list(outside), report=dict(report)),
        f"error report {report['error_id']}: {report.get('item', '')}")  # fmt: skip
    put(store, commit, ItemFailed(**names, retry_count=int(report.get("retry_count", 0))),
        f"item failed: {report.get('item', '')}")  # fmt: skip


def settle(store: Store, plan: Plan, change: Callable[[Item], None]) -> list[str]:
    """Close what is fixed and let its item be tried again; a sentence for each. Doing it twice does nothing
    more. ``change`` saves a plan item: a fix item is set aside when its parent is done.

    A report is over when its item is done after all, or when its fix item is; the item is reopened first, so
    that a kill in between leaves the report to be closed by the next call.
    """
    lines = []
    for one in read(store):
        if one.status == "closed":
            continue
        item, fix = plan.get(one.item_id), fix_of(one.report, plan.items)
        if item is not None and item.status in DONE:
            close(store, one, f"its item is {item.status}")
            set_aside(change, plan, one.report)
            lines.append(f"{one.error_id} is closed: its item is {item.status.replace('_', ' ')}")
        elif fix is not None and fix.status in (Status.COMPLETED, Status.ALREADY_COVERED):
            failed_by_it = item is not None and item.failure and item.failure.error_id == one.error_id
            if item is not None and item.status is Status.FAILED and failed_by_it:
                reopen(store, one, f"fixed by {fix.id}")
            close(store, one, f"fixed by {fix.id}")
            lines.append(f"{one.error_id} is closed: {fix.id} fixed it, and its item can be tried again")
    return lines

"""The error reports in the audit log, each with its state. Only records are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.failures.fixes import fix_of, set_aside
from tdd_orchestrator.failures.strategy import is_stop
from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import DONE, Item, Plan, Status
from tdd_orchestrator.model.records import (
    CycleEnded,
    ErrorReportRecord,
    ItemFailed,
    ItemReopened,
    Record,
    ReportAction,
)
from tdd_orchestrator.model.summary import REPORT_ACTIONS
from tdd_orchestrator.notes.message import Entry
from tdd_orchestrator.notes.selection import select
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.context import Repository
    from tdd_orchestrator.cycle.state import CycleState


@dataclass(frozen=True, slots=True)
class StoredReport:
    """One report. ``status``: open, fixing, closed; ``work``: step -> its newest record; ``on``: the noted
    commit."""

    report: ErrorReport
    on: str
    at: str = ""
    status: str = "open"
    reason: str = ""
    outside: tuple[str, ...] = ()
    work: Mapping[str, ReportAction] = field(default_factory=dict)

    @property
    def error_id(self) -> str:
        return self.report.error_id

    @property
    def item_id(self) -> str:
        return self.report.item_id

    @property
    def cycle_id(self) -> str:
        return self.report.workflow_id

    @property
    def fixed_by(self) -> str:
        """Return the item whose cycle began last to fix it."""
        return str(self.done("fix").details.get("item", ""))

    @property
    def comments(self) -> list[dict[str, Any]]:
        """The last words of the linked issue, as they were when the failure was posted."""
        return list(self.done("post").details.get("comments") or ())

    def data(self, items: Iterable[Item]) -> dict[str, Any]:
        """Return it in its documented, stable shape: the report's fields (F3) and its state."""
        made = fix_of(self.report, items)
        steps = {step: work.model_dump(include={"status", "why", "at"}) for step, work in self.work.items()}
        return {
            **self.report.data(),
            "status": self.status,
            "closed_because": self.reason or None,
            "fix_item": made.id if made else None,
            "steps": steps,
        }

    def done(self, step: str) -> ReportAction:
        """The newest record of a step; an empty one where nothing was done."""
        return self.work.get(step) or ReportAction()


_UNFIXED = frozenset({"aborted", "cancelled"})
"""How the cycle of a fix item ends without a fix: its report is open again."""


def filed(entries: Iterable[Entry]) -> list[StoredReport]:
    """Every report, oldest first, from entries of the audit log in any order."""
    found: dict[str, StoredReport] = {}
    for entry in sorted(entries, key=lambda one: (one.record["at"], one.record["id"])):
        record = entry.typed
        if isinstance(record, ErrorReportRecord) and record.status == "open" and record.error_id:
            report = (record.report or ErrorReport()).model_copy(update={"error_id": record.error_id})
            made = StoredReport(report, entry.commit, record.at, outside=tuple(record.outside))
            found.setdefault(record.error_id, made)
        elif isinstance(record, ErrorReportRecord | ReportAction) and record.error_id in found:
            found[record.error_id] = _followed(found[record.error_id], record)
        elif isinstance(record, CycleEnded) and record.outcome in _UNFIXED:
            for one in found.values():
                if one.status == "fixing" and one.fixed_by == record.item_id:
                    found[one.error_id] = replace(one, status="open")
    return list(found.values())


def _followed(before: StoredReport, record: ErrorReportRecord | ReportAction) -> StoredReport:
    """The report after a record that came later: it was closed, or something was done about it."""
    if isinstance(record, ReportAction):
        fixing = record.step == "fix" and before.status == "open"
        work = {**before.work, record.step: record}
        return replace(before, status="fixing" if fixing else before.status, work=work)
    return replace(before, status="closed", reason=record.reason) if record.status == "closed" else before


def read(store: Store, *, mine: bool = False) -> list[StoredReport]:
    """Every report of the audit log, or of this clone alone, oldest first. StoreDamaged where the audit log
    cannot be read."""
    entries = select(store, store.common_dir, "error reports", _is_of_failures)
    if mine and entries:
        places = store.journal.places()
        entries = [entry for entry in entries if places.of(entry.hash) >= 0]
    return filed(entries)


def _is_of_failures(record: Mapping[str, Any]) -> bool:
    return record["kind"] in {"error_report", *REPORT_ACTIONS} or (
        record["kind"] == "cycle_ended" and record.get("outcome") in _UNFIXED
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
    """Write a record about an error report: it belongs to no running cycle, so that none seems to go on."""
    data = record.model_dump(mode="json")
    for filled in ("at", "id", "v", "prev"):
        data.pop(filled, None)
    store.append(commit, data, subject=subject)


def note_work(store: Store, one: StoredReport, step: str, status: str, why: str = "", **details: Any) -> None:
    record = ReportAction(
        error_id=one.error_id, step=step, status=status, why=one_line(why, 400), details=details
    )
    put(store, one.on, record, f"{step} {status}: {one.error_id}")


def close(store: Store, one: StoredReport, reason: str) -> None:
    """Close a report; a closed one stays as it is."""
    if one.status == "closed":
        return
    record = ErrorReportRecord(status="closed", error_id=one.error_id, reason=one_line(reason, 500))
    put(store, one.on, record, f"error report closed: {one.error_id}")


def close_earlier(store: Store, newest: StoredReport) -> None:
    """Close the open reports that the same cycle's earlier failures have left; stops stay."""
    for one in read(store):
        same = one.report.workflow_id == newest.report.workflow_id and one.item_id == newest.item_id
        if same and one.error_id != newest.error_id and not is_stop(one.report):
            close(store, one, f"{newest.error_id} came after it")


def reopen(store: Store, one: StoredReport, reason: str) -> None:
    """Let the failed item of a report be tried again."""
    record = ItemReopened(item_id=one.item_id, item=one.report.item, error_id=one.error_id,
                          reason=one_line(reason, 500))  # fmt: skip
    put(store, one.on, record, f"item reopened: {one.report.item}")


def mark_failed(store: Store, commit: str, report: ErrorReport, outside: Iterable[str] = ()) -> None:
    """File a report for a failure outside of a cycle, and mark its item failed with it."""
    names = report.model_dump(include={"error_id", "error_type", "summary", "item_id", "item"})
    record = ErrorReportRecord(**names, outside=list(outside), report=report)
    put(store, commit, record, f"error report {report.error_id}: {report.item}")
    put(store, commit, ItemFailed(**names, retry_count=report.retry_count), f"item failed: {report.item}")


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


def settle_landed(repo: Repository, state: CycleState) -> list[str]:
    """Close the reports of what a landed cycle fixed, and of what had stopped it before; return a
    sentence for each."""
    if state.over not in ("landed", "already_covered"):
        return []
    plan = repo.plan.plan()
    stops = close_stops(repo.store, plan, repo.plan.change, f"cycle {state.number} landed after it")
    return [*stops, *settle(repo.store, plan, repo.plan.change)]


def close_stops(
    store: Store,
    plan: Plan,
    change: Callable[[Item], None],
    why: str,
    fits: Callable[[ErrorReport], bool] = lambda _: True,
) -> list[str]:
    """Close every open report of a stop that ``fits``, and its item; a sentence for each."""
    lines = []
    for one in read(store):
        if one.status == "closed" or not is_stop(one.report) or not fits(one.report):
            continue
        close(store, one, why)
        set_aside(change, plan, one.report)
        lines.append(f"{one.error_id} is closed: {why}")
    return lines

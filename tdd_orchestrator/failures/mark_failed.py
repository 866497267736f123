"""Mark a plan item failed outside of a cycle: file the given report, with a fix item as the item's child."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from tdd_orchestrator.cycle.plan.repository import PlanRepository
from tdd_orchestrator.failures import fixes, reports, strategy
from tdd_orchestrator.failures.escalation import redacted_report
from tdd_orchestrator.failures.report import trigger, with_strategy
from tdd_orchestrator.failures.reports import StoredReport
from tdd_orchestrator.failures.triggers import stage_of
from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.error_report import ErrorReport, ReportSnapshot
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import Item, Status
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.text import middle_cut, one_line, plain

_STACK = 6000  # characters


def _number(value: Any) -> Any:
    """JSON's own numbers: true is none, and neither is a text with digits in it."""
    if isinstance(value, bool | str):
        raise ValueError("a number is wanted")
    return value


def _fit_to_keep(text: str) -> str:
    """Text without what git, JSON or a terminal would trip over."""
    return plain(text.encode("utf-8", "replace").decode())


NUMBER, FIT = BeforeValidator(_number), AfterValidator(_fit_to_keep)
"""To be named after a field's bounds, which are in its JSON Schema only then."""
Hours = Annotated[float, Field(ge=0, le=1000), NUMBER]


class FailureReport(BaseModel):
    """The reported failure; only the message is required."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    error_message: Annotated[str, Field(min_length=1, max_length=4000), FIT]
    error_type: ErrorType = ErrorType.TEST
    failed_phase: Literal["", "PLAN", "RED", "GREEN", "REFACTOR", "COMPLETE"] = ""
    stack_trace: Annotated[str, Field(max_length=100_000), FIT] = ""
    root_cause: Annotated[str, Field(max_length=4000), FIT] = ""
    affected_files: Annotated[list[Annotated[str, FIT]], Field(max_length=20)] = []
    fix_strategy: Literal["", "quick_patch", "targeted_fix", "full_rework", "revert_and_redesign"] = ""
    estimated_fix_hours: Hours | None = None
    retry_count: Annotated[int, Field(ge=0, le=1000), NUMBER] = 0


@dataclass(frozen=True, slots=True)
class Marked:
    """The item, the item that fixes it (None where the item is a fix itself), and the report."""

    item: Item
    fix: Item | None
    report: StoredReport


@dataclass(frozen=True, slots=True)
class Marker:
    """``commit`` is where the records are put; ``outside`` names what is reported elsewhere."""

    store: Store
    plan_repository: PlanRepository
    commit: str
    branch: str
    redact: Callable[[str], str]
    outside: tuple[str, ...] = ()

    def mark(self, item: Item, given: FailureReport, now: datetime) -> Marked:
        """File the report, mark the item failed and make its fix item; repeated, it does nothing more.

        Raises Refused where the item is done, or a cycle works on it.
        """
        _check(item)
        known = reports.read(self.store)
        report = redacted_report(_report(item, given, self.branch, self.commit), self.redact)
        before = _open(known, report)
        if before is None or item.status is not Status.FAILED:
            error_id = reports.new_error_id(now, (one.error_id for one in known))
            when = {"error_id": error_id, "failed_at": now.isoformat(timespec="seconds")}
            report = with_strategy(report.model_copy(update=when), _strategy(given))
            if given.estimated_fix_hours is not None:
                report = report.model_copy(update={"estimated_fix_hours": given.estimated_fix_hours})
            reports.mark_failed(self.store, self.commit, report, self.outside)
            known = reports.read(self.store)
            before = reports.find(known, error_id)
        return Marked(self._current(item), self._fix(item, before, known), before)

    def _current(self, item: Item) -> Item:
        return self.plan_repository.plan().get(item.id) or item

    def _fix(self, item: Item, one: StoredReport, known: Iterable[StoredReport]) -> Item | None:
        plan = self.plan_repository.plan()
        found = fixes.fix_of(one.report, plan.items)
        if found is not None or fixes.is_fix(item):
            return found
        before = fixes.open_fix(one.report, [other.report for other in known], plan.items)
        if before is not None:
            self.plan_repository.change(fixes.also_for(one.report, before))
            return self._current(before)
        return self.plan_repository.add([fixes.fix_item(one.report, item)], plan=plan)[0]


def _check(item: Item) -> None:
    if item.status is Status.IN_PROGRESS:
        raise Refused(
            f"A cycle is at work on '{item.title}'.",
            "End it first (tdd cycle abort), or let it fail by itself.",
        )
    if item.status in (Status.COMPLETED, Status.ALREADY_COVERED, Status.CANCELLED):
        raise Refused(
            f"'{item.title}' is {item.status.replace('_', ' ')}.", "Add an item for what is wrong now."
        )


def _open(known: Iterable[StoredReport], report: ErrorReport) -> StoredReport | None:
    """The open report of the same failure of the same item."""
    wanted = (report.fingerprint, report.item_id)
    hits = (one for one in known if one.status != "closed")
    return next((one for one in hits if (one.report.fingerprint, one.item_id) == wanted), None)


def _strategy(given: FailureReport) -> strategy.Strategy:
    if given.fix_strategy:
        return strategy.named(given.fix_strategy)
    return strategy.choose(files=len(given.affected_files), confidence=0.6, attempts=1, breaks=0)


def _report(item: Item, given: FailureReport, branch: str, commit: str) -> ErrorReport:
    kind, message = str(given.error_type), one_line(given.error_message, 1000)
    return ErrorReport(
        issue_number=item.issue or None,
        failed_phase=given.failed_phase,
        error_type=kind,
        error_message=message,
        stack_trace=plain(middle_cut(given.stack_trace, _STACK)),
        root_cause=one_line(given.root_cause or given.error_message, 1000),
        affected_files=[one_line(path, 300) for path in given.affected_files],
        summary=one_line(f"{given.failed_phase}: {message}" if given.failed_phase else message),
        item_id=item.id,
        item=item.title,
        retry_count=given.retry_count,
        attempts=given.retry_count + 1 if given.failed_phase else 0,
        trigger=trigger(stage_of(kind, "unknown", "", message)),
        fingerprint=hashlib.sha256(f"{kind}\n{message}".encode("utf-8", "replace")).hexdigest()[:16],
        routing_type="unknown",
        context_snapshot=ReportSnapshot(branch=branch, base=commit),
    )

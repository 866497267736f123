"""Error reports of what stopped a command outside of any test: breaker, budget, provider, disk, landing (F1).

A stop has one open report, however often it is met again; the report is closed when a cycle lands after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.diagnosis.fingerprint import normalised
from tdd_orchestrator.failures import fixes
from tdd_orchestrator.failures.report import Context, build
from tdd_orchestrator.failures.reports import StoredReport, close, new_error_id, put, read
from tdd_orchestrator.failures.triggers import LEVELS, Level, Stage, stop_stage
from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.model.parts import ErrorDetails
from tdd_orchestrator.model.plan import Item, ItemType, Plan, Priority
from tdd_orchestrator.model.records import ErrorReportRecord, Trouble
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.plan.repository import PlanRepository
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.notes.store import Store

_TYPE = {
    Stage.AGENT_API: ErrorType.INTEGRATION,
    Stage.LANDING: ErrorType.INTEGRATION,
    Stage.PLAN: ErrorType.LOGIC,
    Stage.CIRCUIT_BREAKER: ErrorType.LOGIC,
    Stage.INTERNAL: ErrorType.LOGIC,
}


@dataclass(frozen=True, slots=True)
class Stop:
    """What ended a command early. ``state``: of the cycle under way, if any; ``on``: the commit to note it
    on."""

    error: TddError
    state: CycleState | None
    on: str
    now: datetime
    redact: Callable[[str], str]

    @property
    def stage(self) -> Stage:
        return stop_stage(self.error.what, landing=self.error.exit_code == 2, bug=self.error.exit_code == 70)

    @property
    def fingerprint(self) -> str:
        text = f"{self.stage}\x1f{normalised(self.error.what)}"
        return fixes.STOP + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def file_stop(
    store: Store, plan_repository: PlanRepository, stop: Stop
) -> tuple[StoredReport, Item | None] | None:
    """File the report of a stop, and its plan item where its level is high. None where an open report has it
    already."""
    known = read(store)
    if any(one.status != "closed" and one.report.get("fingerprint") == stop.fingerprint for one in known):
        return None
    error_id = new_error_id(stop.now, (one.error_id for one in known))
    report = _report(stop, error_id)
    names = {
        key: str(report.get(key, "")) for key in ("error_id", "error_type", "summary", "item_id", "item")
    }
    put(
        store,
        stop.on,
        ErrorReportRecord(**names, report=report),
        f"error report {error_id}: {report['summary']}",
    )
    filed = StoredReport(report, stop.on)
    if LEVELS[stop.stage] is not Level.HIGH:
        return filed, None
    return filed, plan_repository.add([_item(report)])[0]


def close_stops(store: Store, plan_repository: PlanRepository, plan: Plan, why: str) -> list[str]:
    """Close every open report of a stop, and its item; a sentence for each."""
    lines = []
    for one in read(store):
        if one.status == "closed" or not str(one.report.get("fingerprint", "")).startswith(fixes.STOP):
            continue
        close(store, one, why)
        fixes.set_aside(plan_repository.change, plan, one.report)
        lines.append(f"{one.error_id} is closed: {why}")
    return lines


def _report(stop: Stop, error_id: str) -> dict[str, Any]:
    state, what = stop.state, stop.redact(stop.error.what)
    kind = _TYPE.get(stop.stage, ErrorType.RESOURCE)
    context = Context(
        error_id=error_id,
        at=stop.now.isoformat(timespec="seconds"),
        phase=str(state.phase) if state else "",
        why=what,
        workflow_id=state.cycle_id if state else "",
        item_id=state.item_id if state else "",
        item=state.item if state else "",
        branch=state.branch if state else "",
        base=state.base if state else stop.on,
        commit=stop.on,
        retry=state.retried if state else 0,
    )
    trouble = Trouble(
        error=what, error_details=ErrorDetails(type="", message=what), diagnosis={"error_type": str(kind)}
    )
    report = build(trouble, context)
    todo = stop.redact(stop.error.todo)
    return report | {
        "summary": one_line(what),
        "root_cause": one_line(what, 1000),
        "fix_description": one_line(todo, 500),
        "recommended_workflow": one_line(todo, 500),
        "trigger": {"stage": str(stop.stage), "level": str(LEVELS[stop.stage])},
        "fingerprint": stop.fingerprint,
    }


def _item(report: dict[str, Any]) -> Item:
    kind = str(report["error_type"])
    return Item(
        id="",
        title=one_line(f"{fixes.TITLE}{report['summary']}", 180 - len(kind)) + f" - {kind}",
        description=f"{report['fix_description']} {fixes.mark(str(report['error_id']))}",
        type=ItemType.CHORE,
        priority=Priority.MEDIUM,
        parent=str(report["item_id"]),
        tags=("auto-generated", fixes.FIX_TAG, kind),
        hours=float(report["estimated_fix_hours"]),
    )

"""Report what stopped a command outside of any test: breaker, budget, provider, disk, landing (F1, F11).

A stop has one open report and is notified once, however often it is met again; a cycle that lands closes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.agents.agent import Fault
from tdd_orchestrator.diagnosis.pieces import normalised
from tdd_orchestrator.failures import fixes, strategy
from tdd_orchestrator.failures.notify import send
from tdd_orchestrator.failures.report import Context, build, trigger, with_strategy
from tdd_orchestrator.failures.reports import StoredReport, close_stops, new_error_id, put, read
from tdd_orchestrator.failures.triggers import LEVELS, Level, Stage, stop_stage
from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.model.errors import Busy, Gated, Paused, Refused, TddError, Waiting
from tdd_orchestrator.model.parts import AgentInfo, ErrorDetails
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import FIX_TAG, Item, ItemType, Priority
from tdd_orchestrator.model.records import CycleStarted, ErrorReportRecord, ReportAction, Trouble
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.config.schema import NotifyConfig
    from tdd_orchestrator.cycle.context import Repository
    from tdd_orchestrator.cycle.plan.repository import PlanRepository
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.notes.store import Store


STEP = "notify_stop"


def report_stop(repo: Repository, stop: Stop, config: NotifyConfig, say: Callable[[str], None]) -> None:
    """Notify the user of an error that ends a command early; not of a usage error, nor twice of the same
    stop."""
    error, state, redact = stop.error, stop.state, stop.redact
    if not _is_stop(error, state):
        return
    key = _key(error, state)
    if _already_reported(repo, state, key):
        return
    where = state.tip if state else repo.git.line("rev-parse", "HEAD")
    said = {redact(error.what)}

    def record(step: Callable[[], None]) -> None:
        """Write to the store, where that can be done: what stopped the command may be the same disk or key."""
        try:
            step()
        except (TddError, OSError) as problem:
            what = problem.what if isinstance(problem, TddError) else str(problem)
            if what not in said:
                say(f"the stop could not be recorded: {redact(what)}")
            said.add(what)

    if not _asks(error):
        record(lambda: _file(repo, stop, where, say))
    if config.wanted:
        record(lambda: _note(repo, where, "begun", key))  # before it is sent: it may arrive, and we be killed
    why = redact(send(config, message(error, state, redact)))
    if why:
        say(f"the notification did not go out: {why}")
    record(lambda: _note(repo, where, "failed" if why else "done", key, why, sent=config.wanted))


def _file(repo: Repository, stop: Stop, where: str, say: Callable[[str], None]) -> None:
    """File the report of the stop on this commit, and its plan item, and print both."""
    made = file_stop(repo.store, repo.plan, stop, where)
    if made is not None:
        filed, item = made
        say(f"error report {filed.error_id}" + (f", plan item {item.id}" if item else ""))


def _asks(error: TddError) -> bool:
    """Whether a person is only to answer a question: nothing has failed."""
    return isinstance(error, Gated) and "circuit breaker" not in error.what


def message(error: TddError, state: CycleState | None, redact: Callable[[str], str]) -> bytes:
    """Return the notification: where it stopped, why, and what to do next; ``incident`` names the
    agent's failed run, if any."""
    last = state.attempts[-1] if state and state.attempts else None
    data: dict[str, Any] = {
        "schema": "tdd/stopped",
        "v": 1,
        "next": [redact(error.todo), "tdd cycle status"],
        "what": redact(error.what),
        "exit_code": error.exit_code,
        "cycle_id": state.cycle_id if state else "",
        "item": state.item if state else "",
        "phase": str(state.phase) if state else "",
        "incident": last.incident if last else "",
    }
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _is_stop(error: TddError, state: CycleState | None) -> bool:
    """Return whether the error stops the work: waiting for a person does not; a refusal does where a
    finished cycle could not land. Outside of a cycle, exit code 2 says that nothing was written."""
    if isinstance(error, Refused) or (state is None and error.exit_code == Refused.exit_code):
        return state is not None and state.active and state.phase is Phase.COMPLETE
    return not isinstance(error, Busy) and (isinstance(error, Gated) or not isinstance(error, Waiting))


def _key(error: TddError, state: CycleState | None) -> str:
    place = (state.cycle_id, str(state.phase), str(state.retry)) if state else ()
    text = "\x1f".join((type(error).__name__, normalised(error.what), *place))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _already_reported(repo: Repository, state: CycleState | None, key: str) -> bool:
    """Since the cycle began; outside of one, since the newest record of any."""
    for entry in repo.store.trail(newest_first=True):
        record = entry.typed
        if isinstance(record, ReportAction) and record.details.get("key") == key:
            return True
        if isinstance(record, CycleStarted) and (state is None or record.cycle_id == state.cycle_id):
            return False
    return False


def _note(repo: Repository, where: str, status: str, key: str, why: str = "", *, sent: bool = True) -> None:
    record = ReportAction(step=STEP, status=status, why=one_line(why, 400), details={"key": key})
    put(repo.store, where, record, f"notification of a stop: {status}" if sent else "stop noted")


_OF_FAULT = {
    Fault.USAGE_LIMIT: ErrorType.RESOURCE,
    Fault.QUOTA: ErrorType.RESOURCE,
    Fault.CONTEXT_OVERFLOW: ErrorType.RESOURCE,
    Fault.KILLED: ErrorType.RESOURCE,
    Fault.NOT_STARTED: ErrorType.DEPENDENCY,
}
"""Types of faults of an agent that are no error between it and its provider."""
_TYPE = {
    Stage.AGENT_API: ErrorType.INTEGRATION,
    Stage.LANDING: ErrorType.INTEGRATION,
    Stage.PLAN: ErrorType.LOGIC,
    Stage.CIRCUIT_BREAKER: ErrorType.LOGIC,
    Stage.INTERNAL: ErrorType.LOGIC,
}


@dataclass(frozen=True, slots=True)
class Stop:
    """What ended a command early. ``state``: of the cycle under way, if any."""

    error: TddError
    state: CycleState | None
    now: datetime
    redact: Callable[[str], str]

    @property
    def fault(self) -> Fault:
        return Fault(self.agent.fault)

    @property
    def agent(self) -> AgentInfo:
        """The agent whose fault the command paused for; an empty one for other stops."""
        error = self.error
        return AgentInfo(name=error.agent, fault=error.fault) if isinstance(error, Paused) else AgentInfo()

    @property
    def error_type(self) -> ErrorType:
        return _OF_FAULT.get(self.fault) or _TYPE.get(self.stage, ErrorType.RESOURCE)

    @property
    def stage(self) -> Stage:
        if self.fault:
            return Stage.MEMORY if self.fault is Fault.KILLED else Stage.AGENT_API
        return stop_stage(self.error.what, landing=self.error.exit_code == 2, bug=self.error.exit_code == 70)

    @property
    def fingerprint(self) -> str:
        limited = self.fault is Fault.USAGE_LIMIT  # said in other words each time that it is met
        what = f"{self.fault} {self.agent.name}" if limited else normalised(self.error.what)
        text = f"{self.stage}\x1f{what}"
        return strategy.STOP + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def file_stop(
    store: Store, plan_repository: PlanRepository, stop: Stop, where: str
) -> tuple[StoredReport, Item | None] | None:
    """File the report of a stop, and its plan item where its level is high. None where an open report has it
    already."""
    known = read(store)
    if any(one.status != "closed" and one.report.fingerprint == stop.fingerprint for one in known):
        return None
    error_id = new_error_id(stop.now, (one.error_id for one in known))
    report = _report(stop, error_id, where)
    names = report.model_dump(include={"error_id", "error_type", "summary", "item_id", "item"})
    put(store, where, ErrorReportRecord(**names, report=report), f"error report {error_id}: {report.summary}")
    filed = StoredReport(report, where)
    if LEVELS[stop.stage] is not Level.HIGH:
        return filed, None
    return filed, plan_repository.add([_item(report)])[0]


def close_breaker(store: Store, plan_repository: PlanRepository, agent: str = "") -> list[str]:
    """Close the open reports of the circuit breaker, those of one agent or all; a sentence for each."""

    def fits(report: ErrorReport) -> bool:
        ours = report.trigger.stage == Stage.CIRCUIT_BREAKER
        return ours and (not agent or f"'{agent}'" in report.error_message)

    plan, why = plan_repository.plan(), "the circuit breaker was reset"
    return close_stops(store, plan, plan_repository.change, why, fits)


def _report(stop: Stop, error_id: str, where: str) -> ErrorReport:
    state, what = stop.state, stop.redact(stop.error.what)
    context = Context(
        error_id=error_id,
        at=stop.now.isoformat(timespec="seconds"),
        phase=str(state.phase) if state else "",
        why=what,
        workflow_id=state.cycle_id if state else "",
        item_id=state.item_id if state else "",
        item=state.item if state else "",
        branch=state.branch if state else "",
        base=state.base if state else where,
        commit=where,
        retry=state.retried if state else 0,
    )
    trouble = Trouble(
        error=what,
        error_details=ErrorDetails(type="", message=what),
        diagnosis={"error_type": str(stop.error_type)},
        agent=stop.agent,
    )
    changes = {
        "summary": one_line(what),
        "root_cause": one_line(what, 1000),
        "trigger": trigger(stop.stage),
        "fingerprint": stop.fingerprint,
    }
    report = with_strategy(build(trouble, context), strategy.nothing_in_code("the command was stopped", ""))
    todo = one_line(stop.redact(stop.error.todo), 500)
    return report.model_copy(update={**changes, "recommended_workflow": todo})


def _item(report: ErrorReport) -> Item:
    kind = report.error_type
    return Item(
        id="",
        title=one_line(f"{fixes.TITLE}{report.summary}", 180 - len(kind)) + f" - {kind}",
        description=f"{report.recommended_workflow} {fixes.mark(report.error_id)}",
        type=ItemType.CHORE,
        priority=Priority.MEDIUM,
        parent=report.item_id,
        tags=("auto-generated", FIX_TAG, kind),
        hours=report.estimated_fix_hours,
    )

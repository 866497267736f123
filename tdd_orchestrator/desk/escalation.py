"""What happens when a cycle failed for good: its error report, written once however often the desk is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.cycle.turn import place
from tdd_orchestrator.cycle.workshop import Escalated
from tdd_orchestrator.desk.kinds import error_type
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.records import ErrorReportRecord
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.config.schema import Config
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.cycle.workshop import Workshop
    from tdd_orchestrator.model.plan import Item


@dataclass(frozen=True, slots=True)
class FailureDesk:
    """``say`` gets the sentences for the user."""

    config: Config
    say: Callable[[str], None]

    @classmethod
    def of(cls, config: Config, say: Callable[[str], None]) -> FailureDesk:
        return cls(config, say)

    def escalated(self, shop: Workshop, state: CycleState, item: Item, why: str) -> Escalated:
        """The report of this failure: made now, or found where a kill came after it was written."""
        report = written_before(shop.records)
        if report is None:
            report = self._write(shop, state, item, why)
        return Escalated(report["error_id"], report["error_type"], one_line(report["summary"]))

    def _write(self, shop: Workshop, state: CycleState, item: Item, why: str) -> dict[str, Any]:
        last = state.attempts[-1] if state.attempts else None
        message = shop.redact((last.message if last else "") or why)
        known = (str(entry.record["report"].get("error_id", "")) for entry in shop.store.trail(newest_first=True)
                 if entry.record["kind"] == "error_report")  # fmt: skip
        report = {
            "error_id": new_error_id(shop.clock.now(), known),
            "workflow_id": state.cycle_id,
            "issue_number": item.issue or None,
            "error_type": error_type(last.diagnosis if last else {}, last.verdict if last else ""),
            "error_message": one_line(message, 1000),
            "summary": one_line(f"{state.phase}: {message}; {why}"),
        }
        record = ErrorReportRecord(**place(state), phase=state.phase, next_phase=Phase.ABORTED,
                                   retry_count=state.retry, report=report)  # fmt: skip
        where = last.commit if last and last.commit else state.tip
        shop.write(where, record, f"error report {report['error_id']}: {state.item}")
        self.say(f"error report {report['error_id']}: `tdd errors show {report['error_id']}`")
        return report


def written_before(records: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The report of this cycle's present failure, from its records, oldest first; None where there is none yet."""
    found: dict[str, Any] | None = None
    for record in records:
        if record["kind"] in ("cycle_started", "resumed"):
            found = None
        elif record["kind"] == "error_report" and record.get("status") == "open":
            found = dict(record["report"])
    return found


def new_error_id(now: datetime, known: Iterable[str]) -> str:
    """``err_YYYYMMDD_HHMMSS``, with a number behind it where this second has one already."""
    first = f"err_{now:%Y%m%d_%H%M%S}"
    taken = {identity for identity in known if identity.startswith(first)}
    if first not in taken:
        return first
    return next(name for n in range(2, len(taken) + 3) if (name := f"{first}_{n}") not in taken)

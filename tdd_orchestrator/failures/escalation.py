"""Handle a cycle that failed for good: report it once, then notify.

Each part stands alone (F10): where one fails, that is recorded and printed, the others run, and the
original error stays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tdd_orchestrator.cycle.context import Escalated
from tdd_orchestrator.cycle.state import place
from tdd_orchestrator.failures import cleanup, fixes
from tdd_orchestrator.failures.context import evidence_of, failed_commit, gather, seen_at, trouble_of
from tdd_orchestrator.failures.github import post_one
from tdd_orchestrator.failures.notify import message, send
from tdd_orchestrator.failures.report import build
from tdd_orchestrator.failures.reports import StoredReport, close_earlier, find, new_error_id, note_work, read
from tdd_orchestrator.failures.strategy import is_in_code
from tdd_orchestrator.failures.triggers import Level, error_type
from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.model.parts import ErrorDetails
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.records import CycleStarted, ErrorReportRecord, Incident, Record, Resumed
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.config.schema import Config
    from tdd_orchestrator.cycle.context import CycleContext
    from tdd_orchestrator.cycle.state import CycleState
    from tdd_orchestrator.model.plan import Item

_MOST_FIXES = 3  # fix items that are made for one item; then a person is to look


@dataclass(frozen=True, slots=True)
class FailureReporter:
    """``say`` gets the sentences for the user."""

    config: Config
    say: Callable[[str], None]

    def landed(self, context: CycleContext, state: CycleState) -> None:
        """Close the reports of what the landed cycle fixed."""
        # imported here: it takes a sixth of a start, and a replay lands nothing
        from tdd_orchestrator.failures.reports import settle_landed

        for line in settle_landed(context.repo, state):
            context.watch.note(line)

    def escalated(self, context: CycleContext, state: CycleState, item: Item, why: str) -> Escalated:
        """The report of this failure, made now or found where a kill came after it; then all that follows
        from it."""
        outcome = self._fallen_back(state, why, context.redact)
        with Guard(context, state, self.say) as guard:
            guard.part = "the error report"
            one = self._report(context, state, item, why)
            report = one.report
            outcome = Escalated(one.error_id, report.error_type, _summary(report))
            self.say(f"error report {one.error_id}: {report.root_cause}")
            for part, step in self._steps(context, item, one):
                with Guard(context, state, self.say, part):
                    step()
        return outcome

    def _steps(
        self, context: CycleContext, item: Item, one: StoredReport
    ) -> list[tuple[str, Callable[[], None]]]:
        return [
            ("the fix item", lambda: self._fix_item(context, item, one)),
            ("the earlier reports", lambda: close_earlier(context.repo.store, one)),
            ("the saved fix prompt", lambda: self._save_prompt(context, one)),
            ("the clean-up", lambda: self._clean_up(context, one)),
            ("the notification", lambda: self._notify(context, one)),
            ("the post to GitHub", lambda: self._post(context, one)),
        ]

    def _fallen_back(self, state: CycleState, why: str, redact: Callable[[str], str]) -> Escalated:
        """Return the sentence for a failure that could not be reported."""
        last = state.attempts[-1] if state.attempts else None
        kind = error_type(last.error_kind if last else None, last.verdict if last else "")
        return Escalated("", str(kind), one_line(redact((last.message if last else "") or why)))

    def _report(self, context: CycleContext, state: CycleState, item: Item, why: str) -> StoredReport:
        known = read(context.repo.store)
        before = written_before(context.run.records)
        if before:
            return find(known, before)
        error_id = new_error_id(context.clock.now(), (one.error_id for one in known))
        trouble = trouble_of(context.run.records)
        evidence = None
        with Guard(context, state, self.say, "the evidence of the error report"):
            evidence = evidence_of(context.prover, trouble)
        report_context = gather(context, state, item, why, error_id)
        with Guard(context, state, self.say, "the context of the error report"):
            report_context = replace(
                report_context, seen=seen_at(context, trouble, evidence, report_context.commit)
            )
        report = redacted_report(build(trouble, report_context, evidence), context.redact)
        notified = self.config.notify.wanted and report.trigger.level != Level.LOW
        outside = (["notify"] if notified else []) + (["post"] if self.config.github.repository else [])
        record = ErrorReportRecord(
            **place(state, state.phase, Phase.ABORTED),
            retry_count=state.retried,
            error_id=error_id,
            error_type=report.error_type,
            summary=report.summary,
            outside=outside,
            report=report,
        )
        where = failed_commit(state)
        context.write(where, record, f"error report {error_id}: {state.item}")
        return StoredReport(report, where, outside=tuple(outside))

    def _fix_item(self, context: CycleContext, item: Item, one: StoredReport) -> None:
        if one.report.trigger.level != Level.HIGH or not is_in_code(one.report):
            return
        plan = context.repo.plan.plan()
        if fixes.fix_of(one.report, plan.items) is not None or plan.get(item.id) is None:
            return
        known = [other.report for other in read(context.repo.store)]
        before = fixes.open_fix(one.report, known, plan.items)
        if before is not None:
            context.repo.plan.change(fixes.also_for(one.report, before))
            self.say(f"fix item {before.id} again: {before.title}")
            return
        made = sum(fixes.is_fix(other) and other.parent == item.id for other in plan.items)
        if fixes.is_fix(item) or made >= _MOST_FIXES:
            self.say("no further fix item is made for it: a person should look at this one")
            return
        added = context.repo.plan.add([fixes.fix_item(one.report, item)], plan=plan)[0]
        self.say(f"fix item {added.id}: {added.title}")

    def _save_prompt(self, context: CycleContext, one: StoredReport) -> None:
        folder = context.repo.places.root / "prompts"
        folder.mkdir(parents=True, exist_ok=True)
        fix = fixes.fix_of(one.report, context.repo.plan.plan().items)
        (folder / f"{one.error_id}.md").write_text(
            fixes.prompt(one.report, fix=fix), encoding="utf-8", errors="backslashreplace"
        )

    def _clean_up(self, context: CycleContext, one: StoredReport) -> None:
        table = cleanup.table_with(self.config.cleanup)
        removed, kept = cleanup.carry_out(context.repo.places.runs, cleanup.decide([one], table))
        for line in removed:
            self.say(f"removed the transcripts of {line}")
        for line in kept:
            self.say(f"kept: {line}")

    def _notify(self, context: CycleContext, one: StoredReport) -> None:
        """Notify at most once: a notification that a kill broke off may have arrived."""
        before = one.done("notify").status
        if "notify" not in one.outside or before in ("done", "failed"):
            return
        if before == "begun":
            why = "it was interrupted and may have arrived; it is not sent twice"
            note_work(context.repo.store, one, "notify", "failed", why)
            self.say(f"the notification: {why}")
            return
        note_work(context.repo.store, one, "notify", "begun")
        why = context.redact(send(self.config.notify, message(one.report)))
        note_work(context.repo.store, one, "notify", "failed" if why else "done", why)
        if why:
            self.say(f"the notification did not go out: {why}")

    def _post(self, context: CycleContext, one: StoredReport) -> None:
        if "post" not in one.outside or one.done("post").status == "done":
            return
        github = self.config.github
        fix = fixes.fix_of(one.report, context.repo.plan.plan().items)
        left = post_one(context.repo.store, github, os.environ.get(github.token_env, ""), one, fix)
        self.say(
            f"not posted to GitHub: {left}; `tdd sync --github` tries again" if left else "posted to GitHub"
        )


class Guard:
    """Records and prints an error of the error handling, and stops it there; interrupts pass."""

    def __init__(
        self, context: CycleContext, state: CycleState, say: Callable[[str], None], part: str = ""
    ) -> None:
        self.part = part
        self._context, self._state, self._say = context, state, say

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception):
            return False
        message = one_line(self._context.redact(str(error)), 300)
        text = f"{self.part} failed ({type(error).__name__}: {message}); the failure of the cycle stands as it is"
        self._say(text)
        record = Incident(
            **place(self._state, self._state.phase),
            error=f"{self.part} failed",
            error_details=ErrorDetails(type=type(error).__name__, message=message),
        )
        try:
            self._context.write(self._state.tip, record, f"incident: {self.part} failed")
        except Exception as worse:  # noqa: BLE001  the store fails; the cycle's own end says so
            self._say(f"and it could not be recorded ({type(worse).__name__}: {one_line(str(worse), 200)})")
        return True


def written_before(records: Iterable[Record]) -> str:
    """The id of the report of this cycle's present failure, from its records, oldest first; "" where there is
    none."""
    found = ""
    for record in records:
        if isinstance(record, CycleStarted | Resumed):
            found = ""
        elif isinstance(record, ErrorReportRecord) and record.status == "open":
            found = record.error_id
    return found


def redacted_report(report: ErrorReport, redact: Callable[[str], str]) -> ErrorReport:
    return ErrorReport.model_validate(_redacted(report.model_dump(), redact))


def _redacted(value: Any, redact: Callable[[str], str]) -> Any:
    """The same JSON value with every string redacted; keys are ours."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: _redacted(one, redact) for key, one in value.items()}
    if isinstance(value, list):
        return [_redacted(one, redact) for one in value]
    return value


def _summary(report: ErrorReport) -> str:
    """Return the report's summary, and the agent's last words where it does not quote them."""
    summary, words = one_line(report.summary), one_line(report.agent.last_words, 160)
    return summary if words[:60] in summary else f"{summary} (the agent said: {words})"

"""Error reports of a `tdd fix` that could not fix what fails: one a cause, closed when the tests pass
again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tdd_orchestrator.failures import fixes
from tdd_orchestrator.failures.context import commands
from tdd_orchestrator.failures.notify import message, send
from tdd_orchestrator.failures.report import Context, build
from tdd_orchestrator.failures.reports import close, new_error_id, put, read
from tdd_orchestrator.failures.strategy import BY_HAND, FIX
from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.model.parts import AgentInfo, ErrorDetails, FixResult, TestEvidence
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.model.records import ErrorReportRecord, Trouble
from tdd_orchestrator.repo import refs
from tdd_orchestrator.text import one_line

if TYPE_CHECKING:
    from tdd_orchestrator.config.schema import NotifyConfig
    from tdd_orchestrator.cycle.context import CycleContext
    from tdd_orchestrator.cycle.fix.fix_state import FixOutcome

_DIAGNOSED = {"error_type", "routing_type", "message", "file", "line"}
_MOST = 5  # causes that get a report of their own


def settle_fix(
    context: CycleContext,
    outcome: FixOutcome,
    config: NotifyConfig,
    say: Callable[[str], None],
    *,
    whole_suite: bool = True,
) -> list[ErrorReport]:
    """Report what `tdd fix` gave up, and close the reports of what it no longer finds.

    ``whole_suite``: the configured command ran, so a test that did not fail passes. Returns the open
    reports of what failed, in the order of the results.
    """
    known = [one for one in read(context.repo.store) if one.report.failed_phase == FIX]
    failed = {one.fingerprint: one for one in reversed(outcome.results) if one.status != "PASSED"}
    plan = context.repo.plan.plan()
    status = {one.test: one.status for one in outcome.results}
    for one in known:
        if one.status == "closed" or one.report.fingerprint in failed:
            continue
        now = status.get(one.report.item, "PASSED" if whole_suite else "")
        if now:
            why = "its test passes again" if now == "PASSED" else "its test fails with another error now"
            close(context.repo.store, one, why)
            fixes.set_aside(context.repo.plan.change, plan, one.report)
            say(f"{one.error_id} is closed: {why}")
    reports = {one.report.fingerprint: one.report for one in known if one.status != "closed"}
    new = [result for key, result in failed.items() if key not in reports]
    for result in new[:_MOST]:
        reports[result.fingerprint] = _filed(context, outcome, result, config, say)
    return [reports[key] for key in reversed(failed) if key in reports]


def _filed(
    context: CycleContext,
    outcome: FixOutcome,
    result: FixResult,
    config: NotifyConfig,
    say: Callable[[str], None],
) -> ErrorReport:
    now = context.clock.now()
    error_id = new_error_id(now, (one.error_id for one in read(context.repo.store)))
    report = _report(context, outcome, result, error_id, now.isoformat(timespec="seconds"))
    names = report.model_dump(include={"error_id", "error_type", "summary"})
    put(
        context.repo.store,
        outcome.head,
        ErrorReportRecord(**names, report=report),
        f"error report {error_id}: {result.test}",
    )
    item = context.repo.plan.add([fixes.fix_item(report, Item(id="", title=one_line(result.test, 150)))])[0]
    say(f"error report {error_id}, fix item {item.id}")
    why = context.redact(send(config, message(report)))
    if why:
        say(f"the notification did not go out: {why}")
    return report


def _report(
    context: CycleContext, outcome: FixOutcome, result: FixResult, error_id: str, at: str
) -> ErrorReport:
    tries, worked = result.retry_count, outcome.worked.get(result.test, AgentInfo())
    for_person = result.errors[tries:][-1:] if worked.said else []
    trouble = Trouble(
        error="the test still fails",
        error_details=ErrorDetails(type="", message=""),
        fingerprint=result.fingerprint,
        reasons=result.errors,
        agent=worked,
        tests=TestEvidence(failing_tests=[result.test]),
        diagnosis=result.model_dump(include=_DIAGNOSED),
    )
    report_context = Context(
        error_id=error_id,
        at=at,
        phase=FIX,
        why=": ".join((f"`tdd fix` gave up after {tries} attempt{'s'[: tries != 1]}", *for_person)),
        item=result.test,
        branch=refs.head_branch(context.repo.git),
        base=outcome.head,
        commit=outcome.head,
        retry=result.retry_count,
        verdicts=tuple(result.errors[:tries] or result.errors),
        verification=commands(context.prover.suites),
        root=str(context.prover.tree.path),
    )
    report = build(trouble, report_context)
    if not report.fix_strategy:  # the agent's last words say what comes first
        return report
    return report.model_copy(update={"recommended_workflow": BY_HAND.format(id=error_id)})

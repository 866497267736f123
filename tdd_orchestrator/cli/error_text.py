"""An error report as lines for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tdd_orchestrator.cli.render import clean, columns, local

if TYPE_CHECKING:
    from tdd_orchestrator.failures.reports import StoredReport
    from tdd_orchestrator.model.error_report import ErrorReport, ReportSnapshot
    from tdd_orchestrator.model.plan import Item


def report_lines(one: StoredReport, items: tuple[Item, ...]) -> list[str]:
    from tdd_orchestrator.cli.render import wrapped
    from tdd_orchestrator.failures.fixes import fix_of
    from tdd_orchestrator.failures.strategy import steps_of

    report, made = one.report, fix_of(one.report, items)
    snapshot, agent = report.context_snapshot, report.agent
    steps, cause = steps_of(report), report.root_cause
    way = f"{report.fix_strategy}, about {report.estimated_fix_hours:g} h, {report.confidence} confidence"
    rows = (
        ("report", f"{one.error_id}, {one.status}" + (f" ({one.reason})" if one.reason else "")),
        ("item", f"{report.item} ({report.item_id})" if report.item_id else report.item),
        ("failed in" if report.attempts else "stopped in", _when(report)),
        ("type", _type(report)),
        ("message", report.error_message),
        ("cause", "" if cause.rstrip(".") == report.error_message.rstrip(".") else cause),
        ("last words", f"{agent.name}: {agent.last_words}" if agent.last_words else ""),
        ("files", ", ".join(report.affected_files)),
        ("tests", _tests(snapshot)),
        ("branch", f"{snapshot.branch}, at {snapshot.base[:12]} as before" if snapshot.branch else ""),
        ("kept as", snapshot.commit[:12] if snapshot.commit != snapshot.base else ""),
        ("strategy", way if report.fix_strategy else ""),
        ("", report.fix_description),
        *(("steps" if n == 1 else "", f"{n}. {step}") for n, step in enumerate(steps, 1)),
        ("fix item", made.id if made else ""),
        ("next", report.recommended_workflow if report.recommended_workflow not in steps else ""),
        *((step, f"{work.status} {work.why}".strip()) for step, work in one.work.items()),
    )
    return [
        line
        for name, value in rows
        for number, text in enumerate(clean(value).splitlines())
        for line in wrapped(text, columns(), first=f"{'' if number else name:>10}  ", rest=" " * 12)
    ]


def _type(report: ErrorReport) -> str:
    from tdd_orchestrator.failures.strategy import is_in_code, kind_of

    kind = kind_of(report)
    if report.agent.said and not is_in_code(report):
        return f"{kind}, by the agent's last words ({report.trigger.level})"
    stage = report.trigger.stage.replace("_", " ")
    return f"{kind} ({report.routing_type if report.attempts else stage}, {report.trigger.level})"


def _when(report: ErrorReport) -> str:
    after = f"after {report.attempts} attempt{'s'[: report.attempts != 1]}" if report.attempts else ""
    return ", ".join(filter(None, (report.failed_phase, local(report.failed_at, None), after)))


def _tests(snapshot: ReportSnapshot) -> str:
    failed, passed = snapshot.tests_failed, snapshot.tests_passed
    return f"{failed} failed, {passed} passed" if failed or passed else ""

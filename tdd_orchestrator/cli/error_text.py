"""An error report as lines for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tdd_orchestrator.cli.render import clean, columns

if TYPE_CHECKING:
    from tdd_orchestrator.failures.reports import StoredReport
    from tdd_orchestrator.model.error_report import ErrorReport, ReportSnapshot
    from tdd_orchestrator.model.plan import Item


def report_lines(one: StoredReport, items: tuple[Item, ...]) -> list[str]:
    from tdd_orchestrator.cli.render import wrapped
    from tdd_orchestrator.failures.fixes import fix_of
    from tdd_orchestrator.failures.strategy import steps_for, steps_of

    report, made = one.report, fix_of(one.report, items)
    snapshot, agent = report.context_snapshot, report.agent
    steps = steps_of(report) or steps_for(report.error_type, report.failed_phase)
    hours = f"about {report.estimated_fix_hours:g} h"
    rows = (
        ("report", f"{one.error_id}, {one.status}" + (f" ({one.reason})" if one.reason else "")),
        ("item", f"{report.item} ({report.item_id})" if report.item_id else report.item),
        ("failed in", f"{report.failed_phase}, {report.failed_at}, after {_count(report.attempts)}"),
        ("type", _type(report)),
        ("message", report.error_message),
        ("cause", report.root_cause),
        ("last words", f"{agent.name}: {agent.last_words}" if agent.last_words else ""),
        ("files", ", ".join(report.affected_files)),
        ("tests", _tests(snapshot)),
        ("branch", f"{snapshot.branch}, at {snapshot.base[:12]} as before"),
        ("kept as", snapshot.commit[:12]),
        ("strategy", "" if agent.said else f"{report.fix_strategy}, {hours}, {report.confidence} confidence"),
        ("", report.fix_description),
        *(("steps" if n == 1 else "", f"{n}. {step}") for n, step in enumerate(steps, 1)),
        ("fix item", made.id if made else ""),
        ("next", report.recommended_workflow),
        *((step, f"{work.status} {work.why}".strip()) for step, work in one.work.items()),
    )
    return [
        line
        for name, value in rows
        for number, text in enumerate(clean(value).splitlines())
        for line in wrapped(text, columns(), first=f"{'' if number else name:>10}  ", rest=" " * 12)
    ]


def _type(report: ErrorReport) -> str:
    """Return the type; what an agent says in place of work is no type of error in the code."""
    if report.agent.said:
        kind = report.agent.said.replace("_", " ")
        return f"{kind}, by the agent's last words ({report.trigger.level})"
    return f"{report.error_type} ({report.routing_type}, {report.trigger.level})"


def _count(attempts: int) -> str:
    return f"{attempts} attempt{'s'[: attempts != 1]}"


def _tests(snapshot: ReportSnapshot) -> str:
    failed, passed = snapshot.tests_failed, snapshot.tests_passed
    return f"{failed} failed, {passed} passed" if failed or passed else ""

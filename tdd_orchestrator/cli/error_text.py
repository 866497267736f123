"""An error report as JSON and as lines for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tdd_orchestrator.cli.render import clean, columns

if TYPE_CHECKING:
    from tdd_orchestrator.failures.reports import StoredReport
    from tdd_orchestrator.model.plan import Item


def shape(one: StoredReport, items: tuple[Item, ...]) -> dict[str, Any]:
    """Return a report in its documented, stable shape: its fields (F3) and its state."""
    from tdd_orchestrator.failures.fixes import fix_of

    made = fix_of(one.report, items)
    return {
        **one.report,
        "status": one.status,
        "closed_because": one.reason or None,
        "fix_item": made.id if made else None,
        "steps": {step: work.model_dump(include={"status", "why", "at"}) for step, work in one.work.items()},
    }


def report_lines(one: StoredReport, items: tuple[Item, ...]) -> list[str]:
    """A report for a person."""
    from tdd_orchestrator.cli.render import wrapped
    from tdd_orchestrator.failures.strategy import steps_for, steps_of

    data = shape(one, items)
    snapshot = data["context_snapshot"]
    agent = data.get("agent") or {}
    rows = (
        ("report", f"{one.error_id}, {one.status}" + (f" ({one.reason})" if one.reason else "")),
        ("item", f"{data['item']} ({data['item_id']})"),
        ("failed in", f"{data['failed_phase']}, {data['failed_at']}, after {_count(data['attempts'])}"),
        ("type", f"{data['error_type']} ({data['routing_type']}, {data['trigger']['level']})"),
        ("message", data["error_message"]),
        ("cause", data["root_cause"]),
        ("last words", f"{agent.get('name')}: {agent['last_words']}" if agent.get("last_words") else ""),
        ("files", ", ".join(data["affected_files"])),
        ("tests", _tests(snapshot)),
        ("branch", f"{snapshot['branch']}, at {snapshot['base'][:12]} as before"),
        ("kept as", snapshot["commit"][:12]),
        (
            "strategy",
            (
                f"{data['fix_strategy']}, about {data['estimated_fix_hours']:g} h, "
                f"{data['confidence']} confidence"
            ),
        ),
        ("", data["fix_description"]),
        *(
            ("steps" if n == 1 else "", f"{n}. {step}")
            for n, step in enumerate(steps_of(data) or steps_for(data["error_type"], data["failed_phase"]), 1)
        ),
        ("fix item", data["fix_item"] or ""),
        ("next", data["recommended_workflow"]),
        *((step, f"{work['status']} {work['why'] or ''}".strip()) for step, work in data["steps"].items()),
    )
    return [
        line
        for name, value in rows
        for number, text in enumerate(clean(str(value)).splitlines())
        for line in wrapped(text, columns(), first=f"{'' if number else name:>10}  ", rest=" " * 12)
    ]


def _count(attempts: int) -> str:
    return f"{attempts} attempt{'s'[: attempts != 1]}"


def _tests(snapshot: dict[str, Any]) -> str:
    failed, passed = snapshot["tests_failed"], snapshot["tests_passed"]
    return f"{failed} failed, {passed} passed" if failed or passed else ""

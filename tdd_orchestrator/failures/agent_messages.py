"""An agent's last words in the error report and the fix prompt (A9): their author, and what a person has
to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tdd_orchestrator.agents.last_words import ROWS, Row
from tdd_orchestrator.failures.strategy import QUICK_PATCH, Strategy
from tdd_orchestrator.model.records import Trouble

_KEPT = {"name", "role", "model", "said", "last_words", "fault"}


def agent_of(trouble: Trouble) -> dict[str, str]:
    """Return the agent of the last rejected attempt, and its last words."""
    return trouble.agent.model_dump(include=_KEPT)


def strategy_of(trouble: Trouble) -> Strategy | None:
    """Return what a person does where the agent left only recognized last words; None for other failures."""
    row = _row(trouble.agent.said)
    if row is None:
        return None
    return replace(
        QUICK_PATCH,
        confidence="medium",
        what=f"No code is known to be wrong: the agent {row.means}.",
        workflow="tdd plan edit, then tdd cycle resume (until another cycle begins); else tdd cycle next",
    )


def steps_of(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Steps for a failure that consists of recognized last words, or of no work at all; empty for others."""
    row = _row(str((report.get("agent") or {}).get("said", "")))
    if row is None:
        return _NOTHING_RAN if _without_run(report) else ()
    person = row.person.replace("{command}", "see the cause above for the command")
    return (f"Read the agent's last words: it {row.means}.", person, "Run the cycle again: tdd cycle resume.")


_NOTHING_RAN = (
    "Read the agent's last words: no test was run, so there is no assertion to read.",
    "See whether the item says what is to change, and where: tdd plan edit.",
    "Run the cycle again with what the agent lacked: tdd cycle resume --hint '...'.",
)


def _without_run(report: Mapping[str, Any]) -> bool:
    """Whether the last attempt was refused before a test ran."""
    seen = report.get("context_snapshot") or {}
    ran = seen.get("tests_failed") or seen.get("tests_passed") or seen.get("failing_tests")
    return bool(seen) and not ran and report.get("error_type") == "logic" and not report.get("stack_trace")


def _row(kind: str) -> Row | None:
    return next((row for row in ROWS if row.said == kind), None) if kind else None

"""Last words of an agent in the error report and the fix prompt (A9): who said them, and what a person is to
do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tdd_orchestrator.agents.last_words import ROWS, Row
from tdd_orchestrator.failures.strategy import QUICK_PATCH, Strategy
from tdd_orchestrator.model.records import Trouble

_KEPT = {"name", "role", "model", "said", "last_words", "fault"}


def agent_of(trouble: Trouble) -> dict[str, str]:
    """Who made the last rejected attempt, and its last words."""
    return trouble.agent.model_dump(include=_KEPT)


def strategy_of(trouble: Trouble) -> Strategy | None:
    """What a person does where the agent brought nothing but recognized last words; None for other
    failures."""
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
    """Steps for a failure that consists of recognized last words; empty for other failures."""
    row = _row(str((report.get("agent") or {}).get("said", "")))
    if row is None:
        return ()
    person = row.person.replace("{command}", "see the cause above for the command")
    return (f"Read the agent's last words: it {row.means}.", person, "Run the cycle again: tdd cycle resume.")


def _row(said: str) -> Row | None:
    return next((row for row in ROWS if row.said == said), None) if said else None

"""The answers to the counterfactual questions of a record, as lines for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tdd_orchestrator.model.parts import QuestionsInfo


def answers_of(questions: QuestionsInfo | None) -> list[str]:
    """Return one line for each counterfactual question of a record, as the screen shows it (E7)."""
    if questions is None:
        return []
    rows = (
        (questions.poison, "with a failing statement at their end"),
        (questions.shift, "with other expected values"),
        (questions.stub, "without the new code"),
    )
    lines = []
    for row, meaning in rows:
        if row is None:
            continue
        if row.asked:
            lines.append(f"{meaning}: {row.failed} of {row.asked} target tests fail, as they must")
        silent = list(row.not_asked.items())[:3]
        lines += [f"{meaning}: no claim about {test} ({why})" for test, why in silent]
    return lines

"""The answers to the counterfactual questions of a record, as lines for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_QUESTIONS = (
    ("poison", "with a failing statement at their end"),
    ("shift", "with other expected values"),
    ("stub", "without the new code"),
)


def answers_of(record: Mapping[str, Any]) -> list[str]:
    """Return one line for each counterfactual question of a record, as the screen shows it (E7)."""
    questions = record.get("questions") or {}
    lines = []
    for name, meaning in _QUESTIONS:
        row = questions.get(name) or {}
        silent = row.get("not_asked") or {}
        if row.get("asked"):
            lines.append(f"{meaning}: {row['failed']} of {row['asked']} target tests fail, as they must")
        lines += [f"{meaning}: no claim about {test} ({why})" for test, why in list(silent.items())[:3]]
    return lines

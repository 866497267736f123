"""How a failure is best fixed, and what that costs (F4). Pure: counts and kinds in, a row out."""

from __future__ import annotations

from dataclasses import dataclass

from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.errors import Refused


@dataclass(frozen=True, slots=True)
class Strategy:
    """``most_files`` 0: any number. ``sure`` is the least confidence of the diagnosis (0..1) that allows
    it."""

    name: str
    hours: float
    confidence: str  # high | medium | low
    most_files: int
    sure: float
    what: str
    workflow: str  # {id} is the report's


QUICK_PATCH = Strategy(
    "quick_patch", 0.5, "high", 1, 0.8,
    "Change the one place that is wrong, and nothing around it.",
    "tdd errors fix {id}",
)  # fmt: skip
TARGETED_FIX = Strategy(
    "targeted_fix", 1.5, "medium", 5, 0.5,
    "Change the few files that the failure runs through, one cause at a time.",
    "tdd errors fix {id}",
)  # fmt: skip
FULL_REWORK = Strategy(
    "full_rework", 3.0, "low", 0, 0.0,
    "Read the behaviour and its tests anew and write the implementation again from the last proven commit.",
    "tdd errors prompt {id}, read it, then tdd errors fix {id}",
)  # fmt: skip
REVERT_AND_REDESIGN = Strategy(
    "revert_and_redesign", 4.0, "low", 0, 0.0,
    "Leave what was tried, go back to the last proven commit, and choose another design or a smaller step.",
    "tdd plan add smaller steps before the item, then tdd errors close {id}",
)  # fmt: skip

STRATEGIES: dict[str, Strategy] = {
    row.name: row for row in (QUICK_PATCH, TARGETED_FIX, FULL_REWORK, REVERT_AND_REDESIGN)
}

ENVIRONMENT = frozenset({ErrorType.RESOURCE, ErrorType.TIMEOUT, ErrorType.DEPENDENCY})
"""Kinds that often lie outside the code: the machine is looked at first."""

OUTSIDE_WORKFLOW = "tdd doctor, then tdd cycle resume (until another cycle begins); else tdd errors fix {id}"
_BREAKS_OFTEN = 2  # refused attempts that broke what had passed, before the design is doubted


def choose(*, files: int, confidence: float, attempts: int, breaks: int) -> Strategy:
    """The row for a failure that touches ``files`` files (0: not known), conservative when unsure.

    ``confidence`` of the diagnosis is 0..1, ``attempts`` counts refused ones, ``breaks`` those that broke
    others.
    """
    if breaks >= _BREAKS_OFTEN and breaks * 2 > attempts:
        return REVERT_AND_REDESIGN
    for row in (QUICK_PATCH, TARGETED_FIX):
        if 0 < files <= row.most_files and confidence >= row.sure:
            return row
    return FULL_REWORK


def named(name: str) -> Strategy:
    """The row that a user names. Refused where there is none."""
    if name not in STRATEGIES:
        raise Refused(f"There is no strategy '{name}'.", f"Choose one of {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]


def workflow(row: Strategy, error_type: str, error_id: str) -> str:
    """What to run next, as commands."""
    outside = row in (QUICK_PATCH, TARGETED_FIX, FULL_REWORK) and error_type in set(ENVIRONMENT)
    return (OUTSIDE_WORKFLOW if outside else row.workflow).format(id=error_id)

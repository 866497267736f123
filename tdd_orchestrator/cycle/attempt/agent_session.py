"""Decide whether a retry continues the agent's session, so that the model keeps what it read (A14). Pure."""

from __future__ import annotations

from tdd_orchestrator.cycle.attempt.attempt_plan import AttemptPlan
from tdd_orchestrator.cycle.recovery import Kind
from tdd_orchestrator.cycle.state import Attempt, CycleState
from tdd_orchestrator.model.phase import Verdict

GOES_ON = frozenset(
    {
        Verdict.NO_CHANGE, Verdict.STILL_FAILING, Verdict.PARTLY_FAILING, Verdict.FORBIDDEN_CHANGE,
        Verdict.INVALID_TEST,
        Verdict.UNEXPECTED_PASS, Verdict.NO_NEW_TEST, Verdict.DUPLICATE_TEST, Verdict.BUILD_ERROR,
    }
)  # fmt: skip
"""Verdicts after which what the model read still holds. Not after tests broke and all was rolled back."""

_MOVES = frozenset({Kind.RETRY, Kind.MORE_CONTEXT})
_LOOPS = 3  # attempts in one session, after which it begins afresh


def session_of(state: CycleState, attempt_plan: AttemptPlan) -> str:
    """The session to resume; ``""`` where the attempt begins afresh: another agent or role, a fault (a
    context that was used up, a time limit), a rollback, or a session that failed several times already."""
    mine = [attempt for attempt in state.refused() if attempt.role == attempt_plan.role]
    last = mine[-1] if mine else None
    if last is None or attempt_plan.is_fix or not _fits(last, attempt_plan):
        return ""
    newest = state.of_phase()[-1]
    if newest is not last and newest.fault == "context_filled":
        return ""
    used = sum(attempt.session == last.session for attempt in mine)
    return last.session if used < _LOOPS else ""


def _fits(last: Attempt, attempt_plan: AttemptPlan) -> bool:
    same = last.agent == attempt_plan.agent.name and bool(last.session) and not last.fault
    kept = last.move.kind in _MOVES or last.verdict == Verdict.FORBIDDEN_CHANGE
    return same and last.verdict in GOES_ON and kept

"""The error type (D2) of a failure that the rules could not name: from the gate's verdict, one row each."""

from __future__ import annotations

from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.phase import Verdict

OF_VERDICT: dict[Verdict, ErrorType] = {
    Verdict.UNEXPECTED_PASS: ErrorType.TEST,
    Verdict.INVALID_TEST: ErrorType.TEST,
    Verdict.WEAKENED_TEST: ErrorType.TEST,
    Verdict.VACUOUS_TEST: ErrorType.TEST,
    Verdict.NO_NEW_TEST: ErrorType.TEST,
    Verdict.DUPLICATE_TEST: ErrorType.TEST,
    Verdict.STILL_FAILING: ErrorType.LOGIC,
    Verdict.PARTLY_FAILING: ErrorType.LOGIC,
    Verdict.TEST_VANISHED: ErrorType.TEST,
    Verdict.BUILD_ERROR: ErrorType.BUILD,
    Verdict.BREAKS_EXISTING: ErrorType.LOGIC,
    Verdict.FORBIDDEN_CHANGE: ErrorType.LOGIC,
    Verdict.NO_CHANGE: ErrorType.LOGIC,
    Verdict.CRASHED: ErrorType.RESOURCE,
    Verdict.TIMED_OUT: ErrorType.TIMEOUT,
    Verdict.FLAKY: ErrorType.TEST,
    Verdict.UNREADABLE: ErrorType.TEST,
    Verdict.TAMPERED: ErrorType.TEST,
    Verdict.UNCOVERED: ErrorType.LOGIC,
    Verdict.AGENT_FAILED: ErrorType.INTEGRATION,
}


def error_type(diagnosed: ErrorType | None, verdict: str) -> ErrorType:
    """Return the diagnosed type, else what the verdict suggests, else ``logic``."""
    if diagnosed is not None:
        return diagnosed
    return next((row for known, row in OF_VERDICT.items() if known == verdict), ErrorType.LOGIC)

"""The verdicts that refuse an attempt, one row each."""

from __future__ import annotations

from typing import NamedTuple

from tdd_orchestrator.model.diagnosis import Category, ErrorType, Severity
from tdd_orchestrator.model.phase import Verdict


class VerdictRow(NamedTuple):
    """A refusal in words, and what kind of error it is.

    ``category`` and ``severity`` only where the verdict alone says them; else the tests' failures do.
    """

    error: str
    name: str  # error_details.type
    type: ErrorType
    category: Category | None = None
    severity: Severity | None = None


REFUSED: dict[Verdict, VerdictRow] = {
    Verdict.UNEXPECTED_PASS: VerdictRow(
        "New test passes before anything was implemented",
        "UnexpectedPass",
        ErrorType.TEST,
        Category.LOGIC,
        Severity.LOW,
    ),
    Verdict.INVALID_TEST: VerdictRow("New test fails for a reason of its own", "InvalidTest", ErrorType.TEST),
    Verdict.WEAKENED_TEST: VerdictRow(
        "A changed test does not fail", "WeakenedTest", ErrorType.TEST, Category.LOGIC, Severity.LOW
    ),
    Verdict.VACUOUS_TEST: VerdictRow(
        "A test passes without the new code", "VacuousTest", ErrorType.TEST, Category.LOGIC, Severity.LOW
    ),
    Verdict.NO_NEW_TEST: VerdictRow(
        "No new test was found", "NoNewTest", ErrorType.TEST, Category.LOGIC, Severity.LOW
    ),
    Verdict.DUPLICATE_TEST: VerdictRow(
        "New test repeats an existing one", "DuplicateTest", ErrorType.TEST, Category.LOGIC, Severity.LOW
    ),
    Verdict.STILL_FAILING: VerdictRow(
        "Test still failing after implementation", "TestFailure", ErrorType.LOGIC
    ),
    Verdict.PARTLY_FAILING: VerdictRow(
        "Some target tests still failing after implementation", "TestFailure", ErrorType.LOGIC
    ),
    Verdict.TEST_VANISHED: VerdictRow(
        "Tests that passed before are gone", "TestVanished", ErrorType.TEST, Category.STATE, Severity.MEDIUM
    ),
    Verdict.BUILD_ERROR: VerdictRow("The suite cannot be built or loaded", "BuildError", ErrorType.BUILD),
    Verdict.BREAKS_EXISTING: VerdictRow("Tests that passed before fail now", "Regression", ErrorType.LOGIC),
    Verdict.FORBIDDEN_CHANGE: VerdictRow(
        "Files were changed that this phase may not touch",
        "ForbiddenChange",
        ErrorType.LOGIC,
        Category.PERMISSION,
        Severity.MEDIUM,
    ),
    Verdict.NO_CHANGE: VerdictRow(
        "The agent changed nothing", "NoChange", ErrorType.LOGIC, Category.LOGIC, Severity.LOW
    ),
    Verdict.CRASHED: VerdictRow(
        "The test run crashed or was cut short", "TestRunCrashed", ErrorType.RESOURCE
    ),
    Verdict.TIMED_OUT: VerdictRow(
        "The test run did not end in time", "Timeout", ErrorType.TIMEOUT, Category.LOGIC, Severity.MEDIUM
    ),
    Verdict.FLAKY: VerdictRow(
        "A target test passes only sometimes", "FlakyTest", ErrorType.TEST, Category.STATE, Severity.MEDIUM
    ),
    Verdict.UNREADABLE: VerdictRow(
        "The test run left no evidence that can be read",
        "Unreadable",
        ErrorType.TEST,
        Category.STATE,
        Severity.MEDIUM,
    ),
    Verdict.TAMPERED: VerdictRow(
        "The test run was tampered with", "Tampered", ErrorType.TEST, Category.PERMISSION, Severity.HIGH
    ),
    Verdict.UNCOVERED: VerdictRow(
        "No test executes some of the new lines", "Uncovered", ErrorType.LOGIC, Category.LOGIC, Severity.LOW
    ),
    Verdict.AGENT_FAILED: VerdictRow(
        "The agent's run failed", "AgentFailure", ErrorType.INTEGRATION, Category.DEPENDENCY, Severity.MEDIUM
    ),
}

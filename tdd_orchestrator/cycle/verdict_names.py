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


_TABLE = """
unexpected_pass   UnexpectedPass   test         LOGIC       LOW     New test passes before anything was implemented
invalid_test      InvalidTest      test         -           -       New test fails for a reason of its own
weakened_test     WeakenedTest     test         LOGIC       LOW     A changed test does not fail
vacuous_test      VacuousTest      test         LOGIC       LOW     A test passes without the new code
no_new_test       NoNewTest        test         LOGIC       LOW     No new test was found
duplicate_test    DuplicateTest    test         LOGIC       LOW     New test repeats an existing one
still_failing     TestFailure      logic        -           -       Test still failing after implementation
partly_failing    TestFailure      logic        -           -       Some target tests still failing after implementation
test_vanished     TestVanished     test         STATE       MEDIUM  Tests that passed before are gone
build_error       BuildError       build        -           -       The suite cannot be built or loaded
breaks_existing   Regression       logic        -           -       Tests that passed before fail now
forbidden_change  ForbiddenChange  logic        PERMISSION  MEDIUM  Files were changed that this phase may not touch
no_change         NoChange         logic        LOGIC       LOW     The agent changed nothing
crashed           TestRunCrashed   resource     -           -       The test run crashed or was cut short
timed_out         Timeout          timeout      LOGIC       MEDIUM  The test run did not end in time
flaky             FlakyTest        test         STATE       MEDIUM  A target test passes only sometimes
unreadable        Unreadable       test         STATE       MEDIUM  The test run left no evidence that can be read
tampered          Tampered         test         PERMISSION  HIGH    The test run was tampered with
uncovered         Uncovered        logic        LOGIC       LOW     No test executes some of the new lines
agent_failed      AgentFailure     integration  DEPENDENCY  MEDIUM  The agent's run failed
"""

REFUSED = {
    Verdict(verdict): VerdictRow(
        error,
        name,
        ErrorType(kind),
        None if category == "-" else Category(category),
        None if severity == "-" else Severity(severity),
    )
    for verdict, name, kind, category, severity, error in (
        row.split(maxsplit=5) for row in _TABLE.strip().splitlines()
    )
}

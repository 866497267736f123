"""What a retry says went wrong, one sentence for each verdict, in the words of the recovery table (R1)."""

from __future__ import annotations

from tdd_orchestrator.model.phase import Verdict

FEEDBACK: dict[Verdict, str] = {
    Verdict.PROVEN: "It was accepted.",
    Verdict.UNCHANGED: "Nothing was changed, which is accepted here.",
    Verdict.MUTANT_KILLED: "The test fails with the fault in place and passes without it: it was accepted.",
    Verdict.OUTER_PASSES: "The test failed before the items below it were done, and passes now: it was accepted.",
    Verdict.ALREADY_COVERED: "The behaviour is there already; the item was skipped.",
    Verdict.UNEXPECTED_PASS: (
        "The new test passed at once, so it proves nothing. Verify its assertions: do they check "
        "the behaviour that is "
        "still missing?"
    ),
    Verdict.INVALID_TEST: (
        "The test fails for a reason of its own: it did not compile or load, or its own code "
        "raised. Repair the test; the error "
        "is shown."
    ),
    Verdict.WEAKENED_TEST: (
        "A test that you changed still passes. Change it so that it fails until the new behaviour "
        "is there, or put it back."
    ),
    Verdict.VACUOUS_TEST: (
        "The test passes whatever the code does, so it proves nothing. It must call the new code "
        "and compare what comes back."
    ),
    Verdict.NO_NEW_TEST: "No new test was found. Add one where the runner finds it, under a new name.",
    Verdict.DUPLICATE_TEST: (
        "The test exists already under this name or with this body. Test what is not yet tested."
    ),
    Verdict.STILL_FAILING: "The test still fails. Try another approach; the last one is shown below.",
    Verdict.PARTLY_FAILING: "Some of the target tests pass now, others still fail. Make all of them pass.",
    Verdict.TEST_VANISHED: "A test that passed before is gone or skipped. Every test must stay, and run.",
    Verdict.BUILD_ERROR: "The code did not build or load. Repair that first; the error is shown.",
    Verdict.BREAKS_EXISTING: (
        "Tests that passed before failed. The change was rolled back: find another implementation "
        "that keeps them passing."
    ),
    Verdict.FORBIDDEN_CHANGE: (
        "Files were changed that this phase may not touch. The change was thrown away; leave them alone."
    ),
    Verdict.NO_CHANGE: "Edit the files; a description of the change is not enough.",
    Verdict.CRASHED: "The test run died before its end. Nothing may end the process or cut the run short.",
    Verdict.TIMED_OUT: "The test run did not end in time. Look for an endless loop or a wait.",
    Verdict.FLAKY: (
        "A test passed and failed on the same code. Remove the cause: time, order, randomness or "
        "shared state."
    ),
    Verdict.UNREADABLE: (
        "The test run left no result that could be read. Leave the runner, its output and its reports alone."
    ),
    Verdict.TAMPERED: (
        "The code keeps its own tests from failing. Nothing may change how tests are run, compared or "
        "reported, or write test files while they run. Where the test command formats files, format them "
        "before you finish."
    ),
    Verdict.UNCOVERED: (
        "No test executes some of the lines that you wrote. Take out what no test asks for; tests are not yours "
        "to add."
    ),
    Verdict.AGENT_FAILED: (
        "The last run ended with an error before the work was done. Begin again from the current files."
    ),
}

BY_PHASE: dict[tuple[str, Verdict], str] = {
    (
        "red",
        Verdict.BREAKS_EXISTING,
    ): "Existing tests failed or vanished. Add your test without disturbing them.",
    (
        "red",
        Verdict.FLAKY,
    ): "The new test did not fail each time. It must fail for the same reason on every run.",
    ("red", Verdict.BUILD_ERROR): FEEDBACK[Verdict.INVALID_TEST],
    ("refactor", Verdict.BREAKS_EXISTING): (
        "The refactoring broke tests and was rolled back to the state before it. Take a smaller "
        "step, or change nothing."
    ),
    ("refactor", Verdict.BUILD_ERROR): (
        "The refactored code did not build and was rolled back to the state before it. Take a "
        "smaller step, or change nothing."
    ),
    (
        "fix",
        Verdict.BREAKS_EXISTING,
    ): "Tests that passed before fail with this change. Fix what broke them, or take another way.",
    (
        "fix",
        Verdict.FORBIDDEN_CHANGE,
    ): "Files were changed that a fix may not touch. Put them back as they were, and leave them alone.",
    ("refactor", Verdict.NO_CHANGE): FEEDBACK[Verdict.UNCHANGED],
}
"""Where a phase says it in other words."""


READERS = frozenset({"analyze", "test_list"})
"""Phases that change nothing: an order to whoever tried before is none for them."""


def sentence(phase: str, verdict: Verdict) -> str:
    """What is to be done otherwise this time; empty for a phase that only reads."""
    if phase in READERS:
        return ""
    return BY_PHASE.get((phase, verdict), FEEDBACK[verdict])

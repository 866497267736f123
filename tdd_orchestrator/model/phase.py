"""The cycle as data: phases, verdicts, and the transition table (S2-S5)."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    PLAN = "PLAN"
    RED = "RED"
    GREEN = "GREEN"
    REFACTOR = "REFACTOR"
    COMPLETE = "COMPLETE"
    ABORTED = "ABORTED"


WORKING = (Phase.RED, Phase.GREEN, Phase.REFACTOR)
"""The phases in which an agent works."""


class Verdict(StrEnum):
    """A gate's verdict on one attempt. All but the ACCEPTED ones are rejections."""

    PROVEN = "proven"
    UNCHANGED = "unchanged"  # REFACTOR that changed nothing: a proper outcome
    ALREADY_COVERED = "already_covered"  # RED whose test passes again: a person is asked
    MUTANT_KILLED = (
        "mutant_killed"  # RED of a mutant's item: its test passes, and fails with the mutant in place
    )

    OUTER_PASSES = "outer_passes"  # RED of an acceptance item that failed before its children, and passes now

    UNEXPECTED_PASS = "unexpected_pass"
    INVALID_TEST = "invalid_test"
    WEAKENED_TEST = "weakened_test"  # a changed test that still passes
    VACUOUS_TEST = "vacuous_test"  # it passes whatever the code does: the test goes back to RED
    NO_NEW_TEST = "no_new_test"
    DUPLICATE_TEST = "duplicate_test"
    STILL_FAILING = "still_failing"
    PARTLY_FAILING = "partly_failing"
    TEST_VANISHED = "test_vanished"
    BUILD_ERROR = "build_error"

    BREAKS_EXISTING = "breaks_existing"
    FORBIDDEN_CHANGE = "forbidden_change"
    NO_CHANGE = "no_change"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    FLAKY = "flaky"
    UNREADABLE = "unreadable"
    TAMPERED = (
        "tampered"  # GREEN's code keeps its tests from failing, or files of tests changed while they ran
    )
    UNCOVERED = "uncovered"  # GREEN wrote lines that no test executes, and proof.covered wants none

    AGENT_FAILED = "agent_failed"  # the agent's process failed, and what it left proves nothing


AFTER_THE_CODE = frozenset({Verdict.MUTANT_KILLED, Verdict.OUTER_PASSES})
"""Verdicts of a RED whose code is there already: its commit is known to be good, and no GREEN follows."""
COMMITTED = AFTER_THE_CODE | {Verdict.PROVEN}
"""Accepted verdicts that have a commit of their own."""
ACCEPTED = COMMITTED | {Verdict.UNCHANGED, Verdict.ALREADY_COVERED}

TRANSITIONS: dict[tuple[Phase, Verdict], Phase] = {
    (Phase.RED, Verdict.PROVEN): Phase.GREEN,
    (Phase.RED, Verdict.ALREADY_COVERED): Phase.COMPLETE,
    (Phase.RED, Verdict.MUTANT_KILLED): Phase.COMPLETE,
    (Phase.RED, Verdict.OUTER_PASSES): Phase.COMPLETE,
    (Phase.GREEN, Verdict.PROVEN): Phase.REFACTOR,
    (Phase.REFACTOR, Verdict.PROVEN): Phase.COMPLETE,
    (Phase.REFACTOR, Verdict.UNCHANGED): Phase.COMPLETE,
}
"""(phase, accepted verdict) -> next phase. A rejection stays in its phase until recovery gives up: ABORTED."""

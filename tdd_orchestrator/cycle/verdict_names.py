"""Verdicts in the words of records and of commit subjects: one row each."""

from __future__ import annotations

import re

from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import ItemType

ERRORS: dict[Verdict, tuple[str, str]] = {
    # verdict: (error, error_details.type)
    Verdict.UNEXPECTED_PASS: ("New test passes before anything was implemented", "UnexpectedPass"),
    Verdict.INVALID_TEST: ("New test fails for a reason of its own", "InvalidTest"),
    Verdict.WEAKENED_TEST: ("A changed test does not fail", "WeakenedTest"),
    Verdict.VACUOUS_TEST: ("A test passes without the new code", "VacuousTest"),
    Verdict.NO_NEW_TEST: ("No new test was found", "NoNewTest"),
    Verdict.DUPLICATE_TEST: ("New test repeats an existing one", "DuplicateTest"),
    Verdict.STILL_FAILING: ("Test still failing after implementation", "TestFailure"),
    Verdict.PARTLY_FAILING: ("Some target tests still failing after implementation", "TestFailure"),
    Verdict.TEST_VANISHED: ("Tests that passed before are gone", "TestVanished"),
    Verdict.BUILD_ERROR: ("The suite cannot be built or loaded", "BuildError"),
    Verdict.BREAKS_EXISTING: ("Tests that passed before fail now", "Regression"),
    Verdict.FORBIDDEN_CHANGE: ("Files were changed that this phase may not touch", "ForbiddenChange"),
    Verdict.NO_CHANGE: ("The agent changed nothing", "NoChange"),
    Verdict.CRASHED: ("The test run crashed or was cut short", "TestRunCrashed"),
    Verdict.TIMED_OUT: ("The test run did not end in time", "Timeout"),
    Verdict.FLAKY: ("A target test passes only sometimes", "FlakyTest"),
    Verdict.UNREADABLE: ("The test run left no evidence that can be read", "Unreadable"),
    Verdict.TAMPERED: ("The test run was tampered with", "Tampered"),
    Verdict.UNCOVERED: ("No test executes some of the new lines", "Uncovered"),
    Verdict.AGENT_FAILED: ("The agent's run failed", "AgentFailure"),
}

_NAMED_A_FIX = re.compile(r"(?i)^fix:\s*(?=\S)")  # the prefix says it already
PREFIX = {Phase.RED: "test", Phase.REFACTOR: "refactor"}


def commit_subject(phase: Phase, title: str, item_type: ItemType) -> str:
    """A conventional subject of at most 72 characters (S6)."""
    prefix = PREFIX.get(phase) or ("fix" if item_type is ItemType.BUG else "feat")
    words = _NAMED_A_FIX.sub("", title.strip()).rstrip(".")
    words = words[:1].lower() + words[1:] if words[1:2].islower() or len(words) == 1 else words
    room = 72 - len(prefix) - 2
    return f"{prefix}: {words if len(words) <= room else words[: room - 1] + '…'}"


def commit_message(phase: Phase, title: str, item_type: ItemType, cycle_id: str, body: str = "") -> str:
    """Subject, an optional body, and the trailers by which records are found again after a rewrite."""
    text = commit_subject(phase, title, item_type)
    middle = f"\n\n{body}" if body else ""
    return f"{text}{middle}\n\nTdd-Cycle: {cycle_id}\nTdd-Phase: {phase}\n"

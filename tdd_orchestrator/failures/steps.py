"""What to do about each error type: one row each, for the report, the fix item and the fix prompt."""

from __future__ import annotations

from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.phase import Phase

_OFTEN = "Run it several times where it failed only sometimes: time, order, randomness, shared state."

STEPS: dict[ErrorType, tuple[str, ...]] = {
    ErrorType.SYNTAX: (
        "Open the file at the line named below; the mistake is there or on the line before it.",
        "Correct the syntax only, and load or compile the file by itself.",
        "Run the suite: one syntax error often hides others.",
    ),
    ErrorType.TYPE: (
        "Find where the value gets its type, not only where it is used.",
        "Correct the side that is wrong; do not silence the checker with a cast, `any` or an ignore comment.",
        "Run the type checker or compiler over the whole project, then the suite.",
    ),
    ErrorType.LOGIC: (
        "Read the failing assertion: what is expected, what came, and which input leads to it.",
        "Follow that input through the affected files until the first value that is wrong.",
        "Correct the rule at that place for all inputs; special-casing the test's input is no fix.",
        "Look for the same mistake in neighbouring branches.",
    ),
    ErrorType.DEPENDENCY: (
        "Find out which package or module is missing or has the wrong version, and who asks for it.",
        "Declare it where this project declares its dependencies, in a range that fits the others.",
        "Install from the declaration in a clean environment, then run the suite.",
    ),
    ErrorType.INTEGRATION: (
        "Find the boundary that failed (service, database, file, agent) and what was sent over it.",
        "Check that the other side is there and configured: address, credentials, schema, version.",
        "Correct the request or the handling of the answer; keep time limits and error paths.",
    ),
    ErrorType.TEST: (
        "In RED the test was seen to fail for the right reason, so look at the code first.",
        (
            "Where a test cannot run any more, find what of it the change took away: an import, a "
            "name, a fixture."
        ),
        (
            "Make the code satisfy the test. Where the test itself seems wrong, leave it and say why: "
            "a person decides."
        ),
        _OFTEN,
    ),
    ErrorType.BUILD: (
        "Take the first error of the build; the ones after it are often its echo.",
        "Correct the source or the build's configuration at the place named below.",
        "Build from clean, then run the suite.",
    ),
    ErrorType.LINT: (
        "Run the linter on the affected files and read the rule that it names.",
        "Correct the code; switch a rule off only where this project does so already.",
        "Run the linter and the suite.",
    ),
    ErrorType.TIMEOUT: (
        "Find what does not end: an endless loop, a wait without a limit, a service that does not answer.",
        "Run the slow test alone and look where it stands when it is stopped.",
        "Remove the cause; raise a time limit only where the work is really that long.",
    ),
    ErrorType.RESOURCE: (
        "Find which resource ran out: memory, disk, ports, file handles, processes.",
        "Free it on this machine, and look for what takes it and does not give it back.",
        "Close, bound or share the resource in the code, then run the suite.",
    ),
}


IN_RED: dict[ErrorType, tuple[str, ...]] = {
    ErrorType.TEST: (
        (
            "Compare what the behaviour's description asks for with what the refused test checks: the "
            "description decides."
        ),
        (
            "A test that passes too early asserts too little; one that cannot run lacks a fixture, an "
            "import or a name."
        ),
        "Rewrite the test so that it fails for the right reason without the code, and passes with it.",
        _OFTEN,
    ),
}
"""Rows that are others before any test was accepted: it is the test itself that is made there."""


def steps_for(error_type: str, phase: str) -> tuple[str, ...]:
    """The row of this type where the cycle failed in ``phase``; that of ``logic`` for a name that is none."""
    rows = {**STEPS, **IN_RED} if phase == Phase.RED else STEPS
    return next((row for kind, row in rows.items() if kind == error_type), STEPS[ErrorType.LOGIC])

"""Map a diagnosis to what it asks for: specialists, more runs, a person. Pure."""

from __future__ import annotations

import re

from tdd_orchestrator.model.diagnosis import SPECIALIST_OF, Category, Diagnosis, RoutingType, Standing

SERVICE_RUNS = {Category.DEPENDENCY: 3, Category.TRANSIENT: 2}
"""How often the tests are run again for a service that did not answer, before anybody is called (R4)."""

_FLEETING = frozenset({"input-output", "descriptors", "disk-full"})

_EXPECTED = re.compile(r"(?i)assert|\bexpect(?:ed|s)?\b|!==?")
ASSERTIONS = (
    "AssertionError", "AssertionFailedError", "ComparisonFailure", "ExpectationNotMetError",
    "ExpectationFailedException",
)  # fmt: skip
_OWNER = re.compile(r"\.|\\|::")


def on_a_server(seen: Diagnosis) -> bool:
    return seen.routing_type in (RoutingType.NETWORK, RoutingType.DATABASE)


def _is_assertion(seen: Diagnosis) -> bool:
    """Decide by the exception's name; by its message for a bare ``Error`` or none (JavaScript, shells)."""
    name = _OWNER.split(seen.exception)[-1]
    if name not in ("", "Error"):
        return name in ASSERTIONS
    return not name or bool(_EXPECTED.search(f"{seen.message} {seen.evidence}"))


def specialists_for(seen: Diagnosis) -> tuple[str, ...]:
    """Specialists for this failure, first choice first. A failed assertion is the phase's own business."""
    if seen.routing_type is RoutingType.UNKNOWN:
        return ()
    if seen.routing_type is RoutingType.RUNTIME and _is_assertion(seen):
        return ()
    wanted = [SPECIALIST_OF[seen.routing_type]]
    if seen.secondary not in (None, RoutingType.UNKNOWN):
        wanted.append(SPECIALIST_OF[seen.secondary])
    return tuple(dict.fromkeys(wanted))


def runs_for(seen: Diagnosis) -> int:
    """Return how often the tests are repeated before this failure counts: a service may come back, and a
    full disk or a limit is no fault of the change."""
    if seen.rule in _FLEETING and seen.standing is not Standing.CONFIRMED:
        return 1
    return SERVICE_RUNS.get(seen.category, 0) if on_a_server(seen) and seen.category else 0


def not_permitted(seen: Diagnosis) -> bool:
    """Return whether no agent can do it because the machine does not permit it; a server's own denial
    goes to its specialist first."""
    unseen = seen.standing is Standing.OPEN and not on_a_server(seen)
    return seen.category is Category.PERMISSION and (seen.standing is Standing.CONFIRMED or unseen)


def waits_for_a_person(seen: Diagnosis) -> bool:
    """A service that is not there, or that refuses us: its specialist looks once, then a person does."""
    refused = seen.category is Category.PERMISSION and seen.routing_type is RoutingType.NETWORK
    return refused or (on_a_server(seen) and seen.category is Category.DEPENDENCY)


def on_the_machine(seen: Diagnosis) -> bool:
    """A state of the machine that was looked at: the code has no fault that a specialist could find."""
    return seen.category is Category.STATE and seen.standing is Standing.CONFIRMED

"""Choose the specialist for a kind of failure (D1)."""

from __future__ import annotations

from tdd_orchestrator.model.diagnosis import SPECIALIST_OF, RoutingType

UNKNOWN_WARNING = "Error type unknown, using default agent"


def specialist(kind: RoutingType) -> str:
    return SPECIALIST_OF[kind]


def warning(kind: RoutingType) -> str:
    return UNKNOWN_WARNING if kind is RoutingType.UNKNOWN else ""

"""Choose the specialist for a kind of failure (D1)."""

from __future__ import annotations

from tdd_orchestrator.model.diagnosis import RoutingType

ROUTES: dict[RoutingType, str] = {
    RoutingType.BUILD: "build-doctor", RoutingType.DATABASE: "database", RoutingType.RUNTIME: "debugger",
    RoutingType.UI: "code-review", RoutingType.NETWORK: "debugger", RoutingType.UNKNOWN: "debugger",
}  # fmt: skip
UNKNOWN_WARNING = "Error type unknown, using default agent"


def specialist(kind: RoutingType) -> str:
    return ROUTES[kind]


def warning(kind: RoutingType) -> str:
    return UNKNOWN_WARNING if kind is RoutingType.UNKNOWN else ""

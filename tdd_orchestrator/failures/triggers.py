"""How loudly a failure is answered, by its stage (F1), and its type where no rule named one (D2)."""

from __future__ import annotations

from enum import StrEnum

from tdd_orchestrator.cycle.verdict_names import REFUSED
from tdd_orchestrator.model.diagnosis import ErrorType, RoutingType


class Level(StrEnum):
    """What follows from a failure, beside its report. ``high``: an item of the plan and a notification. ``medium``:
    a notification. ``low``: neither. A stop of the whole command is notified at every level (F11)."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Stage(StrEnum):
    BUILD = "build"
    LINT = "lint"
    TEST = "test"
    END_TO_END = "end_to_end_test"
    REVIEW = "review"
    PLAN = "plan"
    DOCUMENTATION = "documentation"
    LANDING = "landing"
    CLEAN_UP = "clean_up"
    # exceptions, whatever the stage
    TIMEOUT = "timeout"
    WORK_TREE = "work_tree"
    DATABASE = "database"
    AGENT_API = "agent_api"
    CIRCUIT_BREAKER = "circuit_breaker"
    NO_PROGRESS = "no_progress"
    NO_FREE_PORT = "no_free_port"
    DISK_SPACE = "disk_space"
    MEMORY = "memory"
    BUDGET = "budget"
    INTERNAL = "internal"


LEVELS: dict[Stage, Level] = {
    Stage.BUILD: Level.HIGH,
    Stage.LINT: Level.HIGH,
    Stage.TEST: Level.HIGH,  # once its retries are used up
    Stage.END_TO_END: Level.HIGH,
    Stage.REVIEW: Level.HIGH,
    Stage.PLAN: Level.MEDIUM,
    Stage.DOCUMENTATION: Level.MEDIUM,
    Stage.LANDING: Level.LOW,
    Stage.CLEAN_UP: Level.LOW,
    Stage.TIMEOUT: Level.HIGH,
    Stage.WORK_TREE: Level.HIGH,
    Stage.DATABASE: Level.HIGH,
    Stage.AGENT_API: Level.HIGH,
    Stage.CIRCUIT_BREAKER: Level.HIGH,
    Stage.NO_PROGRESS: Level.HIGH,
    Stage.NO_FREE_PORT: Level.HIGH,
    Stage.DISK_SPACE: Level.HIGH,
    Stage.MEMORY: Level.HIGH,
    Stage.BUDGET: Level.MEDIUM,
    Stage.INTERNAL: Level.HIGH,
}

_WORDS: tuple[tuple[Stage, tuple[str, ...]], ...] = (
    (Stage.NO_FREE_PORT, ("no free port", "address already in use", "eaddrinuse")),
    (Stage.DISK_SPACE, ("no space left", "enospc", "disk quota", "disk full")),
    (Stage.MEMORY, ("out of memory", "memoryerror", "cannot allocate memory", "heap limit", "oomkill")),
    (Stage.NO_PROGRESS, ("no progress", "same failure", "near-identical")),
    (Stage.CIRCUIT_BREAKER, ("circuit breaker",)),
    (Stage.LANDING, ("conflicts with what came",)),
)
"""Signs in the message of exceptions that no type of the diagnosis tells apart."""

_BLOCKED = ("forbidden_change", "tampered")  # by the review of the change, whatever its tests say
_OF_ROUTE = {RoutingType.DATABASE: Stage.DATABASE, RoutingType.UI: Stage.END_TO_END}
_OF_TYPE = {
    ErrorType.BUILD: Stage.BUILD,
    ErrorType.SYNTAX: Stage.BUILD,
    ErrorType.TYPE: Stage.BUILD,
    ErrorType.DEPENDENCY: Stage.BUILD,
    ErrorType.LINT: Stage.LINT,
    ErrorType.TIMEOUT: Stage.TIMEOUT,
}


def stage_of(error_type: str, routing_type: str, verdict: str, words: str) -> Stage:
    """Return the stage of a failed attempt; a plain failing test by default."""
    if verdict == "agent_failed":
        return Stage.AGENT_API
    text = words.casefold()
    for stage, signs in _WORDS:
        if any(sign in text for sign in signs):
            return stage
    if verdict in _BLOCKED:
        return Stage.REVIEW
    for route, stage in _OF_ROUTE.items():
        if routing_type == route:
            return stage
    return next((stage for kind, stage in _OF_TYPE.items() if error_type == kind), Stage.TEST)


_STOPS: tuple[tuple[Stage, tuple[str, ...]], ...] = (
    (Stage.PLAN, ("no usable list",)),
    (Stage.CIRCUIT_BREAKER, ("circuit breaker",)),
    (Stage.NO_FREE_PORT, ("port is free", "free port", "slots")),
    (Stage.DISK_SPACE, ("disk is full", "disk quota", "no space left", "file size limit")),
    (Stage.MEMORY, ("memory", "too many files")),
    (Stage.BUDGET, ("used up", "budget")),
    (Stage.WORK_TREE, ("work tree", "setup command", "input/output error")),
)


def stop_stage(what: str, *, landing: bool = False, bug: bool = False) -> Stage:
    """Return the stage of a stop of the whole command; the agent's provider by default."""
    if bug:
        return Stage.INTERNAL
    text = what.casefold()
    named = next((stage for stage, signs in _STOPS if any(sign in text for sign in signs)), None)
    return named or (Stage.LANDING if landing else Stage.AGENT_API)


def error_type(diagnosed: ErrorType | None, verdict: str) -> ErrorType:
    """Return the diagnosed type, else what the verdict suggests, else ``logic``."""
    if diagnosed is not None:
        return diagnosed
    return next((row.type for known, row in REFUSED.items() if known == verdict), ErrorType.LOGIC)

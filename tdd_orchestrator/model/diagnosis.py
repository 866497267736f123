"""The values of a diagnosis (D1-D5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RoutingType(StrEnum):
    BUILD = "build-error"
    DATABASE = "database-error"
    RUNTIME = "runtime-error"
    UI = "ui-error"
    NETWORK = "network-error"
    UNKNOWN = "unknown"


SPECIALIST_OF: dict[RoutingType, str] = {
    RoutingType.BUILD: "build-doctor", RoutingType.DATABASE: "database", RoutingType.RUNTIME: "debugger",
    RoutingType.UI: "code-review", RoutingType.NETWORK: "debugger", RoutingType.UNKNOWN: "debugger",
}  # fmt: skip
"""Which specialist a kind of failure is for (D1)."""
SPECIALISTS = tuple(dict.fromkeys(SPECIALIST_OF.values()))


class ErrorType(StrEnum):
    SYNTAX = "syntax"
    TYPE = "type"
    LOGIC = "logic"
    DEPENDENCY = "dependency"
    INTEGRATION = "integration"
    TEST = "test"
    BUILD = "build"
    LINT = "lint"
    TIMEOUT = "timeout"
    RESOURCE = "resource"


class Category(StrEnum):
    TRANSIENT = "TRANSIENT"
    SEMANTIC = "SEMANTIC"
    STATE = "STATE"
    DEPENDENCY = "DEPENDENCY"
    LOGIC = "LOGIC"
    PERMISSION = "PERMISSION"


class Severity(StrEnum):
    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"
    CRITICAL = "CRITICAL"


class Standing(StrEnum):
    """The result of checking the machine for the cause of a failure."""

    CONFIRMED = "confirmed"  # the machine is the cause: no code change helps
    REFUTED = "refuted"  # it is not, or the project can change it
    OPEN = "open"  # it cannot be checked from here


class Action(StrEnum):
    """The Error Analyzer's recommendation to the lead (D5)."""

    RETRY = "RETRY"
    REPLAN = "REPLAN"
    ROLLBACK = "ROLLBACK"
    FALLBACK = "FALLBACK"
    ESCALATE = "ESCALATE"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One classified failure. ``rule``: the row that decided; ``evidence``: the line it matched."""

    routing_type: RoutingType = RoutingType.UNKNOWN
    secondary: RoutingType | None = None
    error_type: ErrorType | None = None
    category: Category | None = None
    severity: Severity = Severity.MEDIUM
    confidence: float = 0.0  # 0..1
    evidence: str = ""
    rule: str = ""
    file: str = ""  # of the project, relative to the root
    line: int = 0
    message: str = ""
    exception: str = ""
    fingerprint: str = ""
    specialist: str = "debugger"
    warning: str = ""
    tests: tuple[str, ...] = ()  # ids of the cases that fail for this cause
    history: str = ""  # regression | new | before, against the baseline (E3); "" where there is none
    triggers: tuple[str, ...] = ()  # changed files that stand in the failing frames
    checked: str = ""  # the result of the machine check, a sentence without its full stop
    standing: Standing | None = None


@dataclass(frozen=True, slots=True)
class Belief:
    """A confidence from 0 to 1, with its reason."""

    level: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Investigation:
    """The Error Analyzer's report (D5); every text is one line."""

    category: Category
    severity: Severity
    recoverable: bool
    root_cause: str
    evidence: tuple[str, ...]
    strategy: str
    action: Action
    diagnosis_confidence: Belief
    recommendation_confidence: Belief
    steps: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    patterns: tuple[tuple[str, str], ...] = ()  # (skill, finding)

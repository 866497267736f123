"""All record kinds, as the JSON in ``refs/notes/tdd`` (N2, N3).

``at``, ``id``, ``v`` and ``kind`` come first; ``prev`` is the SHA-256 of the previous record's line.
The state of the cycle (``phase``, ``next_phase``, ``retry_count`` ...) is in every record, so that the
newest one alone says how to continue.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field, Strict, TypeAdapter

from tdd_orchestrator.model.error_report import ErrorReport
from tdd_orchestrator.model.parts import (
    SHAPE,
    AgentInfo,
    ErrorDetails,
    FilesChanged,
    FixResult,
    MoveInfo,
    MutantInfo,
    QuestionsInfo,
    TestEvidence,
)

SCHEMA_VERSION = 1


class Record(BaseModel):
    model_config = SHAPE

    at: str = ""
    id: str = ""
    v: int = SCHEMA_VERSION
    kind: str
    prev: str = ""
    cycle_id: str = ""
    cycle_number: int = 0
    item_id: str = ""
    item: str = ""
    branch: str = ""  # the user's branch that the cycle lands on
    base: str = ""  # commit that the cycle started from
    tip: str = ""  # newest accepted commit of the cycle
    phase: str = ""
    next_phase: str = ""
    attempt: int = 0
    retry_count: int = 0
    known_good: Annotated[bool, Strict()] = False
    wall: float = 0.0  # seconds since the record before, or since the command began
    consulted: list[AgentInfo] = []  # agents that were only asked, since the record before
    beside: list[str] = []  # the other cycles that were open when it was written


class Baseline(Record):
    """The suite as it was before the cycle, on the commit that was run."""

    kind: Literal["baseline"] = "baseline"
    tests: TestEvidence = TestEvidence()
    known_failing: list[str] = []


class CycleStarted(Record):
    kind: Literal["cycle_started"] = "cycle_started"
    baseline_tests: TestEvidence = TestEvidence()
    known_failing: list[str] = []
    mutant: MutantInfo | None = None
    outer: str = ""  # the commit of an acceptance item's test, written before its children
    quarantined: dict[str, str] = {}  # test -> date until which it counts as flaky, from earlier cycles


class Intent(Record):
    """Written before an agent starts, so that a crash cannot reset a count."""

    kind: Literal["intent"] = "intent"
    role: str = ""
    agent: AgentInfo = AgentInfo()
    wait: float = 0.0  # seconds waited before it
    on: str = ""  # commit that the agent starts from
    transient: int = 0  # transport retries used in this phase


class Handoff(Record):
    """An accepted attempt, with what the next agent needs."""

    kind: Literal["handoff"] = "handoff"
    status: str = "accepted"
    verdict: str = "proven"
    reasons: list[str] = []
    agent: AgentInfo = AgentInfo()
    tests: TestEvidence = TestEvidence()
    files_changed: FilesChanged = FilesChanged()
    completed: int = 0
    pending: int = 0
    completed_items: list[str] = []  # of older records
    pending_items: list[str] = []  # the next ones
    summary: str = ""
    candidate: str = ""
    tree: str = ""
    patch_id: str = ""
    questions: QuestionsInfo | None = None
    warnings: list[str] = []
    mutants: list[MutantInfo] = []
    outer: str = ""  # the commit on which an acceptance item's test failed, before its children
    removed_tests: list[str] = []  # tests that RED took out
    changed_tests: list[str] = []  # existing tests that RED changed
    uncovered: list[str] = []  # "path:lines" that GREEN wrote and no test executes
    affected_tests: list[str] = []  # tests that execute what the next phase may change
    together: str = ""  # of a moved commit: the one above it whose run proved it, with other cycles


class Trouble(Record):
    """A rejected attempt: N3's names at the top level."""

    kind: Literal["error"] = "error"
    status: str = "rejected"
    error: str
    error_details: ErrorDetails
    verdict: str = ""
    reasons: list[str] = []
    agent: AgentInfo = AgentInfo()
    tests: TestEvidence = TestEvidence()
    files_changed: FilesChanged = FilesChanged()
    diagnosis: dict[str, Any] = {}
    fingerprint: str = ""
    diff: str = ""  # bounded text of what was rejected, for the next attempt
    move: MoveInfo = MoveInfo()
    investigation: dict[str, Any] = {}
    for_red: str = ""  # what no implementation can fix
    request: dict[str, Any] = {}  # what a specialist is given (A8)
    incident: str = ""
    transient: int = 0
    completed_items: list[str] = []  # of older records
    pending_items: list[str] = []  # of older records
    summary: str = ""
    candidate: str = ""
    tree: str = ""


class Landing(Record):
    """The branch is about to move from ``old`` to ``new``; ``landed`` follows."""

    kind: Literal["landing"] = "landing"
    old: str = ""
    new: str = ""


class CycleEnded(Record):
    """The end of a cycle. ``outcome``: landed, already_covered, aborted, parked, cancelled,
    rolled_back, outer_red.

    The record of an aborted cycle is on its base commit, with its last error under the names of an
    error record.
    """

    kind: Literal["cycle_ended"] = "cycle_ended"
    outcome: str = ""
    error: str = ""
    error_details: ErrorDetails | None = None
    commit: str = ""
    reasons: list[str] = []
    error_id: str = ""
    error_type: str = ""
    summary: str = ""
    completed: int = 0
    pending: int = 0
    completed_items: list[str] = []  # of older records
    pending_items: list[str] = []  # the next ones
    asks: str = ""  # covered: a person is to say whether the item is covered


class Resumed(Record):
    """A person resumed an aborted cycle; the retry count starts again from here."""

    kind: Literal["resumed"] = "resumed"
    hint: str = ""


class Rebased(Record):
    """The branch had moved: the cycle's commits were rebased onto it, and proven again or together with others.

    If that was impossible, ``next_phase`` is RED or GREEN: the cycle continues in that phase from the
    moved branch, and no retry is counted.
    """

    kind: Literal["rebased"] = "rebased"
    mapping: dict[str, str] = {}
    baseline_tests: TestEvidence = TestEvidence()
    known_failing: list[str] = []
    together: str = ""  # the last commit of all cycles that were moved and proven together


class Reattached(Record):
    """A rewritten commit got its accepted phase back: found by its tree, or by its patch.

    Known to be good only if its tree is the one that was proven.
    """

    kind: Literal["reattached"] = "reattached"
    source: str = ""  # the commit that the records hang on
    how: str = ""  # tree | patch
    verdict: str = ""
    tests: TestEvidence = TestEvidence()


class Rollback(Record):
    kind: Literal["rollback"] = "rollback"
    old: str = ""
    new: str = ""
    kept: str = ""  # ref that keeps what was undone
    reasons: list[str] = []


class Approval(Record):
    """``decision``: wanted, approved, rejected. ``fix_id`` where it is of a fix of ``tdd fix``, not of a
    cycle."""

    kind: Literal["approval"] = "approval"
    fix_id: str = ""
    decision: str = ""
    gate: str = ""  # after_failures | before_landing | removed_tests | covered
    by: str = ""
    comment: str = ""


class Incident(Record):
    """Something outside an attempt that a reader of the audit log must know."""

    kind: Literal["incident"] = "incident"
    error: str = ""
    error_details: ErrorDetails | None = None
    details: dict[str, Any] = {}


class ErrorReportRecord(Record):
    """The report of one escalation (F3), ``status`` open; or its end: closed, with a reason.

    ``outside`` names what is to be told elsewhere: notify, post.
    """

    kind: Literal["error_report"] = "error_report"
    status: str = "open"
    error_id: str = ""
    error_type: str = ""
    summary: str = ""
    reason: str = ""
    outside: list[str] = []
    report: ErrorReport | None = None


class ReportAction(Record):
    """An action on an error report. ``step``: notify, post, fix, clean_up, or notify_stop without a
    report.

    ``status``: begun, done, failed. The oldest notes have another name of the kind.
    """

    kind: Literal["report_action", "desk"] = "report_action"  # a stored line is hashed as it was written
    error_id: str = ""
    step: str = ""
    status: str = ""
    why: str = ""
    details: dict[str, Any] = {}


class ItemReopened(Record):
    """An item may be tried again: a failed one, or one whose cycle was rolled back."""

    kind: Literal["item_reopened"] = "item_reopened"
    error_id: str = ""
    reason: str = ""


class ItemFailed(Record):
    """An item was marked failed outside of a cycle."""

    kind: Literal["item_failed"] = "item_failed"
    error_id: str = ""
    error_type: str = ""
    summary: str = ""


class BreakerReset(Record):
    """A person closed the circuit breaker (R5); runs before this count no more."""

    kind: Literal["breaker_reset"] = "breaker_reset"
    agent: AgentInfo = AgentInfo()


class Fix(Record):
    """``tdd fix``, named by its ``fix_id``.

    ``status``: started; accepted or rejected for one attempt at one test, with its ``agent``; away if
    its provider was unavailable; settled if a test passes without a fix; ended.
    """

    kind: Literal["fix"] = "fix"
    fix_id: str = ""
    status: str = ""
    verdict: str = ""
    reasons: list[str] = []
    agent: AgentInfo = AgentInfo()
    tests: TestEvidence = TestEvidence()
    candidate: str = ""
    diff: str = ""  # bounded text of what was rejected, for the next attempt
    transient: int = 0
    evidence: str = ""  # blob with all results, where the record has not room for them
    results: list[FixResult] = []
    agents: list[str] = []
    fingerprint: str = ""
    cured_by: str = ""
    reused: bool = False


AnyRecord = Annotated[
    Baseline
    | CycleStarted
    | Intent
    | Handoff
    | Trouble
    | Landing
    | CycleEnded
    | Resumed
    | Rebased
    | Reattached
    | Rollback
    | Approval
    | Incident
    | ErrorReportRecord
    | ReportAction
    | ItemReopened
    | ItemFailed
    | BreakerReset
    | Fix,
    Field(discriminator="kind"),
]


def worker_of(record: Record) -> AgentInfo | None:
    """Return the agent of a record's attempt; None for other records."""
    return record.agent if isinstance(record, Handoff | Trouble | Fix) else None


def runs_of(record: Record) -> tuple[TestEvidence, ...]:
    """Return the test runs in a record: of the whole suite, or empty ones."""
    if isinstance(record, CycleStarted | Rebased):
        return (record.baseline_tests,)
    if isinstance(record, Baseline | Handoff | Trouble | Reattached | Fix):
        return (record.tests,)
    return ()


KINDS: tuple[type[Record], ...] = get_args(get_args(AnyRecord)[0])
"""The model of every kind."""


@cache
def _adapter() -> TypeAdapter[AnyRecord]:
    return TypeAdapter(AnyRecord)


def parse(data: dict[str, Any]) -> AnyRecord:
    """Return a stored record as its model. Raises pydantic's ValidationError if it is none."""
    return _adapter().validate_python(data)


def json_schema() -> dict[str, Any]:
    return _adapter().json_schema()

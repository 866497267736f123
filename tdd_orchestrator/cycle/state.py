"""Where a cycle stands, folded from its records alone. Pure: records in the order of the audit log, a value
out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.model import records
from tdd_orchestrator.model.diagnosis import Diagnosis, ErrorType
from tdd_orchestrator.model.parts import MoveInfo
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.plan import Mutant
from tdd_orchestrator.model.reading import read_as
from tdd_orchestrator.model.records import Record


@dataclass(frozen=True, slots=True)
class Attempt:
    """One finished attempt, as later attempts and recovery need to know it."""

    phase: Phase
    attempt: int
    verdict: str
    reasons: tuple[str, ...]
    agent: str
    role: str
    fingerprint: str
    diff: str
    commit: str
    error_type: str = ""
    message: str = ""
    failing: tuple[str, ...] = ()
    move: MoveInfo = MoveInfo()
    accepted: bool = False
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    diagnosis: Diagnosis | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    incident: str = ""
    for_red: str = ""  # what no implementation can fix
    retry: int = 0  # retries of the phase before it
    said: str = ""  # what its agent's last words are (agents.last_words.Said)
    last_words: str = ""
    fault: str = ""
    session: str = ""

    @property
    def error_kind(self) -> ErrorType | None:
        """The error type that its diagnosis named; None where it named none."""
        return self.diagnosis.error_type if self.diagnosis else None


@dataclass(frozen=True, slots=True)
class CycleState:
    """``phase`` is the phase to do next.

    ``retry`` counts refused attempts of this phase; ``interrupted`` says that an attempt began and has no
    result; ``over`` names how the cycle ended.
    """

    cycle_id: str
    number: int
    item_id: str
    item: str
    branch: str
    base: str
    tip: str
    phase: Phase
    started: str = ""
    attempt: int = 0
    retry: int = 0
    transient: int = 0
    red: str = ""
    green: str = ""
    targets: tuple[str, ...] = ()
    known_failing: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    interrupted: bool = False
    interrupted_agent: str = ""
    landing: tuple[str, str] | None = None
    landing_at: str = ""
    together: str = ""  # the commit whose run proved the cycle with others: it counts where that one lands
    over: str = ""
    hint: str = ""
    waiting: str = ""  # the approval gate that waits for a person
    approved: frozenset[str] = frozenset()
    summary: str = ""
    quarantine: Mapping[str, str] = field(default_factory=dict)
    wall: float = 0.0  # seconds that commands worked on it
    asked: tuple[int, float] = (0, 0.0)  # tokens and cost of agents that were only asked
    asks: str = ""  # what a person is asked about a cycle that is over: covered
    removed: tuple[str, ...] = ()  # tests that the accepted RED took out
    mutant: Mutant | None = None  # the fault that RED's test is to notice
    outer: str = ""  # the commit of an acceptance item's test, written before its children
    since: int = 0  # attempts before this one were made before a person took the cycle up, or rolled it back

    def of_phase(self, *, everything: bool = False) -> tuple[Attempt, ...]:
        """Attempts of the current phase since a person last took the cycle up, or all of them."""
        counted = self.attempts if everything else self.attempts[self.since :]
        return tuple(attempt for attempt in counted if attempt.phase is self.phase)

    def refused(self, *, everything: bool = False) -> tuple[Attempt, ...]:
        """The attempts whose work was refused; one whose provider was away is none."""
        mine = self.of_phase(everything=everything)
        return tuple(one for one in mine if not one.accepted and not one.move.provider_away)

    @property
    def retried(self) -> int:
        """How often the current phase was tried again: its newest attempt's own count."""
        mine = self.of_phase()
        return mine[-1].retry if mine else 0

    @property
    def active(self) -> bool:
        return not self.over


def fold(trail: Iterable[Record]) -> CycleState | None:
    """The state of the cycle whose ``cycle_started`` comes first; None where there is none."""
    state: CycleState | None = None
    for record in trail:
        if isinstance(record, records.CycleStarted):
            state = _started(record)
        elif state is not None and record.cycle_id == state.cycle_id:
            state = _next(state, record)
        if state is not None and record.cycle_id == state.cycle_id:
            state = _spent(state, record)
    return state


def _next(state: CycleState, record: Record) -> CycleState:
    """Return the state after a record of its cycle."""
    match record:
        case records.Intent():
            return _intent(state, record)
        case records.Handoff():
            return _handoff(state, record)
        case records.Trouble():
            return _error(state, record)
        case records.Landing():
            return replace(state, landing=(record.old, record.new), landing_at=record.at)
        case records.CycleEnded():
            return _ended(state, record)
        case records.Resumed():
            return _resumed(state, record)
        case records.Rebased():
            return _rebased(state, record)
        case records.Rollback():
            return _rolled_back(state, record)
        case records.Approval():
            return _approval(state, record)
        case _:
            return state


def _spent(state: CycleState, record: Record) -> CycleState:
    """Add a record's time and usage to the state."""
    tokens = sum(one.tokens for one in record.consulted)
    cost = sum(one.cost or 0.0 for one in record.consulted)
    return replace(
        state, wall=state.wall + record.wall, asked=(state.asked[0] + tokens, state.asked[1] + cost)
    )


def _started(record: records.CycleStarted) -> CycleState:
    return CycleState(
        cycle_id=record.cycle_id,
        number=record.cycle_number,
        item_id=record.item_id,
        item=record.item,
        branch=record.branch,
        base=record.base,
        tip=record.base,
        phase=Phase.RED,
        started=record.at,
        known_failing=tuple(record.known_failing),
        quarantine=record.quarantined,
        mutant=record.mutant.mutant if record.mutant else None,
        outer=record.outer,
    )


def _intent(state: CycleState, record: records.Intent) -> CycleState:
    return replace(
        state,
        attempt=record.attempt,
        interrupted=True,
        interrupted_agent=record.agent.name,
        transient=record.transient,
    )


def _attempt(record: records.Handoff | records.Trouble) -> Attempt:
    agent = record.agent
    attempt = Attempt(
        phase=Phase(record.phase),
        attempt=record.attempt,
        verdict=record.verdict,
        reasons=tuple(record.reasons),
        agent=agent.name,
        role=agent.role,
        fingerprint="",
        diff="",
        commit=record.candidate,
        failing=tuple(record.tests.failing_tests),
        accepted=isinstance(record, records.Handoff),
        tokens=agent.tokens,
        cost=agent.cost or 0.0,
        seconds=agent.seconds,
        retry=record.retry_count,
        said=agent.said,
        last_words=agent.last_words,
        fault=agent.fault,
        session=agent.session,
    )
    if isinstance(record, records.Handoff):
        return attempt
    return replace(
        attempt,
        fingerprint=record.fingerprint,
        diff=record.diff,
        error_type=record.error_details.type,
        message=record.error_details.message,
        move=record.move,
        diagnosis=read_as(Diagnosis, record.diagnosis) if record.diagnosis else None,
        request=record.request,
        incident=record.incident,
        for_red=record.for_red,
    )


def _handoff(state: CycleState, record: records.Handoff) -> CycleState:
    phase, next_phase = Phase(record.phase), Phase(record.next_phase)
    commit = record.tip or state.tip
    state = replace(
        state,
        tip=commit,
        phase=next_phase,
        attempt=0,
        retry=0,
        transient=0,
        interrupted=False,
        attempts=(*state.attempts, _attempt(record)),
        summary=record.summary,
        quarantine={**state.quarantine, **record.tests.quarantined_until},
        hint="",
    )
    if phase is Phase.RED and record.verdict != Verdict.ALREADY_COVERED:
        approved = state.approved - {"removed_tests"}
        targets, removed = tuple(record.tests.target_tests), tuple(record.removed_tests)
        return replace(state, red=commit, targets=targets, removed=removed, approved=approved)
    return replace(state, green=commit) if phase is Phase.GREEN else state


def _error(state: CycleState, record: records.Trouble) -> CycleState:
    if record.next_phase == Phase.RED and record.phase == Phase.GREEN:
        return _back_to_red(state, record)
    return replace(
        state,
        retry=record.retry_count + record.move.counts,
        transient=record.transient,
        interrupted=False,
        attempts=(*state.attempts, _attempt(record)),
        quarantine={**state.quarantine, **record.tests.quarantined_until},
    )


def _back_to_red(state: CycleState, record: records.Trouble) -> CycleState:
    """GREEN's attempt showed that the test itself is to be written anew, from the cycle's base."""
    why = "; ".join(record.reasons[:3])
    return replace(
        state,
        tip=state.base,
        phase=Phase.RED,
        attempt=0,
        retry=0,
        transient=0,
        interrupted=False,
        red="",
        targets=(),
        attempts=(*state.attempts, _attempt(record)),
        removed=(),
        approved=state.approved - {"removed_tests"},
        hint=f"No code can make an earlier test of this item pass: {record.for_red}"
        if record.for_red
        else f"An earlier test of this item was accepted and then proved nothing: {why}",
    )


def _ended(state: CycleState, record: records.CycleEnded) -> CycleState:
    phase = Phase.ABORTED if record.outcome in ("aborted", "cancelled") else Phase.COMPLETE
    return replace(state, over=record.outcome, phase=phase, interrupted=False, landing=None, asks=record.asks)


def _resumed(state: CycleState, record: records.Resumed) -> CycleState:
    return replace(
        state,
        over="",
        phase=Phase(record.next_phase),
        attempt=0,
        retry=0,
        transient=0,
        interrupted=False,
        hint=record.hint,
        waiting="",
        approved=state.approved & {"removed_tests"},
        since=len(state.attempts),
    )


def _rebased(state: CycleState, record: records.Rebased) -> CycleState:
    mapping = record.mapping
    if record.next_phase in (Phase.RED, Phase.GREEN):
        return _replanned(state, record)
    return replace(
        state,
        base=record.base,
        landing=None,
        together=record.together,
        phase=Phase.COMPLETE,
        tip=mapping.get(state.tip, state.tip),
        red=mapping.get(state.red, state.red),
        green=mapping.get(state.green, state.green),
    )


def _replanned(state: CycleState, record: records.Rebased) -> CycleState:
    """Continue a conflicting cycle from the branch, with its RED or from the start; nothing is counted."""
    phase = Phase(record.next_phase)
    back = phase is Phase.RED
    return replace(
        state,
        base=record.base,
        tip=record.tip,
        phase=phase,
        red="" if back else record.tip,
        green="",
        targets=() if back else state.targets,
        removed=() if back else state.removed,
        approved=state.approved - ({"removed_tests", "before_landing"} if back else {"before_landing"}),
        known_failing=tuple(record.known_failing),
        attempt=0,
        retry=0,
        transient=0,
        landing=None,
        together="",
        interrupted=False,
        since=len(state.attempts),
    )


def _rolled_back(state: CycleState, record: records.Rollback) -> CycleState:
    if state.over:
        return state
    new = record.new
    phase = Phase.GREEN if new == state.red else Phase.REFACTOR if new == state.green else Phase.RED
    since = len(state.attempts)
    approved = state.approved & {"removed_tests"} if phase is not Phase.RED else frozenset()
    return replace(
        state, tip=new, phase=phase, attempt=0, retry=0, interrupted=False, landing=None, since=since,
        waiting="", approved=approved, removed=state.removed if phase is not Phase.RED else (),
    )  # fmt: skip


def _approval(state: CycleState, record: records.Approval) -> CycleState:
    gate = record.gate
    if record.decision == "wanted":
        return replace(state, waiting=gate, interrupted=False)
    if record.decision == "approved":
        return replace(
            state, waiting="", approved=state.approved | {f"{gate}:{state.phase}:{state.retry}", gate}
        )
    return replace(state, waiting="")


def place(
    state: CycleState, phase: Phase | None = None, next_phase: Phase | None = None, **other: object
) -> dict[str, Any]:
    """Return the fields that every record of the cycle begins with, ``other`` ones in place of the state's; with its
    phase and the next one, the same where there is no other."""
    fields = {
        "cycle_id": state.cycle_id,
        "cycle_number": state.number,
        "item_id": state.item_id,
        "item": state.item,
        "branch": state.branch,
        "base": state.base,
        "tip": state.tip,
    }
    phases = {"phase": phase, "next_phase": next_phase or phase} if phase is not None else {}
    return fields | phases | other

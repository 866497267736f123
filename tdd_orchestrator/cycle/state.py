"""Where a cycle stands, folded from its records alone. Pure: dicts in the order of the trail, a value out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.model.mutant import Mutant
from tdd_orchestrator.model.phase import WORKING, Phase, Verdict

Record = Mapping[str, Any]

_OF_THE_TRANSPORT = frozenset({"wait", "pause", "other_agent"})


def of_the_transport(move: Mapping[str, Any]) -> bool:
    """Whether a refused attempt's move says that its provider was away: nothing was attempted, nothing is counted."""
    return not move.get("counts", True) and move.get("kind") in _OF_THE_TRANSPORT


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
    move: Mapping[str, Any] = field(default_factory=dict)
    accepted: bool = False
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    diagnosis: Mapping[str, Any] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)
    incident: str = ""
    for_red: str = ""  # what no implementation can mend
    retry: int = 0  # retries of the phase before it
    said: str = ""  # what its agent's last words are (agents.last_words.Said)
    last_words: str = ""
    fault: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class CycleState:
    """``phase`` is the phase to do next. ``retry`` counts refused attempts of this phase; ``interrupted`` says
    that an attempt was begun and has no result; ``over`` names how the cycle ended."""

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
    since: int = 0  # attempts before this one were made before a person took the cycle up, or rolled it back

    def of_phase(self, *, everything: bool = False) -> tuple[Attempt, ...]:
        """Attempts of the current phase since a person last took the cycle up, or all of them."""
        counted = self.attempts if everything else self.attempts[self.since :]
        return tuple(attempt for attempt in counted if attempt.phase is self.phase)

    def refused(self, *, everything: bool = False) -> tuple[Attempt, ...]:
        """Those of them whose work was refused: a provider that was away says nothing about the work."""
        mine = self.of_phase(everything=everything)
        return tuple(one for one in mine if not one.accepted and not of_the_transport(one.move))

    @property
    def retried(self) -> int:
        """How often the current phase was tried again: its newest attempt's own count."""
        mine = self.of_phase()
        return mine[-1].retry if mine else 0

    @property
    def active(self) -> bool:
        return not self.over


def fold(records: Iterable[Record]) -> CycleState | None:
    """The state of the cycle whose ``cycle_started`` comes first; None where there is none."""
    state: CycleState | None = None
    for record in records:
        kind = record.get("kind")
        if kind == "cycle_started":
            state = _started(record)
        elif state is not None and record.get("cycle_id") == state.cycle_id:
            fold_one = _FOLDS.get(str(kind))
            if fold_one is not None:
                state = fold_one(state, record)
        if state is not None and record.get("cycle_id") == state.cycle_id:
            state = _spent(state, record)
    return state


def _spent(state: CycleState, record: Record) -> CycleState:
    """Every record brings its time, and what was asked on the way to it."""
    consulted = record.get("consulted") or ()
    tokens = sum(int(one.get("tokens", 0) or 0) for one in consulted)
    cost = sum(float(one.get("cost") or 0.0) for one in consulted)
    return replace(
        state,
        wall=state.wall + float(record.get("wall", 0.0) or 0.0),
        asked=(state.asked[0] + tokens, state.asked[1] + cost),
    )


def _started(record: Record) -> CycleState:
    return CycleState(
        cycle_id=str(record["cycle_id"]),
        number=int(record.get("cycle_number", 0)),
        item_id=str(record.get("item_id", "")),
        item=str(record.get("item", "")),
        branch=str(record.get("branch", "")),
        base=str(record["base"]),
        tip=str(record["base"]),
        phase=Phase.RED,
        started=str(record.get("at", "")),
        known_failing=tuple(record.get("known_failing", ())),
        quarantine=dict(record.get("quarantined") or {}),
        mutant=Mutant(**record["mutant"]) if record.get("mutant") else None,
    )


def _intent(state: CycleState, record: Record) -> CycleState:
    return replace(
        state,
        attempt=int(record.get("attempt", 0)),
        interrupted=True,
        interrupted_agent=str(record.get("agent", {}).get("name", "")),
        transient=int(record.get("transient", 0)),
    )


def _attempt(record: Record, *, accepted: bool) -> Attempt:
    agent, tests = record.get("agent", {}), record.get("tests", {})
    details = record.get("error_details") or {}
    return Attempt(
        phase=Phase(record["phase"]),
        attempt=int(record.get("attempt", 0)),
        verdict=str(record.get("verdict", "")),
        reasons=tuple(record.get("reasons", ())),
        agent=str(agent.get("name", "")),
        role=str(agent.get("role", "")),
        fingerprint=str(record.get("fingerprint", "")),
        diff=str(record.get("diff", "")),
        commit=str(record.get("candidate", "")),
        error_type=str(details.get("type", "")),
        message=str(details.get("message", "")),
        failing=tuple(tests.get("failing_tests", ())),
        move=record.get("move") or {},
        accepted=accepted,
        tokens=int(agent.get("tokens", 0) or 0),
        cost=float(agent.get("cost") or 0.0),
        seconds=float(agent.get("seconds", 0.0) or 0.0),
        diagnosis=record.get("diagnosis") or {},
        request=record.get("request") or {},
        incident=str(record.get("incident", "")),
        retry=int(record.get("retry_count", 0)),
        said=str(agent.get("said", "")),
        last_words=str(agent.get("last_words", "")),
        fault=str(agent.get("fault", "")),
        session=str(agent.get("session", "")),
        for_red=str(record.get("for_red", "")),
    )


def _handoff(state: CycleState, record: Record) -> CycleState:
    phase, next_phase = Phase(record["phase"]), Phase(record["next_phase"])
    tests = record.get("tests", {})
    commit = str(record.get("tip") or state.tip)
    state = replace(
        state,
        tip=commit,
        phase=next_phase,
        attempt=0,
        retry=0,
        transient=0,
        interrupted=False,
        attempts=(*state.attempts, _attempt(record, accepted=True)),
        summary=str(record.get("summary", "")),
        quarantine={**state.quarantine, **tests.get("quarantined_until", {})},
        hint="",
    )
    if phase is Phase.RED and record.get("verdict") != Verdict.ALREADY_COVERED:
        removed = tuple(record.get("removed_tests", ()))
        approved = state.approved - {"removed_tests"}
        targets = tuple(tests.get("target_tests", ()))
        return replace(state, red=commit, targets=targets, removed=removed, approved=approved)
    return replace(state, green=commit) if phase is Phase.GREEN else state


def _error(state: CycleState, record: Record) -> CycleState:
    tests = record.get("tests", {})
    if record.get("next_phase") == Phase.RED and record.get("phase") == Phase.GREEN:
        return _back_to_red(state, record)
    return replace(
        state,
        retry=int(record.get("retry_count", 0)) + bool((record.get("move") or {}).get("counts", True)),
        transient=int(record.get("transient", 0)),
        interrupted=False,
        attempts=(*state.attempts, _attempt(record, accepted=False)),
        quarantine={**state.quarantine, **tests.get("quarantined_until", {})},
    )


def _back_to_red(state: CycleState, record: Record) -> CycleState:
    """GREEN's attempt showed that the test itself is to be written anew, from the cycle's base."""
    why = "; ".join(str(reason) for reason in record.get("reasons", ())[:3])
    wrong = str(record.get("for_red", ""))
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
        attempts=(*state.attempts, _attempt(record, accepted=False)),
        removed=(),
        approved=state.approved - {"removed_tests"},
        hint=f"No code can make an earlier test of this item pass: {wrong}"
        if wrong
        else f"An earlier test of this item was accepted and then proved nothing: {why}",
    )


def _landing(state: CycleState, record: Record) -> CycleState:
    return replace(
        state, landing=(str(record["old"]), str(record["new"])), landing_at=str(record.get("at", ""))
    )


def _ended(state: CycleState, record: Record) -> CycleState:
    outcome = str(record.get("outcome", ""))
    phase = Phase.ABORTED if outcome in ("aborted", "cancelled") else Phase.COMPLETE
    asks = str(record.get("asks", ""))
    return replace(state, over=outcome, phase=phase, interrupted=False, landing=None, asks=asks)


def _resumed(state: CycleState, record: Record) -> CycleState:
    phase = Phase(record["next_phase"])
    return replace(
        state,
        over="",
        phase=phase,
        attempt=0,
        retry=0,
        transient=0,
        interrupted=False,
        hint=str(record.get("hint", "")),
        waiting="",
        approved=state.approved & {"removed_tests"},
        since=len(state.attempts),
    )


def _rebased(state: CycleState, record: Record) -> CycleState:
    mapping = record.get("mapping", {})
    return replace(
        state,
        base=str(record["base"]),
        landing=None,
        phase=Phase.COMPLETE,
        tip=str(mapping.get(state.tip, state.tip)),
        red=str(mapping.get(state.red, state.red)),
        green=str(mapping.get(state.green, state.green)),
    )


def _rolled_back(state: CycleState, record: Record) -> CycleState:
    if state.over:
        return state
    new = str(record.get("new", ""))
    phase = Phase.GREEN if new == state.red else Phase.REFACTOR if new == state.green else Phase.RED
    since = len(state.attempts)
    approved = state.approved & {"removed_tests"} if phase is not Phase.RED else frozenset()
    return replace(
        state, tip=new, phase=phase, attempt=0, retry=0, interrupted=False, landing=None, since=since,
        waiting="", approved=approved, removed=state.removed if phase is not Phase.RED else (),
    )  # fmt: skip


def _approval(state: CycleState, record: Record) -> CycleState:
    gate, decision = str(record.get("gate", "")), str(record.get("decision", ""))
    if decision == "wanted":
        return replace(state, waiting=gate, interrupted=False)
    if decision == "approved":
        return replace(
            state, waiting="", approved=state.approved | {f"{gate}:{state.phase}:{state.retry}", gate}
        )
    return replace(state, waiting="")


_FOLDS = {
    "intent": _intent,
    "handoff": _handoff,
    "error": _error,
    "landing": _landing,
    "cycle_ended": _ended,
    "resumed": _resumed,
    "rebased": _rebased,
    "rollback": _rolled_back,
    "approval": _approval,
}


def current_phase(state: CycleState) -> str:
    """The word a user reads for where the cycle stands."""
    if state.over:
        return str(state.phase)
    return str(state.phase) if state.phase in WORKING else "LANDING"

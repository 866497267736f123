"""The context of a command: narrow services and plain values, wired by ``app.context`` and nowhere else;
and the open cycles in the records of this clone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack

from tdd_orchestrator import process
from tdd_orchestrator.agents.agent import Agent
from tdd_orchestrator.agents.live import AgentProgress
from tdd_orchestrator.cycle.places import AgentPlace, Race, ThisMachine
from tdd_orchestrator.cycle.plan.repository import PlanRepository
from tdd_orchestrator.cycle.proof import Prover
from tdd_orchestrator.cycle.state import CycleState, fold
from tdd_orchestrator.cycle.usage_text import CommandUsage
from tdd_orchestrator.events import log
from tdd_orchestrator.model.parts import AgentInfo
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.model.policy import BreakerPolicy, Budget, RetryPolicy, Run, Spent
from tdd_orchestrator.model.reading import read
from tdd_orchestrator.model.records import (
    BreakerReset,
    CycleEnded,
    CycleStarted,
    Handoff,
    Record,
    Trouble,
    worker_of,
)
from tdd_orchestrator.notes.codec import new_id, stamp
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.process import Outside
from tdd_orchestrator.prompting.brief import Brief
from tdd_orchestrator.redaction import Redact
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.workspace.folders import Places
from tdd_orchestrator.workspace.guard import Rules
from tdd_orchestrator.workspace.landing import Checkout
from tdd_orchestrator.workspace.repository_snapshot import Guard
from tdd_orchestrator.workspace.services import Service
from tdd_orchestrator.workspace.shared import Shared
from tdd_orchestrator.workspace.tree import Tree

if TYPE_CHECKING:
    from tdd_orchestrator.cycle.plan.claims import Claims
    from tdd_orchestrator.diagnosis.rules import Rule

Records = list[Record]
Moves = Sequence[tuple[str, str | None, str | None]]
Pins = Mapping[str, str] | None


def cycles_at_hand(newest_first: Iterable[Record]) -> list[Records]:
    """Return the records of the newest cycle and of those that were open beside it, oldest first, a
    list for each.

    The newest cycle comes first. Nothing older than what is asked for is read.
    """
    found: dict[str, Records] = {}
    started: set[str] = set()
    for record in newest_first:
        cycle = record.cycle_id
        if not cycle:
            continue
        if not found:
            found = {name: [] for name in (cycle, *record.beside)}
        if cycle in found and cycle not in started:
            found[cycle].append(record)
            started |= {cycle} if isinstance(record, CycleStarted) else set()
        if len(started) == len(found):
            break
    return [records[::-1] for records in found.values() if records]


def choose(cycles: list[Records], wanted: str = "") -> Records:
    """Return the records of the cycle that a command is about: the one with the id ``wanted``, else the
    one to go on with.

    That is one whose landing was broken off, else the newest one that is open, else the newest.
    """
    if wanted:
        return next((one for one in cycles if one[0].cycle_id == wanted), [])
    ranked = sorted(cycles, key=lambda records: _urgency(fold(records)))
    return ranked[0] if ranked else []


def _urgency(state: CycleState | None) -> int:
    if state is None or state.over:
        return 2
    return 0 if state.landing is not None else 1


_LONGEST = 31_536_000.0  # seconds: a year, which every machine can sleep


class Clock(Protocol):
    def now(self) -> datetime: ...

    def sleep(self, seconds: float) -> None: ...


class WallClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait; a value from a record that is no valid time counts as none."""
        time.sleep(min(max(0.0, seconds), _LONGEST))


class Watcher(Protocol):
    """Receives what happens: a terminal, a log, or nothing."""

    def doing(self, what: str, *, begins: bool = True) -> None: ...

    def working(self, progress: AgentProgress) -> None: ...

    def done(self, what: str, good: bool) -> None: ...

    def note(self, what: str) -> None: ...


class AgentRegistry(Protocol):
    """Which agent plays which role."""

    def agent(self, role: str, name: str = "") -> Agent: ...

    def fallback(self, name: str) -> str: ...

    def account(self, name: str) -> str: ...

    def can(self, role: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Escalated:
    """The failure report of a cycle that failed for good."""

    error_id: str
    error_type: str
    summary: str  # at most 460 characters, the agent's last words among them


class Reporter(Protocol):
    """Writes the error report, makes the fix item and notifies the user."""

    def escalated(self, context: CycleContext, state: CycleState, item: Item, why: str) -> Escalated: ...

    def landed(self, context: CycleContext, state: CycleState) -> None: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """The policy values that the cycle reads; nothing else of the configuration reaches it."""

    retry: RetryPolicy = RetryPolicy()
    breaker: BreakerPolicy = BreakerPolicy()
    budget: Budget = Budget()
    known_failing: frozenset[str] = frozenset()
    quarantine_days: int = 14
    repeat: int = 1
    questions: tuple[str, ...] = ("poison", "shift", "stub")
    require: tuple[str, ...] = ()
    removed_tests: str = "ask"  # ask | refuse | allow
    covered: str = "ask"  # ask | close
    coverage: str = "off"  # off | warn | require
    mutation: bool = False
    withhold: bool = False
    ask_after_failures: int = 0
    ask_before_landing: bool = False
    inplace: bool = False
    sandbox: str = "none"
    extra_rules: tuple[Rule, ...] = ()
    agent_timeout: Mapping[str, tuple[float, float]] = field(
        default_factory=dict
    )  # name -> wall, idle seconds
    lanes: int = 1  # how many cycles are worked on at once
    replans: int = 0  # how often a cycle that cannot land as it is goes on from the new head


@dataclass(frozen=True, slots=True)
class Repository:
    """The user's repository, and what we keep in it and beside it. ``checkout`` says where a branch is checked out."""

    git: Git
    objects: Objects
    store: Store
    plan: PlanRepository
    places: Places
    checkout: Callable[[str], Checkout]
    identity: str  # Name <mail>
    claims: Claims | None = None  # where other clones take items of the same plan
    paths_by_tree: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Codebase:
    """What is known of the code under test."""

    language: str
    rules: Rules
    shared: Shared
    known_names: frozenset[str] = frozenset()  # top-level names that the project defines
    declared: frozenset[str] = frozenset()  # dependencies that it declares


@dataclass(slots=True)
class Agents:
    """The agents, and the tree that they work in. ``compose`` makes a prompt from a role and a brief."""

    registry: AgentRegistry
    tree: Tree
    compose: Callable[[str, Brief], str]
    run_marker: str
    secrets: tuple[str, ...] = ()  # values that may stand nowhere: not in a record, and not in the code
    port: int = 0
    guard: Guard = field(default_factory=Guard)
    place: AgentPlace = field(default_factory=ThisMachine)
    services: tuple[Service, ...] = ()  # started for each agent
    race: Race | None = None  # in the phases that are raced for
    outside: Outside = nullcontext  # entered while a program of a service runs, or while nothing is done


def open_states(store: Store) -> list[CycleState]:
    """Return every cycle of this clone that is not over, the oldest first."""
    states = [fold(records) for records in cycles_at_hand(entry.typed for entry in store.mine())]
    return sorted((one for one in states if one and not one.over), key=lambda state: state.number)


_NEXT_ITEMS = 10  # ids of items to come in a record


class WriteOptions(TypedDict, total=False):
    """How a record is written.

    ``moves``: refs that follow it; ``pins``: refs that are set before it. ``hold``: it is written with the record
    that follows at once, in one notes commit, where that is sure to come (:meth:`CycleContext.joining`). A kill
    before that costs the step that it is about.
    """

    moves: Moves
    pins: Pins
    hold: bool


@dataclass(frozen=True, slots=True)
class Held:
    """A record that is written with the next one."""

    commit: str
    data: dict[str, Any]
    subject: str
    moves: Moves
    pins: Pins


@dataclass(slots=True)
class CommandRun:
    """What one command has at hand: the records of its cycle, what it has spent, since when it works."""

    started: datetime
    recorded_at: datetime  # until when the time is in the records
    focus: str = ""  # the cycle that this command, or this lane, is about; "" = the one to go on with
    records: list[Record] = field(default_factory=list)  # of the current cycle, oldest first
    item_ids: dict[str, list[str]] = field(default_factory=dict)  # completed_items, pending_items
    open_cycles: set[str] = field(default_factory=set)  # ids of the cycles that are open here
    rate_limits: dict[str, datetime] = field(default_factory=dict)  # account -> when its newest one ends
    next_start: dict[str, datetime] = field(default_factory=dict)  # account -> when an agent may start on it
    usage: CommandUsage = field(default_factory=CommandUsage)
    unmetered: set[str] = field(default_factory=set)  # agents that do not report what a budget limits
    until: Phase | None = None  # the command ends after this phase
    ahead: object = None  # work on the next phase, begun before this one is proven (attempt.ahead.WorkAhead)
    consulted: list[AgentInfo] = field(
        default_factory=list
    )  # agents that were only asked, not yet in a record
    joins: bool = False  # what follows at once may be written with a record
    held: list[Held] = field(default_factory=list)  # records to write, all on one commit

    @classmethod
    def begin(cls, now: datetime) -> CommandRun:
        return cls(started=now, recorded_at=now)

    def beside(self, now: datetime, *, empty: bool = False) -> CommandRun:
        """Return the run of a context that works beside this one: what both count and prove stays shared.

        ``empty``: it begins without the records of a cycle."""
        copy = replace(self, started=now, recorded_at=now, joins=False, held=[])
        if empty:
            copy.records, copy.item_ids, copy.consulted = [], {}, []
        return copy

    def progress(self, *, completed: bool = False) -> dict[str, Any]:
        """Return how far the plan is, for a record: counts, and the next items; ``completed``: this item is done too.

        Every finished item's own record says that it is finished; a list of them in each record would grow with
        the plan.
        """
        pending = self.item_ids.get("pending_items", [])
        return {
            "completed": len(self.item_ids.get("completed_items", ())) + completed,
            "pending": len(pending),
            "pending_items": pending[:_NEXT_ITEMS],
        }


@dataclass(slots=True)
class CycleContext:
    """The services and values of one command, wired by ``app.context``."""

    repo: Repository
    project: Codebase
    agents: Agents
    prover: Prover
    settings: Settings
    reporter: Reporter
    watch: Watcher
    clock: Clock
    redact: Redact
    run: CommandRun

    def stop(self) -> None:
        """End the programs of this context, here and elsewhere."""
        self.agents.place.stop()
        self.prover.stop()
        process.sweep(self.agents.run_marker)

    def unmarked(self) -> float:
        """Seconds that this command has worked since its last record (R8)."""
        return max(0.0, (self.clock.now() - self.run.recorded_at).total_seconds())

    def spent(self) -> Spent:
        """By this command, whatever it worked on (R8)."""
        return replace(
            self.run.usage.spent, minutes=(self.clock.now() - self.run.started).total_seconds() / 60
        )

    def state(self) -> CycleState | None:
        """Return the state of the cycle in ``focus``, else of the one to continue; its records are kept
        in memory."""
        self.flush()
        found = cycles_at_hand(entry.typed for entry in self.repo.store.mine())
        for records in found:
            self._note_open(fold(records))
        self.run.records = choose(found, self.run.focus)
        return fold(self.run.records)

    def open_states(self) -> list[CycleState]:
        """Return every cycle of this clone that is not over, the oldest first."""
        return open_states(self.repo.store)

    def _note_open(self, state: CycleState | None) -> None:
        if state is not None:
            (self.run.open_cycles.discard if state.over else self.run.open_cycles.add)(state.cycle_id)

    def recent_runs(self) -> tuple[Run, ...]:
        """The last runs here, oldest first, since a cycle landed or the breaker was reset. One whose provider
        was away has not run."""
        found: list[Run] = []
        trusted_again: set[str] = set()
        for entry in self.repo.store.mine():
            record = entry.typed
            if isinstance(record, CycleEnded) and record.outcome == "landed":
                break
            if isinstance(record, BreakerReset):
                if not record.agent.name:
                    break
                trusted_again.add(record.agent.name)
            worked = isinstance(record, Handoff) or (
                isinstance(record, Trouble) and not record.move.provider_away
            )
            worker = worker_of(record)
            if worked and worker is not None and worker.name not in {"", *trusted_again}:
                found.append(Run(worker.name, worker.role, isinstance(record, Handoff), record.at))
            if len(found) >= self.settings.breaker.window:
                break
        return tuple(reversed(found))

    def write(
        self, commit: str, record: Record, subject: str, **how: Unpack[WriteOptions]
    ) -> CycleState | None:
        """Write one record on a commit, and return the state folded from what is written now."""
        if self.run.held and self.run.held[0].commit != commit:
            self.flush()
        data = self._data(record)
        self.run.held.append(Held(commit, data, subject, how.get("moves", ()), how.get("pins")))
        self.run.recorded_at, self.run.consulted = self.clock.now(), []
        stored = read({**data, "at": stamp("")}) if how.get("hold") and self.run.joins else self.flush()[-1]
        self.run.usage.add(stored)
        if not stored.cycle_id:
            return fold(self.run.records)
        if isinstance(stored, CycleStarted):
            self.run.records = []
        self.run.records.append(stored)
        state = fold(self.run.records)
        self._note_open(state)
        return state

    def flush(self) -> Records:
        """Write what is held; return the records as they are written."""
        held, self.run.held = self.run.held, []
        if not held:
            return []
        pins = {ref: oid for one in held for ref, oid in (one.pins or {}).items()}
        written = self.repo.store.append_all(
            held[0].commit,
            [(one.subject, one.data) for one in held],
            moves=[move for one in held for move in one.moves],
            pins=pins,
        )
        stored = [read(one.record) for one in written]
        by_id = {one.id: one for one in stored}
        self.run.records = [by_id.get(one.id, one) for one in self.run.records]
        for one in stored:
            log(
                "record written",
                kind=one.kind,
                phase=one.phase,
                commit=held[0].commit[:12],
                cycle=one.cycle_id,
            )
        return stored

    @contextmanager
    def joining(self) -> Iterator[None]:
        """Within this, a record may be written with what follows it; at its end nothing is held."""
        self.run.joins = True
        try:
            yield
        finally:
            self.run.joins = False
            self.flush()

    def _data(self, record: Record) -> dict[str, Any]:
        """What is written of a record."""
        data = record.model_dump(mode="json", exclude_defaults=False)
        for left_out in ("at", "id", "v", "prev", "completed_items"):
            data.pop(left_out, None)
        data["wall"] = round(self.unmarked(), 3)
        data["consulted"] = [one.model_dump(mode="json") for one in self.run.consulted]
        if data["kind"] != "baseline" and not data["known_good"]:
            del data["known_good"]  # it has no opinion: what the commit was proven to be, it stays
        data["beside"] = sorted(self.run.open_cycles - {data["cycle_id"]}) if data["cycle_id"] else []
        if not data["beside"]:
            del data["beside"]
        return {**data, "id": new_id()}

    def write_step(
        self, commit: str, record: Record, subject: str, **how: Unpack[WriteOptions]
    ) -> CycleState:
        """Write one record of a cycle on a commit, and return the cycle's state after it."""
        state = self.write(commit, record, subject, **how)
        assert state is not None, f"the {record.kind} record is of no cycle"
        return state

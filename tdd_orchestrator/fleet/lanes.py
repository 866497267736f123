"""The coordinator: lanes take items from the plan, work on them as cycles, and land them one after the other.

    idle ── an open cycle, or the next item beside the busy ones ──> working ── all proven ──> in the queue
    ──> landed
      ^                                                                ^                          │ │
      └── conflict: from the new head └── over, aside (waits for a person), or nothing to do while others are
      at work

A lane is a thread; see docs/decisions/0012-one-coordinator-many-lanes.md for who writes what.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue

from tdd_orchestrator.cycle.attempt import integrity_check
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.fix.landing import catch_up
from tdd_orchestrator.cycle.landing import conflict, ending
from tdd_orchestrator.cycle.landing.conflict import prove_ahead
from tdd_orchestrator.cycle.loop import advance, refuse_stuck
from tdd_orchestrator.cycle.start import begin
from tdd_orchestrator.cycle.state import CycleState, fold
from tdd_orchestrator.fleet.queue import Place, Queue, Work
from tdd_orchestrator.fleet.turn import Stopped, Turn
from tdd_orchestrator.model.errors import TddError, Waiting
from tdd_orchestrator.model.phase import WORKING
from tdd_orchestrator.model.plan import Item

_LOOK = 0.2  # seconds between two looks at whether a lane still lives
_ENDING = 30.0  # seconds in which stopped lanes must have ended


@dataclass(frozen=True, slots=True)
class Done:
    """One cycle as a lane left it: over, or with the reason why it is not. ``context`` holds its records."""

    context: CycleContext
    state: CycleState | None
    error: TddError | None = None


@dataclass
class Fleet:
    """``limit``: cycles to run at most, 0 = all. ``settle`` is called after each cycle, under the turn."""

    lanes: Sequence[CycleContext]
    turn: Turn
    settle: Callable[[CycleContext, CycleState], None]
    limit: int = 0
    busy: dict[str, str] = field(default_factory=dict)  # item id -> cycle id, or "" before it is begun
    aside: set[str] = field(default_factory=set)  # items that wait for a person
    tried: set[tuple[str, str]] = field(default_factory=set)  # cycles, and heads they were proven on ahead
    begun: int = 0
    ended: int = 0
    closing: bool = False  # nothing new is begun

    def __post_init__(self) -> None:
        self.landing, self.beginning = Queue(self.turn), Queue(self.turn)
        self._out: SimpleQueue[Done | BaseException | None] = SimpleQueue()

    def run(self) -> Iterator[Done]:
        """Yield every cycle as it ends. Raise what no lane could go on from, once the others have ended."""
        with self.turn:
            first = self.lanes[0]
            catch_up(first)
            first.state()
            if not first.run.open_cycles:
                conflict.recognize(first)
        threads = [threading.Thread(target=self._lane, args=(lane,), daemon=True) for lane in self.lanes]
        try:
            for thread in threads:
                thread.start()
            yield from self._results(threads)
        finally:
            self._end(threads)

    def _results(self, threads: Sequence[threading.Thread]) -> Iterator[Done]:
        alive = len(threads)
        while alive:
            try:
                what = self._out.get(timeout=_LOOK)
            except Empty:
                continue
            if what is None:
                alive -= 1
            elif isinstance(what, Done):
                yield what
            else:
                raise what

    def _end(self, threads: Sequence[threading.Thread]) -> None:
        """Stop the lanes that are left: their programs are ended, so that they come back to take the turn."""
        self.turn.stop()
        for thread in threads:
            waited = 0.0
            while thread.is_alive() and waited < _ENDING:
                for lane in self.lanes:
                    lane.stop()
                thread.join(_LOOK)
                waited += _LOOK

    def _lane(self, context: CycleContext) -> None:
        try:
            with self.turn:
                while self._next(context):
                    pass
        except Stopped:
            pass
        except BaseException as error:  # noqa: BLE001  raised again where the run was started
            self._out.put(error)
        finally:
            self._out.put(None)

    def _next(self, context: CycleContext) -> bool:
        """Work on one cycle; False where there is nothing left for this lane."""
        while (found := self._find(context)) is None:
            if not self.busy or self.closing:
                return False
            self._wait_for_an_end(self.ended)
        state, item = found
        self.busy[item.id] = state.cycle_id if state else ""
        try:
            self._out.put(self._work(context, state, item))
        finally:
            del self.busy[item.id]
            self.ended += 1
            self.turn.changed()
        return True

    def _wait_for_an_end(self, known: int) -> None:
        self.turn.wait(lambda: self.closing or self.ended != known)

    def _find(self, context: CycleContext) -> tuple[CycleState | None, Item] | None:
        """Return the next thing to do: an open cycle that nobody works on, else an item to begin."""
        if self.closing or (self.limit and self.begun >= self.limit):
            return None
        for state in sorted(context.open_states(), key=lambda one: one.landing is None):
            if state.item_id not in self.busy and state.item_id not in self.aside:
                self.begun += 1
                return state, ending.item_of(context.repo, state)
        plan, claims = context.repo.plan.plan(), context.repo.claims
        others = claims.of_others(plan, context.clock.now()) if claims else ()
        item = plan.next_beside({*self.busy, *self.aside, *others})
        self.begun += item is not None
        return None if item is None else (None, item)

    def _work(self, context: CycleContext, state: CycleState | None, item: Item) -> Done:
        """Bring one cycle to its end, or to where it waits. A person's answer stops this cycle only,
        any other error all."""
        try:
            state = self._started(context, state, item)
            while state is not None and not state.over:
                state = self._step(context, state, item)
            left = _as_left(context)
            if state is not None:
                self.settle(context, state)
            return Done(left, state)
        except Waiting as wait:
            self.aside.add(item.id)
            return Done(_as_left(context), fold(context.run.records), wait)
        except TddError as error:
            self.closing = True
            return Done(_as_left(context), fold(context.run.records), error)

    def _started(self, context: CycleContext, state: CycleState | None, item: Item) -> CycleState | None:
        if state is not None:
            context.run.focus = state.cycle_id
            return context.state()
        context.run.focus, context.run.records = "", []
        with self.beginning.place(_place(item)):
            refuse_stuck(context)
            state = begin(context, item)
        if state is not None:
            context.run.focus = self.busy[item.id] = state.cycle_id
        return state

    def _step(self, context: CycleContext, state: CycleState, item: Item) -> CycleState:
        if state.phase in WORKING:
            return advance(context, state, item)
        cycle = state.cycle_id
        try:
            with self.landing.place(_place(item), lambda: self._work_ahead(context, state, item)):
                while not state.over and state.phase not in WORKING:
                    state = advance(context, state, item)
                integrity_check.follow(context)
        finally:
            context.run.tips.pop(cycle, None)
        return state

    def _work_ahead(self, context: CycleContext, state: CycleState, item: Item) -> Work | None:
        """Return what proves a waiting cycle on the commit that the one before it is to land as; None where
        that commit is not known yet, or was tried."""

        def expected() -> str:
            place = self.landing.before(_place(item))
            return context.run.tips.get(self.busy.get(place[1], ""), "") if place else ""

        head = expected()
        if not head or (state.cycle_id, head) in self.tried:
            return None

        def work() -> None:
            self.tried.add((state.cycle_id, head))
            prove_ahead(context, state, head, lambda: expected() == head)

        return work


def _place(item: Item) -> Place:
    return item.order, item.id


def _as_left(context: CycleContext) -> CycleContext:
    """Return the lane as it is at the end of a cycle, for a reader in another thread: the lane goes on
    with another one."""
    return replace(context, run=replace(context.run, records=list(context.run.records)))

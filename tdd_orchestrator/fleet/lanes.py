"""The coordinator: lanes take items from the plan, work on them as cycles, and land them one after the other.

    idle ── an open cycle, or the next item beside the busy ones ──> working ── all proven ──> ready ──> landed
      ^                                                                │                         │
      └── over, aside (waits for a person), handed to the landing ─────┘     conflict: open again for any lane

A lane is a thread, and so is the landing, which has trees of its own: no lane waits for it. See docs/decisions/0012-one-coordinator-many-lanes.md for who writes what.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from queue import Empty, SimpleQueue

from tdd_orchestrator.cycle import controls
from tdd_orchestrator.cycle.attempt import integrity_check
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.landing import conflict, ending, together
from tdd_orchestrator.cycle.landing.unfinished import catch_up
from tdd_orchestrator.cycle.loop import advance, refuse_stuck
from tdd_orchestrator.cycle.start import begin
from tdd_orchestrator.cycle.state import CycleState, fold
from tdd_orchestrator.fleet.abort_requests import AbortRequests
from tdd_orchestrator.fleet.turn import Place, Queue, Stopped, Turn
from tdd_orchestrator.model.errors import TddError, Waiting
from tdd_orchestrator.model.phase import WORKING
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.process import Outside
from tdd_orchestrator.repo import refs

_LOOK = 0.2  # seconds between two looks at whether a lane still lives
_ENDING = 30.0  # seconds in which stopped lanes must have ended


@dataclass(frozen=True, slots=True)
class Done:
    """One cycle as a lane left it: over, or with the reason why it is not. ``context`` holds its records."""

    context: CycleContext
    state: CycleState | None
    error: TddError | None = None


class _Aborted(Exception):
    """A person ended the cycle that the lane works on."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A cycle that is to land: the services of the landing, with the cycle's own records."""

    context: CycleContext
    state: CycleState
    item: Item


@dataclass
class Fleet:
    """``limit``: cycles to run at most, 0 = all. ``settle`` is called after each cycle, under the turn."""

    lanes: Sequence[CycleContext]
    lander: CycleContext
    turn: Turn
    settle: Callable[[CycleContext, CycleState], None]
    limit: int = 0
    busy: dict[str, str] = field(default_factory=dict)  # item id -> cycle id, or "" before it is begun
    aside: set[str] = field(default_factory=set)  # items that wait for a person
    ready: list[Ready] = field(default_factory=list)
    at_work: dict[str, CycleContext] = field(default_factory=dict)  # cycle id -> the lane that works on it
    aborting: dict[str, str] = field(default_factory=dict)  # cycle id -> why a person ends it
    begun: int = 0
    ended: int = 0
    closing: bool = False  # nothing new is begun

    def __post_init__(self) -> None:
        self.beginning, self.working = Queue(self.turn), len(self.lanes)
        self._out: SimpleQueue[Done | BaseException | None] = SimpleQueue()
        self._requests = AbortRequests.below(self.lander.repo.places.root, os.getpid())
        for lane in self.lanes:
            lane.agents.outside = partial(self._outside, lane, lane.agents.outside)
            lane.prover.outside = partial(self._outside, lane, lane.prover.outside)

    def run(self) -> Iterator[Done]:
        """Yield every cycle as it ends. Raise what no lane could go on from, once the others have ended."""
        with self.turn:
            first = self.lanes[0]
            catch_up(first)
            first.state()
            if not first.run.open_cycles:
                conflict.recognize(first)
        threads = [
            threading.Thread(target=self._thread, args=(work,), daemon=True)
            for work in (*(partial(self._lane, lane) for lane in self.lanes), self._land_all)
        ]
        try:
            for thread in threads:
                thread.start()
            with self._requests.taken():
                yield from self._results(threads)
        finally:
            self._end(threads)

    def _results(self, threads: Sequence[threading.Thread]) -> Iterator[Done]:
        alive = len(threads)
        while alive:
            self._take_abort_requests()
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

    def _take_abort_requests(self) -> None:
        """End the programs of each lane whose cycle a person wants to end; the lane does the rest. A cycle that no
        lane works on, because it lands, goes on."""
        for cycle_id, why in self._requests.pending().items():
            lane = self.at_work.get(cycle_id)
            if lane is None:
                self.aborting.pop(cycle_id, None)
                self._requests.answer(cycle_id)
            else:
                self.aborting[cycle_id] = why
                lane.stop()

    @contextmanager
    def _outside(self, lane: CycleContext, outside: Outside) -> Iterator[None]:
        """Give the turn away; _Aborted at the end where a person ended the lane's cycle meanwhile."""
        try:
            with outside():
                yield
        finally:
            if lane.run.focus in self.aborting:
                raise _Aborted

    def _end(self, threads: Sequence[threading.Thread]) -> None:
        """Stop the lanes that are left: their programs are ended, so that they come back to take the turn."""
        self.turn.stop()
        for thread in threads:
            waited = 0.0
            while thread.is_alive() and waited < _ENDING:
                for context in (*self.lanes, self.lander):
                    context.stop()
                thread.join(_LOOK)
                waited += _LOOK

    def _thread(self, work: Callable[[], None]) -> None:
        try:
            with self.turn:
                work()
        except Stopped:
            pass
        except BaseException as error:  # noqa: BLE001  raised again where the run was started
            self._out.put(error)
        finally:
            self._out.put(None)

    def _lane(self, context: CycleContext) -> None:
        try:
            while self._next(context):
                pass
        finally:
            self.working -= 1
            self.turn.changed()

    def _next(self, context: CycleContext) -> bool:
        """Work on one cycle; False where there is nothing left for this lane."""
        while (found := self._find(context)) is None:
            if not self.busy or self.closing:
                return False
            self._wait_for_an_end(self.ended)
        state, item = found
        self.busy[item.id] = state.cycle_id if state else ""
        done = self._work(context, state, item)
        if done is None:
            self.turn.changed()  # it is ready to land
        else:
            self._leave(item, done)
        return True

    def _leave(self, item: Item, done: Done | None = None) -> None:
        """Nobody is at work on the item any more; ``done``: what became of it, None where a lane is to go on."""
        if done is not None:
            self._out.put(done)
        del self.busy[item.id]
        self.ended += 1
        self.turn.changed()

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

    def _work(self, context: CycleContext, state: CycleState | None, item: Item) -> Done | None:
        """Bring one cycle to its end, or to where it waits; None where it is ready to land."""
        try:
            state = self._started(context, state, item)
            if state is not None:
                self.at_work[state.cycle_id] = context
            while state is not None and not state.over and state.phase in WORKING:
                state = advance(context, state, item)
        except _Aborted:
            self.aside.add(item.id)  # it is back in the list, for a later run
            state = self._abort(context)
        except TddError as error:
            return self._stopped(context, item, error)
        finally:
            self.at_work.pop(context.run.focus, None)
        if state is None or state.over:
            return self._over(context, state)
        self.ready.append(Ready(replace(self.lander, run=_as_left(context).run), state, item))
        context.run.consulted = []  # its next record is the landing's
        return None

    def _abort(self, context: CycleContext) -> CycleState:
        """End the lane's cycle as its person wants it, and make the lane fit for another one."""
        cycle_id = context.run.focus
        why = self.aborting.pop(cycle_id)
        context.agents.place = context.agents.place.apart()
        if context.prover.place is not None:
            context.prover.place = context.prover.place.apart()
        state = controls.abort(context, why)
        context.watch.done(f"ended by a person: {state.item}", False)
        self._requests.answer(cycle_id)
        return state

    def _over(self, context: CycleContext, state: CycleState | None) -> Done:
        left = _as_left(context)
        if state is not None:
            self.settle(context, state)
        return Done(left, state)

    def _stopped(self, context: CycleContext, item: Item, error: TddError) -> Done:
        """A person's answer stops this cycle only, any other error all."""
        if isinstance(error, Waiting):
            self.aside.add(item.id)
        else:
            self.closing = True
        return Done(_as_left(context), fold(context.run.records), error)

    def _started(self, context: CycleContext, state: CycleState | None, item: Item) -> CycleState | None:
        if state is not None:
            context.run.focus = state.cycle_id
            return context.state()
        context.run.focus, context.run.records = "", []
        with self.beginning.place(_place(item)):
            if self.closing:
                return None
            refuse_stuck(context)
            state = begin(context, item)
        if state is not None:
            context.run.focus = self.busy[item.id] = state.cycle_id
        return state

    def _land_all(self) -> None:
        """Land what is ready, until every lane has ended."""
        while True:
            self.turn.wait(lambda: bool(self.ready) or not self.working)
            if not self.ready:
                return
            waiting, self.ready = self.ready, []
            self._land(sorted(waiting, key=lambda one: _place(one.item)))

    def _land(self, waiting: Sequence[Ready]) -> None:
        """Land cycles in this order. Those that have to be moved are proven together, and split where that fails."""
        if not waiting:
            return
        first, *others = waiting
        head = refs.read(self.lander.repo.git, f"refs/heads/{first.state.branch}")
        if (
            others
            and head
            and head != first.state.base
            and together.may_join(first.context.settings, first.state)
        ):
            try:
                batch = self._land_together(head, waiting)
            except TddError as error:
                self._leave(first.item, self._stopped(first.context, first.item, error))
                for one in others:
                    self._leave(one.item)
                return
            if batch:
                self._land([one for one in waiting if one not in batch])
                return
        self._land_one(first)
        self._land(others)

    def _land_together(self, head: str, waiting: Sequence[Ready]) -> Sequence[Ready]:
        """Return the cycles that fit on one another, after they have landed, or were split; none where fewer than
        two fit."""
        join = [one for one in waiting if together.may_join(one.context.settings, one.state)]
        members = together.stacked(head, [(one.context, one.state) for one in join])
        if len(members) == 1:
            return ()
        cycles = {one.state.cycle_id for one in members}
        batch = [one for one in join if one.state.cycle_id in cycles]
        proven = together.prove(self.lander, head, members) if members else None
        if proven is not None and together.land(self.lander, head, members, proven):
            for one in batch:
                self._land_one(replace(one, state=_folded(one.context)))
        else:
            half = len(batch) // 2
            self._land(batch[:half])
            self._land(batch[half:])
        return batch

    def _land_one(self, one: Ready) -> None:
        """Land a cycle by itself; where it conflicts, it is open again for any lane."""
        context, state = one.context, one.state
        try:
            while not state.over and state.phase not in WORKING:
                state = advance(context, state, one.item)
            integrity_check.follow(context)
        except TddError as error:
            self._leave(one.item, self._stopped(context, one.item, error))
            return
        if state.over:
            self._leave(one.item, self._over(context, state))
        else:
            self.begun -= 1
            self._leave(one.item)


def _place(item: Item) -> Place:
    return item.order, item.id


def _as_left(context: CycleContext) -> CycleContext:
    """Return the lane as it is at the end of a cycle, for a reader in another thread: the lane goes on
    with another one."""
    return replace(context, run=replace(context.run, records=list(context.run.records)))


def _folded(context: CycleContext) -> CycleState:
    state = fold(context.run.records)
    assert state is not None
    return state

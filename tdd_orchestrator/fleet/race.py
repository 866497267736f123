"""A race: agents try the same phase from the same start at once; the first that is proven wins, or the best."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeVar

from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.fleet.turn import LaneClock, Stopped, Turn

T = TypeVar("T")
_LOOK = 0.1  # seconds between two looks at the racers


@dataclass(frozen=True)
class Race:
    """``names``: phase -> agents. ``seats`` make a racer's context of the cycle's: each has trees, logs and a
    run marker of its own. Racers take the ``turn`` as lanes do, so one of them decides at a time. ``best``: the
    first that is proven ends nobody."""

    turn: Turn
    names: Mapping[str, tuple[str, ...]]
    seats: Sequence[Callable[[CycleContext], CycleContext]]
    best: bool = False

    def agents(self, phase: str) -> tuple[str, ...]:
        """Return who races in a phase; nobody where it is not raced for."""
        return self.names.get(phase.lower(), ())

    def run(
        self, context: CycleContext, tries: Sequence[Callable[[CycleContext], T]], wins: Callable[[T], bool]
    ) -> list[T | None]:
        """Return what became of each try; None for those that were ended because another one won. An error
        of one ends all, and is raised."""
        heat: _Heat[T] = _Heat(self.turn, wins, [None for _ in tries])
        racers = []
        for number, (seat, _) in enumerate(zip(self.seats, tries, strict=False)):
            racer, outside = seat(context), partial(heat.outside, number)
            racers.append(
                replace(
                    racer,
                    clock=LaneClock(self.turn),
                    agents=replace(racer.agents, outside=outside),
                    prover=replace(racer.prover, outside=outside),
                )
            )
        threads = [
            threading.Thread(target=heat.run, args=(number, one, racer), daemon=True)
            for number, (one, racer) in enumerate(zip(tries, racers, strict=True))
        ]
        with context.agents.outside():
            try:
                for thread in threads:
                    thread.start()
                heat.wait(threads, racers)
            finally:
                heat.over = True
                heat.wait(threads, racers)
        if heat.errors:
            raise heat.errors[0]
        return heat.results


@dataclass
class _Heat(Generic[T]):
    """One race under way."""

    turn: Turn
    wins: Callable[[T], bool]
    results: list[T | None]
    over: bool = False
    winner: int = -1
    errors: list[BaseException] = field(default_factory=list)

    def run(self, number: int, attempt: Callable[[CycleContext], T], racer: CycleContext) -> None:
        try:
            with self.turn:
                self._go_on(number)
                result = attempt(racer)
                self.results[number] = result
                if self.wins(result):
                    self.winner, self.over = number, True
        except Stopped:
            pass
        except BaseException as error:  # noqa: BLE001  raised again where the race was started
            if not self.over:  # else it was ended, and says so in its way
                self.errors.append(error)
            self.over = True

    @contextmanager
    def outside(self, number: int) -> Iterator[None]:
        """Give the turn away; Stopped at the end where another one has won meanwhile."""
        try:
            with self.turn.outside():
                yield
        finally:
            self._go_on(number)

    def wait(self, threads: Sequence[threading.Thread], racers: Sequence[CycleContext]) -> None:
        """Wait until every thread has ended; the programs of those that lost are ended."""
        while any(thread.is_alive() for thread in threads):
            for thread, racer in zip(threads, racers, strict=True):
                if thread.is_alive() and (self.over or self.turn.stopped):
                    racer.stop()
                thread.join(_LOOK)

    def _go_on(self, number: int) -> None:
        if self.over and number != self.winner:
            raise Stopped

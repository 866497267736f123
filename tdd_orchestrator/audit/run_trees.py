"""Run many trees, each once, on as many clean work trees as there are jobs.

The trees are kept for the next audit, because their set-up may be slow.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.model.errors import Refused, raise_if_of_machine
from tdd_orchestrator.model.report import Case, Report

One = TypeVar("One")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Run:
    """One tree to run, and a commit that has it."""

    tree: str
    commit: str


@dataclass(slots=True)
class Runs:
    """``provers``: one for each job. ``proofs``: the result of each tree."""

    provers: Sequence[Prover]
    say: Callable[[int, int], None] = lambda done, all_of_them: None
    proofs: dict[str, Proof] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """What was spent in test commands, the questions' included."""
        return sum(prover.spent for prover in self.provers)

    def all_of(self, runs: Iterable[Run]) -> None:
        """Run every tree that has not been run."""
        todo = list({run.tree: run for run in runs if run.tree not in self.proofs}.values())

        def prove(prover: Prover, run: Run) -> Proof:
            return prover.prove(run.commit, run.tree, suspects=_no_suspects)

        proofs = self.on_each(todo, prove, self.say)
        self.proofs.update(zip((run.tree for run in todo), proofs, strict=True))

    def on_each(
        self,
        todo: Sequence[One],
        work: Callable[[Prover, One], Result],
        say: Callable[[int, int], None] = lambda done, all_of_them: None,
    ) -> list[Result]:
        """Return what ``work`` makes of each with a prover that is free; an interrupt ends running ones at once."""
        free: SimpleQueue[Prover] = SimpleQueue()
        for prover in self.provers:
            free.put(prover)

        def one(item: One) -> Result:
            prover = free.get()
            try:
                return work(prover, item)
            finally:
                free.put(prover)

        with (
            ThreadPoolExecutor(len(self.provers), thread_name_prefix="trees") as pool,
            ExitStack() as broken_off,
        ):
            broken_off.callback(self._call_off, pool)
            waiting = [pool.submit(one, item) for item in todo]
            for number, future in enumerate(as_completed(waiting), 1):
                future.result()
                say(number, len(todo))
            broken_off.pop_all()
        return [future.result() for future in waiting]

    def _call_off(self, pool: ThreadPoolExecutor) -> None:
        """Cancel waiting runs and end running ones."""
        pool.shutdown(wait=False, cancel_futures=True)
        for prover in self.provers:
            prover.stop()

    def again(self, run: Run, suspects: Callable[[Report], Sequence[Case]]) -> Proof:
        """Run the tree once more and repeat unexpected failures, to tell flaky from not proven (E4)."""
        proof = self.provers[0].prove(run.commit, run.tree, suspects=suspects)
        self.proofs[run.tree] = proof
        return proof


def _no_suspects(_: Report) -> Sequence[Case]:
    return ()


_MOST = 256


@contextmanager
def slots(folder: Path, wanted: int, best: Callable[[Path], bool] = lambda _: False) -> Iterator[list[Path]]:
    """Yield ``wanted`` free folders below ``folder``, locked until the end, the ``best`` first.

    The lock lies beside a folder ``NAME``; its logs (``NAME.logs``) are removed at the end.
    """
    with ExitStack() as stack:
        found: list[Path] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for number in sorted(range(1, _MOST + 1), key=lambda one: not best(folder / str(one))):
                if len(found) == wanted:
                    break
                file = stack.enter_context(open(folder / f"{number}.lock", "wb"))
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                found.append(folder / str(number))
                stack.callback(shutil.rmtree, logs(found[-1]), ignore_errors=True)
        except OSError as error:
            raise_if_of_machine(error)
            raise Refused(
                f"The folder {folder} cannot be written ({error.strerror}).",
                "Make it writable, or set TDD_STATE_DIR to a folder that is.",
            ) from error
        yield found


def logs(slot: Path) -> Path:
    """Return the folder for output and reports of the runs in a slot."""
    return slot.with_name(f"{slot.name}.logs")

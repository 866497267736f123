"""The index of one repository, brought up to date: what `tdd stats`, the reports and the dashboard read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.audit.commits import facts
from tdd_orchestrator.history.cycles import Cycle, Reader
from tdd_orchestrator.history.index import Change, Index
from tdd_orchestrator.model.errors import TddError
from tdd_orchestrator.model.plan import Item, from_authored, ordered
from tdd_orchestrator.notes.plan_ref import REF, PlanRef
from tdd_orchestrator.repo import refs

FILE = "history.sqlite3"


@dataclass
class Analytics:
    """``problems``: a sentence for each thing that could not be read at the last update; the rest is up to
    date."""

    repository: OpenRepository
    index: Index
    problems: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, repository: OpenRepository, *, at: Path | None = None) -> Analytics:
        return cls(repository, Index(at or repository.places.root / FILE))

    def close(self) -> None:
        self.index.close()

    def tips(self) -> tuple[str, str]:
        """The notes ref and the plan ref, read from files: a look that costs next to nothing."""
        git = self.repository.git
        return refs.read(git, self.repository.store.ref) or "", refs.read(git, REF) or ""

    def update(self) -> Change:
        """Add what was written since. A plan that cannot be read is a problem, not an error."""
        problems: list[str] = []
        plan_tip = refs.read(self.repository.git, REF) or ""
        try:
            change = self.index.update(self.repository.store, plan_tip=plan_tip, items=self.items)
        except TddError as error:
            problems.append(str(error))
            change = self.index.update(self.repository.store)
        damaged = self.index.select("SELECT on_commit, why, newer FROM damaged LIMIT 3")
        problems += [_damage(row["on_commit"], row["why"], bool(row["newer"])) for row in damaged]
        self.problems = tuple(problems)
        return change

    @property
    def reader(self) -> Reader:
        repository = self.repository
        return Reader(self.index, repository.store, repository.git, repository.objects)

    def cycles(self, wanted: str = "") -> list[Cycle]:
        """All cycles, oldest first; or the one with this id or number; or those of a range of commits.

        Refused where git does not know the range either.
        """
        reader = self.reader
        if not wanted:
            ids = [
                row["cycle_id"] for row in self.index.select("SELECT cycle_id FROM cycles ORDER BY started")
            ]
        elif one := reader.cycle(wanted):
            return [one]
        else:
            ids = self._of_commits(wanted)
        return [cycle for one in ids if (cycle := reader.cycle(one)) is not None]

    def _of_commits(self, wanted: str) -> list[str]:
        """The cycles of a range: named by the commits' trailers, or by records on the commits."""
        commits = facts(self.repository.git, wanted)
        named = {cycle for commit in commits for cycle in commit.cycles}
        on = "SELECT DISTINCT cycle_id FROM records WHERE on_commit = :commit AND kind = 'handoff'"
        for commit in commits:
            named |= {row["cycle_id"] for row in self.index.select(on, {"commit": commit.oid})}
        rows = self.index.select("SELECT cycle_id FROM cycles ORDER BY started")
        return [row["cycle_id"] for row in rows if row["cycle_id"] in named]

    def items(self) -> list[Item]:
        """The plan as people wrote it, in order, without statuses."""
        stored = PlanRef(self.repository.git, self.repository.objects).load()
        return list(ordered([from_authored(data) for data in stored]).items)


def _damage(commit: str, why: str, newer: bool) -> str:
    if newer:
        return (
            f"The note of {commit[:12]} was written by a later version of tdd; install that version to "
            "read it."
        )
    return (
        f"The note of {commit[:12]} has a line that cannot be read ({why}); `tdd verify --no-replay` "
        "says more."
    )

"""Find where each accepted phase stands in the history, and which trees to run for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tdd_orchestrator.audit.audit_log import Trail
from tdd_orchestrator.audit.commits import Facts, Range, Step, accepted, cycle_of
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.audit.run_trees import Run
from tdd_orchestrator.cycle.attempt.candidate import changes_between
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.model.phase import AFTER_THE_CODE, Phase
from tdd_orchestrator.notes.codec import Record
from tdd_orchestrator.workspace.guard import Change


@dataclass(frozen=True, slots=True)
class Place:
    """A step with the commit before it, and the RED and GREEN that it builds on."""

    step: Step
    before: Facts
    red: Step | None = None
    green: Step | None = None
    changes: tuple[Change, ...] = ()


@dataclass(slots=True)
class ReplayPlan:
    """Finds each step's place; steps without one become ``findings``. Runs nothing."""

    context: CycleContext
    trail: Trail
    range: Range
    findings: list[Finding] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)

    def steps(self) -> list[Step]:
        """Return every step of the range with a place, including those before a squash."""
        found = [*self.range.steps.values()]
        for commit, record in self.range.squashed.items():
            found += self._originals(commit, record)
        for step in found:
            self._place(step)
        return [step for step in found if step.commit.oid in self.places]

    def _place(self, step: Step) -> Place | None:
        """Return the step's place; None, and a finding, if it does not follow the phase before it."""
        oid = step.commit.oid
        if oid in self.places:
            return self.places[oid]
        parents = step.commit.parents
        if not parents:
            self._out_of_place(step, "it has no commit before it")
            return None
        before = self.facts(parents[0])
        if step.phase is Phase.RED:
            changes = changes_between(self.context.repo, before.tree, step.commit.tree)
            self.places[oid] = Place(step, before, changes=changes)
            return self.places[oid]
        wanted = Phase.RED if step.phase is Phase.GREEN else Phase.GREEN
        below = self._step_at(before, step.cycle)
        if below is None or below.phase is not wanted:
            self._out_of_place(step, f"the commit before it is not the {wanted} of its cycle")
            return None
        under = self._place(below)
        if under is None:
            self._out_of_place(step, f"the {wanted} before it cannot be placed")
            return None
        changes = changes_between(self.context.repo, before.tree, step.commit.tree)
        red = below if wanted is Phase.RED else under.red
        green = below if wanted is Phase.GREEN else None
        self.places[oid] = Place(step, before, red, green, changes)
        return self.places[oid]

    def _out_of_place(self, step: Step, why: str) -> None:
        what = f"{step.phase} {step.commit.oid[:12]} ({step.commit.subject[:60]}): {why}."
        self.findings.append(Finding("out-of-place", what, step.commit.oid, step.id))

    def facts(self, oid: str) -> Facts:
        commit = self.context.repo.objects.read_commit(oid)
        return Facts(oid, commit.parents, commit.tree, commit.message.partition("\n")[0])

    def _step_at(self, commit: Facts, cycle: str) -> Step | None:
        """Return that cycle's step at a commit, also before the range."""
        step = self.range.steps.get(commit.oid)
        if step is not None and step.cycle == cycle:
            return step
        own = [r for r in accepted(self.trail.of(commit.oid)) if cycle_of(r) == cycle]
        return Step(commit, commit.oid, own[-1]["id"], "commit", self.trail) if own else None

    def _originals(self, squash: str, last: Record) -> list[Step]:
        """Return the commits that were squashed into one, which are still stored.

        If every commit must have its record, they lead from the files before the squash to those after
        it.
        """
        found: list[Step] = []
        oid, cycle, into = str(last.get("candidate") or last.get("tip")), cycle_of(last), self.facts(squash)
        first_tree, why = self._tree_before(into), ""
        while not why:
            try:
                commit = self.facts(oid)
            except StoreDamaged:
                what = (
                    f"{squash[:12]} was squashed from {oid[:12]}, which is missing: `tdd sync` may bring it."
                )
                self.findings.append(Finding("missing-commit", what, squash))
                return found[::-1]
            own = [r for r in accepted(self.trail.of(oid)) if cycle in ("", cycle_of(r))]
            if not own:
                why = f"{oid[:12]}, on which it stands or from which it was made, is no accepted phase"
            elif not found and commit.tree != into.tree:
                why = f"it has not the files of {oid[:12]}, from which it was made"
            else:
                found.append(Step(commit, oid, own[-1]["id"], "squash", self.trail))
                cycle = cycle_of(own[-1])
                if own[-1]["phase"] == Phase.RED:
                    if not self.range.require_all or self._tree_before(commit) == first_tree:
                        break
                    cycle = ""  # another cycle may have been squashed along
                oid = (commit.parents or ("",))[0]
        if why:
            self.findings.append(
                Finding("out-of-place", f"{squash[:12]} ({into.subject[:60]}): {why}.", squash)
            )
        return found[::-1]

    def _tree_before(self, commit: Facts) -> str:
        return self.facts(commit.parents[0]).tree if commit.parents else ""

    def needed(self) -> list[Run]:
        runs = {}
        for place in self.places.values():
            runs[place.step.commit.tree] = Run(place.step.commit.tree, place.step.commit.oid)
        for place in self.places.values():
            if place.step.phase is Phase.RED and place.before.tree not in runs:
                runs[place.before.tree] = self._run_of(place.before)
        for commit, _ in self.range.fixes.values():
            for one in (commit, *map(self.facts, commit.parents[:1])):
                runs.setdefault(one.tree, self._run_of(one))
        return list(runs.values())

    def _run_of(self, commit: Facts) -> Run:
        return Run(commit.tree, commit.oid)

    def known_good_runs(self) -> list[Run]:
        """Return the commits of the range that a record calls green as a whole."""
        return [
            self._run_of(commit)
            for commit in self.range.commits
            if any(record.get("known_good") is True for record in self.trail.of(commit.oid))
        ]

    def alone(self) -> None:
        """Report REDs whose GREEN is not in the range."""
        green = {place.red.commit.oid for place in self.places.values() if place.red is not None}
        for place in self.places.values():
            oid = place.step.commit.oid
            later = place.step.record.verdict not in AFTER_THE_CODE
            if place.step.phase is Phase.RED and later and oid not in green:
                what = (
                    f"RED {oid[:12]} ({place.step.commit.subject[:60]}): the GREEN of its cycle is not "
                    "in the range."
                )
                self.findings.append(Finding("red-alone", what, oid))

"""Replay the audit log: run every accepted phase of a range in clean trees, and judge it again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from tdd_orchestrator.agents.agent import AgentStatus, Reply
from tdd_orchestrator.audit.audit_log import Trail
from tdd_orchestrator.audit.commits import Range, Step, cycle_of
from tdd_orchestrator.audit.findings import CommitResult, Finding, counted, recorded
from tdd_orchestrator.audit.fixes import replay_fix
from tdd_orchestrator.audit.replay_plan import Place, ReplayPlan
from tdd_orchestrator.audit.run_trees import Run, Runs
from tdd_orchestrator.cycle.attempt import judge
from tdd_orchestrator.cycle.attempt.candidate import Candidate, paths_of, rules_at
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.counterfactual.answers import listed
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.model import records as model
from tdd_orchestrator.model.parts import TestEvidence
from tdd_orchestrator.model.phase import COMMITTED, Phase, Verdict
from tdd_orchestrator.model.reading import read
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.workspace.guard import check, is_shared

_LISTED = 200  # targets listed in a record
_SHOWN_EVERY = 5.0  # seconds between two lines on how far it is


@dataclass(slots=True)
class Replay:
    """``context``: what the gates judge with; its trees are never moved, and nothing is written."""

    context: CycleContext
    runs: Runs
    trail: Trail
    range: Range
    listed: Mapping[str, frozenset[str]]  # cycle -> failures known before it
    findings: list[Finding] = field(default_factory=list)
    _placing: ReplayPlan = field(init=False)
    _reds: dict[str, Judgement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._placing = ReplayPlan(self.context, self.trail, self.range, self.findings)

    @property
    def _places(self) -> dict[str, Place]:
        return self._placing.places

    def seen(self) -> list[CommitResult]:
        """Return the rows of every accepted phase, fix and known-good commit of the range."""
        steps, good = self._placing.steps(), self._placing.known_good_runs()
        self.runs.all_of([*self._placing.needed(), *good])
        rows = [self._judged(self._places[step.commit.oid]) for step in self._counted(steps)]
        for commit, record in self.range.fixes.values():
            before = self._placing.facts(commit.parents[0]) if commit.parents else commit
            unwatched = replace(self.context, watch=_Unwatched())
            row, found = replay_fix(unwatched, self.runs, before, commit, record)
            rows.append(row)
            self.findings += found
        judged = {row.commit for row in rows if row.phase != Phase.RED}
        rows += [self._good(run) for run in good if run.commit not in judged]
        self._placing.alone()
        return rows

    def _counted(self, steps: list[Step]) -> Iterator[Step]:
        """The steps; from time to time, how far their questions are is shown."""
        shown = -_SHOWN_EVERY
        for number, step in enumerate(steps, 1):
            if number == len(steps) or time.monotonic() - shown >= _SHOWN_EVERY:
                shown = time.monotonic()
                self.context.watch.doing(
                    f"judging again, with its questions: {number} of {len(steps)} commits"
                )
            yield step

    def _judged(self, place: Place) -> CommitResult:
        step, record = place.step, place.step.record
        judged = self._judgement(place)
        seen = self.runs.proofs[step.commit.tree].report
        if judged.verdict not in COMMITTED and (seen.failing or seen.build_error):
            judged = self._judgement(place, again=True)
        missing = self._other_targets(step, judged) if judged.verdict in COMMITTED else ()
        ok = judged.verdict in COMMITTED and not missing
        if not ok:
            why = "; ".join((*missing, *judged.reasons)[:3]) or str(judged.verdict)
            what = f"{step.phase} {step.commit.oid[:12]} ({step.commit.subject[:60]}) is not proven"
            ok = self._is_proven_together(place)
            rule = "proven-together" if ok else "not-proven"
            by_itself = f" by itself, but with {record.together[:12]}, as recorded" if ok else ""
            self.findings.append(
                Finding(rule, f"{what}{by_itself}: {judged.verdict}: {why}", step.commit.oid, record.id)
            )
        return CommitResult(
            step.commit.oid,
            step.commit.subject,
            step.cycle,
            record.cycle_number,
            record.item,
            str(step.phase),
            step.how,
            recorded(record),
            f"{judged.verdict}: {counted(self.runs.proofs[step.commit.tree].report)}{_removed(judged)}",
            ok,
            (*missing, *judged.reasons),
            record.id,
            listed(judged.asked),
        )

    def _is_proven_together(self, place: Place) -> bool:
        """Return whether what the record says of a commit that landed together with others is seen again: the suite
        succeeds on the last of them with this cycle's tests, and without its code these fail."""
        step, last = place.step, self._places.get(place.step.record.together)
        if last is None or not self.context.repo.git.holds(last.step.commit.oid, step.commit.oid):
            return False
        at_last = self.runs.proofs[last.step.commit.tree]
        targets = frozenset((place.red or step).record.tests.target_tests)
        if not _is_green(at_last, self._known(step.cycle)) or not targets <= at_last.report.passing_ids:
            return False
        return (
            step.phase is not Phase.RED or not targets & self.runs.proofs[step.commit.tree].report.passing_ids
        )

    def _judgement(self, place: Place, *, again: bool = False) -> Judgement:
        """Return the judge's verdict on the step now.

        ``again``: run its tree once more and repeat unexpected failures, to tell flaky from not proven
        (E4).
        """
        step = place.step
        red = self._places[place.red.commit.oid] if place.red else place
        baseline = self.runs.proofs[red.before.tree]
        known = self._known(step.cycle)
        if not _is_green(baseline, known) and baseline.report.failing:
            baseline = self.runs.again(Run(red.before.tree, red.before.oid), lambda run: run.failing)
        if not _is_green(baseline, known):
            what = f"the suite before the cycle is not green: {counted(baseline.report)}"
            return Judgement(Verdict.UNREADABLE, (what,))
        context = replace(
            self.context,
            prover=_remembering(self.runs, step.commit.tree if again else ""),
            run=replace(self.context.run, records=_records(baseline, place)),
            watch=_Unwatched(),
        )
        candidate = Candidate(
            step.commit.tree, step.commit.oid, place.changes, self._violations(place), own=bool(place.changes)
        )
        failing = frozenset(case.id for case in baseline.report.failing)
        state = replace(
            _state(place, red), known_failing=tuple(sorted(failing)), targets=self._targets(place)
        )
        judged, _ = judge.judge(context, state, candidate, _NO_AGENT)
        if step.phase is Phase.RED:
            self._reds[step.commit.oid] = judged
        return judged

    def _targets(self, place: Place) -> tuple[str, ...]:
        """Return RED's targets, both recorded and seen."""
        if place.red is None:
            return ()
        if place.red.commit.oid not in self._reds:
            self._judgement(self._places[place.red.commit.oid])
        seen = self._reds.get(place.red.commit.oid)
        recorded = place.red.record.tests.target_tests
        return tuple(dict.fromkeys((*recorded, *(seen.targets if seen else ()))))

    def _other_targets(self, step: Step, judged: Judgement) -> tuple[str, ...]:
        """Return sentences on targets that were recorded and do not fail now, or the reverse."""
        record = step.record
        recorded = set(record.tests.target_tests)
        if step.phase is not Phase.RED or not judged.targets:
            return ()
        missing = sorted(recorded - set(judged.targets))
        more = sorted(set(judged.targets) - recorded) if len(recorded) < _LISTED else []
        unsaid = sorted(set(judged.removed) - set(record.removed_tests))
        return (
            *(f"{test} was removed, and the record does not say so" for test in unsaid[:3]),
            *(
                f"{target} was recorded as failing, and is not among the new failing tests"
                for target in missing[:3]
            ),
            *(f"{target} fails and was not recorded" for target in more[:3]),
        )

    def _violations(self, place: Place) -> tuple[tuple[str, str], ...]:
        phase, rules = place.step.phase, rules_at(self.context, place.before.oid, place.changes)
        known = frozenset(paths_of(self.context.repo, place.before.oid))
        found = [(one.path, one.why) for one in check(phase, place.changes, rules, known=known)]
        frozen = {c.path for c in self._places[place.red.commit.oid].changes} if place.red else frozenset()
        named = {path for path, _ in found}
        free = phase is Phase.REFACTOR and rules.refactor_tests
        found += [
            (change.path, "RED committed it, and it stays as it is")
            for change in place.changes
            if change.path in frozen
            and change.path not in named
            and not free
            and not is_shared(change, rules)
        ]
        return tuple(found)

    def _known(self, cycle: str) -> frozenset[str]:
        """Return the failures known when the cycle began, which may still occur in the run."""
        return self.context.settings.known_failing | self.listed.get(cycle, frozenset())

    def _good(self, run: Run) -> CommitResult:
        """Return the row of a commit recorded as known-good that no phase proved."""
        proof = self.runs.proofs[run.tree]
        known = self.context.settings.known_failing
        if _is_green(proof, known) is False and proof.report.failing:
            proof = self.runs.again(run, lambda report: report.failing)
        ok = _is_green(proof, known)
        commit = self._placing.facts(run.commit)
        stored = [one for one in self.trail.of(run.commit) if one.get("known_good") is True][-1]
        record = read(stored)
        seen = counted(proof.report)
        if not ok:
            what = (
                f"{run.commit[:12]} ({commit.subject[:60]}) is recorded as known-good, and its suite "
                f"is not green: {seen}."
            )
            self.findings.append(Finding("not-good", what, run.commit, record.id))
        return CommitResult(
            run.commit,
            commit.subject,
            cycle_of(stored),
            record.cycle_number,
            record.item,
            "KNOWN-GOOD",
            "commit",
            seen if ok else "the suite is green",
            seen,
            ok,
            record=record.id,
        )


@dataclass(slots=True)
class _Remembering(Prover):
    """A prover that returns the run just made for a recorded one, and reads no notes."""

    proofs: dict[str, Proof] = field(default_factory=dict)
    anew: str = ""  # a tree to run once more

    def recorded(self, tree_oid: str, records: Iterable[model.Record]) -> Proof | None:
        return None if tree_oid == self.anew else self.proofs.get(tree_oid)

    def prove(self, commit: str, tree_oid: str, **how: Any) -> Proof:
        proof = Prover.prove(self, commit, tree_oid, **how)
        self.proofs[tree_oid] = proof
        return proof


def _remembering(runs: Runs, anew: str) -> _Remembering:
    own = {one.name: getattr(runs.provers[0], one.name) for one in fields(Prover)}
    return _Remembering(**own, proofs=runs.proofs, anew=anew)


class _Unwatched:
    """A watcher that shows nothing: the tests have been run already."""

    def doing(self, what: str, *, begins: bool = True) -> None: ...

    def working(self, progress: object) -> None: ...

    def done(self, what: str, good: bool) -> None: ...

    def note(self, what: str) -> None: ...


_NO_AGENT = Reply("nobody", AgentStatus.SUCCESS)
"""No agent worked: only the commit is judged."""


def _records(baseline: Proof, place: Place) -> list[model.Record]:
    """Return the cycle's records that the judge reads, with the runs of now."""
    found: list[model.Record] = [model.CycleStarted(baseline_tests=TestEvidence(tree=baseline.tree))]
    for step in filter(None, (place.red, place.green)):
        found.append(model.Handoff(phase=step.phase, tests=TestEvidence(tree=step.commit.tree)))
    return found


def _removed(judged: Judgement) -> str:
    """Return the tests that a RED removes, by name."""
    return f"; removes {', '.join(judged.removed)}" if judged.removed else ""


def _is_green(proof: Proof, known: frozenset[str]) -> bool:
    report = proof.report
    if report.verdict in (RunVerdict.PASSED, RunVerdict.NO_TESTS):
        return True
    failing = {case.id for case in report.failing}
    return report.verdict is RunVerdict.FAILED and report.complete and failing <= known | proof.flaky


def _state(place: Place, red: Place) -> CycleState:
    record = place.step.record
    return CycleState(
        cycle_id=place.step.cycle,
        number=record.cycle_number,
        item_id=record.item_id,
        item=record.item,
        branch=record.branch,
        base=red.before.oid,
        tip=place.before.oid,
        phase=place.step.phase,
        red=place.red.commit.oid if place.red else "",
        green=place.green.commit.oid if place.green else "",
        mutant=record.mutants[0].mutant if place.step.phase is Phase.RED and record.mutants else None,
        outer=record.outer,
    )

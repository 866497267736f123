"""The trail seen again: every accepted phase of a range is run in clean trees and judged by the cycle's own gates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from tdd_orchestrator.audit.commits import Facts, Range, Step, accepted, cycle_of
from tdd_orchestrator.audit.findings import Finding
from tdd_orchestrator.audit.running import Run, Runs
from tdd_orchestrator.audit.trail import Trail
from tdd_orchestrator.cycle import beginning, judging
from tdd_orchestrator.cycle.candidate import Candidate, _altered, changes_between, paths_of
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.prove import Proof, Prover
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.errors import Refused, StoreDamaged
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.report import Case, Report, RunVerdict
from tdd_orchestrator.notes.codec import Record
from tdd_orchestrator.workspace.guard import Change, check, is_test

_LISTED = 200  # targets that a record lists


@dataclass(frozen=True, slots=True)
class Seen:
    """One row of the answer: what was recorded of a commit, what was seen now, and whether it holds."""

    commit: str
    subject: str
    cycle_id: str
    cycle_number: int
    item: str
    phase: str  # RED, GREEN, REFACTOR, or KNOWN-GOOD
    how: str  # commit, carried, tree, patch, squash: by what the record was found
    recorded: str
    seen: str
    ok: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """A step among its neighbours: the commit before it, and the RED and GREEN that it stands on."""

    step: Step
    before: Facts
    red: Step | None = None
    green: Step | None = None
    changes: tuple[Change, ...] = ()
    near: tuple[str, ...] = ()


@dataclass(slots=True)
class Replay:
    """``shop`` is what the gates judge with; its trees are never moved, and nothing is written."""

    shop: Workshop
    runs: Runs
    trail: Trail
    range: Range
    findings: list[Finding] = field(default_factory=list)
    _places: dict[str, _Place] = field(default_factory=dict)
    _reds: dict[str, Judgement] = field(default_factory=dict)

    def seen(self) -> list[Seen]:
        """Every accepted phase of the range, and every commit that is said to be known-good."""
        steps = [*self.range.steps.values()]
        for commit, record in self.range.squashed.items():
            steps += self._originals(commit, record)
        for step in steps:
            self._place(step)
        good = self._said_good()
        self.runs.all_of([*self._needed(), *good])
        rows = [
            self._judged(self._places[step.commit.oid]) for step in steps if step.commit.oid in self._places
        ]
        judged = {row.commit for row in rows if row.phase != Phase.RED}
        rows += [self._good(run) for run in good if run.commit not in judged]
        self._alone()
        return rows

    # where each step stands

    def _place(self, step: Step) -> _Place | None:
        """The step with what it stands on; None, and a finding, where it does not stand on the phase before it."""
        oid = step.commit.oid
        if oid in self._places:
            return self._places[oid]
        parents = step.commit.parents
        if not parents:
            self._out_of_place(step, "it has no commit before it")
            return None
        before = self._facts(parents[0])
        if step.phase is Phase.RED:
            changes = changes_between(self.shop, before.tree, step.commit.tree)
            near = tuple(c.path for c in changes if c.after is not None and is_test(c.path, self.shop.rules))
            self._places[oid] = _Place(step, before, changes=changes, near=near)
            return self._places[oid]
        wanted = Phase.RED if step.phase is Phase.GREEN else Phase.GREEN
        below = self._step_at(before, step.cycle)
        if below is None or below.phase is not wanted:
            self._out_of_place(step, f"the commit before it is not the {wanted} of its cycle")
            return None
        under = self._place(below)
        if under is None:
            self._out_of_place(step, f"the {wanted} before it cannot be placed")
            return None
        changes = changes_between(self.shop, before.tree, step.commit.tree)
        red = below if wanted is Phase.RED else under.red
        green = below if wanted is Phase.GREEN else None
        self._places[oid] = _Place(step, before, red, green, changes, under.near)
        return self._places[oid]

    def _out_of_place(self, step: Step, why: str) -> None:
        what = f"{step.phase} {step.commit.oid[:12]} ({step.commit.subject[:60]}): {why}."
        self.findings.append(Finding("out-of-place", what, step.commit.oid, str(step.record["id"])))

    def _facts(self, oid: str) -> Facts:
        commit = self.shop.objects.read_commit(oid)
        return Facts(oid, commit.parents, commit.tree, commit.message.partition("\n")[0])

    def _step_at(self, commit: Facts, cycle: str) -> Step | None:
        """The step of that cycle at a commit, also one before the range."""
        step = self.range.steps.get(commit.oid)
        if step is not None and step.cycle == cycle:
            return step
        own = [r for r in accepted(self.trail.by_commit.get(commit.oid, ())) if cycle_of(r) == cycle]
        return Step(commit, own[-1], "commit") if own else None

    def _originals(self, squash: str, last: Record) -> list[Step]:
        """The commits that were squashed into one: they are kept, and are what can be seen again."""
        found: list[Step] = []
        oid, cycle = str(last.get("candidate") or last.get("tip")), cycle_of(last)
        while True:
            try:
                commit = self._facts(oid)
            except StoreDamaged:
                what = (
                    f"{squash[:12]} was squashed from {oid[:12]}, which is missing: `tdd sync` may bring it."
                )
                self.findings.append(Finding("missing-commit", what, squash))
                return found
            own = [r for r in accepted(self.trail.by_commit.get(oid, ())) if cycle_of(r) == cycle]
            if not own:
                return found[::-1]
            found.append(Step(commit, own[-1], "squash"))
            if own[-1]["phase"] == Phase.RED or not commit.parents:
                return found[::-1]
            oid = commit.parents[0]

    # what must be run

    def _needed(self) -> list[Run]:
        runs = {}
        for place in self._places.values():
            runs[place.step.commit.tree] = Run(place.step.commit.tree, place.step.commit.oid, place.near)
        for place in self._places.values():
            if place.step.phase is Phase.RED and place.before.tree not in runs:
                runs[place.before.tree] = self._run_of(place.before)
        return list(runs.values())

    def _run_of(self, commit: Facts) -> Run:
        beside = (path for path in paths_of(self.shop, commit.oid) if is_test(path, self.shop.rules))
        return Run(commit.tree, commit.oid, tuple(path for path, _ in zip(beside, range(1), strict=False)))

    def _said_good(self) -> list[Run]:
        """Commits of the range of which a record says that the whole suite is green."""
        return [
            self._run_of(commit)
            for commit in self.range.commits
            if any(record.get("known_good") is True for record in self.trail.by_commit.get(commit.oid, ()))
        ]

    # judging

    def _judged(self, place: _Place) -> Seen:
        step = place.step
        proof = self.runs.proofs[step.commit.tree]
        judged = self._judgement(place, proof)
        if judged.verdict is not Verdict.PROVEN and proof.report.failing:
            proof = self.runs.again(Run(step.commit.tree, step.commit.oid, place.near), self._suspects(place))
            judged = self._judgement(place, proof)
        record = step.record
        reasons = judged.reasons
        missing = self._other_targets(step, judged) if judged.verdict is Verdict.PROVEN else ()
        ok = judged.verdict is Verdict.PROVEN and not missing
        if not ok:
            why = "; ".join((*missing, *reasons)[:3]) or str(judged.verdict)
            what = f"{step.phase} {step.commit.oid[:12]} ({step.commit.subject[:60]}) is not proven: {judged.verdict}: {why}"
            self.findings.append(Finding("not-proven", what, step.commit.oid, str(record["id"])))
        return Seen(
            step.commit.oid, step.commit.subject, step.cycle, int(record.get("cycle_number") or 0),
            str(record.get("item", "")), str(step.phase), step.how, _recorded(record), _told(judged, proof.report),
            ok, (*missing, *reasons),
        )  # fmt: skip

    def _judgement(self, place: _Place, proof: Proof) -> Judgement:
        """What the cycle's own gate says of the step now."""
        red = place.step if place.red is None else place.red
        base = self._places[red.commit.oid].before
        baseline = self.runs.proofs[base.tree]
        known = self._known(place.step.cycle)
        shop = replace(self.shop, settings=replace(self.shop.settings, known_failing=known))
        try:
            failing = beginning._judged(shop, baseline)
        except Refused as refused:
            return Judgement(Verdict.UNREADABLE, (f"before the cycle: {refused.what}",))
        evidence = Evidence(
            baseline=baseline.report,
            now=proof.report,
            changed=bool(place.changes),
            violations=self._violations(place),
            control=judging._control(proof),
            targets=self._targets(place),
            flaky=proof.flaky,
            ignore=failing,
        )
        if place.green is not None:
            shop = replace(shop, prover=_remembering(self.runs), records=[_as_it_is(place.green)])
        candidate = Candidate(place.step.commit.tree, place.step.commit.oid, place.changes)
        judged = judging._GATES[place.step.phase](shop, _state(place), evidence, candidate)
        if place.step.phase is Phase.RED:
            self._reds[place.step.commit.oid] = judged
        return judged

    def _targets(self, place: _Place) -> tuple[str, ...]:
        """RED's targets: as recorded, and as seen."""
        if place.red is None:
            return ()
        if place.red.commit.oid not in self._reds:
            under = self._places[place.red.commit.oid]
            self._judgement(under, self.runs.proofs[under.step.commit.tree])
        seen = self._reds.get(place.red.commit.oid)
        recorded = tuple((place.red.record.get("tests") or {}).get("target_tests", ()))
        return tuple(dict.fromkeys((*recorded, *(seen.targets if seen else ()))))

    def _other_targets(self, step: Step, judged: Judgement) -> tuple[str, ...]:
        """Targets that RED recorded and that do not fail now, or the other way round."""
        recorded = set((step.record.get("tests") or {}).get("target_tests", ()))
        if step.phase is not Phase.RED or not judged.targets:
            return ()
        gone = sorted(recorded - set(judged.targets))
        more = sorted(set(judged.targets) - recorded) if len(recorded) < _LISTED else []
        return (
            *(
                f"{target} was recorded as failing, and is not among the new failing tests"
                for target in gone[:3]
            ),
            *(f"{target} fails and was not recorded" for target in more[:3]),
        )

    def _violations(self, place: _Place) -> tuple[tuple[str, str], ...]:
        phase, rules = place.step.phase, self.shop.rules
        known = frozenset(paths_of(self.shop, place.before.oid))
        found = [
            (one.path, one.why)
            for one in check(phase, place.changes, rules, added_only=_altered, known=known)
        ]
        frozen = {c.path for c in self._places[place.red.commit.oid].changes} if place.red else frozenset()
        named = {path for path, _ in found}
        free = phase is Phase.REFACTOR and rules.refactor_tests
        found += [
            (change.path, "RED committed it, and it stays as it is")
            for change in place.changes
            if change.path in frozen and change.path not in named and not free
        ]
        return tuple(found)

    def _known(self, cycle: str) -> frozenset[str]:
        """Failures that the user knew of when the cycle began; they are looked for in the run all the same."""
        recorded = {
            str(test)
            for records in self.trail.by_commit.values()
            for record in records
            if record["kind"] in ("cycle_started", "rebased") and cycle_of(record) == cycle
            for test in record.get("known_failing") or ()
        }
        return self.shop.settings.known_failing | recorded

    def _suspects(self, place: _Place) -> Callable[[Report], Sequence[Case]]:
        targets = frozenset(self._targets(place))

        def suspects(report: Report) -> Sequence[Case]:
            return [case for case in report.failing if case.id not in targets]

        return suspects

    def _good(self, run: Run) -> Seen:
        """A commit that is said to be known-good, and is nothing that a phase proved."""
        proof = self.runs.proofs[run.tree]
        known = self.shop.settings.known_failing
        if _is_green(proof, known) is False and proof.report.failing:
            proof = self.runs.again(run, lambda report: report.failing)
        ok = _is_green(proof, known)
        commit = self._facts(run.commit)
        said = [r for r in self.trail.by_commit[run.commit] if r.get("known_good") is True]
        seen = _counted(proof.report) if proof.control is not False else "a test that must fail did not fail"
        if not ok:
            what = f"{run.commit[:12]} ({commit.subject[:60]}) is recorded as known-good, and its suite is not green: {seen}."
            self.findings.append(Finding("not-good", what, run.commit, str(said[-1]["id"])))
        return Seen(
            run.commit, commit.subject, cycle_of(said[-1]), int(said[-1].get("cycle_number") or 0),
            str(said[-1].get("item", "")), "KNOWN-GOOD", "commit", "the suite is green", seen, ok,
        )  # fmt: skip

    def _alone(self) -> None:
        """REDs whose GREEN is not in the range."""
        green = {place.red.commit.oid for place in self._places.values() if place.red is not None}
        for place in self._places.values():
            if place.step.phase is Phase.RED and place.step.commit.oid not in green:
                oid = place.step.commit.oid
                what = f"RED {oid[:12]} ({place.step.commit.subject[:60]}): the GREEN of its cycle is not in the range."
                self.findings.append(Finding("red-alone", what, oid))


@dataclass(slots=True)
class _Remembering(Prover):
    """Asked for a recorded run, it answers with the run that was just made: nothing is taken from the notes."""

    proofs: Mapping[str, Proof] = field(default_factory=dict)

    def recorded(self, tree_oid: str, records: Iterable[Mapping[str, Any]]) -> Proof | None:
        return self.proofs.get(tree_oid)


def _remembering(runs: Runs) -> _Remembering:
    known = {one.name: getattr(runs.provers[0], one.name) for one in fields(Prover)}
    return _Remembering(**known, proofs=runs.proofs)


def _as_it_is(step: Step) -> Record:
    """The record of a step, about the tree that its commit has now."""
    return {**step.record, "tests": {**(step.record.get("tests") or {}), "tree": step.commit.tree}}


def _is_green(proof: Proof, known: frozenset[str]) -> bool:
    report = proof.report
    if proof.control is False:
        return False
    if report.verdict in (RunVerdict.PASSED, RunVerdict.NO_TESTS):
        return True
    failing = {case.id for case in report.failing}
    return report.verdict is RunVerdict.FAILED and report.complete and failing <= known | proof.flaky


def _state(place: _Place) -> CycleState:
    record = place.step.record
    return CycleState(
        cycle_id=place.step.cycle,
        number=int(record.get("cycle_number") or 0),
        item_id=str(record.get("item_id", "")),
        item=str(record.get("item", "")),
        branch=str(record.get("branch", "")),
        base=place.before.oid,
        tip=place.before.oid,
        phase=Phase.RED,
    )


def _recorded(record: Record) -> str:
    counts = (record.get("tests") or {}).get("counts") or {}
    told = [f"{value} {name}" for name, value in counts.items() if value]
    return f"{record.get('verdict')}: {', '.join(told) or (record.get('tests') or {}).get('run_verdict', '')}"


def _told(judged: Judgement, report: Report) -> str:
    return f"{judged.verdict}: {_counted(report)}"


def _counted(report: Report) -> str:
    if report.counts is None or not report.counts.total:
        return str(report.verdict)
    counts = report.counts
    names = ("passed", "failed", "errors", "skipped", "xfailed", "xpassed")
    return ", ".join(f"{getattr(counts, name)} {name}" for name in names if getattr(counts, name))

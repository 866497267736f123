"""Cycles that are ready to land are proven together on the branch as it is now, and land by one fast-forward.

    head <── RED 1 <── GREEN 1 <── RED 2 <── GREEN 2
             fails                 fails     the whole suite, with the tests of both cycles

Each RED is run where it will stand. The code of all is proven by one run, of the last commit: every record names
that commit as ``together``. So a commit in the middle counts only where the last one lands, which is why a cycle that
was moved together with others and did not land with them is proven again (see ``ending.land``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import tree_of
from tdd_orchestrator.cycle.attempt.judge import edits_of_red, ignored, tests_at
from tdd_orchestrator.cycle.context import CycleContext, Settings
from tdd_orchestrator.cycle.gates import Evidence
from tdd_orchestrator.cycle.landing.reproof import Moved, accept_moved, phase_of, run_moved
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.rebase import LandingConflict, rebased
from tdd_orchestrator.cycle.red.test_changes import cases_of_tests
from tdd_orchestrator.cycle.start import baseline
from tdd_orchestrator.cycle.state import CycleState, place
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.parts import TestEvidence
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.records import Baseline, Landing, Rebased
from tdd_orchestrator.model.report import Report, RunVerdict
from tdd_orchestrator.repo import refs
from tdd_orchestrator.workspace import landing

_ALONE = 60.0  # seconds that a cycle's new tests may take by themselves


@dataclass(frozen=True, slots=True)
class Member:
    """A cycle at its place above the others: each of its commits -> the same change there, and RED's run."""

    context: CycleContext
    state: CycleState
    base: str
    moved: dict[str, str]
    red: Proof

    @property
    def tip(self) -> str:
        return self.moved[self.state.tip]


@dataclass(frozen=True, slots=True)
class Proven:
    """What one run of the last member's tip proved, and the run of the suite on the branch before."""

    proof: Proof
    before: TestEvidence
    known_failing: frozenset[str]


def may_join(settings: Settings, state: CycleState) -> bool:
    """Whether the cycle can be proven with others: it has a test that fails without its code, and all that is left to
    do is to land."""
    asks = settings.ask_before_landing and "before_landing" not in state.approved
    whole = bool(state.red and state.green) and state.mutant is None and not state.outer
    return whole and state.landing is None and not asks


def stacked(head: str, waiting: Sequence[tuple[CycleContext, CycleState]]) -> list[Member]:
    """Return those cycles that fit on ``head`` and on one another, in this order: the change of each applies, and its
    RED fails there."""
    members: list[Member] = []
    for context, state in waiting:
        base = members[-1].tip if members else head
        try:
            moved = rebased(context.repo, state.base, state.tip, base, state.branch)
        except LandingConflict:
            continue
        context.watch.doing(f"RED of {state.item}: proving again on {base[:12]}")
        proof = _red(context, state, moved[state.red])
        if _fails(proof.report) and not proof.report.passing_ids & frozenset(state.targets):
            members.append(Member(context, state, base, moved, proof))
    return members


def _red(context: CycleContext, state: CycleState, commit: str) -> Proof:
    """Run the files of RED's tests on its moved commit; the whole suite where they cannot be run alone, or where it is
    not they that fail."""
    edits = edits_of_red(context, state)
    tests = (*edits.added, *edits.changed)
    if tests and all(suite.framework.select for suite in context.prover.suites):
        report, _ = context.prover.run_rewritten(commit, {}, cases_of_tests(tests), _ALONE)
        if _fails(report):
            return Proof(report, tree_of(context.repo, commit), "")  # a key of no whole run
    return run_moved(context, state, Phase.RED, commit)


def _fails(report: Report) -> bool:
    return bool(report.build_error) or (report.verdict is RunVerdict.FAILED and bool(report.failing))


def prove(context: CycleContext, head: str, members: Sequence[Member]) -> Proven | None:
    """Run the whole suite on the last member's tip, and judge it for all; None where it is not proven."""
    commit = members[-1].tip
    context.watch.doing(f"proving {len(members)} cycles together on {head[:12]}")
    try:
        before, known = baseline(context, head)
    except Refused:
        return None  # said of the first of them, which is proven by itself then
    recorded = context.prover.recorded(before.tree, [Baseline(tests=before)])
    assert recorded is not None
    proof = context.prover.prove(commit, tree_of(context.repo, commit), watched=tests_at(context, commit))
    judged = gates.green(
        Evidence(
            baseline=recorded.report, now=proof.report, changed=True, flaky=proof.flaky,
            targets=tuple(target for one in members for target in one.state.targets),
            ignore=frozenset().union(*(ignored(one.context, one.state) for one in members)),
        )
    )  # fmt: skip
    if judged.verdict is not Verdict.PROVEN:
        context.watch.note(f"not proven together ({judged.verdict}): {judged.reasons[0]}")
        return None
    return Proven(proof, before, known)


def land(context: CycleContext, head: str, members: Sequence[Member], proven: Proven) -> bool:
    """Record the moved commits and move the branch to the last of them, with its files. False, and nothing is done,
    where the branch has moved meanwhile or files stand in the way.

    The cycles are not ended yet: the landing of each finds its commits on the branch.
    """
    branch, tip = members[0].state.branch, members[-1].tip
    ref, checkout = f"refs/heads/{branch}", context.repo.checkout(branch)
    if refs.read(context.repo.git, ref) != head or landing.obstacle(checkout, head, tip)[0]:
        return False
    states = [_record(one, head, tip, proven) for one in members]
    for one, state in zip(members, states, strict=True):
        record = Landing(**place(state, Phase.COMPLETE), old=head, new=tip)
        one.context.write_step(state.tip, record, f"landing: {state.item} on {branch}")
    refs.update(context.repo.git, [(ref, tip, head)], reason=f"tdd: {len(members)} cycles")
    landing.follow(checkout, head, tip)
    context.watch.note(f"{len(members)} cycles are proven together on {head[:12]}, by one run on {tip[:12]}")
    return True


def _record(member: Member, head: str, tip: str, proven: Proven) -> CycleState:
    """Record each moved commit, and that the cycle was moved; return its state."""
    context, state = member.context, replace(member.state, base=member.base)
    for old, new in member.moved.items():
        phase = phase_of(member.state, old)
        if new == tip:
            tests, good = context.prover.evidence(proven.proof, targets=state.targets), True
        elif phase is Phase.RED:
            tests, good = context.prover.evidence(member.red, targets=state.targets), False
        else:
            tests, good = TestEvidence(target_tests=list(state.targets)), None
        accept_moved(context, state, Moved(new, phase, tests, good, tip))
    record = Rebased(
        **place(state, Phase.COMPLETE, tip=member.tip), mapping=member.moved,
        baseline_tests=proven.before if member.base == head else TestEvidence(),
        known_failing=sorted(proven.known_failing), together=tip,
    )  # fmt: skip
    pins = {f"refs/tdd/attempts/{state.cycle_id}/rebased-{member.base[:12]}": member.tip}
    subject = f"rebased: {state.item} onto {member.base[:12]}, together with others"
    return context.write_step(member.tip, record, subject, pins=pins)

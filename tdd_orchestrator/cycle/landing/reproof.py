"""A rebased cycle is proven again, commit by commit: RED really fails there, GREEN and what follows really
pass."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import tree_of
from tdd_orchestrator.cycle.attempt.judge import edits_of_red, ignored, tests_at
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.gates import Evidence
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.start import baseline
from tdd_orchestrator.cycle.state import CycleState, place
from tdd_orchestrator.model.errors import NotProven
from tdd_orchestrator.model.parts import TestEvidence
from tdd_orchestrator.model.phase import TRANSITIONS, Phase, Verdict
from tdd_orchestrator.model.records import Baseline, Handoff
from tdd_orchestrator.model.report import Report, RunVerdict


def prove_again(
    context: CycleContext, state: CycleState, head: str, mapping: dict[str, str]
) -> tuple[TestEvidence, frozenset[str]]:
    """Prove every moved commit on the new base and record it there; NotProven keeps everything as it was."""
    tests, known = baseline(context, head)
    recorded = context.prover.recorded(tests.tree, [Baseline(tests=tests)])
    assert recorded is not None
    for old, new in mapping.items():
        phase = phase_of(state, old)
        context.watch.doing(f"{phase}: proving again on the moved branch")
        proof = _proven(context, state, phase, new, recorded.report)
        evidence = context.prover.evidence(proof, targets=state.targets)
        good = phase is not Phase.RED and proof.report.verdict is RunVerdict.PASSED
        accept_moved(context, replace(state, base=head), Moved(new, phase, evidence, good))
    return tests, known


def phase_of(state: CycleState, commit: str) -> Phase:
    """Return the phase that made a commit of the cycle."""
    return {state.red: Phase.RED, state.green: Phase.GREEN}.get(commit, Phase.REFACTOR)


@dataclass(frozen=True, slots=True)
class Moved:
    """A moved commit that is proven. ``known_good`` is None where the suite was not run on this very commit, but on
    ``together``."""

    commit: str
    phase: Phase
    tests: TestEvidence
    known_good: bool | None
    together: str = ""


def accept_moved(context: CycleContext, state: CycleState, moved: Moved) -> None:
    """Record that a moved commit is proven. ``state`` has the base that it was moved onto."""
    commit, phase, together = moved.commit, moved.phase, moved.together
    why = f"proven on the moved branch together with {together[:12]}" if together else ""
    handoff = Handoff(
        **place(state, phase, TRANSITIONS[phase, Verdict.PROVEN], tip=commit),
        status="accepted",
        verdict=Verdict.PROVEN,
        reasons=[why or "proven again on the moved branch"],
        known_good=bool(moved.known_good),
        tests=moved.tests,
        candidate=commit,
        tree=tree_of(context.repo, commit),
        together=together,
    )
    left_out = {"at", "id", "v", "prev", *(("known_good",) if moved.known_good is None else ())}
    data = {**handoff.model_dump(mode="json", exclude=left_out), "cycle_id": "", "rebased": state.cycle_id}
    pins = {f"refs/tdd/attempts/{state.cycle_id}/{str(phase).lower()}-on-{state.base[:12]}": commit}
    subject = f"{phase} proven again: {state.item}"
    context.repo.store.append(commit, data, subject=subject, pins=pins)


def run_moved(context: CycleContext, state: CycleState, phase: Phase, commit: str) -> Proof:
    """Run the tests on a moved commit, unless this very tree was run before."""
    tree = tree_of(context.repo, commit)
    kept = context.prover.recorded(tree, context.run.records)
    meant_to_fail = _failed_at_red(state) if phase is Phase.RED else frozenset()
    return kept or context.prover.prove(
        commit,
        tree,
        watched=tests_at(context, commit),
        suspects=lambda report: [case for case in report.failing if case.id not in meant_to_fail],
    )


def _failed_at_red(state: CycleState) -> frozenset[str]:
    """Return the ids that failed when RED was accepted: of the targets, or of a test file that does not load."""
    failed = (one.failing for one in state.attempts if one.phase is Phase.RED and one.accepted)
    return frozenset(state.targets).union(*failed)


def _proven(context: CycleContext, state: CycleState, phase: Phase, commit: str, before: Report) -> Proof:
    proof = run_moved(context, state, phase, commit)
    if phase is Phase.RED:
        passing = sorted(proof.report.passing_ids & frozenset(state.targets))
        if passing:
            raise NotProven(
                f"On the moved branch the RED test passes at once: {passing[0]}.",
                "The branch already does this; `tdd cycle abort` ends the cycle.",
            )
        return proof
    edits = edits_of_red(context, state)
    judged = gates.green(
        Evidence(baseline=before, now=proof.report, changed=True, targets=state.targets,
                 more_tests=len(edits.added) - len(edits.removed),
                 flaky=proof.flaky, ignore=ignored(context, state))
    )  # fmt: skip
    if judged.verdict is not Verdict.PROVEN:
        raise NotProven(
            f"On the moved branch the cycle is not proven ({judged.verdict}): {judged.reasons[0]}.",
            f"It is kept at {state.tip[:12]}; `tdd cycle abort` ends it.",
        )
    return proof

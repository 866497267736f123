"""Judge a candidate: run what must be run, collect what the gate needs, ask the gate."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from tdd_orchestrator.agents.agent import AgentStatus, Reply, Request
from tdd_orchestrator.agents.validate import failed
from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.candidate import (
    Candidate,
    changes_between,
    paths_between,
    paths_of,
    tree_of,
)
from tdd_orchestrator.cycle.context import Clock, CycleContext, Settings
from tdd_orchestrator.cycle.counterfactual.questions import (
    Proven,
    question,
    question_refactoring,
    uses_project,
)
from tdd_orchestrator.cycle.extra_checks import measured, strengthened
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.red.passing_red import judge_killer, judge_outer
from tdd_orchestrator.cycle.red.red_evidence import changed_cases, red_evidence, replaced_cases
from tdd_orchestrator.cycle.red.test_changes import (
    TestEdits,
    edits_of,
    target_cases,
    weaker,
    whole,
    without_cases,
)
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.events import log
from tdd_orchestrator.model.errors import Refused, StoreDamaged
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.records import CycleStarted, Handoff, Rebased
from tdd_orchestrator.model.report import Case, Counts, Report, RunVerdict, grouped_as_in
from tdd_orchestrator.redaction import Redact
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import is_test, tests_among

_CHANCE = re.compile(
    r"\brandom\b|\btime\.(?:time|monotonic|perf_counter)|datetime\.(?:now|today|utcnow)"
    r"|\buuid[14]?\b|\burandom\b"
    r"|\btempfile\b|\bopen\(|\.write_(?:text|bytes)\(|\bos\.environ|\bglobals\(|\bfs\.|writeFile"
    r"|\bthreading\b|\basyncio\.sleep"
    r"|\bsecrets\.|Math\.random|Date\.now|new Date\(\)|\brand\(|thread_rng|ThreadLocalRandom|SecureRandom"
)
"""New test code that mentions one of these is run several times: it may fail only sometimes (T14)."""
_CHANCE_RUNS = 5
_IDLE = frozenset({Verdict.NO_CHANGE, Verdict.FORBIDDEN_CHANGE})
_LOOKED_AT = 20  # broken tests; with more of them it is the change
_KEPT = frozenset({RunVerdict.PASSED, RunVerdict.FAILED, RunVerdict.ERROR})


def judge(
    context: CycleContext, state: CycleState, candidate: Candidate, reply: Reply, *, fresh: bool = False
) -> tuple[Judgement, Proof | None]:
    """Run what the gate of the state's phase needs, and ask it.

    There is no proof where no run was needed. With ``fresh``, recorded runs of this tree do not count.
    """
    judged, proof = _judge(context, state, candidate, reply, fresh=fresh)
    log(
        "gate judged",
        phase=state.phase,
        verdict=judged.verdict,
        reasons=judged.reasons[:3],
        cycle=state.cycle_id,
    )
    return judged, proof


def _judge(
    context: CycleContext, state: CycleState, candidate: Candidate, reply: Reply, *, fresh: bool
) -> tuple[Judgement, Proof | None]:
    phase, gate = state.phase, _GATES[state.phase]
    edits = edits_of_red(context, state)
    baseline = without_replaced(report_at(context, state, "baseline"), edits)
    evidence = Evidence(
        baseline=baseline,
        now=None,
        changed=candidate.own,
        violations=candidate.violations,
        left=candidate.left,
        targets=state.targets,
        more_tests=len(edits.added) - len(edits.removed),
        ignore=ignored(context, state),
        agent_failed="" if reply.status is AgentStatus.SUCCESS else reply.failure_reason or str(reply.status),
    )
    if candidate.violations or not candidate.own:
        return gate(context, state, evidence, candidate), None
    context.watch.doing(f"{phase}: running the tests in a clean tree")
    proof = _prove(context, state, candidate, evidence, fresh)
    baseline = grouped_as_in(proof.report, baseline)
    evidence = replace(
        evidence,
        baseline=baseline,
        now=proof.report,
        at_red=_counts_at_red(context, state) if phase is Phase.GREEN and not baseline.complete else None,
        target_cases=target_cases(state.targets, edits.after, baseline, proof.report),
        flaky=proof.flaky,
    )
    judged = gate(context, state, evidence, candidate)
    if judged.verdict is Verdict.BREAKS_EXISTING and proof.report.verdict in _KEPT:
        judged = _without_the_change(context, state, candidate, evidence, judged)
    if judged.verdict is Verdict.ALREADY_COVERED:
        judged = uses_project(context, candidate, proof, judged)
    baseline_ids = frozenset(case.id for case in baseline.cases)
    if judged.verdict is Verdict.OUTER_PASSES:
        moved = replace(state, red=candidate.commit, targets=judged.targets)
        proven = Proven(candidate, proof, replace(judged, verdict=Verdict.PROVEN), baseline_ids)
        asked = question(context, moved, proven)
        judged = asked if asked.verdict is not Verdict.PROVEN else replace(asked, verdict=judged.verdict)
    if phase is not Phase.RED and judged.verdict is Verdict.PROVEN:
        put = question if phase is Phase.GREEN else question_refactoring
        judged = put(context, state, Proven(candidate, proof, judged, baseline_ids))
    if phase is Phase.GREEN and judged.verdict is Verdict.PROVEN:
        warnings, mutants = strengthened(context, state, candidate, proof)
        judged = replace(judged, warnings=(*judged.warnings, *warnings), mutants=mutants)
    if phase is not Phase.REFACTOR and state.mutant is None:
        judged = measured(context, state, candidate, proof, judged)
    return judged, proof


def edits_of_red(context: CycleContext, state: CycleState) -> TestEdits:
    """Return what the accepted RED did to the tests; nothing in RED itself."""
    if state.phase is Phase.RED or not state.red:
        return TestEdits()
    return edits_of(
        changes_between(context.repo, tree_of(context.repo, state.base), tree_of(context.repo, state.red)),
        context.project.rules,
    )


def _counts_at_red(context: CycleContext, state: CycleState) -> Counts | None:
    """Return how many tests passed and failed at the accepted RED; None where a file did not load, so that
    tests are missing.

    unittest counts each failing subtest, and its passing tests whole.
    """
    report = report_at(context, state, "red")
    if report.build_error or report.counts is None:
        return None
    rows = report.failing
    if len(rows) != report.counts.bad:
        return report.counts
    return replace(report.counts, failed=len({whole(row.id) for row in rows}), errors=0)


def without_replaced(baseline: Report, edits: TestEdits) -> Report:
    """Return the baseline without the cases that RED's edits took away."""
    if not edits.files:
        return baseline
    if (
        not baseline.complete and baseline.counts is not None
    ):  # its runner counts the tests, and names few of them
        counted = replace(
            baseline.counts, passed=max(0, baseline.counts.passed - len(edits.changed) - len(edits.removed))
        )
        named = without_cases(baseline, replaced_cases(edits, baseline))
        return replace(named, counts=counted)
    return without_cases(baseline, replaced_cases(edits, baseline))


def _without_the_change(
    context: CycleContext, state: CycleState, candidate: Candidate, evidence: Evidence, judged: Judgement
) -> Judgement:
    """Judge again where the tests that broke fail on the base as well by now: then it was not the change
    (E4)."""
    broken = frozenset(case.id for case in judged.comparison.newly_failing)
    if not broken or len(broken) > _LOOKED_AT:
        return judged
    context.watch.doing(
        f"{state.phase}: running the tests without the change, to see whether they fail there as well"
    )
    base = context.prover.prove(state.base, tree_of(context.repo, state.base), suspects=lambda _: ())
    failing = frozenset(case.id for case in base.report.failing)
    if not broken <= failing:
        return judged
    evidence = replace(
        evidence,
        baseline=without_replaced(base.report, edits_of_red(context, state)),
        ignore=evidence.ignore | broken,
    )
    again = _GATES[state.phase](context, state, evidence, candidate)
    warning = f"fails without the change as well, by now: {', '.join(sorted(broken)[:3])}"
    return replace(again, warnings=(*again.warnings, warning))


def held_to(redact: Redact, judged: Judgement, request: Request, reply: Reply) -> Reply:
    """Return the reply as failed where a coder changed nothing, or changed what its phase may not touch
    (A5)."""
    if reply.status is not AgentStatus.SUCCESS or judged.verdict not in _IDLE:
        return reply
    return failed(reply, request, one_line(redact(judged.reasons[0]), 300))


def _prove(
    context: CycleContext, state: CycleState, candidate: Candidate, evidence: Evidence, fresh: bool
) -> Proof:
    phase = state.phase
    kept = None if fresh else context.prover.recorded(candidate.tree, context.run.records)
    if kept is not None and kept.report.verdict in _KEPT and not _worth_another_look(phase, kept):
        return kept
    passed = evidence.baseline.passing_ids
    targets = frozenset(state.targets)
    known = known_failing(context.settings, state)
    times = _times(context.settings, phase, candidate)

    def changed(report: Report) -> frozenset[str]:
        """The cases whose tests RED changed: they are meant to fail."""
        if phase is not Phase.RED:
            return frozenset()
        return changed_cases(context, state, candidate, replace(evidence, now=report))

    def suspects(report: Report) -> list[Case]:
        """Tests that passed before and do not now; none where the attempt has failed already by its own
        target."""
        failing = report.failing
        if any(case.id in targets for case in failing):
            return []
        broken = [case for case in failing if case.id in passed and case.id not in known]
        meant = changed(report) if broken else frozenset()
        return [case for case in broken if case.id not in meant]

    def repeated(report: Report) -> list[Case]:
        if times == 1:
            return []
        known = {case.id for case in evidence.baseline.cases} - changed(report)
        return [
            case
            for case in report.cases
            if case.id in targets or (phase is Phase.RED and case.id not in known)
        ]

    return context.prover.prove(
        candidate.commit,
        candidate.tree,
        watched=neighbour_tests(context, state, candidate),
        suspects=suspects,
        repeat=repeated,
        times=times,
        quarantined=quarantined(context.clock, state),
    )


def _worth_another_look(phase: Phase, kept: Proof) -> bool:
    """A red run of RED that is only recorded: a runner may say only now and then why a file did not load."""
    return phase is Phase.RED and kept.reused and kept.report.verdict is not RunVerdict.PASSED


def _times(settings: Settings, phase: Phase, candidate: Candidate) -> int:
    if phase is Phase.REFACTOR:
        return 1
    chance = phase is Phase.RED and any(
        _CHANCE.search(line)
        for change in candidate.changes
        for line in {*(change.after or "").splitlines()}.difference((change.before or "").splitlines())
    )
    return max(settings.repeat, _CHANCE_RUNS if chance else 1)


def tests_at(context: CycleContext, commit: str) -> list[str]:
    """Return the paths of the test files of a commit."""
    return list(tests_among(paths_of(context.repo, commit), context.project.rules))


def neighbour_tests(
    context: CycleContext, state: CycleState, candidate: Candidate | None = None
) -> list[str]:
    """Return the test files that were there before the cycle, and those that this cycle wrote."""
    fresh = [c.path for c in candidate.changes if c.after is not None] if candidate else []
    if state.red:
        fresh += paths_between(context.repo, state.base, state.red)
    return [*tests_at(context, state.base), *(path for path in fresh if is_test(path, context.project.rules))]


def known_failing(settings: Settings, state: CycleState) -> frozenset[str]:
    """Return the tests that failed before the cycle, as the user knows."""
    return frozenset(state.known_failing) | settings.known_failing


def quarantined(clock: Clock, state: CycleState) -> frozenset[str]:
    """Return the tests that are known to be flaky and whose quarantine is not over."""
    today = clock.now().date()
    return frozenset(
        test for test, until in state.quarantine.items() if datetime.fromisoformat(until).date() >= today
    )


def ignored(context: CycleContext, state: CycleState) -> frozenset[str]:
    """Return the tests whose failure alone is no regression: known, or quarantined (which leads to
    reruns)."""
    return known_failing(context.settings, state) | quarantined(context.clock, state)


def report_at(context: CycleContext, state: CycleState, where: str) -> Report:
    """The recorded run of the baseline, or of the accepted GREEN, from its evidence blob. Refused where it
    was one of another test command."""
    phase = {"red": "RED", "green": "GREEN"}.get(where)
    others = False
    for record in reversed(context.run.records):
        if where == "baseline" and isinstance(record, CycleStarted | Rebased):
            tests = record.baseline_tests
        elif phase and isinstance(record, Handoff) and record.phase == phase:
            tests = record.tests
        else:
            continue
        recorded = context.prover.recorded(tests.tree, [record])
        if recorded is not None:
            return recorded.report
        others |= tests.key not in ("", context.prover.key(tests.tree))
    if others:
        raise Refused(
            (
                "The test command, or a variable that is passed to it, is not the one that this cycle "
                "began with."
            ),
            "Put it back in tdd.toml, or give the cycle up with `tdd cycle abort` and begin anew.",
        )
    raise StoreDamaged(
        f"The {where} run of the cycle '{state.item}' is no longer to be read.",
        "`tdd verify` names what is missing; `tdd cycle abort` gives the cycle up, and it can begin anew.",
    )


def _red(context: CycleContext, state: CycleState, evidence: Evidence, candidate: Candidate) -> Judgement:
    if state.mutant is not None:
        return judge_killer(context, state, state.mutant, evidence, candidate)
    if state.outer and gates.unharmed(evidence) is None:
        return judge_outer(context, state, evidence, candidate)
    return gates.red(evidence, red_evidence(context, state, evidence, candidate))


def _green(context: CycleContext, state: CycleState, evidence: Evidence, candidate: Candidate) -> Judgement:
    return gates.green(evidence)


def _refactor(
    context: CycleContext, state: CycleState, evidence: Evidence, candidate: Candidate
) -> Judgement:
    faults = [
        (change.path, fault)
        for change in candidate.changes
        if is_test(change.path, context.project.rules)
        for fault in weaker(change)
    ]
    evidence = replace(evidence, violations=(*evidence.violations, *faults))
    return gates.refactor(evidence, report_at(context, state, "green"))


_GATES = {Phase.RED: _red, Phase.GREEN: _green, Phase.REFACTOR: _refactor}

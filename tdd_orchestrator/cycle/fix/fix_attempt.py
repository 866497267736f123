"""One attempt at a failing test: reproduced, run, collected and judged, or read from its record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tdd_orchestrator.agents.agent import AgentStatus, Reply
from tdd_orchestrator.agents.last_words import LastWords, MessageKind, words_of
from tdd_orchestrator.cycle import gates
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.attempt.candidate import Candidate, take, tree_of, with_diff
from tdd_orchestrator.cycle.attempt.judge import held_to, tests_at
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.counterfactual.questions import question_fix
from tdd_orchestrator.cycle.failures import Failure, failures_of
from tdd_orchestrator.cycle.fix.dispatch import FixTask, deploy
from tdd_orchestrator.cycle.fix.fix_state import Attempt
from tdd_orchestrator.cycle.gates import Evidence, Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.events import log
from tdd_orchestrator.model.phase import Phase, Verdict
from tdd_orchestrator.model.reading import read_all
from tdd_orchestrator.model.records import Fix
from tdd_orchestrator.model.report import BAD, Case, Outcome, Report, RunVerdict
from tdd_orchestrator.text import one_line

RAN = frozenset({RunVerdict.PASSED, RunVerdict.FAILED, RunVerdict.ERROR})
"""Runs that say something of their tests."""
_BUILDS = Judgement(Verdict.PROVEN, ("it builds again",))


def attempt(context: CycleContext, task: FixTask, transient: int) -> Attempt:
    """One specialist at one failure: sent, collected, judged."""
    run, fix_state, start = task.run, task.state, task.start
    request, reply = deploy(context, task, transient)
    message = f"fix: {one_line(fix_state.failure.name, 60)}\n\nTdd-Fix: {run.progress.fix_id}\n"
    candidate = take(context, Phase.GREEN, run.head, start, message)
    judged, after = _judge(context, run.proof, candidate, fix_state.failure, reply)
    judged = replace(judged, reasons=tuple(context.redact(reason) for reason in judged.reasons))
    log(
        "gate judged",
        phase="fix",
        verdict=judged.verdict,
        reasons=judged.reasons[:3],
        fix=run.progress.fix_id,
    )
    if judged.verdict is not Verdict.PROVEN:
        candidate = with_diff(context, candidate)
    role = task.failure.diagnosis.specialist
    words = LastWords() if candidate.own or candidate.violations else words_of(reply)
    worked = agent_info(held_to(context.redact, judged, request, reply), role, reply.agent, words.said)
    return Attempt(f"{role} ({reply.agent})", judged, candidate.commit, candidate.diff, after, worked, words)


def recalled(context: CycleContext, record: Fix, commit: str = "") -> Attempt:
    """Return an attempt from its record, with the run that it was judged by.

    ``commit`` is what was run, where that is not its own candidate.
    """
    at = commit or record.candidate
    judged = Judgement(Verdict(record.verdict or Verdict.STILL_FAILING), tuple(record.reasons))
    after = context.prover.recorded(tree_of(context.repo, at), [record]) if at else None
    words = LastWords(MessageKind(record.agent.said), record.agent.last_words)
    by = (record.agents or [""])[-1]
    return Attempt(by, judged, record.candidate, record.diff, after, record.agent, words)


def passes(context: CycleContext, proof: Proof, failure: Failure) -> bool:
    """Absence is not passing (E2): the test is named as passed; where nothing was built, the suite now is."""
    if not failure.is_build:
        return failure.id in proof.report.passing_ids - proof.flaky
    left = failures_of(context, proof)
    return proof.report.verdict in RAN and not any(
        failure.id == one.id or failure.fingerprint == one.fingerprint for one in left
    )


def _judge(
    context: CycleContext, before: Proof, candidate: Candidate, failure: Failure, reply: Reply
) -> tuple[Judgement, Proof | None]:
    """The gate of GREEN with one target; what else failed before may go on failing."""
    others = frozenset(other.id for other in failures_of(context, before) if other.id != failure.id)
    evidence = Evidence(
        baseline=before.report,
        now=None,
        changed=candidate.own,
        violations=candidate.violations,
        left=candidate.left,
        targets=() if failure.is_build else (failure.id,),
        ignore=others | context.settings.known_failing,
        agent_failed="" if reply.status is AgentStatus.SUCCESS else reply.failure_reason,
    )
    if candidate.violations or not candidate.own:
        return gates.green(evidence), None
    after = run_suite(context, candidate.commit, before=before)
    evidence = replace(evidence, now=after.report, flaky=after.flaky)
    builds = failure.is_build and passes(context, after, failure)
    judged = judge_build_fix(evidence, after) if builds else gates.green(evidence)
    if judged.verdict is Verdict.PROVEN:
        fixed = after.report.passing_ids - before.report.passing_ids
        judged = question_fix(context, candidate, after, judged, fixed)
    return judged, after


def judge_build_fix(evidence: Evidence, after: Proof) -> Judgement:
    """Judge an attempt that removed a build error.

    Failures that show now are fixed next; tests that the error hid must run: they may not all be left out
    or skipped.
    """
    judged = gates.green(evidence)
    if judged.verdict is Verdict.TAMPERED or not after.report.complete:
        return judged if judged.verdict is Verdict.TAMPERED else _BUILDS
    lost = sorted(evidence.baseline.passing_ids - after.report.passing_ids - evidence.ignore - evidence.flaky)
    if lost:
        return Judgement(Verdict.BREAKS_EXISTING, (f"passed before, not now: {lost[0]}",))
    hidden = {
        error.file for error in evidence.baseline.build_errors
    }  # a runner may list such a file as a test
    silent = _still_hidden(evidence.baseline, after.report)
    if silent:
        return Judgement(Verdict.TEST_VANISHED, (f"it builds again, but no test of {silent} is run",))
    before = {case.id for case in evidence.baseline.cases if case.file not in hidden}
    fresh = [case for case in after.report.cases if case.id not in before]
    ran = [case for case in fresh if case.outcome is Outcome.PASSED or case.outcome in BAD]
    if evidence.baseline.complete and not ran:
        how = f"{fresh[0].name} was {fresh[0].outcome}" if fresh else "no test is run that was not run before"
        return Judgement(Verdict.TEST_VANISHED, (f"it builds again, but {how}",))
    return _BUILDS


def _still_hidden(before: Report, after: Report) -> str:
    """Return a file that could not be collected before and of which no test is run now; "" where there is
    none."""
    ran = [case.id for case in after.cases if case.outcome is Outcome.PASSED or case.outcome in BAD]
    for case in before.failing:
        place = case.id.removesuffix("/__init__.py")
        if case.phase == "collect" and not any(
            f"{test}::".startswith((f"{place}/", f"{place}::")) for test in ran
        ):
            return case.id
    return ""


def run_suite(
    context: CycleContext,
    commit: str,
    *,
    before: Proof | None = None,
    elsewhere: Report | None = None,
    fresh: bool = False,
) -> Proof:
    """Run the suite on a commit; what failed ``before``, or ``elsewhere``, is not repeated for flakiness.

    Without ``before`` a recorded red run does not count: what it lacked may be there by now.
    """
    tree = tree_of(context.repo, commit)
    kept = (
        None
        if fresh
        else context.prover.recorded(tree, [*context.run.records, *read_all(context.repo.store.own(commit))])
    )
    if kept is not None and (before or kept.report.verdict is RunVerdict.PASSED):
        return kept
    context.watch.doing("running the tests in a clean tree")
    known = {case.id for case in before.report.failing} if before else set()
    leaves = {leaf(case) for case in elsewhere.failing} if elsewhere else set()
    return context.prover.prove(
        commit,
        tree,
        watched=tests_at(context, commit),
        suspects=lambda report: [
            case for case in report.failing if case.id not in known and leaf(case) not in leaves
        ],
    )


_LEAF = re.compile(r"::|\s[>›»]\s|\.(?=[A-Za-z_]\w*$)|#")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The tests that failed elsewhere, by their result here."""

    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    build: str = ""  # a build error that was seen elsewhere and is here as well

    @property
    def reproduced(self) -> bool:
        return bool(self.failing or self.build)


def reproduce(seen: Report, here: Report) -> Reproduction:
    """Compare a run elsewhere with one here. A test is found by its id, else by its own name alone."""
    found: dict[str, list[str]] = {"failing": [], "passing": [], "absent": []}
    for case in seen.failing:
        same = _same(case, here.cases)
        bad = any(one.outcome in BAD for one in same)
        found["failing" if bad else "passing" if same else "absent"].append(case.id)
    build = here.trouble if seen.build_error and here.build_error else ""
    return Reproduction(tuple(found["failing"]), tuple(found["passing"]), tuple(found["absent"]), build)


def _same(case: Case, cases: Sequence[Case]) -> list[Case]:
    exact = [one for one in cases if one.id == case.id]
    return exact or [one for one in cases if leaf(one) == leaf(case)]


def leaf(case: Case) -> str:
    """Return a test's own name: CI and this machine may call its file and its class by other paths."""
    return _LEAF.split(case.id.split("[")[0])[-1].strip() or case.name

"""The records of ``tdd fix``: one for each attempt, for each test that is through without a fix, and for the whole
(N1, R3)."""

from __future__ import annotations

import json

from tdd_orchestrator.agents.transport import Decision
from tdd_orchestrator.cycle.context import CycleContext, Repository
from tdd_orchestrator.cycle.fix.fix_state import Attempt, FixOutcome, FixProgress, FixSession, FixState
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.model.parts import FixResult, TestEvidence
from tdd_orchestrator.model.records import Fix
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.text import one_line

_ROOM = 24_000  # bytes of results in one record; a line has 64 KiB


def started(
    context: CycleContext, fix_id: str, branch: str, head: str, proof: Proof, failing: int
) -> FixProgress:
    """Record what is to be fixed, before any agent starts."""
    record = Fix(
        fix_id=fix_id,
        status="started",
        branch=branch,
        base=head,
        tip=head,
        tests=context.prover.evidence(proof),
    )
    context.write(head, record, f"fix started: {failing} failing")
    return FixProgress(record)


def attempted(context: CycleContext, run: FixSession, fix_state: FixState, done: Attempt) -> None:
    """Record one attempt on its own commit (on the branch's where it left none), before anything is moved."""
    proof = done.after
    record = Fix(
        **{**run.place(), "tip": done.commit if done.accepted else run.head},
        status="accepted" if done.accepted else "rejected",
        attempt=len(fix_state.agents),
        retry_count=fix_state.retry_count,
        known_good=done.accepted and proof is not None and proof.report.verdict is RunVerdict.PASSED,
        verdict=done.judged.verdict,
        reasons=[one_line(reason, 400) for reason in done.judged.reasons[:10]],
        tests=context.prover.evidence(proof) if proof is not None else TestEvidence(),
        results=[fix_state.result()],
        agent=done.worked,
        agents=fix_state.agents[-1:],
        fingerprint=fix_state.failure.fingerprint,
        cured_by=fix_state.cured_by,
        candidate=done.commit,
        diff=done.diff,
    )
    how = "fixed" if done.accepted else "not fixed"
    subject = f"fix: {one_line(fix_state.failure.name, 80)} {how} (attempt {record.attempt})"
    pins = {f"refs/tdd/attempts/{record.fix_id}/{done.commit[:12]}": done.commit} if done.commit else {}
    context.write(done.commit or run.head, record, subject, pins=pins)


def away(
    context: CycleContext, run: FixSession, fix_state: FixState, decision: Decision, transient: int
) -> None:
    """Record that the provider was away, and what that cost; it is no attempt."""
    record = Fix(
        **run.place(), status="away", attempt=len(fix_state.agents) + 1, retry_count=fix_state.retry_count,
        reasons=[decision.what], results=[fix_state.result()], fingerprint=fix_state.failure.fingerprint,
        transient=transient,
    )  # fmt: skip
    context.write(run.head, record, f"fix: {one_line(fix_state.failure.name, 80)} not attempted")


def settled(context: CycleContext, run: FixSession, fix_state: FixState) -> None:
    """Record that no agent is sent to this test any more, with the run that shows its state."""
    record = Fix(
        **run.place(), status="settled", retry_count=fix_state.retry_count,
        tests=context.prover.evidence(run.proof),
        results=[fix_state.result()], fingerprint=fix_state.failure.fingerprint,
    )  # fmt: skip
    how = "passes without a fix" if fix_state.status == "PASSED" else "not fixed"
    context.write(run.head, record, f"fix: {one_line(fix_state.failure.name, 80)} {how}")


def finished(context: CycleContext, run: FixSession, results: list[FixState]) -> FixOutcome:
    """Record the whole on where the branch stands now."""
    worked = {fix_state.failure.id: fix_state.worked for fix_state in results}
    outcome = FixOutcome(tuple(fix_state.result() for fix_state in results), run.head, worked=worked)
    fixed = [fix_state for fix_state in results if fix_state.cured_by]
    shown, blob = _fitting(context.repo, outcome.results)
    record = Fix(
        **run.place(),
        status="ended",
        known_good=outcome.whole and run.proof.report.verdict is RunVerdict.PASSED,
        tests=context.prover.evidence(run.proof),
        results=shown,
        agents=sorted({agent for fix_state in results for agent in fix_state.agents}),
        fingerprint=fixed[0].failure.fingerprint if fixed else "",
        cured_by=fixed[0].cured_by if fixed else "",
        reused=any(fix_state.reused for fix_state in results),
        evidence=blob,
    )
    passed = sum(result.status == "PASSED" for result in outcome.results)
    context.write(run.head, record, f"fix: {passed} of {len(results)} tests fixed")
    return outcome


def _fitting(repo: Repository, results: tuple[FixResult, ...]) -> tuple[list[FixResult], str]:
    """As many results as a record has room for; and where that is not all of them, the blob that has."""
    fitting: list[FixResult] = []
    room = _ROOM
    for result in results:
        room -= len(result.model_dump_json())
        if room < 0:
            return fitting, repo.store.evidence(
                json.dumps([result.model_dump(mode="json") for result in results]).encode()
            )
        fitting.append(result)
    return fitting, ""

"""What an attempt leaves: a handoff or an error record, the pins, and the move that comes next."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply
from tdd_orchestrator.agents.faults import fault_of
from tdd_orchestrator.agents.last_words import LastWords, Said, last_words, recognize
from tdd_orchestrator.agents.transport import NOTES
from tdd_orchestrator.cycle import recovery
from tdd_orchestrator.cycle.attempt.attempt_plan import Turn, agent_info, place, progress_fields
from tdd_orchestrator.cycle.attempt.candidate import Candidate, patch_id
from tdd_orchestrator.cycle.counterfactual.answers import Asked, counts
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.recovery import Kind, Situation
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.verdict_names import ERRORS
from tdd_orchestrator.cycle.warning_signs import gone
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.model.parts import (
    ErrorDetails,
    MoveInfo,
    MutantInfo,
    QuestionInfo,
    QuestionsInfo,
    TestEvidence,
)
from tdd_orchestrator.model.phase import COMMITTED, TRANSITIONS, Phase, Verdict
from tdd_orchestrator.model.records import Handoff, Incident, Trouble
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import is_test

_SHOWN, _LINES = 2, 24  # failures, and lines of them, that a person is shown
_LISTED = 200  # item ids in a record
_FLAKES = 20  # flaky tests, or things that are gone, that warnings name
_AFTER = {Kind.ESCALATE: Phase.ABORTED, Kind.BACK_TO_RED: Phase.RED}
_LINE = 200  # characters of a line on the screen


def accept(
    shop: Workshop,
    state: CycleState,
    turn: Turn,
    reply: Reply,
    candidate: Candidate,
    judged: Judgement,
    proof: Proof | None,
) -> CycleState:
    """Record the handoff on the accepted commit; the cycle's own ref follows."""
    commit = candidate.commit if judged.verdict in COMMITTED else state.tip
    next_phase = TRANSITIONS[turn.phase, judged.verdict]
    succeeded = proof is not None and proof.report.verdict is RunVerdict.PASSED
    known_good = succeeded and (turn.phase is not Phase.RED or judged.verdict is Verdict.MUTANT_KILLED)
    warnings = [
        *candidate.warnings,
        *judged.warnings,
        *_flakes(shop, proof, state.targets),
        *_gone(shop, turn.phase, candidate),
    ]
    if reply.status is not AgentStatus.SUCCESS:
        warnings.append(
            f"the agent's run counts as {reply.status} ({reply.failure_reason}); its work was proven"
        )
    targets = judged.targets or state.targets
    handoff = Handoff(
        **{**place(state), "tip": commit},
        phase=turn.phase,
        next_phase=next_phase,
        attempt=turn.serial,
        retry_count=turn.retry,
        known_good=known_good,
        verdict=judged.verdict,
        reasons=[one_line(shop.redact(reason), 400) for reason in judged.reasons[:10]],
        agent=agent_info(reply, turn.role, turn.agent.name),
        tests=_evidence(shop, proof, targets, judged),
        files_changed=candidate.files,
        summary=one_line(shop.redact(reply.report or reply.text), 1500),
        candidate=candidate.commit,
        tree=candidate.tree,
        patch_id=patch_id(shop, candidate) if judged.verdict in COMMITTED else "",
        questions=_questions(judged.asked),
        warnings=warnings,
        mutants=[MutantInfo(**asdict(mutant)) for mutant in judged.mutants],
        removed_tests=list(judged.removed),
        changed_tests=list(judged.changed),
        **progress_fields(shop),
    )
    ref = f"refs/tdd/cycles/{state.cycle_id}"
    subject = f"{turn.phase} accepted: {state.item} (attempt {turn.serial})"
    pins = pin(state, turn, candidate)
    new = shop.write(commit, handoff, subject, moves=[(ref, commit, None)], pins=pins)
    assert new is not None
    shop.watch.done(f"{turn.phase}: {'; '.join(judged.reasons[:2]) or judged.verdict}", True)
    return new


def refuse(
    shop: Workshop,
    state: CycleState,
    turn: Turn,
    reply: Reply,
    candidate: Candidate,
    judged: Judgement,
    proof: Proof | None,
) -> CycleState:
    """Diagnose, choose the next move, and record the refused attempt on its own commit."""
    from tdd_orchestrator.cycle.attempt import analysis as room
    from tdd_orchestrator.cycle.red.back_to_red import only_red_can_mend

    words = words_of(turn, reply, candidate)
    diagnosis = (
        room.of_words(words) or room.of_fault(judged, reply) or room.diagnose(shop, judged, candidate, proof)
    )
    seen = situation(shop, state, turn, reply, candidate, judged.verdict, diagnosis, words)
    analysis = room.analyse(shop, state, turn, reply, candidate, judged, proof, seen)
    advice = "\n".join(filter(None, (diagnosis.checked, analysis.advice)))
    for_red = only_red_can_mend(shop, state, candidate, judged, proof) if turn.phase is Phase.GREEN else ""
    seen = replace(seen, action=analysis.action, advice=advice, for_red=for_red)
    move = recovery.decide(seen, shop.settings.retry, shop.settings.breaker)
    request = (
        room.request(shop, state, turn, judged, proof, diagnosis) if move.kind is Kind.SPECIALIST else {}
    )
    trouble = Trouble(
        **place(state),
        phase=turn.phase,
        next_phase=_AFTER.get(move.kind, turn.phase),
        attempt=turn.serial,
        retry_count=turn.retry,
        error=ERRORS[judged.verdict][0],
        error_details=_details(shop, judged, diagnosis, reply),
        verdict=judged.verdict,
        reasons=[one_line(shop.redact(reason), 400) for reason in judged.reasons[:10]],
        agent=agent_info(reply, turn.role, turn.agent.name, words.said),
        tests=_evidence(shop, proof, state.targets, judged),
        files_changed=candidate.files,
        diagnosis={key: value for key, value in asdict(diagnosis).items() if value not in ("", 0, None)},
        fingerprint=diagnosis.fingerprint,
        diff=candidate.diff,
        move=MoveInfo(**asdict(move)),
        investigation=dict(analysis.stored),
        for_red=shop.redact(for_red),
        request=request,
        candidate=candidate.commit,
        tree=candidate.tree,
        incident=reply.incident,
    )
    subject = f"{turn.phase} refused: {state.item} (attempt {turn.serial}, {judged.verdict})"
    new = shop.write(candidate.commit or state.tip, trouble, subject, pins=pin(state, turn, candidate))
    assert new is not None
    _say_refused(shop, turn.phase, judged, diagnosis, move, trouble.agent.last_words, turn.retry)
    if seen.person and proof is not None:
        _show_failures(shop, proof)
    return new


def words_of(turn: Turn, reply: Reply, candidate: Candidate) -> LastWords:
    """The recognized last words of a phase's own agent that brought no work; none where there is work to judge."""
    if turn.is_fix or candidate.own or candidate.violations:
        return LastWords()
    if reply.fault is Fault.REFUSED:
        return LastWords(Said.REFUSAL, last_words(reply.error or reply.text))
    return recognize(reply.text)


def _details(shop: Workshop, judged: Judgement, diagnosis: Diagnosis, reply: Reply) -> ErrorDetails:
    """N3's type and message: what the test says where it says something, else why it was refused."""
    error, kind = ERRORS[judged.verdict]
    message = diagnosis.message or (judged.reasons[0] if judged.reasons else reply.failure_reason) or error
    crashed = judged.verdict is Verdict.CRASHED and diagnosis.exception
    return ErrorDetails(
        type=diagnosis.exception if crashed else kind, message=one_line(shop.redact(message), 1000)
    )


def _say_refused(
    shop: Workshop,
    phase: Phase,
    judged: Judgement,
    diagnosis: Diagnosis,
    move: recovery.Move,
    said: str,
    retry: int,
) -> None:
    words = one_line(shop.redact("; ".join(judged.reasons[:2])) or ERRORS[judged.verdict][0], 200)
    shop.watch.done(f"{phase} rejected: {words.rstrip('.')} ({judged.verdict})", False)
    for number, line in enumerate(textwrap.wrap(said, _LINE)):
        shop.watch.note(f"{'the agent said: ' if number == 0 else ''}{line}")
    if diagnosis.checked:
        shop.watch.note(f"looked: {diagnosis.checked}")
    counted = f"retry {retry + 1} of {shop.settings.retry.max_retries}" if move.counts else "next"
    if move.kind is Kind.ESCALATE:
        counted = "given up"
    shop.watch.note(f"↺ {counted}{f' in {move.delay:g} s' if move.delay else ''}: {move.why}")


def _show_failures(shop: Workshop, proof: Proof) -> None:
    """What the tests said, for a person who is to go on from there."""
    said = [error.detail or error.message for error in proof.report.build_errors]
    said += [f"{case.name}\n{case.detail or case.message}" for case in proof.report.failing]
    for line in shop.redact("\n".join(said[:_SHOWN])).splitlines()[-_LINES:]:
        shop.watch.note(line)


def without_refactoring(shop: Workshop, state: CycleState) -> CycleState:
    """REFACTOR is given up: what GREEN proved goes on as it is."""
    handoff = Handoff(
        **place(state),
        phase=Phase.REFACTOR,
        next_phase=Phase.COMPLETE,
        attempt=len(state.of_phase()),
        retry_count=state.retry,
        status="given_up",
        verdict=Verdict.UNCHANGED,
        reasons=["finished without a refactoring"],
        **progress_fields(shop),
    )
    new = shop.write(state.tip, handoff, f"REFACTOR given up: {state.item}")
    assert new is not None
    return new


def situation(
    shop: Workshop,
    state: CycleState,
    turn: Turn,
    reply: Reply,
    candidate: Candidate,
    verdict: Verdict,
    diagnosis: Diagnosis,
    words: LastWords,
) -> Situation:
    return Situation(
        phase=turn.phase,
        verdict=verdict,
        retry=turn.retry,
        diagnosis=diagnosis,
        role=turn.role,
        agent=turn.agent.name,
        diff=candidate.diff,
        candidate=bool(candidate.commit),
        history=state.refused(),
        fallback=shop.cast.fallback(turn.agent.name),
        specialists=frozenset(role for role in shop.settings.specialists if shop.cast.can(role)),
        timed_out=bool(reply.timed_out),
        network=verdict is Verdict.AGENT_FAILED and _lost_connection(reply),
        sent_back=any(one.move.kind == Kind.BACK_TO_RED for one in state.attempts),
        person=turn.agent.name == "human",
        words=words,
        note=NOTES.get(reply.fault, ""),
        language=shop.prover.suites[0].framework.language,
        after_failures=shop.settings.ask_after_failures,
    )


def _lost_connection(reply: Reply) -> bool:
    """Whether the agent ended by its network, as it said itself; its own time limit is none of that."""
    return not reply.timed_out and fault_of(reply.failure_reason) is Fault.UNREACHABLE


def incident(shop: Workshop, state: CycleState, kind: str, message: str, **details: Any) -> None:
    message = shop.redact(message)
    record = Incident(
        **place(state),
        phase=state.phase,
        next_phase=state.phase,
        error=message,
        error_details=ErrorDetails(type=kind, message=message),
        details=details,
    )
    shop.write(state.tip, record, f"incident: {message}")
    shop.watch.note(message)


def pin(state: CycleState, turn: Turn, candidate: Candidate) -> dict[str, str]:
    if not candidate.commit:
        return {}
    return {f"refs/tdd/attempts/{state.cycle_id}/{str(turn.phase).lower()}-{turn.serial}": candidate.commit}


def _gone(shop: Workshop, phase: Phase, candidate: Candidate) -> list[str]:
    """Name files and public names that an accepted change took away, on the screen and for the record."""
    if phase is Phase.RED:
        return []
    warnings = [shop.redact(one) for one in gone(candidate.changes, lambda path: is_test(path, shop.rules))]
    for warning in warnings:
        shop.watch.note(warning)
    return warnings[:_FLAKES]


def _questions(asked: Asked | None) -> QuestionsInfo | None:
    """Return the answers as the record keeps them."""
    if asked is None:
        return None
    rows = {
        str(question): QuestionInfo(asked=put, failed=failed, not_asked=dict(list(why.items())[:_LISTED]))
        for question, put, failed, why in counts(asked)
    }
    return QuestionsInfo(**rows, functions=list(asked.functions[:_LISTED]), seconds=asked.seconds)


def _flakes(shop: Workshop, proof: Proof | None, targets: tuple[str, ...]) -> list[str]:
    """Name the tests that failed in one whole run and passed in another, on the screen and for the record."""
    found = sorted(proof.flaky - set(targets)) if proof is not None else []
    warnings = [
        f"flaky: {shop.redact(one)} failed in one run of the whole suite and passed in another; "
        f"quarantined for {shop.settings.quarantine_days} days"
        for one in found[:_FLAKES]
    ]
    for warning in warnings:
        shop.watch.note(warning)
    return warnings


def _evidence(
    shop: Workshop, proof: Proof | None, targets: tuple[str, ...], judged: Judgement
) -> TestEvidence:
    if proof is None:
        return TestEvidence(target_tests=list(targets)[:_LISTED])
    until = (shop.clock.now() + timedelta(days=shop.settings.quarantine_days)).date().isoformat()
    quarantined = dict.fromkeys(sorted(proof.flaky - set(targets))[:_LISTED], until)
    return shop.prover.evidence(proof, targets=targets, quarantined_until=quarantined)

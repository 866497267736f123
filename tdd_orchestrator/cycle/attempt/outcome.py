"""Record what an attempt leaves: a handoff or an error record, the pins, and the next move."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from tdd_orchestrator.agents import last_words
from tdd_orchestrator.agents.agent import AgentStatus, Fault, Reply
from tdd_orchestrator.agents.faults import fault_of
from tdd_orchestrator.agents.last_words import LastWords, MessageKind
from tdd_orchestrator.agents.transport import NOTES
from tdd_orchestrator.cycle import recovery
from tdd_orchestrator.cycle.attempt import agent_run
from tdd_orchestrator.cycle.attempt.agent_run import agent_info
from tdd_orchestrator.cycle.attempt.attempt_plan import AttemptPlan, JudgedAttempt
from tdd_orchestrator.cycle.attempt.candidate import Candidate, patch_id_of
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.counterfactual.answers import Asked, counts
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.proof import Proof
from tdd_orchestrator.cycle.recovery import Kind, Situation
from tdd_orchestrator.cycle.state import CycleState, place
from tdd_orchestrator.cycle.verdict_names import REFUSED
from tdd_orchestrator.cycle.warning_signs import removed_names
from tdd_orchestrator.model.diagnosis import SPECIALISTS, Diagnosis
from tdd_orchestrator.model.parts import (
    ErrorDetails,
    MoveInfo,
    MutantInfo,
    QuestionInfo,
    QuestionsInfo,
    TestEvidence,
)
from tdd_orchestrator.model.phase import AFTER_THE_CODE, COMMITTED, TRANSITIONS, Phase, Verdict
from tdd_orchestrator.model.records import Handoff, Incident, Trouble
from tdd_orchestrator.model.report import RunVerdict
from tdd_orchestrator.redaction import Redact
from tdd_orchestrator.text import one_line
from tdd_orchestrator.workspace.guard import is_test

_SHOWN, _LINES = 2, 24  # failures, and lines of them, that a person is shown
_OF_A_LIBRARY = re.compile(r"\S*(?:site-packages|dist-packages|node_modules|/lib/python\d)\S*:\d+\b|<frozen ")
_LISTED = 200  # item ids in a record
_FLAKES = 20  # flaky tests, or things that are gone, that warnings name
_AFTER = {Kind.ESCALATE: Phase.ABORTED, Kind.GIVE_UP: Phase.COMPLETE, Kind.BACK_TO_RED: Phase.RED}


def accept(context: CycleContext, state: CycleState, done: JudgedAttempt) -> CycleState:
    """Record the handoff on the accepted commit; the cycle's own ref follows."""
    attempt_plan, candidate, judged, proof = done.attempt_plan, done.candidate, done.judged, done.proof
    commit = candidate.commit if judged.verdict in COMMITTED else state.tip
    next_phase = TRANSITIONS[attempt_plan.phase, judged.verdict]
    succeeded = proof is not None and proof.report.verdict is RunVerdict.PASSED
    known_good = succeeded and (attempt_plan.phase is not Phase.RED or judged.verdict in AFTER_THE_CODE)
    warnings = [
        *candidate.warnings,
        *judged.warnings,
        *_flakes(context, proof, state.targets),
        *_removed_names(context, attempt_plan.phase, candidate),
    ]
    reply = done.reply
    if reply.status is not AgentStatus.SUCCESS:
        why = reply.failure_reason.rstrip(".")
        warnings.append(f"the agent's run counts as {reply.status} ({why}); its work was proven")
    words = _in_place_of_work(done)
    if words.row:
        judged = replace(judged, reasons=("nothing changed",))
        warnings.append(f"no refactoring: the agent {words.row.means}")
    targets = judged.targets or state.targets
    handoff = Handoff(
        **attempt_plan.place(state, next_phase, tip=commit),
        known_good=known_good,
        verdict=judged.verdict,
        reasons=[one_line(context.redact(reason), 400) for reason in judged.reasons[:10]],
        agent=agent_info(reply, attempt_plan.role, attempt_plan.agent.name, words.said),
        tests=_evidence(context, proof, targets, judged),
        files_changed=candidate.files,
        summary=one_line(context.redact(reply.report or reply.text), 1500),
        candidate=candidate.commit,
        tree=candidate.tree,
        patch_id=patch_id_of(context.repo, candidate) if judged.verdict in COMMITTED else "",
        questions=_questions(judged.asked),
        warnings=warnings,
        mutants=[MutantInfo(**asdict(mutant)) for mutant in judged.mutants],
        outer=state.outer if judged.verdict is Verdict.OUTER_PASSES else "",
        removed_tests=list(judged.removed),
        changed_tests=list(judged.changed),
        uncovered=list(judged.uncovered),
        affected_tests=list(judged.affected),
        **context.run.progress(),
    )
    ref = f"refs/tdd/cycles/{state.cycle_id}"
    subject = f"{attempt_plan.phase} accepted: {state.item} (attempt {attempt_plan.serial})"
    pins = pin(state, attempt_plan, candidate)
    new = context.write_step(commit, handoff, subject, moves=[(ref, commit, None)], pins=pins, hold=True)
    context.watch.done(f"{attempt_plan.phase}: {'; '.join(judged.reasons[:2]) or judged.verdict}", True)
    if words.row:
        agent_run.note_words(context.watch, "the agent", handoff.agent.last_words)
    return new


def _in_place_of_work(done: JudgedAttempt) -> LastWords:
    """The last words of a REFACTOR that changed nothing, where they say something else than that nothing is to
    be changed; none of other attempts."""
    words = words_of(done) if done.judged.verdict is Verdict.UNCHANGED else LastWords()
    return LastWords() if words.said is MessageKind.ALREADY_THERE else words


def refuse(context: CycleContext, state: CycleState, done: JudgedAttempt) -> CycleState:
    """Diagnose, choose the next move, and record the refused attempt on its own commit."""
    from tdd_orchestrator.cycle.attempt import analysis as analyses
    from tdd_orchestrator.cycle.red.back_to_red import fault_of_test

    attempt_plan, candidate, judged, proof = done.attempt_plan, done.candidate, done.judged, done.proof
    words = words_of(done)
    diagnosis = (
        analyses.of_words(words)
        or analyses.of_fault(judged, done.reply)
        or analyses.diagnose(context, judged, candidate, proof)
    )
    seen = situation(context, state, done, diagnosis, words)
    analysis = analyses.analyse(context, state, done, seen)
    advice = "\n".join(filter(None, (diagnosis.checked, analysis.advice)))
    for_red = (
        fault_of_test(context, state, candidate, judged, proof) if attempt_plan.phase is Phase.GREEN else ""
    )
    seen = replace(seen, action=analysis.action, advice=advice, for_red=for_red)
    move = recovery.decide(seen, context.settings.retry, context.settings.breaker)
    request = analyses.request(context, state, done, diagnosis) if move.kind == Kind.SPECIALIST else {}
    judged = _with_failure_of_run(judged, done.reply)
    trouble = Trouble(
        **attempt_plan.place(state, _AFTER.get(Kind(move.kind), attempt_plan.phase)),
        error=REFUSED[judged.verdict].error,
        error_details=_details(context.redact, judged, diagnosis, done.reply),
        verdict=judged.verdict,
        reasons=[one_line(context.redact(reason), 400) for reason in judged.reasons[:10]],
        agent=agent_info(done.reply, attempt_plan.role, attempt_plan.agent.name, words.said),
        tests=_evidence(context, proof, state.targets, judged),
        files_changed=candidate.files,
        diagnosis={key: value for key, value in asdict(diagnosis).items() if value not in ("", 0, None)},
        fingerprint=diagnosis.fingerprint,
        diff=candidate.diff,
        move=move,
        investigation=dict(analysis.stored),
        for_red=context.redact(for_red),
        request=request,
        candidate=candidate.commit,
        tree=candidate.tree,
        incident=done.reply.incident,
    )
    subject = f"{attempt_plan.phase} refused: {state.item} (attempt {attempt_plan.serial}, {judged.verdict})"
    new = context.write_step(
        candidate.commit or state.tip, trouble, subject, pins=pin(state, attempt_plan, candidate)
    )
    _say_refused(context, replace(done, judged=judged), diagnosis, move, trouble.agent.last_words)
    if seen.person and proof is not None:
        _show_failures(context, proof)
    return new


def _with_failure_of_run(judged: Judgement, reply: Reply) -> Judgement:
    """Return the judgement whose first reason is that the agent's own run failed, where it did."""
    if reply.status is AgentStatus.SUCCESS or judged.verdict is Verdict.AGENT_FAILED:
        return judged
    why = reply.failure_reason.rstrip(".") or str(reply.status)
    return replace(judged, reasons=tuple(dict.fromkeys((why, *judged.reasons))))


def words_of(done: JudgedAttempt) -> LastWords:
    """The recognized last words of a phase's own agent that brought no work; none where there is work to
    judge."""
    worked = done.attempt_plan.is_fix or done.candidate.own or done.candidate.violations
    return LastWords() if worked else last_words.words_of(done.reply)


def _details(redact: Redact, judged: Judgement, diagnosis: Diagnosis, reply: Reply) -> ErrorDetails:
    """Return the error's type and message (N3): the test's own message, else why it was refused."""
    error, kind = REFUSED[judged.verdict][:2]
    message = diagnosis.message or (judged.reasons[0] if judged.reasons else reply.failure_reason) or error
    crashed = judged.verdict is Verdict.CRASHED and diagnosis.exception
    return ErrorDetails(
        type=diagnosis.exception if crashed else kind, message=one_line(redact(message), 1000)
    )


def _say_refused(
    context: CycleContext, done: JudgedAttempt, diagnosis: Diagnosis, move: MoveInfo, said: str
) -> None:
    judged, phase, retry = done.judged, done.attempt_plan.phase, done.attempt_plan.retry
    words = one_line(context.redact("; ".join(judged.reasons[:2])) or REFUSED[judged.verdict].error, 200)
    context.watch.done(f"{phase} rejected: {words.rstrip('.')} ({judged.verdict})", False)
    agent_run.note_words(context.watch, "the agent", said)
    if diagnosis.checked:
        context.watch.note(f"looked: {diagnosis.checked}")
    counted = f"retry {retry + 1} of {context.settings.retry.max_retries}" if move.counts else "next"
    if move.kind in (Kind.ESCALATE, Kind.GIVE_UP):
        counted = "given up"
    context.watch.note(f"↺ {counted}{f' in {move.delay:g} s' if move.delay else ''}: {move.why}")


def _show_failures(context: CycleContext, proof: Proof) -> None:
    """Print the failures of the tests, for a person who continues from there."""
    failures = [error.detail or error.message for error in proof.report.build_errors]
    detailed = "\n".join(failures)
    failures += [
        f"{case.name}\n{case.detail or case.message}"
        for case in proof.report.failing
        if (case.detail or case.message) not in detailed
    ]
    for failure in failures[:_SHOWN]:
        for line in own_lines(context.redact(failure).splitlines())[-_LINES:]:
            context.watch.note(line)


def own_lines(lines: list[str]) -> list[str]:
    """Return the lines of a failure without those of libraries: their places, and the code that follows."""
    kept, foreign = [], False
    for line in lines:
        if _OF_A_LIBRARY.match(line):
            foreign = True
        elif not line.startswith(" "):
            foreign = False
        if not foreign:
            kept.append(line)
    return kept


def without_refactoring(context: CycleContext, state: CycleState, why: str) -> CycleState:
    """Give REFACTOR up and continue with what GREEN proved."""
    handoff = Handoff(
        **place(state, Phase.REFACTOR, Phase.COMPLETE),
        attempt=len(state.of_phase()),
        retry_count=state.retry,
        status="given_up",
        verdict=Verdict.UNCHANGED,
        reasons=["finished without a refactoring"],
        warnings=[one_line(context.redact(f"finished without a refactoring: {why}"), 400)],
        **context.run.progress(),
    )
    return context.write_step(state.tip, handoff, f"REFACTOR given up: {state.item}")


def situation(
    context: CycleContext, state: CycleState, done: JudgedAttempt, diagnosis: Diagnosis, words: LastWords
) -> Situation:
    attempt_plan, reply, verdict = done.attempt_plan, done.reply, done.judged.verdict
    return Situation(
        phase=attempt_plan.phase,
        verdict=verdict,
        retry=attempt_plan.retry,
        diagnosis=diagnosis,
        role=attempt_plan.role,
        agent=attempt_plan.agent.name,
        diff=done.candidate.diff,
        candidate=bool(done.candidate.commit),
        history=state.refused(),
        fallback=context.agents.registry.fallback(attempt_plan.agent.name),
        specialists=frozenset(filter(context.agents.registry.can, SPECIALISTS)),
        timed_out=bool(reply.timed_out),
        network=verdict is Verdict.AGENT_FAILED and _lost_connection(reply),
        sent_back=any(one.move.kind == Kind.BACK_TO_RED for one in state.attempts),
        person=attempt_plan.agent.name == "human",
        words=words,
        note=NOTES.get(reply.fault, ""),
        language=context.prover.suites[0].framework.language,
        after_failures=context.settings.ask_after_failures,
    )


def _lost_connection(reply: Reply) -> bool:
    """Return whether the agent ended because its network failed. Its own time limit does not count."""
    return not reply.timed_out and fault_of(reply.failure_reason) is Fault.UNREACHABLE


def incident(context: CycleContext, state: CycleState, kind: str, message: str, **details: Any) -> None:
    message = context.redact(message)
    record = Incident(
        **place(state, state.phase),
        error=message,
        error_details=ErrorDetails(type=kind, message=message),
        details=details,
    )
    context.write(state.tip, record, f"incident: {message}")
    context.watch.note(message)


def pin(state: CycleState, attempt_plan: AttemptPlan, candidate: Candidate) -> dict[str, str]:
    if not candidate.commit:
        return {}
    return {
        f"refs/tdd/attempts/{state.cycle_id}/{str(attempt_plan.phase).lower()}-{attempt_plan.serial}": candidate.commit
    }


def _removed_names(context: CycleContext, phase: Phase, candidate: Candidate) -> list[str]:
    """Name files and public names that an accepted change took away."""
    if phase is Phase.RED:
        return []
    found = removed_names(candidate.changes, lambda path: is_test(path, context.project.rules))
    return [context.redact(one) for one in found][:_FLAKES]


def _questions(asked: Asked | None) -> QuestionsInfo | None:
    """Return the answers as the record keeps them."""
    if asked is None:
        return None
    rows = {
        str(question): QuestionInfo(asked=put, failed=failed, not_asked=dict(list(why.items())[:_LISTED]))
        for question, put, failed, why in counts(asked)
    }
    return QuestionsInfo(**rows, functions=list(asked.functions[:_LISTED]), seconds=asked.seconds)


def _flakes(context: CycleContext, proof: Proof | None, targets: tuple[str, ...]) -> list[str]:
    """Name the tests that failed in one whole run and passed in another."""
    found = sorted(proof.flaky - set(targets)) if proof is not None else []
    return [
        f"flaky: {context.redact(one)} failed in one run of the whole suite and passed in another; "
        f"quarantined for {context.settings.quarantine_days} days"
        for one in found[:_FLAKES]
    ]


def _evidence(
    context: CycleContext, proof: Proof | None, targets: tuple[str, ...], judged: Judgement
) -> TestEvidence:
    if proof is None:
        return TestEvidence(target_tests=list(targets)[:_LISTED])
    until = (context.clock.now() + timedelta(days=context.settings.quarantine_days)).date().isoformat()
    quarantined = dict.fromkeys(sorted(proof.flaky - set(targets))[:_LISTED], until)
    return context.prover.evidence(proof, targets=targets, quarantined_until=quarantined)

"""What went wrong in a refused attempt: classified from the evidence, investigated where D5 asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from tdd_orchestrator.agents.agent import Reply
from tdd_orchestrator.cycle.candidate import Candidate
from tdd_orchestrator.cycle.gates import Judgement
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.state import CycleState
from tdd_orchestrator.cycle.turn import Turn
from tdd_orchestrator.cycle.words import ERRORS
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.diagnosis.fingerprint import fingerprint
from tdd_orchestrator.model.diagnosis import Action, Category, Diagnosis, ErrorType, Severity
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.report import BuildError, Case

_TEXT = 200_000  # characters that are classified


@dataclass(frozen=True, slots=True)
class Analysis:
    diagnosis: Diagnosis
    action: Action | None = None
    advice: str = ""
    stored: dict[str, Any] = field(default_factory=dict)


PLAIN: dict[Verdict, tuple[ErrorType, Category, Severity]] = {
    Verdict.UNEXPECTED_PASS: (ErrorType.TEST, Category.LOGIC, Severity.LOW),
    Verdict.NO_NEW_TEST: (ErrorType.TEST, Category.LOGIC, Severity.LOW),
    Verdict.DUPLICATE_TEST: (ErrorType.TEST, Category.LOGIC, Severity.LOW),
    Verdict.NO_CHANGE: (ErrorType.LOGIC, Category.LOGIC, Severity.LOW),
    Verdict.FORBIDDEN_CHANGE: (ErrorType.LOGIC, Category.PERMISSION, Severity.MEDIUM),
    Verdict.TAMPERED: (ErrorType.TEST, Category.PERMISSION, Severity.HIGH),
    Verdict.TEST_VANISHED: (ErrorType.TEST, Category.STATE, Severity.MEDIUM),
    Verdict.FLAKY: (ErrorType.TEST, Category.STATE, Severity.MEDIUM),
    Verdict.TIMED_OUT: (ErrorType.TIMEOUT, Category.LOGIC, Severity.MEDIUM),
    Verdict.UNREADABLE: (ErrorType.TEST, Category.STATE, Severity.MEDIUM),
    Verdict.AGENT_FAILED: (ErrorType.INTEGRATION, Category.DEPENDENCY, Severity.MEDIUM),
}
"""Verdicts that name their own kind; the others are known from what the tests said."""


def analyse(
    shop: Workshop,
    state: CycleState,
    turn: Turn,
    reply: Reply,
    candidate: Candidate,
    judged: Judgement,
    proof: Proof | None,
) -> Analysis:
    """Deterministic first; a model's investigation only where one is wanted and believed."""
    return Analysis(diagnose(shop, judged, proof))


def diagnose(shop: Workshop, judged: Judgement, proof: Proof | None) -> Diagnosis:
    """The most telling failure of the attempt, classified."""
    plain = PLAIN.get(judged.verdict)
    if plain is not None or proof is None:
        kind, category, severity = plain or (None, None, Severity.MEDIUM)
        message = shop.redact("; ".join(judged.reasons[:3]))
        return Diagnosis(
            error_type=kind,
            category=category,
            severity=severity,
            confidence=1.0,
            message=message or ERRORS[judged.verdict][0],
            fingerprint=fingerprint(str(judged.verdict), "", message),
            rule=f"verdict:{judged.verdict}",
        )
    return _of_evidence(shop, judged, proof)


def _of_evidence(shop: Workshop, judged: Judgement, proof: Proof) -> Diagnosis:
    case, error = _telling(judged, proof)
    root = str(shop.prover.tree.path)
    extra = shop.settings.extra_rules
    if case is not None:
        text = "\n".join(filter(None, (case.detail, case.message)))
        found = classify(text[:_TEXT], exception=case.exception, extra_rules=extra, root=root)
        message, file, line = case.message or found.message, found.file or case.file, found.line or case.line
    elif error is not None:
        text = "\n".join(filter(None, (error.detail, f"{error.file}:{error.line}: {error.message}")))
        found = classify(text[:_TEXT], exception=error.exception, extra_rules=extra, root=root)
        message, file, line = error.message, found.file or error.file, found.line or error.line
    else:
        found = classify(proof.output[-_TEXT:], extra_rules=extra, root=root)
        message, file, line = found.message or "; ".join(judged.reasons), found.file, found.line
    return replace(
        found,
        message=shop.redact(message)[:1000],
        file=file,
        line=line,
        evidence=shop.redact(found.evidence)[:300],
    )


def _telling(judged: Judgement, proof: Proof) -> tuple[Case | None, BuildError | None]:
    """The failure that the judgement names first; a build error before any test's."""
    if proof.report.build_errors:
        return None, proof.report.build_errors[0]
    for identity in judged.failing:
        case = proof.case(identity)
        if case is not None:
            return case, None
    failing = proof.report.failing
    return (failing[0] if failing else None), None

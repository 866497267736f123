"""What fails in a run, one value each: a test, or a build error that keeps tests from running."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.cycle.workshop import Workshop
from tdd_orchestrator.diagnosis.classify import classify
from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.prompting.brief import FixRequest

_TEXT = 200_000  # characters of one failure that are classified


@dataclass(frozen=True, slots=True)
class Failure:
    id: str
    name: str
    diagnosis: Diagnosis
    detail: str
    is_build: bool = False

    @property
    def fingerprint(self) -> str:
        return self.diagnosis.fingerprint


def failures_of(shop: Workshop, proof: Proof) -> list[Failure]:
    """Build errors first: what does not load hides everything else. Known failures are not listed."""
    root, rules = str(shop.prover.tree.path), shop.settings.extra_rules
    found = []
    for error in proof.report.build_errors:
        where = f"{error.file}:{error.line}" if error.line else error.file
        text = "\n".join(filter(None, (error.detail, f"{where}: {error.message}")))[:_TEXT]
        seen = classify(text, exception=error.exception, extra_rules=rules, root=root)
        seen = replace(
            seen,
            message=shop.redact(error.message)[:1000],
            file=seen.file or error.file,
            line=seen.line or error.line,
        )
        found.append(Failure(error.file or error.message[:80], error.file or "the build", seen, text, True))
    for case in proof.report.failing:
        if case.id in shop.settings.known_failing or case.id in proof.flaky:
            continue
        text = "\n".join(filter(None, (case.detail, case.message)))[:_TEXT]
        seen = classify(text, exception=case.exception, extra_rules=rules, root=root)
        seen = replace(
            seen,
            message=shop.redact(case.message)[:1000],
            file=seen.file or case.file,
            line=seen.line or case.line,
        )
        found.append(Failure(case.id, case.name, seen, text))
    return found


def request_of(failure: Failure) -> FixRequest:
    """What a specialist is given (A8)."""
    seen = failure.diagnosis
    return FixRequest(
        test_id=failure.id,
        test_name=failure.name,
        error_type=seen.exception or str(seen.error_type or seen.routing_type),
        message=seen.message,
        stack=failure.detail,
        file=seen.file,
        line=seen.line,
    )

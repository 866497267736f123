"""What fails in a run, one value each: a test, or a build error that keeps tests from running."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tdd_orchestrator.cycle.attempt.failure_context import browser_of, enriched
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.prove import Proof
from tdd_orchestrator.diagnosis.diagnose import diagnose
from tdd_orchestrator.diagnosis.machine import look
from tdd_orchestrator.model.diagnosis import Diagnosis
from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.prompting.brief import FixRequest

_TEXT = 200_000  # characters of one failure that are kept


@dataclass(frozen=True, slots=True)
class Failure:
    id: str
    name: str
    diagnosis: Diagnosis
    detail: str
    is_build: bool = False
    case: Case | None = None

    @property
    def fingerprint(self) -> str:
        return self.diagnosis.fingerprint


def failures_of(context: CycleContext, proof: Proof) -> list[Failure]:
    """Build errors first: what does not load hides everything else. Known and flaky failures are not
    listed."""
    passed_over = context.settings.known_failing | proof.flaky
    found = []
    cases = {case.id: case for case in proof.report.failing}
    root = str(context.prover.tree.path)
    causes = diagnose(
        proof.report, root=root, extra_rules=context.settings.extra_rules, look=browser_of(context.prover)
    )
    for cause in causes:
        cause = looked_at(context, cause)
        ran = [test for test in cause.tests if test not in cases or cases[test].phase != "collect"]
        if not ran and proof.report.build_errors:  # a runner may list a file that does not load as a test
            name = cause.file or cause.message[:80]
            detail = "\n\n".join(error.detail or error.message for error in proof.report.build_errors[:5])
            found.append(Failure(name, name or "the build", cause, detail, True))
        for test in ran:
            if test not in passed_over and test in cases:
                case = cases[test]
                detail = "\n".join(filter(None, (case.detail, case.message)))
                own = context.redact(case.message).strip()[:1000] if test != ran[0] else ""
                seen = replace(cause, message=own) if own else cause
                found.append(Failure(test, case.name, seen, context.redact(detail[:_TEXT]), case=case))
    return sorted(found, key=lambda failure: not failure.is_build)


def looked_at(context: CycleContext, one: Diagnosis) -> Diagnosis:
    """Return the failures without secrets, with the machine's facts where a failure blames the machine."""
    seen = look(one, context.prover.tree.path)
    one = replace(
        one, message=context.redact(one.message)[:1000], evidence=context.redact(one.evidence)[:300]
    )
    return replace(one, checked=context.redact(seen.finding), standing=seen.standing) if seen else one


def request_of(context: CycleContext, proof: Proof, failure: Failure, keep: Path) -> FixRequest:
    """Return what a specialist is given (A8)."""
    seen = failure.diagnosis
    case = failure.case or Case(
        "", failure.name, Outcome.ERROR, seen.file, seen.line, seen.message, detail=failure.detail
    )
    return enriched(context, proof, case, seen, keep)

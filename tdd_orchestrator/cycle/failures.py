"""What fails in a run, one value each, and what a specialist is given of it (A8)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.cycle.proof import Proof, Prover
from tdd_orchestrator.diagnosis.context import Evidence, Exchange, SpecialistRequest, request_for
from tdd_orchestrator.diagnosis.diagnose import diagnose, diagnose_case
from tdd_orchestrator.diagnosis.evidence import gather
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
                seen = cause if test == ran[0] else _as_seen_in(context, case, cause, root)
                found.append(Failure(test, case.name, seen, context.redact(detail[:_TEXT]), case=case))
    return sorted(found, key=lambda failure: not failure.is_build)


def _as_seen_in(context: CycleContext, case: Case, cause: Diagnosis, root: str) -> Diagnosis:
    """Return a cause with the message and the place of another test that fails for it."""
    own = diagnose_case(case, root, context.settings.extra_rules)
    message = context.redact(case.message).strip()[:1000] or cause.message
    return replace(
        cause, message=message, file=own.file or cause.file, line=own.line if own.file else cause.line
    )


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


_CONSOLE = 50  # entries
_LINE = 300  # characters of one request or response that a prompt shows


def enriched(context: CycleContext, proof: Proof, case: Case, diagnosis: Diagnosis, keep: Path) -> FixRequest:
    """The request for one failing test; its screenshot is copied to ``keep``, since the tree is cleaned."""
    found = gather(context.prover.tree.path, case)
    if not found.console and case.stdout:
        found = found.plus(Evidence(console=tuple(case.stdout.splitlines()[-_CONSOLE:])))
    request = request_for(case, diagnosis, found, context.agents.secrets)
    return _for_prompt(request, _kept(context.prover, request.screenshot, keep))


def browser_of(prover: Prover) -> Callable[[Case], tuple[Sequence[str], Sequence[str]]]:
    """What finds a test's browser console and its failed requests, while the tree still holds them."""

    def look(case: Case) -> tuple[Sequence[str], Sequence[str]]:
        found = gather(prover.tree.path, case)
        failed = tuple(
            f"{one.method} {one.url} {one.status or one.failure}" for one in found.network if one.bad
        )
        return found.console, failed

    return look


def stored(request: FixRequest) -> dict[str, Any]:
    """Return the fields for the record, without the empty ones."""
    return {key: value for key, value in asdict(request).items() if value not in ("", 0, ())}


def _for_prompt(request: SpecialistRequest, screenshot: str) -> FixRequest:
    return FixRequest(
        test_id=request.test_id,
        test_name=request.test_name,
        failed_step=request.failed_step,
        error_type=request.error_type,
        message=request.message,
        stack=request.stack,
        screenshot=screenshot,
        console=request.console,
        network=tuple(_exchange_text(exchange) for exchange in request.network),
        file=request.file,
        line=request.line,
        sql=request.sql,
        table=request.table or request.policy,
        task=request.task,
    )


def _exchange_text(one: Exchange) -> str:
    answer = str(one.status) if one.status else f"no answer ({one.failure})"
    bodies = "".join(
        f" {name}: {body[:_LINE]}"
        for name, body in (("sent", one.request_body), ("got", one.response_body))
        if body
    )
    return f"{one.method} {one.url} -> {answer}{bodies}"


def _kept(prover: Prover, screenshot: str, keep: Path) -> str:
    if not screenshot:
        return ""
    path = prover.tree.path / screenshot
    if not path.is_file() or path.is_symlink() or not keep.is_dir():
        return screenshot
    copy = keep / f"screenshot{path.suffix}"
    shutil.copyfile(path, copy)
    return str(copy)

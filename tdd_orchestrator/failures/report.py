"""Build the error report (F3) from an error record, its diagnosis and context. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tdd_orchestrator.diagnosis.places import place_in
from tdd_orchestrator.failures import strategy
from tdd_orchestrator.failures.strategy import means_of, strategy_of
from tdd_orchestrator.failures.triggers import LEVELS, Stage, error_type, stage_of
from tdd_orchestrator.model.diagnosis import Diagnosis, ErrorType
from tdd_orchestrator.model.error_report import (
    ErrorReport,
    ReportAdvice,
    ReportAgent,
    ReportSeen,
    ReportSnapshot,
    ReportTrigger,
)
from tdd_orchestrator.model.parts import CountsInfo
from tdd_orchestrator.model.phase import Verdict
from tdd_orchestrator.model.reading import read_as
from tdd_orchestrator.model.records import Trouble
from tdd_orchestrator.model.report import Report
from tdd_orchestrator.text import middle_cut, one_line, plain

_STACK = 6000  # characters
_FILES = 20
_NAMED = 50
_CHANGED = 100
_HALVINGS = 10
_UNLOCATED = 0.6  # most that is believed of a diagnosis that names no place outside the tests
_BYTES = 40_000  # of the whole report, so that its record stays well below a record's limit


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a failure (F2).

    ``paths``: the failed commit's files; ``changed``: since the cycle began. ``verdicts`` are those of the
    refused attempts of the failed phase; ``root`` is where the tests ran.
    """

    error_id: str
    at: str
    phase: str
    why: str
    workflow_id: str = ""
    item_id: str = ""
    item: str = ""
    issue: int = 0
    branch: str = ""
    base: str = ""
    commit: str = ""
    retry: int = 0
    verdicts: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    paths: frozenset[str] = frozenset()
    verification: tuple[str, ...] = ()
    root: str = ""
    seen: ReportSeen = ReportSeen()


def build(trouble: Trouble, context: Context, evidence: Report | None = None) -> ErrorReport:
    """Return the report of one failure.

    ``trouble`` is its record of kind ``error``, or an empty one where there is none.
    """
    diagnosis = read_as(Diagnosis, trouble.diagnosis)
    verdict = strategy.verdict_of(trouble)
    kind = error_type(diagnosis.error_type, verdict)
    said = trouble.error_details.message or diagnosis.message or context.why
    message = one_line(_local(said, context.root), 1000)
    stack = _local(_stack(trouble, evidence), context.root)
    seen = _places(diagnosis, stack, evidence, context)
    mine = _changed(trouble)
    places = _with_changed(seen, mine)
    tests = {case.file for case in evidence.failing} if evidence else set()
    suspects = {_file(place) for place in places} - tests or {_file(place) for place in places}
    sure = diagnosis.confidence
    located = any(_file(place) not in tests for place in seen)
    if kind is ErrorType.SYNTAX and diagnosis.file:  # whatever else could not be loaded for it
        suspects, located = {diagnosis.file}, True
    row = strategy_of(trouble, context.phase, context.why, context.verdicts) or strategy.choose(
        files=len(suspects),
        confidence=sure if located else min(sure, _UNLOCATED),
        attempts=len(context.verdicts),
        breaks=sum(one == "breaks_existing" for one in context.verdicts),
    )
    routing = str(diagnosis.routing_type) if trouble.diagnosis else ""
    stage = stage_of(kind, routing, verdict, f"{message} {context.why}")
    cause = _root_cause(trouble, context, diagnosis, message, mine)
    report = ErrorReport(
        error_id=context.error_id,
        workflow_id=context.workflow_id,
        issue_number=context.issue or None,
        failed_phase=context.phase,
        failed_at=context.at,
        error_type=kind,
        error_message=message,
        stack_trace=stack,
        root_cause=cause,
        affected_files=places,
        diagnosis_confidence=sure,
        summary=one_line(f"{context.phase}: {message}"),
        why=one_line(context.why, 400),
        item_id=context.item_id,
        item=context.item,
        retry_count=context.retry,
        attempts=len(context.verdicts),
        trigger=trigger(stage),
        exception=diagnosis.exception,
        fingerprint=trouble.fingerprint,
        routing_type=diagnosis.routing_type,
        reasons=[one_line(reason, 400) for reason in trouble.reasons[:5]],
        investigation=_investigation(trouble),
        agent=ReportAgent(**trouble.agent.model_dump(include=set(ReportAgent.model_fields))),
        seen=context.seen,
        verification=list(context.verification),
        context_snapshot=_snapshot(trouble, context),
    )
    report = with_strategy(report, row)
    if stage is Stage.LANDING:
        merge = f"git merge {context.commit[:12]}, solve the conflict, then tdd cycle next"
        why = f"the finished work conflicts with what came to {context.branch}"
        changes = {"summary": one_line(context.why), "error_type": str(ErrorType.INTEGRATION)}
        report = with_strategy(report.model_copy(update=changes), strategy.nothing_in_code(why, merge))
    return _bounded(report)


def trigger(stage: Stage) -> ReportTrigger:
    return ReportTrigger(stage=stage, level=LEVELS[stage])


def with_strategy(report: ErrorReport, row: strategy.Strategy) -> ErrorReport:
    """Return the report with what follows from a strategy: the chosen one, or the user's own."""
    return report.model_copy(
        update={
            "fix_strategy": row.name,
            "fix_description": row.what,
            "estimated_fix_hours": row.hours,
            "confidence": row.confidence,
            "recommended_workflow": strategy.workflow(row, report),
        }
    )


def _snapshot(trouble: Trouble, context: Context) -> ReportSnapshot:
    counts = trouble.tests.counts or CountsInfo()
    failing = trouble.tests.failing_tests
    return ReportSnapshot(
        branch=context.branch,
        base=context.base,
        commit=context.commit,
        changed_files=list(context.changed[:_CHANGED]),
        tests_failed=counts.failed + counts.errors or len(failing),
        tests_passed=counts.passed,
        failing_tests=[one_line(name, 300) for name in failing[:_NAMED]],
    )


def _local(text: str, root: str) -> str:
    """Paths below the folder where the tests ran, as they are in the repository."""
    return text.replace(f"{root.rstrip('/')}/", "") if root.strip("/") else text


def _stack(trouble: Trouble, evidence: Report | None) -> str:
    """Return the full output of the first failing target; else the first build error, or the first
    failing test."""
    if evidence is None:
        return ""
    targets = set(trouble.tests.target_tests)
    cases = sorted(evidence.failing, key=lambda case: case.id not in targets)
    parts = [error.detail or error.message for error in evidence.build_errors]
    parts += [
        case.detail if case.message in case.detail else f"{case.detail}\n{case.message}".strip("\n")
        for case in cases
    ]
    return plain(middle_cut(next(filter(str.strip, parts), ""), _STACK))


def _places(diagnosis: Diagnosis, stack: str, evidence: Report | None, context: Context) -> list[str]:
    """``path:line``, the diagnosed place first; only paths that the failed commit holds, where that is
    known."""
    found = [(diagnosis.file, diagnosis.line)]
    found += [(path, 0) for path in diagnosis.triggers]
    for line in stack.splitlines():
        place = place_in(line, context.root)
        if place is not None:
            found.append((place.file, place.line))
    if evidence is not None:
        found += [(error.file, error.line) for error in evidence.build_errors]
        found += [(case.file, case.line) for case in evidence.failing[:_NAMED]]
    known = [(file, line) for file, line in found if file and (not context.paths or file in context.paths)]
    lined = {file for file, line in known if line}
    kept = (f"{file}:{line}" if line else file for file, line in known if line or file not in lined)
    return list(dict.fromkeys(kept))[:_FILES]


def _file(place: str) -> str:
    head, colon, line = place.rpartition(":")
    return head if colon and line.isdigit() else place


def _changed(trouble: Trouble) -> tuple[str, ...]:
    """Return the files that the refused attempt changed, added ones first."""
    return (*trouble.files_changed.added, *trouble.files_changed.modified)


def _with_changed(places: list[str], changed: Iterable[str]) -> list[str]:
    """Return the places of the error, then the changed files: the cause is often elsewhere than it shows."""
    named = {_file(place) for place in places}
    return [*places, *(path for path in changed if path not in named)][:_FILES]


def _root_cause(
    trouble: Trouble, context: Context, diagnosis: Diagnosis, message: str, changed: tuple[str, ...]
) -> str:
    """Return the investigation's root cause; else the error, and whether the refused change lies there."""
    investigated = trouble.investigation.get("root_cause")
    phase, means = context.phase, means_of(trouble)
    of_agent = strategy.verdict_of(trouble) == Verdict.AGENT_FAILED and phase != strategy.FIX and not means
    if of_agent and trouble.investigation.get("by") != "agent":  # our rules read what failed in code
        return f"The agent's run failed: {message.rstrip('.')}."
    idle = strategy.changed_nothing(phase, context.verdicts) and not means
    if idle and trouble.investigation.get("by") != "agent":
        return _no_change(trouble, len(context.verdicts))
    if isinstance(investigated, str) and investigated.strip():
        looked = f" A look at the machine: {diagnosis.checked}." if diagnosis.checked else ""
        return one_line(investigated, 1000) + one_line(looked, 400)
    if means and phase != strategy.FIX:
        return f"{trouble.error.rstrip('.')}: it {means}."
    exception = diagnosis.exception
    cause = message if not exception or message.startswith(exception) else f"{exception}: {message}"
    parts = [trouble.error.rstrip("."), cause.rstrip(".")]
    if file := diagnosis.file:
        place = f"{file}:{diagnosis.line}" if diagnosis.line else file
        if file in changed:
            parts.append(f"It shows in {place}, which the refused attempt changed")
        else:
            what = f"; it changed {', '.join(changed[:5])}" if changed else ""
            parts.append(f"It shows in {place}, which the refused attempt did not change{what}")
    elif changed:
        parts.append(f"The place was not named; the refused attempt changed {', '.join(changed[:5])}")
    if diagnosis.checked:
        parts.append(f"A look at the machine: {diagnosis.checked}")
    if means:
        parts.append(f"The agent {means}")
    if diagnosis.history == "regression":
        parts.append("It passed before this cycle")
    return one_line(". ".join(part for part in parts if part) + ".", 1000)


def _no_change(trouble: Trouble, attempts: int) -> str:
    often = f" in each of {attempts} attempts" if attempts > 1 else ""
    words = one_line(trouble.agent.last_words, 500)
    return f"The agent changed nothing{often}. " + (
        f"Its last words: {words}" if words else "It said nothing."
    )


def _investigation(trouble: Trouble) -> ReportAdvice:
    """Return the Error Analyzer's advice; empty where it was not asked."""
    found = trouble.investigation
    return ReportAdvice(
        by=str(found.get("by", "")),
        action=str(found.get("action", "")),
        strategy=one_line(str(found.get("strategy", "")), 500),
        steps=[one_line(str(step), 300) for step in (found.get("steps") or [])[:8]],
        evidence=[one_line(str(row), 300) for row in (found.get("evidence") or [])[:5]],
        skills=[
            f"{skill}: {one_line(str(saw), 200)}" for skill, saw in (found.get("patterns") or [])[:3] if skill
        ],
    )


def _bounded(report: ErrorReport) -> ErrorReport:
    """Return the report within its bytes: long lists and the stack are halved until it fits."""
    for _ in range(_HALVINGS):
        if len(json.dumps(report.data(), ensure_ascii=False).encode("utf-8", "backslashreplace")) <= _BYTES:
            break
        seen, snapshot = report.seen, report.context_snapshot
        newest = {"console": _newer_half(seen.console), "network": _newer_half(seen.network)}
        files = {
            "changed_files": _half(snapshot.changed_files),
            "failing_tests": _half(snapshot.failing_tests),
        }
        report = report.model_copy(
            update={
                "seen": seen.model_copy(update=newest),
                "stack_trace": middle_cut(report.stack_trace, len(report.stack_trace) // 2),
                "affected_files": _half(report.affected_files),
                "context_snapshot": snapshot.model_copy(update=files),
            }
        )
    return report


def _newer_half(rows: list[Any]) -> list[Any]:
    return rows[len(rows) // 2 :]


def _half(rows: list[str]) -> list[str]:
    return rows[: max(1, len(rows) // 2)]

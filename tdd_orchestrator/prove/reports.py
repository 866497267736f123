"""The answer for machines and for people: plain values, one line for each question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from tdd_orchestrator.audit.reports import badge_svg
from tdd_orchestrator.cycle.counterfactual.answers import counts
from tdd_orchestrator.prove.values import MEANING, ChangeResult, ProveReport


def values(report: ProveReport) -> dict[str, Any]:
    """Return the whole answer as plain values, for ``--json``."""
    return {
        "proven": report.proven,
        "trees": report.trees,
        "seconds": report.seconds,
        "changes": [_result(result) for result in report.results],
    }


def badge(report: ProveReport) -> str:
    """Return an SVG badge: ``proven 3/3``, how many of the changes are proven."""
    proven = sum(result.proven for result in report.results)
    return badge_svg("proven", f"{proven}/{len(report.results)}", report.proven)


def _result(result: ChangeResult) -> dict[str, Any]:
    return {
        **asdict(result.change),
        "class": str(result.kind),
        "verdict": str(result.verdict),
        "meaning": MEANING[result.verdict],
        "proven": result.proven,
        "reasons": list(result.reasons),
        "tests": [asdict(row) for row in result.tests],
        "questions": questions(result),
        "warnings": list(result.warnings),
        "uncovered": list(result.uncovered),
        "counts": asdict(result.counts) if result.counts else None,
        "seconds": result.seconds,
    }


def questions(result: ChangeResult) -> list[dict[str, Any]]:
    """Return each question with how many tests were asked, and how many failed as they must."""
    if result.asked is None:
        return []
    return [
        {"question": str(question), "asked": asked, "failed": failed, "not_asked": why}
        for question, asked, failed, why in counts(result.asked)
    ]


_QUESTIONS = {
    "poison": "with a failing statement at the end",
    "shift": "with other expected values",
    "stub": "without the new functions",
}


def answered(result: ChangeResult) -> Iterator[str]:
    """Yield one sentence for each question that was asked."""
    for one in questions(result):
        if one["asked"]:
            yield f"{_QUESTIONS[one['question']]}: {one['failed']} of {one['asked']} tests fail, as they must"

"""The replay's result for one commit, and the text for a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from tdd_orchestrator.model.report import Report
from tdd_orchestrator.notes.codec import Record


@dataclass(frozen=True, slots=True)
class CommitResult:
    """One row of the result: the recorded run, the run now, and whether they agree."""

    commit: str
    subject: str
    cycle_id: str
    cycle_number: int
    item: str
    phase: str  # RED, GREEN, REFACTOR, FIX, or KNOWN-GOOD
    how: str  # how the record was found: commit, carried, tree, patch, squash
    recorded: str
    seen: str
    ok: bool
    reasons: tuple[str, ...] = ()


def recorded(record: Record) -> str:
    """Return the record's summary of the run: ``proven: 2 passed``."""
    tests = record.get("tests") or {}
    return f"{record.get('verdict')}: {_format_counts(tests.get('counts') or {}) or tests.get('run_verdict', '')}"


def counted(report: Report) -> str:
    """Return a run's counts as text, or else its verdict."""
    return (_format_counts(asdict(report.counts)) if report.counts else "") or str(report.verdict)


def _format_counts(counts: Mapping[str, int]) -> str:
    """Return ``2 passed, 1 error`` without zero counts."""
    labels = {name: "error" if name == "errors" and number == 1 else name for name, number in counts.items()}
    return ", ".join(f"{number} {labels[name]}" for name, number in counts.items() if number)

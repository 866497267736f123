"""What a replay says of one commit, and the text for a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from tdd_orchestrator.model.report import Report
from tdd_orchestrator.notes.codec import Record


@dataclass(frozen=True, slots=True)
class CommitResult:
    """One row of the answer: what was recorded of a commit, what was seen now, and whether it holds."""

    commit: str
    subject: str
    cycle_id: str
    cycle_number: int
    item: str
    phase: str  # RED, GREEN, REFACTOR, FIX, or KNOWN-GOOD
    how: str  # commit, carried, tree, patch, squash: by what the record was found
    recorded: str
    seen: str
    ok: bool
    reasons: tuple[str, ...] = ()


def recorded(record: Record) -> str:
    """What the record says of the run: ``proven: 2 passed``."""
    tests = record.get("tests") or {}
    return f"{record.get('verdict')}: {_told(tests.get('counts') or {}) or tests.get('run_verdict', '')}"


def counted(report: Report) -> str:
    """What a run came to in numbers, or else its verdict."""
    return (_told(asdict(report.counts)) if report.counts else "") or str(report.verdict)


def _told(counts: Mapping[str, int]) -> str:
    """``2 passed, 1 error``: what there is none of is left out."""
    words = {name: "error" if name == "errors" and number == 1 else name for name, number in counts.items()}
    return ", ".join(f"{number} {words[name]}" for name, number in counts.items() if number)

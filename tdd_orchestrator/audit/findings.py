"""The rules of an audit (one row each), their findings, and the result for each commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tdd_orchestrator.model.records import Fix, Handoff
from tdd_orchestrator.model.report import Report

RULES: dict[str, tuple[str, str]] = {
    # rule: (level, what it means)
    "newer-schema": ("error", "A record was written by a later version of tdd"),
    "unreadable-line": ("error", "A line of a note is no record"),
    "malformed-record": ("error", "A record lacks what its kind must have"),
    "altered-record": ("error", "A record is not as it was written"),
    "altered-announcement": ("error", "A notes commit is not as tdd wrote it"),
    "unannounced-record": ("error", "A record that no notes commit of tdd announces"),
    "missing-record": ("error", "A record that the notes log announces is gone from its note"),
    "missing-note": ("error", "A note is named and its content is missing"),
    "broken-chain": ("error", "The hash of the record before fits no record"),
    "out-of-order": ("warning", "A record is older than the one it follows"),
    "missing-evidence": ("error", "The evidence of a record is missing"),
    "altered-evidence": ("error", "The evidence of a record is not what was recorded"),
    "evidence-mismatch": ("error", "A record says of its run what the evidence does not say"),
    "missing-commit": ("error", "A record hangs on a commit that is missing"),
    "missing-attempt": ("warning", "A refused attempt's commit is missing"),
    "tree-mismatch": ("error", "The tree that a record names is not its commit's"),
    "moved-record": ("warning", "A record hangs on another commit than it was written for"),
    "unrecorded-attempt": ("warning", "A pinned attempt has no record"),
    "bad-signature": ("error", "A signature does not fit what it signs"),
    "unsigned-record": ("error", "A record is unsigned although signing had begun"),
    "unchecked-signature": ("warning", "A signature cannot be checked here"),
    "no-record": ("error", "A commit has no accepted record"),
    "ambiguous-record": ("error", "It cannot be told which record a commit belongs to"),
    "out-of-place": ("error", "A commit does not stand on the phase before it"),
    "red-alone": ("warning", "A RED without the GREEN of its cycle"),
    "not-proven": ("error", "What was recorded cannot be seen again"),
    "proven-together": ("warning", "A commit is proven only together with those that landed with it"),
    "not-good": ("error", "A commit recorded as known-good is not"),
}
"""Every rule of ``tdd verify``; the SARIF report and the documentation list them from here."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding. ``what``: a sentence; ``commit``: annotated or judged; ``record``: its id;
    ``notes_commit``: its origin."""

    rule: str
    what: str
    commit: str = ""
    record: str = ""
    notes_commit: str = ""

    @property
    def level(self) -> str:
        return RULES[self.rule][0]


def errors(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level == "error"]


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
    record: str = ""  # the id of the record that was judged
    questions: tuple[dict[str, Any], ...] = ()  # how each question was answered now


def recorded(record: Handoff | Fix) -> str:
    """Return the record's summary of the run: ``proven: 2 passed``, or with which commit it was run."""
    counts = record.tests.counts
    with_it = f"with {record.together[:12]}" if isinstance(record, Handoff) else ""
    seen = _format_counts(counts.model_dump() if counts else {}) or record.tests.run_verdict or with_it
    return f"{record.verdict}: {seen}"


def counted(report: Report) -> str:
    """Return a run's counts as text, or else its verdict."""
    return (
        (_format_counts(asdict(report.counts)) if report.counts else "") or report.why or str(report.verdict)
    )


def _format_counts(counts: Mapping[str, int]) -> str:
    """Return ``2 passed, 1 error`` without zero counts."""
    labels = {name: "error" if name == "errors" and number == 1 else name for name, number in counts.items()}
    return ", ".join(f"{number} {labels[name]}" for name, number in counts.items() if number)

"""Which run folders of failed cycles go, and when (F8). Deciding is pure; removing is one function.

The trees that agents and proofs use are one pair for the repository, kept and reused; what piles up is a
folder of transcripts and logs per cycle. The commits of refused attempts are kept by their refs, whatever
goes here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from tdd_orchestrator.failures.reports import StoredReport
from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.errors import BadConfig
from tdd_orchestrator.workspace.folders import remove

_CYCLE = re.compile(r"c-[0-9a-z]{1,32}")  # a record may be anybody's, and name any folder


class When(StrEnum):
    NOW = "now"
    ON_FIX = "on_fix"
    KEEP = "keep"


TABLE: dict[ErrorType, When] = {
    ErrorType.SYNTAX: When.NOW,
    ErrorType.TYPE: When.NOW,
    ErrorType.TEST: When.ON_FIX,
    ErrorType.LINT: When.ON_FIX,
    ErrorType.INTEGRATION: When.ON_FIX,
    ErrorType.BUILD: When.KEEP,
    ErrorType.RESOURCE: When.KEEP,
    ErrorType.TIMEOUT: When.KEEP,
}
"""What is not named here is kept: it goes by hand."""

_WORDS = {
    When.NOW: "the error report says all there is",
    When.ON_FIX: "it goes when the error is fixed or closed",
    When.KEEP: "remove it by hand when it is of no more use",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one failed cycle's run folder."""

    cycle_id: str
    error_id: str
    error_type: str
    when: When
    goes: bool

    @property
    def why(self) -> str:
        return f"{self.error_type}: {_WORDS[self.when]}"


def table_with(overrides: Mapping[Any, str]) -> dict[str, When]:
    """The table with the user's [cleanup] rows put over it. BadConfig for a type that there is none of."""
    for name in overrides:
        if name not in set(ErrorType):
            raise BadConfig(
                f"cleanup.{name}: there is no such error type.", f"Use one of {', '.join(ErrorType)}."
            )
    return {str(kind): When(overrides.get(kind, TABLE.get(kind, When.KEEP))) for kind in ErrorType}


def decide(reports: Iterable[StoredReport], table: Mapping[str, When]) -> list[Decision]:
    """One decision for each failed cycle, from its newest report."""
    newest = {one.cycle_id: one for one in reports if one.cycle_id}
    decisions = []
    for one in newest.values():
        kind = one.report.error_type
        when = table.get(kind, When.KEEP)
        goes = when is When.NOW or (when is When.ON_FIX and one.status != "open")
        decisions.append(Decision(one.cycle_id, one.error_id, kind, when, goes))
    return decisions


def carry_out(runs: Path, decisions: Iterable[Decision], *, dry: bool = False) -> tuple[list[str], list[str]]:
    """Remove what the decision names; return what was removed, and what was kept and where.

    Raises OSError where it cannot be removed.
    """
    removed, kept = [], []
    for one in decisions:
        folder = runs / one.cycle_id
        if not _CYCLE.fullmatch(one.cycle_id) or not folder.is_dir() or folder.is_symlink():
            continue
        if one.goes:
            if not dry:
                remove(folder)
            removed.append(f"{one.cycle_id} ({one.error_id}, {one.why})")
        else:
            kept.append(f"{folder} ({one.error_id}: {_WORDS[one.when]})")
    return removed, kept

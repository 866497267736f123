"""One row of RED's reasons: a pattern over a test's or a compiler's message, and its meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.lazy_regex import LazyRegex
from tdd_orchestrator.model.report import Reason


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """``owner``: whose the captured name must be for ``reason`` to apply (see ``reason_owners``).

    ``build``: only for errors that keep a file or suite from running. ``sample``: a text that this row
    must decide.
    """

    language: str
    pattern: LazyRegex
    reason: Reason
    sample: str
    owner: str = ""
    build: bool = False


def row(
    language: str, pattern: str, reason: Reason, sample: str, owner: str = "", build: bool = False
) -> ReasonRow:
    return ReasonRow(language, LazyRegex(pattern, re.MULTILINE), reason, sample, owner, build)

"""One row of RED's reasons: a pattern over a test's or a compiler's message, and its meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tdd_orchestrator.lazy_regex import LazyRegex
from tdd_orchestrator.model.report import Reason
from tdd_orchestrator.text_table import Entry, parse_entries


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


def reason_rows(table: str) -> tuple[ReasonRow, ...]:
    """Return a table's rows. Their heads have language, reason, owner if any, and ``build`` if it is so."""
    return tuple(_row(entry) for entry in parse_entries(table))


def _row(entry: Entry) -> ReasonRow:
    language, reason, *more = entry.head
    build = more[-1:] == ["build"]
    owner = "".join(more[:-1] if build else more)
    pattern = LazyRegex(entry.get("pattern"), re.MULTILINE)
    return ReasonRow(language, pattern, Reason(reason), entry.get("sample"), owner, build)

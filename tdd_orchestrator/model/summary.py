"""A stored record as a screen shows it: typed as the models are, but without importing pydantic.

`tdd status` and the like answer in a few hundredths of a second; importing the models takes longer.
Decisions use the models (``model.reading``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

REPORT_ACTIONS = frozenset({"report_action", "desk"})
"""The kinds of ``ReportAction``: the one that is written, and the one that stands in the oldest notes."""


class AgentSummary(NamedTuple):
    """The agent and its usage; the fields are those of ``AgentInfo``."""

    name: str = ""
    model: str = ""
    version: str = ""
    seconds: float = 0.0
    turns: int = 0
    tokens: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    cache_creation_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    fault: str = ""
    said: str = ""
    last_words: str = ""


class RecordSummary(NamedTuple):
    """The state of a cycle in a record; fields that its kind does not have are empty."""

    kind: str = ""
    at: str = ""
    cycle_id: str = ""
    cycle_number: int = 0
    item: str = ""
    branch: str = ""
    tip: str = ""
    phase: str = ""
    next_phase: str = ""
    attempt: int = 0
    retry_count: int = 0
    known_good: bool = False
    verdict: str = ""
    outcome: str = ""
    decision: str = ""
    gate: str = ""
    error: str = ""
    error_id: str = ""
    summary: str = ""
    candidate: str = ""
    wall: float = 0.0
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    pending_items: tuple[str, ...] = ()
    agent: AgentSummary = AgentSummary()


class ReportSummary(NamedTuple):
    """An error report; the fields are those of ``ErrorReport``."""

    error_id: str = ""
    failed_phase: str = ""
    fingerprint: str = ""
    summary: str = ""
    recommended_workflow: str = ""
    agent: AgentSummary = AgentSummary()


def summarize(record: Mapping[str, Any]) -> RecordSummary:
    """Return a record's summary; values that do not fit count as empty."""
    return RecordSummary(**_fitting(record, RecordSummary()))


def summarize_agent(agent: Mapping[str, Any]) -> AgentSummary:
    """Return the summary of a record's agent; values that do not fit count as empty."""
    return AgentSummary(**_fitting(agent, AgentSummary()))


def summarize_report(report: Mapping[str, Any]) -> ReportSummary:
    """Return the summary of an error report; values that do not fit count as empty."""
    return ReportSummary(**_fitting(report, ReportSummary()))


_TAKEN_UP = re.compile(r"tdd cycle resume; once another cycle has begun, (tdd cycle next --item \S+)")


def next_step(workflow: str, *, newest: bool) -> str:
    """Return what a report advises, for now: ``newest`` says whether no other cycle has begun since."""
    return _TAKEN_UP.sub("tdd cycle resume" if newest else r"\1", workflow)


def _fitting(data: Mapping[str, Any], empty: RecordSummary | AgentSummary | ReportSummary) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, default in empty._asdict().items():
        value = data.get(name)
        if isinstance(default, AgentSummary):
            found[name] = summarize_agent(value) if isinstance(value, dict) else default
        elif isinstance(default, tuple):
            found[name] = tuple(map(str, value)) if isinstance(value, list) else default
        elif type(value) in _types(default):
            found[name] = value
    return found


def _types(default: object) -> tuple[type, ...]:
    """The types that a field takes: a number of seconds or dollars may be a whole one."""
    return (int, float) if default is None or isinstance(default, float) else (type(default),)

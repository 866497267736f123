"""Every number of the analytics as one row: a name, a title, its SQL. The last column, ``cycles``, names
those behind it.

``:since`` is a time as in ``at``. A metric with ``days`` looks back that far where no other time is asked
for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tdd_orchestrator.history.index import Index, Source
from tdd_orchestrator.history.schema import week_of

_CYCLES = "json_group_array(cycle_id) FILTER (WHERE cycle_id != '') AS cycles"
_USED = "nullif(sum(tokens), 0) AS tokens, round(nullif(sum(cost), 0), 2) AS cost"


@dataclass(frozen=True, slots=True)
class Metric:
    """``plot``: which column to draw over which, as "x y", and "" where a table is all there is. ``of``: what
    it is computed from."""

    name: str
    title: str
    sql: str
    plot: str = ""
    days: int = 0
    note: str = ""
    of: Source = "records"


@dataclass(frozen=True, slots=True)
class Numbers:
    """A metric's rows; ``cycles``: for each row the ids of the cycles that it was computed from."""

    metric: Metric
    since: str
    rows: tuple[dict[str, Any], ...]
    cycles: tuple[tuple[str, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.rows[0]) if self.rows else ()


METRICS: tuple[Metric, ...] = (
    Metric(
        "summary",
        "Overview",
        f"""
SELECT count(*) AS cycles_begun, sum(outcome = 'landed') AS landed,
    sum(outcome = 'already_covered') AS already_covered, sum(outcome = 'aborted') AS aborted,
    sum(outcome = 'parked') AS parked, sum(outcome = 'cancelled') AS cancelled,
    sum(outcome = '' OR (outcome = 'outer_red' AND NOT EXISTS (
        SELECT 1 FROM cycles AS later WHERE later.item_id = cycles.item_id AND later.number > cycles.number
    ))) AS in_progress, sum(attempts) AS attempts, sum(refused) AS rejected,
    round(100.0 * sum(attempts - refused) / nullif(sum(attempts), 0), 1) AS accepted_percent, {_CYCLES}
FROM cycles WHERE last_at >= :since HAVING count(*) > 0""",
    ),
    Metric(
        "errors_by_type",
        "Failures by type",
        f"""
SELECT error_type, count(*) AS failures, round(avg(retry_count), 2) AS average_retries,
    sum(closed_at IS NOT NULL) AS fixed, round(avg(hours_to_fix), 3) AS average_hours_to_fix,
    round(avg(estimated_hours), 2) AS average_estimate, {_CYCLES}
FROM failures WHERE at >= :since GROUP BY error_type ORDER BY failures DESC, error_type""",
        "error_type failures",
        30,
        "Cycles that were given up, by the type of error, in the last 30 days.",
    ),
    Metric(
        "common_errors",
        "Most common errors",
        f"""
SELECT error, error_type, count(*) AS times, count(DISTINCT item_id) AS items, max(at) AS last_seen, {_CYCLES}
FROM (SELECT error_type, item_id, at, cycle_id,
        max(message) OVER (PARTITION BY coalesce(nullif(fingerprint, ''), message)) AS error
    FROM attempts WHERE NOT accepted AND at >= :since)
GROUP BY error, error_type ORDER BY times DESC, error LIMIT 20""",
        of="attempts",
    ),
    Metric(
        "time_to_fix",
        "Time to fix by type",
        f"""
SELECT error_type, count(*) AS fixed, round(avg(hours_to_fix), 3) AS average_hours,
    round(min(hours_to_fix), 3) AS least, round(max(hours_to_fix), 3) AS most, {_CYCLES}
FROM failures WHERE closed_at IS NOT NULL AND at >= :since
GROUP BY error_type ORDER BY average_hours DESC""",
        "error_type average_hours",
    ),
    Metric(
        "retry_success",
        "Retries that succeeded",
        f"""
WITH phases AS (
    SELECT cycle_id, phase, max(retry_count) AS retries, max(accepted) AS passed
    FROM attempts WHERE at >= :since GROUP BY cycle_id, phase)
SELECT phase, count(*) AS retried, sum(passed) AS passed_after_retry,
    round(100.0 * sum(passed) / count(*), 1) AS percent, round(avg(retries), 2) AS average_retries, {_CYCLES}
FROM phases WHERE retries > 0 GROUP BY phase ORDER BY phase""",
        "phase percent",
        of="attempts",
    ),
    Metric(
        "fix_success",
        "Fix items that succeeded, by type",
        """
SELECT items.error_type, count(*) AS fix_items, coalesce(sum(state.outcome IN ('landed', 'already_covered')), 0)
        AS completed,
    coalesce(sum(state.outcome IN ('aborted', 'parked') OR state.kind = 'item_failed'), 0) AS failed,
    round(100.0 * sum(state.outcome IN ('landed', 'already_covered'))
        / nullif(sum(state.kind IN ('cycle_ended', 'item_failed')), 0), 1) AS percent,
    json_group_array(state.cycle_id) FILTER (WHERE state.cycle_id != '') AS cycles
FROM items LEFT JOIN item_states AS state ON state.item_id = items.id
WHERE items.fix AND coalesce(state.at, :since) >= :since GROUP BY items.error_type ORDER BY fix_items DESC""",
        "error_type percent",
    ),
    Metric(
        "failed_phases",
        "Failures by phase",
        f"""
SELECT phase, count(*) AS failures, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent, {_CYCLES}
FROM failures WHERE at >= :since GROUP BY phase ORDER BY failures DESC""",
        "phase failures",
    ),
    Metric(
        "weeks",
        "Trend by week",
        f"""
SELECT {week_of("started")} AS week, count(*) AS cycles_begun, sum(outcome = 'landed') AS landed,
    sum(outcome = 'aborted') AS aborted, sum(refused) AS rejected,
    round(100.0 * sum(refused) / nullif(sum(attempts), 0), 1) AS rejected_percent,
    {_USED}, {_CYCLES}
FROM cycles WHERE started >= :since GROUP BY week ORDER BY week""",
        "week landed",
    ),
    Metric(
        "cost",
        "Cost of a landed item, by week",
        f"""
SELECT {week_of("started")} AS week, sum(outcome = 'landed') AS landed,
    round(nullif(sum(cost), 0) / nullif(sum(outcome = 'landed'), 0), 4) AS cost_each,
    round(1.0 * nullif(sum(tokens), 0) / nullif(sum(outcome = 'landed'), 0)) AS tokens_each,
    round(sum(minutes) / nullif(sum(outcome = 'landed'), 0), 2) AS minutes_each, {_CYCLES}
FROM cycles WHERE started >= :since GROUP BY week ORDER BY week""",
        "week cost_each",
        note="What aborted cycles used is counted too. A dash where agents report no tokens or cost.",
    ),
    Metric(
        "agents",
        "Agents and models",
        f"""
SELECT agent, model, role, count(*) AS attempts, sum(accepted) AS proven,
    round(100.0 * sum(accepted AND retry_count = 0) / nullif(sum(retry_count = 0), 0), 1) AS first_try_percent,
    sum(retry_count > 0) AS retries, {_USED},
    round(avg(seconds), 1) AS average_seconds, {_CYCLES}
FROM attempts WHERE agent != '' AND at >= :since GROUP BY agent, model, role ORDER BY attempts DESC, agent, role""",
        of="attempts",
    ),
    Metric(
        "races",
        "Races of agents",
        f"""
SELECT agent, role, count(*) AS races, sum(won) AS won, count(*) - sum(won) AS superseded,
    round(avg(seconds), 1) AS average_seconds, {_CYCLES}
FROM (
    SELECT agent, role, 1 AS won, seconds, at, cycle_id, cycle_number FROM records
    WHERE id IN (SELECT record FROM superseded) AND kind = 'handoff' AND transport = 0
    UNION ALL
    SELECT lost.agent, lost.role, 0, lost.seconds, at, cycle_id, cycle_number
    FROM superseded AS lost JOIN records ON records.id = lost.record
) WHERE at >= :since GROUP BY agent, role ORDER BY won DESC, agent, role""",
        note="An agent is superseded when another one was proven first in the same phase.",
        of="attempts",
    ),
    Metric(
        "flaky",
        "Flaky tests",
        f"""
SELECT test, count(*) AS times, max(at) AS last_seen, max(quarantined_until) AS quarantined_until, {_CYCLES}
FROM flaky JOIN records ON records.id = flaky.record WHERE at >= :since
GROUP BY test ORDER BY times DESC, test LIMIT 100""",
    ),
    Metric(
        "suite_time",
        "Time of the test suite, by week",
        f"""
SELECT week, count(*) AS runs, round(avg(test_seconds), 2) AS average_seconds,
    round(max(test_seconds), 2) AS slowest, max(passed + failed) AS tests, {_CYCLES}
FROM attempts WHERE test_seconds > 0 AND at >= :since GROUP BY week ORDER BY week""",
        "week average_seconds",
        of="attempts",
    ),
    Metric(
        "systemic",
        "Systemic issues",
        f"""
SELECT max(message) AS error, error_type, count(DISTINCT item_id) AS items, count(*) AS times,
    min(at) AS first_seen, max(at) AS last_seen, {_CYCLES}
FROM attempts WHERE NOT accepted AND fingerprint != '' AND at >= :since
GROUP BY fingerprint HAVING items > 1 ORDER BY items DESC, times DESC LIMIT 20""",
        note="One cause, by its fingerprint, in more than one item.",
        of="attempts",
    ),
    Metric(
        "forecast",
        "Files whose changes are rejected more often",
        f"""
WITH base AS MATERIALIZED (
    SELECT 1.0 * sum(NOT accepted) / nullif(count(*), 0) AS rate
    FROM (SELECT max(accepted) AS accepted FROM changed WHERE at >= :since GROUP BY record))
SELECT path, count(*) AS changes, sum(NOT accepted) AS rejected,
    round(100.0 * sum(NOT accepted) / count(*), 1) AS rejected_percent,
    round(sum(NOT accepted) / (count(*) * (SELECT rate FROM base)), 1) AS times_as_often, {_CYCLES}
FROM changed WHERE at >= :since
GROUP BY path HAVING changes >= 5 AND times_as_often >= 1.5 ORDER BY times_as_often DESC, changes DESC LIMIT 20""",
        note="Against all attempts that changed files; files with five changes or more.",
        of="attempts",
    ),
)


def named(name: str) -> Metric | None:
    return next((metric for metric in METRICS if metric.name == name), None)


def compute(index: Index, metric: Metric, since: str = "", now: datetime | None = None) -> Numbers:
    """The rows of one metric, since a time as in ``at``; see :class:`Metric` for its default, which is to the
    minute."""
    if not since and metric.days:
        moment = (now or datetime.now(UTC)) - timedelta(days=metric.days)
        since = as_at(moment.replace(second=0, microsecond=0))
    return index.memo(("metric", metric.name, since), lambda: _computed(index, metric, since), metric.of)


def _computed(index: Index, metric: Metric, since: str) -> Numbers:
    found = index.select(metric.sql, {"since": since})
    cycles = tuple(_ids(row.pop("cycles", None)) for row in found)
    return Numbers(metric, since, tuple(found), cycles)


def everything(index: Index, since: str = "", metrics: Iterable[Metric] = METRICS) -> list[Numbers]:
    return [compute(index, metric, since) for metric in metrics]


def forecast_for(index: Index, paths: Iterable[str]) -> list[str]:
    """A sentence for each of the paths whose changes were rejected markedly more often than others."""
    wanted = {path for path in paths if path}
    metric = named("forecast")
    if not wanted or metric is None:
        return []
    rows = (row for row in compute(index, metric).rows if row["path"] in wanted)
    return [
        f"Changes to {row['path']} were rejected {row['times_as_often']:g} times as often as others "
        f"({row['rejected']} of {row['changes']})."
        for row in rows
    ]


def as_at(moment: datetime) -> str:
    """A time as records hold it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _ids(text: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(json.loads(text))) if isinstance(text, str) else ()

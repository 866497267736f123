"""Every number of the analytics against what the records say, counted here in another way."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from simulated_night import Night, import_rows

from tdd_orchestrator.history import board
from tdd_orchestrator.history.index import Index
from tdd_orchestrator.history.metrics import METRICS, Numbers, compute, forecast_for, named
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.notes.store import Store

from .conftest import plain

Records = list[dict[str, Any]]


@pytest.fixture
def records(where: Path, store: Store, index: Index) -> Records:
    import_rows(where, Night(seed=5).rows(300))
    index.update(store)
    return [entry.record for entry in store.trail(newest_first=False)]


def table(index: Index, name: str, since: str = "2026-01-01") -> Numbers:
    metric = named(name)
    assert metric is not None
    return compute(index, metric, since)


def kind(records: Records, *kinds: str, **fields: Any) -> Records:
    return [
        one
        for one in records
        if one["kind"] in kinds and all(one[key] == value for key, value in fields.items())
    ]


def test_every_metric_names_the_cycles_behind_each_row(records: Records, index: Index) -> None:
    known = {one["cycle_id"] for one in records if one["cycle_id"]}
    for metric in METRICS:
        numbers = compute(index, metric, "2026-01-01")
        assert metric.name in ("fix_success", "races") or numbers.rows, metric.name
        assert "cycles" not in numbers.columns
        for cycles in numbers.cycles:
            assert set(cycles) <= known, metric.name
            assert cycles, metric.name


def test_failures_by_type(records: Records, index: Index) -> None:
    opened = kind(records, "error_report", status="open")
    closed = {one["error_id"]: one["at"] for one in kind(records, "error_report", status="closed")}
    hours = [
        (datetime.fromisoformat(closed[one["error_id"]]) - datetime.fromisoformat(one["at"])).total_seconds()
        / 3600
        for one in opened
        if one["error_id"] in closed
    ]
    assert len(opened) > len(closed) > 0
    [row] = table(index, "errors_by_type").rows
    assert (row["error_type"], row["failures"], row["fixed"]) == ("test", len(opened), len(closed))
    assert row["average_retries"] == 3
    assert row["average_hours_to_fix"] == pytest.approx(mean(hours), abs=0.01)
    [time] = table(index, "time_to_fix").rows
    assert (time["fixed"], time["most"]) == (len(closed), pytest.approx(max(hours), abs=0.01))


def test_a_failure_names_the_cycle_that_only_its_report_knows(
    records: Records, store: Store, index: Index, where: Path
) -> None:
    """A stop between two attempts is reported outside the cycle's own records."""
    [cycle] = {one["cycle_id"] for one in records if one["cycle_number"] == 7}
    head = plain(where, "rev-parse", "HEAD")
    for number, workflow in enumerate((cycle, "a build elsewhere", ["no text"])):
        report = {"workflow_id": workflow, "failed_phase": "GREEN"}
        opened = {"status": "open", "error_id": f"err_{number}", "error_type": "resource", "report": report}
        store.append(head, {"kind": "error_report", **opened}, subject="stopped")
    index.update(store)
    numbers = table(index, "errors_by_type")
    assert [(row["error_type"], row["failures"]) for row in numbers.rows][1:] == [("resource", 3)]
    assert numbers.cycles[1] == (cycle,)


def test_failures_of_the_last_thirty_days_only(records: Records, index: Index) -> None:
    metric = named("errors_by_type")
    assert metric is not None
    start = datetime.fromisoformat(records[0]["at"])
    assert compute(index, metric, now=start.replace(year=2027)).rows == ()
    assert compute(index, metric, now=start.replace(month=start.month + 1, day=1)).rows != ()


def test_overview_phases_and_retries(records: Records, index: Index) -> None:
    [row] = table(index, "summary").rows
    ends = ("landed", "already_covered", "aborted", "parked", "cancelled", "in_progress")
    assert sum(row[end] for end in ends) == row["cycles_begun"], "each cycle is in one of them"
    ended = Counter(one["outcome"] for one in kind(records, "cycle_ended"))
    assert (row["landed"], row["aborted"]) == (ended["landed"], ended["aborted"])
    assert row["attempts"] == len(kind(records, "handoff", "error"))
    assert row["rejected"] == len(kind(records, "error"))
    phases = {one["phase"]: one["failures"] for one in table(index, "failed_phases").rows}
    assert phases == Counter(one["phase"] for one in kind(records, "error_report", status="open"))
    retried = {
        (one["cycle_id"], one["phase"]) for one in kind(records, "handoff", "error") if one["retry_count"]
    }
    passed = {(one["cycle_id"], one["phase"]) for one in kind(records, "handoff") if one["retry_count"]}
    for one in table(index, "retry_success").rows:
        assert one["retried"] == sum(phase == one["phase"] for _, phase in retried)
        assert one["passed_after_retry"] == sum(phase == one["phase"] for _, phase in passed)


def test_errors_and_what_is_systemic(records: Records, index: Index) -> None:
    times = Counter(one["fingerprint"] for one in kind(records, "error"))
    assert [row["times"] for row in table(index, "common_errors").rows] == sorted(
        times.values(), reverse=True
    )
    items = {(one["fingerprint"], one["item_id"]) for one in kind(records, "error")}
    many = Counter(fingerprint for fingerprint, _ in items)
    found = sorted((row["items"] for row in table(index, "systemic").rows), reverse=True)
    assert found == sorted((number for number in many.values() if number > 1), reverse=True)


def test_errors_that_look_alike_are_one_row(where: Path, store: Store, index: Index) -> None:
    """A syntax error has a fingerprint of its own in each file; numbers in a message make no other error."""
    head = plain(where, "rev-parse", "HEAD")
    seen = (("a", "invalid syntax"), ("b", "invalid syntax"), ("c", "1 is not 2"), ("c", "1 is not 3"))
    for number, (fingerprint, message) in enumerate(seen, 1):
        place = {"cycle_id": f"c-{number}", "cycle_number": number, "item_id": f"i{number}", "phase": "RED"}
        error = {"kind": "error", "fingerprint": fingerprint, "error_details": {"message": message}, **place}
        store.append(head, {"kind": "cycle_started", **place}, subject="started")
        store.append(head, {"verdict": "invalid", "attempt": 1, **error}, subject="refused")
    index.update(store)
    numbers = table(index, "common_errors")
    assert [(row["error"], row["times"], row["items"]) for row in numbers.rows] == [
        ("1 is not 3", 2, 2),
        ("invalid syntax", 2, 2),
    ]
    assert sorted(numbers.cycles[1]) == ["c-1", "c-2"]


def test_cost_by_week_and_agents_side_by_side(records: Records, index: Index) -> None:
    tried = kind(records, "handoff", "error")
    weeks = table(index, "weeks").rows
    assert sum(row["tokens"] for row in weeks) == sum(one["agent"]["tokens"] for one in tried)
    assert sum(row["cost"] for row in weeks) == pytest.approx(
        sum(one["agent"]["cost"] for one in tried), abs=0.1
    )
    begun = Counter(_monday(one["at"]) for one in kind(records, "cycle_started"))
    assert {row["week"]: row["cycles_begun"] for row in weeks} == begun
    each = table(index, "cost").rows
    assert each[0]["cost_each"] == pytest.approx(weeks[0]["cost"] / weeks[0]["landed"], abs=0.001)
    for row in table(index, "agents").rows:
        mine = [
            one
            for one in tried
            if (one["agent"]["name"], one["agent"]["model"], one["agent"]["role"])
            == (row["agent"], row["model"], row["role"])
        ]
        first = [one for one in mine if one["retry_count"] == 0]
        proven = sum(one["kind"] == "handoff" for one in first)
        assert (row["attempts"], row["proven"]) == (len(mine), sum(one["kind"] == "handoff" for one in mine))
        assert row["first_try_percent"] == pytest.approx(100 * proven / len(first), abs=0.1)


def _monday(at: str) -> str:
    day = date.fromisoformat(at[:10])
    return (day - timedelta(days=day.weekday())).isoformat()


def test_tokens_and_cost_that_no_agent_reported_are_unknown(where: Path, store: Store, index: Index) -> None:
    rows = list(Night(seed=5).rows(20))
    for _, record, _ in rows:
        record.get("agent", {}).update(tokens=0, cost=0.0)
    import_rows(where, iter(rows))
    index.update(store)
    for name in ("weeks", "agents"):
        assert {(row["tokens"], row["cost"]) for row in table(index, name).rows} == {(None, None)}
    assert {(row["tokens_each"], row["cost_each"]) for row in table(index, "cost").rows} == {(None, None)}


def test_flaky_tests_and_suite_time(records: Records, index: Index) -> None:
    seen = Counter(test for one in kind(records, "handoff", "error") for test in one["tests"]["flaky_tests"])
    assert {row["test"]: row["times"] for row in table(index, "flaky").rows} == seen
    ran = [one["tests"]["seconds"] for one in kind(records, "handoff")]
    rows = table(index, "suite_time").rows
    assert sum(row["runs"] for row in rows) == len(ran)
    assert max(row["slowest"] for row in rows) == max(ran)


def test_a_file_that_fails_more_often_is_forecast(records: Records, index: Index) -> None:
    def share(tried: Records) -> float:
        return len(kind(tried, "error")) / len(tried)

    tried = kind(records, "handoff", "error")
    mine = [one for one in tried if "src/billing.py" in one["files_changed"]["modified"]]
    [row] = [row for row in table(index, "forecast").rows if row["path"] == "src/billing.py"]
    assert row["times_as_often"] == pytest.approx(share(mine) / share(tried), abs=0.06)
    [sentence] = forecast_for(index, ["src/billing.py", "src/mail.py", ""])
    assert sentence.startswith(
        f"Changes to src/billing.py were rejected {row['times_as_often']:g} times as often"
    )


def test_fix_items_by_type(records: Records, store: Store, index: Index, where: Path) -> None:
    aborted = kind(records, "cycle_ended", outcome="aborted")[0]["item_id"]
    landed = kind(records, "cycle_ended", outcome="landed")
    tags = ("auto-generated", "error-fix", "test")
    items = [
        Item(one, "Fix: x", tags=tags) for one in (aborted, landed[0]["item_id"], landed[1]["item_id"], "new")
    ]
    index.update(store, plan_tip="1" * 40, items=lambda: items)
    numbers = table(index, "fix_success")
    assert numbers.rows == (
        {"error_type": "test", "fix_items": 4, "completed": 2, "failed": 1, "percent": 66.7},
    )
    assert len(numbers.cycles[0]) == 3


def test_the_work_of_each_table_grows_no_faster_than_the_history(
    where: Path, store: Store, tmp_path: Path
) -> None:
    """Steps of SQLite's machine, of which a join without an index takes four times as many for twice the records."""
    taken: list[dict[str, int]] = []
    for cycles in (300, 600):
        ref = f"refs/notes/tdd{cycles}"
        import_rows(where, Night(seed=5).rows(cycles), ref)
        found = Index(tmp_path / f"{cycles}.sqlite3")
        items = [Item(f"i{number}", "does the right thing") for number in range(1, cycles + 1)]
        found.update(Store(store._git, store._objects, ref), plan_tip="p", items=lambda items=items: items)
        queries = {**{metric.name: metric.sql for metric in METRICS}, "board": board.STATES}
        taken.append({name: _steps(found, sql) for name, sql in queries.items()})
        found.close()
    few, many = taken
    grown = {name: round(many[name] / max(few[name], 1), 1) for name in few if few[name] > 20}
    assert len(grown) >= 10
    assert {name: times for name, times in grown.items() if times > 2.4} == {}


def _steps(index: Index, sql: str) -> int:
    """How often SQLite took ten steps for it."""
    seen = []
    index._db.set_progress_handler(lambda: seen.append(1), 10)
    index.select(sql, {"since": "", "seen": 0})
    index._db.set_progress_handler(None, 0)
    return len(seen)


def test_a_cycle_whose_first_records_are_not_here_is_in_progress(
    where: Path, store: Store, index: Index
) -> None:
    rows = [row for row in Night(seed=5).rows(1) if row[1]["kind"] == "intent"]
    import_rows(where, iter(rows))
    index.update(store)
    [row] = table(index, "summary").rows
    assert (row["cycles_begun"], row["in_progress"], row["landed"]) == (1, 1, 0)

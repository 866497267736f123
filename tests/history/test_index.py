"""The index is the notes, in tables: updated or rebuilt, it is the same; and hostile notes do not break it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from simulated_night import Night, import_rows

from tdd_orchestrator.history import events, schema
from tdd_orchestrator.history.board import board
from tdd_orchestrator.history.index import Index
from tdd_orchestrator.model.plan import Item
from tdd_orchestrator.notes.store import Store

from .conftest import plain


@pytest.fixture
def night(where: Path) -> int:
    return import_rows(where, Night().rows(60))


def equal_to_a_rebuilt_one(index: Index, store: Store, tmp_path: Path) -> None:
    fresh = Index(tmp_path / "fresh" / "history.sqlite3")
    fresh.update(store)
    assert index.dump() == fresh.dump()
    fresh.close()


def count(index: Index, table: str = "records") -> int:
    return int(index.one(f"SELECT count(*) AS n FROM {table}")["n"])


def test_holds_every_record_and_every_cycle(night: int, store: Store, index: Index) -> None:
    assert index.update(store).rebuilt
    assert count(index) == night
    assert count(index, "cycles") == 60
    landed = sum(1 for entry in store.trail() if entry.record.get("outcome") == "landed")
    assert index.one("SELECT sum(outcome = 'landed') AS n FROM cycles")["n"] == landed


def test_an_update_reads_only_what_is_new(night: int, store: Store, where: Path, index: Index) -> None:
    index.update(store)
    assert not index.update(store).anything
    head = plain(where, "rev-parse", "HEAD")
    written = store.append(head, {"kind": "incident", "error": "the disk was full"}, subject="incident")
    change = index.update(store)
    assert (change.records, change.rebuilt) == (1, False)
    newest = index.one("SELECT id, message, on_commit FROM records ORDER BY seq DESC")
    assert newest == {"id": written.id, "message": "the disk was full", "on_commit": head}


def test_updated_after_each_record_it_equals_a_rebuilt_one(
    store: Store, where: Path, index: Index, tmp_path: Path
) -> None:
    head = plain(where, "rev-parse", "HEAD")
    updates = []
    for _, record, subject in Night(seed=3).rows(6):
        store.append(
            head,
            {key: value for key, value in record.items() if key not in ("at", "id", "v", "prev")},
            subject=subject,
        )
        updates.append(index.update(store).rebuilt)
    assert updates == [True, *[False] * (len(updates) - 1)]
    equal_to_a_rebuilt_one(index, store, tmp_path)


def test_the_board_follows_each_record(store: Store, where: Path, index: Index, tmp_path: Path) -> None:
    """What it keeps between two records is what a fresh index shows."""
    head = plain(where, "rev-parse", "HEAD")
    items = [Item(f"i{number}", "does the right thing", order=number) for number in range(1, 9)]
    seen = set()
    for number, (_, record, subject) in enumerate(Night(seed=3).rows(8)):
        new = {key: value for key, value in record.items() if key not in ("at", "id", "v", "prev")}
        store.append(head, new, subject=subject)
        index.update(store, plan_tip="p", items=lambda: items)
        shown = board(index)
        seen |= {item.status for item in shown.plan.items}
        if number % 10 == 0:
            fresh = Index(tmp_path / f"{number}.sqlite3")
            fresh.update(store, plan_tip="p", items=lambda: items)
            assert (shown.cards(), shown.columns()) == (board(fresh).cards(), board(fresh).columns())
            fresh.close()
    assert len(seen) > 2


def test_after_a_merge_of_another_clone_it_equals_a_rebuilt_one(
    store: Store, where: Path, index: Index, tmp_path: Path
) -> None:
    head = plain(where, "rev-parse", "HEAD")
    store.append(head, {"kind": "incident", "error": "here"}, subject="one")
    plain(where, "update-ref", "refs/notes/theirs", "refs/notes/tdd")
    store.append(head, {"kind": "incident", "error": "here again"}, subject="two")
    index.update(store)
    theirs = Store(store._git, store._objects, "refs/notes/theirs")
    theirs.append(
        head, {"kind": "incident", "error": "there", "cycle_id": "c-9", "cycle_number": 9}, subject="three"
    )
    plain(where, "notes", "--ref=tdd", "merge", "-q", "-s", "cat_sort_uniq", "refs/notes/theirs")
    assert index.update(store).rebuilt
    assert {row["message"] for row in index.select("SELECT message FROM records")} == {
        "here",
        "here again",
        "there",
    }
    store.append(head, {"kind": "incident", "error": "on top"}, subject="four")
    assert not index.update(store).rebuilt
    equal_to_a_rebuilt_one(index, store, tmp_path)


def test_a_history_that_was_wound_back_is_read_again(
    store: Store, where: Path, index: Index, tmp_path: Path
) -> None:
    head = plain(where, "rev-parse", "HEAD")
    for text in ("one", "two", "three"):
        store.append(head, {"kind": "incident", "error": text}, subject=text)
    index.update(store)
    plain(where, "update-ref", "refs/notes/tdd", "refs/notes/tdd~2")
    assert index.update(store).rebuilt
    assert count(index) == 1
    equal_to_a_rebuilt_one(index, store, tmp_path)


@pytest.mark.parametrize("broken", ["garbage", "another table", "deleted"])
def test_a_broken_index_is_made_again(night: int, store: Store, tmp_path: Path, broken: str) -> None:
    path = tmp_path / "state" / "history.sqlite3"
    before = Index(path)
    before.update(store)
    before.close()
    if broken == "garbage":
        path.write_bytes(b"SQLite format 3\0" + b"not a database at all" * 900)
    elif broken == "another table":
        with sqlite3.connect(path) as db:
            db.execute("DROP TABLE cycles")
            db.execute("UPDATE meta SET value = 'x' WHERE key = 'tip'")
    else:
        path.unlink()
    after = Index(path)
    after.update(store)
    assert count(after) == night
    assert count(after, "cycles") == 60
    after.close()


def test_killed_while_it_is_filled_it_is_made_again(night: int, store: Store, tmp_path: Path) -> None:
    """Pages of the unfinished file are on the disk, and so is the journal that takes them back."""
    path = tmp_path / "state" / "history.sqlite3"
    child = os.fork()
    if not child:
        begun = Index(path)
        begun._db.execute("PRAGMA cache_size = 2")
        begun._db.create_function("kill", 0, lambda: os.kill(os.getpid(), signal.SIGKILL))
        schema.STATES_ALL = "SELECT kill()"
        begun.update(store)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert path.stat().st_size > 100_000
    assert (tmp_path / "state" / "history.sqlite3-journal").stat().st_size
    again = Index(path)
    assert again.update(store).rebuilt
    equal_to_a_rebuilt_one(again, store, tmp_path)
    again.close()


def test_others_may_read_while_it_is_written(night: int, store: Store, index: Index) -> None:
    index.update(store)
    assert index.path is not None
    with sqlite3.connect(index.path, isolation_level=None) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM records")
        assert count(index) == night
        writer.execute("ROLLBACK")


def test_deleted_while_open_it_goes_on(night: int, store: Store, index: Index) -> None:
    index.update(store)
    assert index.path is not None
    index.path.unlink()
    assert count(index) == night


def test_without_a_folder_to_write_to_it_is_kept_in_memory(night: int, store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    index = Index(tmp_path / "file" / "history.sqlite3")
    index.update(store)
    assert count(index) == night
    index.close()


HOSTILE: tuple[dict[str, Any], ...] = (
    {
        "item": {"a": 1},
        "agent": {"name": ["x"], "model": None, "tokens": 10**40, "cost": "free", "seconds": True},
    },
    {"item": "\ud800 half", "error_details": {"type": 1, "message": ["no text"]}, "cycle_id": "c-\udfff"},
    {"tests": {"counts": {"passed": "many", "failed": -3.5}, "flaky_tests": [{}, "a::b"], "seconds": "long"}},
    {
        "files_changed": {"added": ["<script>", 7, {"x": 1}], "modified": "all"},
        "consulted": ["me", {"tokens": "1"}],
    },
    {"kind": "error_report", "status": "open", "error_id": "err_1", "report": [1], "summary": "x" * 60_000},
    {
        "kind": "cycle_started",
        "cycle_id": "c-1",
        "cycle_number": 1 << 70,
        "item": "'); DROP TABLE records; --",
    },
)


@pytest.mark.parametrize("fields", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_record_gets_a_row(
    fields: dict[str, Any], store: Store, where: Path, index: Index, tmp_path: Path
) -> None:
    head = plain(where, "rev-parse", "HEAD")
    store.append(head, {"kind": "incident", "error": "before"}, subject="one")
    index.update(store)
    line = {"at": "2026-05-01T00:00:00.000Z", "id": "ZZZ", "v": 1, "kind": "handoff", **fields}
    text = json.dumps(line)
    plain(where, "notes", "--ref=tdd", "append", "-m", text, head)
    index.update(store)
    assert count(index) == 2
    equal_to_a_rebuilt_one(index, store, tmp_path)


def test_what_cannot_be_read_is_listed(store: Store, where: Path, index: Index, tmp_path: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    store.append(head, {"kind": "incident", "error": "fine"}, subject="one")
    index.update(store)
    newer = '{"at":"2026-05-01T00:00:00.000Z","id":"N","v":99,"kind":"later"}'
    endless = '{"at":"2026-05-01T00:00:00.000Z","id":"I","v":1,"kind":"handoff","wall":1e999}'
    for text in (newer, "{broken", endless):
        plain(where, "notes", "--ref=tdd", "append", "-m", text, head)
    index.update(store)
    assert count(index) == 1
    found = index.select("SELECT newer, on_commit FROM damaged ORDER BY newer")
    assert [(row["newer"], row["on_commit"]) for row in found] == [(0, head), (0, head), (1, head)]
    equal_to_a_rebuilt_one(index, store, tmp_path)


def test_the_plan_is_taken_in_when_it_changes(store: Store, index: Index) -> None:
    items = [Item("abcd", "a <b>title</b>", tags=("auto-generated", "error-fix", "type"), hours=1.5)]
    assert index.update(store, plan_tip="1" * 40, items=lambda: items).plan
    assert index.one("SELECT title, fix, error_type FROM items") == {
        "title": "a <b>title</b>",
        "fix": 1,
        "error_type": "type",
    }
    assert not index.update(store, plan_tip="1" * 40, items=list).anything
    index.update(store, plan_tip="2" * 40, items=list)
    assert count(index, "items") == 0


def test_the_plan_stays_where_the_records_are_read_again(store: Store, where: Path, index: Index) -> None:
    head = plain(where, "rev-parse", "HEAD")
    for text in ("one", "two", "three"):
        store.append(head, {"kind": "incident", "error": text}, subject=text)
    items = [Item("abcd", "a title")]
    index.update(store, plan_tip="1" * 40, items=lambda: items)
    plain(where, "update-ref", "refs/notes/tdd", "refs/notes/tdd~2")
    assert index.update(store, plan_tip="1" * 40, items=lambda: items).rebuilt
    assert count(index, "items") == 1


def test_many_records_that_are_no_events_hide_no_event(where: Path, store: Store, index: Index) -> None:
    rows = [row for row in Night().rows(1) if row[1]["kind"] == "intent"][:1]
    [(commit, record, subject)] = rows
    many = [(commit, {**record, "kind": "baseline", "id": f"{n:026}"}, subject) for n in range(700)]
    import_rows(where, iter([*many, (commit, {**record, "id": "Z"}, subject)]))
    index.update(store)
    assert [event["id"] for event in events.after(index, 0)] == ["Z"]


def test_a_failure_comes_with_its_context(where: Path, store: Store, index: Index) -> None:
    snapshot = {"branch": "main", "changed_files": ["price.py"], "failing_tests": ["test_price"]}
    place = {"kind": "error_report", "status": "open", "cycle_id": "c-1", "phase": "GREEN"}
    reports: tuple[Any, ...] = (
        {"attempts": 2, "context_snapshot": snapshot},
        {"context_snapshot": 1},
        "none",
    )
    for report in reports:
        store.append("1" * 40, {**place, "report": report}, subject="report")
    index.update(store)
    found = events.after(index, 0)
    assert [(event["attempt"], event["context"]) for event in found] == [(2, snapshot), (0, {}), (0, {})]


def test_two_processes_may_use_one_file(night: int, store: Store, tmp_path: Path, where: Path) -> None:
    path = tmp_path / "state" / "history.sqlite3"
    one, other = Index(path), Index(path)
    one.update(store)
    assert not other.update(store).anything
    assert one.memo("all", lambda: count(one), of="attempts") == night
    store.append(plain(where, "rev-parse", "HEAD"), {"kind": "handoff", "phase": "RED"}, subject="new")
    assert other.update(store).attempts
    store.append(plain(where, "rev-parse", "HEAD"), {"kind": "incident", "error": "new"}, subject="new")
    assert one.update(store).records == 1
    assert one.memo("all", lambda: count(one), of="attempts") == night + 2
    one.close()
    other.close()


def test_the_night_is_the_same_every_time() -> None:
    start = datetime(2026, 5, 1, tzinfo=UTC)
    assert list(Night(start=start).rows(3)) == list(Night(start=start).rows(3))

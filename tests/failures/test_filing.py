"""The reports as the audit log has them: found, closed, settled; and which folders go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tdd_orchestrator.failures import cleanup, reports
from tdd_orchestrator.failures.cleanup import When
from tdd_orchestrator.failures.fixes import fix_item, prompt
from tdd_orchestrator.failures.reports import StoredReport, close, find, mark_failed, note_work, read, settle
from tdd_orchestrator.model.diagnosis import ErrorType
from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.model.plan import Failure, Item, Plan, Status
from tdd_orchestrator.model.records import parse
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import plain
from .test_report import made

REPORT = made()
ID = str(REPORT.error_id)
FAILED = Item("ab2c", "adds two numbers", status=Status.FAILED, failure=Failure(ID, "logic", "", ""))
FIX = replace(fix_item(REPORT, FAILED), id="zz9x")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    root = tmp_path / "repo"
    plain(tmp_path, "init", "-q", "-b", "main", str(root))
    plain(root, "commit", "-q", "--allow-empty", "-m", "begin")
    with Git(root / ".git", root) as git, Objects(git) as objects:
        store = Store(git, objects)
        mark_failed(store, plain(root, "rev-parse", "HEAD"), REPORT)
        yield store


def kinds(store: Store) -> list[str]:
    return [entry.record["kind"] for entry in store.trail(newest_first=False)]


def test_item_is_marked_failed_with_its_report(store: Store) -> None:
    from tdd_orchestrator.cycle.plan.repository import StatusRecord, statuses

    status, failure = statuses(StatusRecord.of(entry.record) for entry in store.trail(newest_first=False))[
        "ab2c"
    ]
    assert status is Status.FAILED
    assert failure is not None
    assert (failure.error_id, failure.error_type, failure.retry_count) == (ID, "logic", 3)
    assert read(store)[0].report == REPORT


def test_every_record_of_the_desk_is_in_the_schema(store: Store) -> None:
    one = read(store)[0]
    note_work(store, one, "notify", "done")
    reports.reopen(store, one, "why")
    close(store, one, "why")
    assert kinds(store) == ["error_report", "item_failed", "report_action", "item_reopened", "error_report"]
    for entry in store.trail():
        assert parse(entry.record).kind == entry.record["kind"]


@pytest.mark.parametrize(
    "report", [{}, {"affected_files": 7, "context_snapshot": "x", "trigger": []}, "words", None]
)
def test_report_of_another_version_is_read_all_the_same(store: Store, report: object) -> None:
    from tdd_orchestrator.cli.errors import report_lines

    data = {"kind": "error_report", "status": "open", "error_id": "err_other", "report": report}
    store.append(read(store)[0].on, data, subject="from elsewhere")
    one = find(read(store), "err_other")
    assert one.data(())["context_snapshot"]["changed_files"] == []
    assert report_lines(one, ())[0].endswith("err_other, open")
    assert prompt(one.report).startswith("# Fix")


def test_closed_once(store: Store) -> None:
    close(store, read(store)[0], "no use")
    close(store, read(store)[0], "again")
    assert [(one.status, one.reason) for one in read(store)] == [("closed", "no use")]
    assert kinds(store).count("error_report") == 2


def test_desk_records_belong_to_no_cycle_that_would_seem_to_go_on(store: Store) -> None:
    close(store, read(store)[0], "why")
    assert not any(entry.record["cycle_id"] for entry in store.trail())


@pytest.mark.parametrize("word", [ID, "last", "030405", "err_20260102"])
def test_report_is_found_by_its_id_or_a_part(store: Store, word: str) -> None:
    assert find(read(store), word).error_id == ID


@pytest.mark.parametrize("word", ["", "err_9", "zzz"])
def test_report_that_is_not_there_is_refused(store: Store, word: str) -> None:
    with pytest.raises(Refused, match="no error report"):
        find(read(store), word)


def test_part_that_fits_two_is_refused(store: Store) -> None:
    mark_failed(store, read(store)[0].on, REPORT.model_copy(update={"error_id": f"{ID}_2"}))
    with pytest.raises(Refused, match="fits 2"):
        find(read(store), "err_")
    assert find(read(store), ID).error_id == ID


def no_change(item: Item) -> None:
    raise AssertionError(item)


def test_fix_that_is_done_reopens_the_item_and_closes_the_report(store: Store) -> None:
    plan = Plan((FAILED, replace(FIX, status=Status.COMPLETED)))
    assert len(settle(store, plan, no_change)) == 1
    assert kinds(store)[-2:] == ["item_reopened", "error_report"]
    assert read(store)[0].status == "closed"
    assert settle(store, plan, no_change) == []


def test_kill_between_reopening_and_closing_is_made_good(store: Store) -> None:
    reports.reopen(store, read(store)[0], "fixed by zz9x")
    planned = replace(FAILED, status=Status.PLANNED, failure=None)
    settle(store, Plan((planned, replace(FIX, status=Status.COMPLETED))), no_change)
    assert kinds(store).count("item_reopened") == 1
    assert read(store)[0].status == "closed"


def test_item_that_failed_again_is_not_reopened_for_an_older_report(store: Store) -> None:
    again = replace(FAILED, failure=Failure("err_later", "logic", "", ""))
    settle(store, Plan((again, replace(FIX, status=Status.COMPLETED))), no_change)
    assert "item_reopened" not in kinds(store)


def test_fix_item_is_set_aside_when_its_parent_is_done(store: Store) -> None:
    changed: list[Item] = []
    settle(store, Plan((replace(FAILED, status=Status.COMPLETED, failure=None), FIX)), changed.append)
    assert [(item.id, item.status) for item in changed] == [(FIX.id, Status.CANCELLED)]


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.ALREADY_COVERED, Status.CANCELLED])
def test_item_that_is_done_after_all_closes_its_report(store: Store, status: Status) -> None:
    settle(store, Plan((replace(FAILED, status=status, failure=None),)), no_change)
    assert read(store)[0].status == "closed"


@pytest.mark.parametrize("status", [Status.PLANNED, Status.IN_PROGRESS, Status.FAILED])
def test_fix_that_is_not_done_settles_nothing(store: Store, status: Status) -> None:
    assert settle(store, Plan((FAILED, replace(FIX, status=status))), no_change) == []
    assert read(store)[0].status == "open"


def filed(kind: str, status: str, cycle: str = "c-1") -> StoredReport:
    return StoredReport(
        REPORT.model_copy(update={"error_type": kind, "workflow_id": cycle}), "c" * 40, status=status
    )


NOW = {ErrorType.SYNTAX, ErrorType.TYPE}
ON_FIX = {ErrorType.TEST, ErrorType.LINT, ErrorType.INTEGRATION}


@pytest.mark.parametrize("kind", list(ErrorType))
@pytest.mark.parametrize("status", ["open", "fixing", "closed"])
def test_what_goes_and_when(kind: ErrorType, status: str) -> None:
    [decision] = cleanup.decide([filed(str(kind), status)], cleanup.table_with({}))
    assert decision.goes is (kind in NOW or (kind in ON_FIX and status != "open"))


def test_setting_goes_before_the_table() -> None:
    table = cleanup.table_with({"build": "now", "syntax": "keep"})
    assert (table["build"], table["syntax"], table["test"]) == (When.NOW, When.KEEP, When.ON_FIX)


def test_removal_stays_inside_and_says_what_was_kept(tmp_path: Path) -> None:
    runs, outside = tmp_path / "runs", tmp_path / "outside"
    for folder in (runs / "c-1", runs / "c-2", outside):
        folder.mkdir(parents=True)
    (runs / "c-3").symlink_to(outside)
    reports = [filed("syntax", "open", name) for name in ("c-1", "../outside", "c-3", "c-9")]
    reports.append(filed("build", "open", "c-2"))
    decisions = cleanup.decide(reports, cleanup.table_with({}))
    assert cleanup.carry_out(runs, decisions, dry=True)[0]
    assert (runs / "c-1").exists()
    gone, kept = cleanup.carry_out(runs, decisions)
    assert [line.split(" ")[0] for line in gone] == ["c-1"]
    assert len(kept) == 1
    assert str(runs / "c-2") in kept[0]
    assert "by hand" in kept[0]
    assert outside.exists()
    assert not (runs / "c-1").exists()

"""``tdd plan mark-failed``: a report of somebody else's becomes a failed item with a fix item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kit import Done, Kata

REPORT = {
    "error_type": "build",
    "error_message": "cannot find symbol: class Cart",
    "affected_files": ["src/Cart.java:7"],
}


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.item = kata.plan("adds to the cart")  # type: ignore[attr-defined]
    return kata


def mark(kata: Kata, report: Any = REPORT) -> Done:
    text = report if isinstance(report, str) else json.dumps(report)
    return kata.tdd("plan", "mark-failed", kata.item, "--report", "-", "--json", stdin=text)  # type: ignore[attr-defined]


def test_the_item_fails_and_gets_a_fix_item(kata: Kata) -> None:
    data = mark(kata).json
    item, fix, report = data["item"], data["fix"], data["report"]
    assert item["status"] == "failed"
    assert item["failure"]["error_id"] == report["error_id"]
    assert item["failure"]["summary"] == "cannot find symbol: class Cart"
    assert fix["title"] == "Fix: adds to the cart - build"
    assert (fix["parent"], fix["type"], fix["priority"]) == (item["id"], "bug", "high")
    assert fix["tags"] == ["auto-generated", "error-fix", "build"]
    assert report["fix_item"] == fix["id"]
    shown = kata.tdd("errors", "show", report["error_id"], "--json").json
    assert shown["affected_files"] == ["src/Cart.java:7"]
    assert "src/Cart.java:7" in kata.tdd("errors", "prompt", report["error_id"]).out


def test_said_twice_it_is_done_once(kata: Kata) -> None:
    first, second = mark(kata).json, mark(kata).json
    assert first["report"]["error_id"] == second["report"]["error_id"]
    assert first["fix"]["id"] == second["fix"]["id"]
    assert len(kata.records("error_report")) == 1


def test_another_failure_is_another_report(kata: Kata) -> None:
    first = mark(kata).json
    second = mark(kata, {"error_message": "something else"}).json
    assert first["report"]["error_id"] != second["report"]["error_id"]
    assert second["item"]["failure"]["error_id"] == second["report"]["error_id"]


@pytest.mark.parametrize(
    "report",
    [
        "",
        "[]",
        "{",
        '{"error_message": ""}',
        '{"error_message": "x", "error_type": "gremlins"}',
        '{"error_message": "x", "more": 1}',
    ],
)
def test_a_report_that_cannot_be_used_changes_nothing(kata: Kata, report: str) -> None:
    done = mark(kata, report)
    assert done.code == 2
    assert "The report cannot be used" in done.err
    assert kata.records() == []


def test_an_item_that_is_done_is_refused(kata: Kata) -> None:
    assert kata.next().code == 0
    done = mark(kata)
    assert done.code == 2
    assert "is completed" in done.err


def test_no_secret_is_filed(kata: Kata) -> None:
    key = "ghp_" + "a1B2" * 9
    mark(kata, {"error_message": f"push failed with {key}", "stack_trace": key})
    assert key not in json.dumps(kata.records())

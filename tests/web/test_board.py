"""What the board shows of items that wait for a person, for a merge, or for items below them."""

from __future__ import annotations

import html
import re
from pathlib import Path

from kit import Kata

from .conftest import Window, opened

PLACE = {"cycle_id": "c-1", "cycle_number": 1, "branch": "main"}


def record(window: Window, kind: str, item: str, **fields: object) -> None:
    head = window.site.repository.git.line("rev-parse", "HEAD")
    with window.site.lock:
        data = {"kind": kind, "item_id": item, "item": item, **fields}
        window.site.repository.store.append(head, data, subject=kind)


def card(window: Window, item: str) -> dict[str, object]:
    items = window.api("GET", "/planned-features").json()["items"]
    return next(one for one in items if one["id"] == item)


def test_a_parked_item_is_failed_and_asks_for_a_merge(window: Window, kata: Kata) -> None:
    item = kata.plan("an invoice has a number")
    record(window, "cycle_started", item, **PLACE)
    record(window, "cycle_ended", item, outcome="parked", tip="ab" * 20, summary="conflicts", **PLACE)
    assert card(window, item)["status"] == "failed"
    assert "conflicts" in window.page()
    assert "merge by hand" in window.page()
    assert "<code>git merge abababababab</code>" in window.page("/cycles/c-1")


def test_a_finished_cycle_is_merged_and_not_made_again_by_an_agent(window: Window, kata: Kata) -> None:
    item = kata.plan("an invoice has a number")
    record(window, "cycle_started", item, **PLACE)
    failure = {"error_id": "err_20260101_000000", "error_type": "integration"}
    for outcome, launches in (("aborted", True), ("parked", False)):
        report = {
            **failure,
            "workflow_id": "c-1",
            "item_id": item,
            "error_message": "conflicts",
            "root_cause": "conflicts.",
        }
        record(window, "error_report", item, status="open", report=report, **failure, **PLACE)
        record(window, "cycle_ended", item, outcome=outcome, tip="ab" * 20, **failure, **PLACE)
        page = window.page()
        assert "View report" in page
        assert ("Launch fix" in page) is launches
        page = window.page(f"/errors/{failure['error_id']}")
        assert page.count("conflicts") == 1
        assert ("Launch fix" in page) is launches


def test_an_item_that_seems_covered_waits_until_it_is_answered(window: Window, kata: Kata) -> None:
    item = kata.plan("a price of nothing is zero")
    record(window, "cycle_started", item, **PLACE)
    record(window, "cycle_ended", item, outcome="already_covered", asks="covered", **PLACE)
    assert card(window, item)["waiting"] == "covered"
    assert "waits for you" in window.page()
    assert "already covered" not in window.page(), "nobody has said so yet"
    assert "waits for you" in window.page("/cycles")
    page = window.page("/cycles/c-1")
    assert "Is it covered already?" in page
    assert "Yes, it is covered already" in page
    assert f'{{"about": "{item}"}}' in html.unescape(page)
    record(window, "approval", item, decision="approved", gate="covered")
    assert card(window, item)["waiting"] == ""
    assert "waits for you" not in window.page("/cycles")
    assert "it is covered already" not in window.page("/cycles/c-1")


def test_of_several_repositories_each_says_what_waits_there(kata: Kata, tmp_path: Path) -> None:
    other = Kata(tmp_path / "other")
    for window in opened(kata.root, other.root):
        item = kata.plan("a price of nothing is zero")
        record(window, "cycle_started", item, **PLACE)
        record(window, "cycle_ended", item, outcome="already_covered", asks="covered", **PLACE)
        assert window.get("/").text.count("1 waits for you") == 1


def test_an_acceptance_item_shows_what_is_below_it(window: Window, kata: Kata) -> None:
    outer = kata.plan("an invoice is printed", "--type", "acceptance")
    kata.plan("each line shows its price", "--parent", outer)
    page = window.page()
    assert "0 of 1 below it done" in page
    assert f'Part of <a href="#item-{outer}">' in page


def test_tests_that_would_go_are_named_where_they_are_approved(window: Window, kata: Kata) -> None:
    item = kata.plan()
    record(window, "cycle_started", item, **PLACE)
    record(
        window,
        "handoff",
        item,
        phase="RED",
        attempt=1,
        removed_tests=["tests/test_old.py::test_old"],
        **PLACE,
    )
    record(window, "approval", item, decision="wanted", gate="removed_tests", **PLACE)
    assert "May they go? <code>tests/test_old.py::test_old</code>" in window.page("/cycles/c-1")
    assert "waits for you" in window.page("/cycles")


def test_each_button_of_an_open_cycle_names_what_it_is_about(window: Window, kata: Kata) -> None:
    item = kata.plan("a line has a price")
    record(window, "cycle_started", item, **PLACE)
    record(window, "approval", item, decision="wanted", gate="removed_tests", **PLACE)
    record(window, "cycle_started", kata.plan("a newer one"), cycle_id="c-2", cycle_number=2, branch="main")
    page = window.page("/cycles/c-1")
    for name, about in (("approve", item), ("reject", item), ("abort", "c-1")):
        [button] = re.findall(f"<button[^>]*/actions/{name}[^>]*>", page)
        assert html.unescape(button).count(f'{{"about": "{about}"}}') == 1
    page = window.page("/cycles/c-2")
    assert '/actions/abort"' in page
    assert "removed_tests" not in page


def test_what_is_done_stands_with_the_newest_on_top(window: Window, kata: Kata) -> None:
    first, second, never = (kata.plan(title) for title in ("a first one", "a second one", "never begun"))
    window.api("PATCH", f"/planned-features/{never}", json={"status": "cancelled"})
    for number, item in enumerate((second, first), 1):
        place = {"cycle_id": f"c-{number}", "cycle_number": number, "branch": "main"}
        record(window, "cycle_started", item, **place)
        record(window, "cycle_ended", item, outcome="landed", **place)
    page = window.page()
    assert re.findall(r'id="item-(\w+)"', page) == [first, second, never]


def test_a_fix_is_required_until_it_is_done(window: Window, kata: Kata) -> None:
    item = kata.plan()
    report = '{"error_type": "test", "error_message": "it broke"}'
    fix = kata.tdd("plan", "mark-failed", item, "--report", "-", "--json", stdin=report).json["fix"]["id"]
    assert "<strong>Fix required</strong> for" in window.page()
    record(window, "cycle_started", fix, **PLACE)
    record(window, "cycle_ended", fix, outcome="landed", tip="ab" * 20, **PLACE)
    page = window.page()
    assert "Fix required" not in page
    assert '<p class="stripe">Fix for <a ' in page


def test_failing_tests_are_offered_where_tests_were_run(window: Window, kata: Kata) -> None:
    item = kata.plan()
    record(window, "cycle_started", item, **PLACE)
    record(window, "error", item, phase="RED", attempt=1, error="the agent was killed", **PLACE)
    assert "Failing tests" not in window.page("/cycles/c-1")
    record(window, "error", item, phase="RED", attempt=2, tests={"evidence": "ab" * 20}, **PLACE)
    assert "Failing tests" in window.page("/cycles/c-1")


def test_an_attempt_of_a_specialist_names_its_role(window: Window, kata: Kata) -> None:
    item = kata.plan()
    record(window, "cycle_started", item, **PLACE)
    for number, role in enumerate(("green", "build-doctor"), 1):
        agent = {"name": "night", "model": "m-1", "role": role}
        record(window, "error", item, phase="GREEN", attempt=number, agent=agent, **PLACE)
    page = window.page("/cycles/c-1")
    assert "<span>night (m-1)</span>" in page
    assert "<span>night (m-1) as build-doctor</span>" in page


def test_a_closed_report_names_no_next_step(window: Window, kata: Kata) -> None:
    item = kata.plan()
    report = '{"error_type": "test", "error_message": "it broke"}'
    made = kata.tdd("plan", "mark-failed", item, "--report", "-", "--json", stdin=report).json["report"]
    page = f"/errors/{made['error_id']}"
    assert "<dt>Next</dt>" in window.page(page)
    assert kata.tdd("errors", "close", made["error_id"], "--reason", "it works here").code == 0
    assert "<dt>Next</dt>" not in window.page(page)


def test_a_refusal_is_named_so_on_every_page(kata: Kata, window: Window) -> None:
    kata.plan()
    kata.script(red=["print('I cannot help with that request.')"])
    assert kata.next().code == 1
    (ended,) = kata.records("cycle_ended")
    for path in ("", "/errors", f"/errors/{ended['error_id']}"):
        page = window.page(path)
        assert re.search(r'class="pill[^"]*">refusal<', page), path
        assert ">integration<" not in page, path


def test_the_fix_of_an_item_with_an_issue_links_to_it(kata: Kata) -> None:
    kata.configure('[github]\nrepository = "ada/shop"\n')
    item = kata.plan("an invoice has a number", "--issue", "7")
    report = '{"error_type": "test", "error_message": "it broke"}'
    made = kata.tdd("plan", "mark-failed", item, "--report", "-", "--json", stdin=report).json["report"]
    for window in opened(kata.root):
        page = window.page(f"/errors/{made['error_id']}/launch")
    assert 'href="https://github.com/ada/shop/issues/7"' in page
    assert "Open issue" in page


def test_the_pages_of_a_cycle_and_of_its_failure_show_what_the_agent_said(kata: Kata, window: Window) -> None:
    words = "The spec contradicts billing rule seven."
    kata.plan()
    kata.script(red=[f"print({words!r})"], analyze=[""])
    assert kata.next().code == 1
    (ended,) = kata.records("cycle_ended")
    assert window.page("/cycles/1").count(f"The agent said: {words}") == 4
    assert words in window.page(f"/errors/{ended['error_id']}")
    assert words in window.page("/errors")

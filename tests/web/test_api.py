"""The API as another program uses it: plan, failures, cycles, events, jobs; and the document against the routes."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kit import Kata

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.web.server import listening

from .conftest import Window, opened


def until(ready: Callable[[], Any], seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := ready():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come")


def add(window: Window, title: str, **more: Any) -> dict[str, Any]:
    answer = window.api("POST", "/planned-features", json={"title": title, **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_items_are_listed_made_changed_and_put_in_order(window: Window, kata: Kata) -> None:
    first = add(window, "one", hours=1.5, tags=["a"], priority="high")
    second = add(window, "two", parent=first["id"])
    assert (first["status"], first["hours"], second["parent"]) == ("planned", 1.5, first["id"])
    changed = window.api(
        "PATCH", f"/planned-features/{second['id']}", json={"title": "zwei", "status": "cancelled"}
    ).json()
    assert (changed["title"], changed["status"], changed["parent"]) == ("zwei", "cancelled", first["id"])
    ordered = window.api("PUT", "/planned-features/order", json={"ids": [second["id"]]}).json()
    assert ordered["ids"] == [second["id"], first["id"]]
    listed = kata.tdd("plan", "list", "--all", "--json").json["items"]
    assert [item["title"] for item in listed] == ["zwei", "one"]
    assert [item["id"] for item in window.api("GET", "/planned-features").json()["items"]] == ordered["ids"]


def test_a_card_names_what_its_item_comes_after(window: Window, kata: Kata) -> None:
    first = kata.plan("one")
    kata.tdd("plan", "add", "two", "--after", first)
    assert f'After: <a href="#item-{first}">one</a>' in window.page()
    [_, second] = window.api("GET", "/planned-features").json()["items"]
    assert second["after"] == [first]
    window.api("PATCH", f"/planned-features/{first}", json={"status": "cancelled"})
    assert "After:" not in window.page()


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/planned-features/none", None, 404),
        ("PATCH", "/planned-features/none", {"title": "x"}, 404),
        ("PUT", "/planned-features/none/mark-failed", {"error_message": "x"}, 404),
        ("PUT", "/planned-features/order", {"ids": ["none"]}, 409),
        ("POST", "/planned-features", {"title": " "}, 409),
        ("POST", "/planned-features", {"title": "x", "issue": True}, 422),
        ("POST", "/planned-features", {"title": "x", "hours": "2"}, 422),
        ("POST", "/planned-features", {"title": "x", "more": 1}, 422),
        ("POST", "/planned-features", {"title": "x", "parent": "none"}, 409),
        ("POST", "/planned-features", [], 422),
        ("GET", "/cycles/9", None, 404),
        ("GET", "/records/9", None, 404),
        ("GET", "/errors/9", None, 404),
        ("POST", "/errors/9/launch", None, 404),
        ("GET", "/stats/nothing", None, 404),
        ("GET", "/stats?since=soon", None, 422),
        ("GET", "/records?limit=0", None, 422),
        ("GET", "/cycles?repo=other", None, 404),
        ("GET", "/jobs/1", None, 404),
        ("POST", "/actions/gc", {}, 409),
        ("POST", "/actions/fix", {"text": "last"}, 409),
        ("DELETE", "/cycles", None, 405),
        ("GET", "/nothing", None, 404),
    ],
)
def test_what_is_wrong_is_a_sentence(window: Window, method: str, path: str, body: Any, status: int) -> None:
    answer = window.api(method, path, json=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["what"]


def test_a_body_that_is_no_json(window: Window) -> None:
    for content in (b"", b"{", b"\xff\xfe", b"null"):
        assert window.api("POST", "/planned-features", content=content).status_code == 422


def test_an_action_that_needs_no_text_needs_no_body(window: Window) -> None:
    paths = window.api("GET", "/openapi.json").json()["paths"]
    assert not paths["/api/v1/actions/{name}"]["post"]["requestBody"]["required"]
    assert paths["/api/v1/planned-features"]["post"]["requestBody"]["required"]
    assert window.api("POST", "/actions/verify").status_code == 202


def test_a_failure_from_elsewhere_becomes_a_fix_item(window: Window, kata: Kata) -> None:
    item = add(window, "adds to the cart")
    report = {
        "error_type": "build",
        "error_message": "cannot find symbol",
        "failed_phase": "GREEN",
        "retry_count": 2,
    }
    done = window.api("PUT", f"/planned-features/{item['id']}/mark-failed", json=report).json()
    assert done["original"]["status"] == "failed"
    assert done["original"]["failure"]["retry_count"] == 2
    assert (done["fix"]["parent"], done["fix"]["priority"]) == (item["id"], "high")
    error_id = done["report"]["error_id"]
    assert window.api("GET", "/errors").json()["errors"][0]["fix_item"] == done["fix"]["id"]
    assert "cannot find symbol" in window.api("GET", f"/errors/{error_id}/prompt").json()["prompt"]
    [card] = [
        one for one in window.api("GET", "/planned-features").json()["items"] if one["id"] == item["id"]
    ]
    assert (card["fix_item"], card["retries"], card["status"]) == (done["fix"]["id"], 2, "failed")
    assert window.api("GET", "/stats/errors_by_type").json()["rows"][0]["failures"] == 1
    again = window.api("PUT", f"/planned-features/{item['id']}/mark-failed", json=report).json()
    assert again["report"]["error_id"] == error_id


def test_the_prompt_of_a_failure_from_elsewhere_names_no_cycle(window: Window) -> None:
    item = add(window, "adds to the cart")
    report = {"error_message": "cannot find symbol"}
    done = window.api("PUT", f"/planned-features/{item['id']}/mark-failed", json=report).json()
    prompt = window.api("GET", f"/errors/{done['report']['error_id']}/prompt").json()["prompt"]
    assert "The behaviour *adds to the cart* was reported as failed at 20" in prompt
    for wrong in ("  phase", "refused attempt", "cycle for the behaviour"):
        assert wrong not in prompt


def test_cycles_attempts_and_records_are_what_the_notes_say(kata: Kata, window: Window) -> None:
    kata.script(
        red=[
            "write('double.py', 'x = 1')",
            "write('tests/test_double.py', 'from double import double\\n\\n\\ndef test_d():\\n    assert double(2) == 4\\n')",
        ]
    )
    kata.plan()
    assert kata.next().code == 0
    [cycle] = window.api("GET", "/cycles").json()["cycles"]
    assert (cycle["outcome"], cycle["refused"]) == ("landed", 1)
    attempts = window.api("GET", f"/cycles/{cycle['cycle_id']}/attempts").json()["attempts"]
    verdicts = [(one["phase"], one["verdict"]) for one in attempts]
    assert verdicts == [
        ("RED", "forbidden_change"),
        ("RED", "proven"),
        ("GREEN", "proven"),
        ("REFACTOR", "unchanged"),
    ]
    whole = window.api("GET", "/cycles/1").json()
    said = [bare(one) for one in kata.records() if one["cycle_id"]]
    assert [bare(one) for one in whole["record_list"]] == said
    listed = window.api("GET", "/records?kind=handoff&q=doubles").json()
    assert listed["total"] == 3
    record = window.api("GET", f"/records/{listed['records'][0]['id']}").json()
    assert record["phase"] == "REFACTOR"
    assert window.page("/cycles/1").count('/prompt"') == len(attempts)
    assert "doubles" in window.page("/cycles/1/1/prompt")


def bare(record: dict[str, Any]) -> dict[str, Any]:
    """Without what `tdd log --json` says of the place of a record."""
    return {key: value for key, value in record.items() if key not in ("schema", "commit")}


def test_a_failed_cycle_is_mended_by_one_call(kata: Kata, window: Window) -> None:
    kata.configure("[retry]\nmax_retries = 0\ndelays = [0]\nfix_delays = [0]\n")
    kata.git("commit", "-qam", "chore: no retries")
    right = "write('double.py', 'def double(number):\\n    return number * 2\\n')"
    kata.script(green=["write('double.py', 'def double(number):\\n    return 5\\n')", right])
    item = kata.plan()
    assert kata.next().code == 1
    [error] = window.api("GET", "/errors").json()["errors"]
    job = window.api("POST", f"/errors/{error['error_id']}/launch").json()
    assert job["running"]
    assert window.api("POST", "/actions/next", json={}).status_code == 409, "one at a time"
    done = until(
        lambda: one if not (one := window.api("GET", f"/jobs/{job['id']}").json())["running"] else None, 120
    )
    assert (done["exit_code"], done["meaning"]) == (0, "done"), done["output"]
    assert window.api("GET", "/errors").json()["errors"] == []
    statuses = {one["id"]: one["status"] for one in window.api("GET", "/planned-features").json()["items"]}
    assert statuses == {item: "planned", error["fix_item"]: "completed"}


def test_a_cycle_at_work_is_aborted_from_its_page(kata: Kata, window: Window) -> None:
    kata.plan()
    kata.script(red=["import time\ntime.sleep(120)"])
    assert window.api("POST", "/actions/next").status_code == 202

    def opened() -> Any:
        return [one for one in window.api("GET", "/cycles/1").json().get("attempt_list", ()) if one["open"]]

    until(opened)
    page = window.page("/cycles/1")
    assert "Resume with this hint" not in page, "it is at work"
    cycle = window.api("GET", "/cycles").json()["cycles"][0]["cycle_id"]
    job = window.api("POST", "/actions/abort", json={"about": cycle, "text": "a wrong turn"}).json()["id"]
    until(lambda: not window.api("GET", f"/jobs/{job}").json()["running"])
    assert window.api("GET", "/cycles/1").json()["outcome"] == "cancelled"
    assert window.api("GET", "/jobs/1").json()["meaning"] == "interrupted, can be resumed"


def test_the_document_names_every_route(window: Window) -> None:
    document = window.api("GET", "/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    served = {
        (route.path, method.lower())
        for route in window.app.routes  # type: ignore[attr-defined]
        if getattr(route, "path", "").startswith("/api/v1")
        for method in (route.methods or ())
        if method != "HEAD"
    }
    named = {(path, method) for path, methods in document["paths"].items() for method in methods}
    assert served - {("/api/v1/openapi.json", "get")} == named


@pytest.fixture
def two(kata: Kata, tmp_path: Path) -> Iterator[tuple[Window, Kata]]:
    other = Kata(tmp_path / "other")
    for window in opened(kata.root, other.root, kata.root / "tests"):
        yield window, other


def test_several_repositories_side_by_side(two: tuple[Window, Kata], kata: Kata) -> None:
    window, other = two
    other.plan("in the other one")
    page = window.get("/").text
    assert page.count('<article class="card') == 2
    assert "kata-2" in page
    titles = [item["title"] for item in window.api("GET", "/planned-features?repo=kata-2").json()["items"]]
    assert titles == ["in the other one"]
    assert window.api("GET", "/planned-features").json()["items"] == []


def test_a_repository_that_is_removed_is_a_sentence(kata: Kata, window: Window) -> None:
    import shutil

    kata.plan("before")
    assert "before" in window.page()
    shutil.rmtree(kata.root)
    answer = window.get("/r/kata")
    assert "is no longer there" in answer.text
    assert answer.status_code in (200, 409)
    agents = window.get("/r/kata/agents").text
    assert f"The folder {kata.root} is no longer there." in agents
    assert "Install git" not in agents
    added = window.post("/r/kata/items", data={"title": "one more"})
    assert (added.status_code, "is no longer there" in added.text) == (200, True)
    refused = window.api("POST", "/planned-features", json={"title": "one more"})
    assert (refused.status_code, "is no longer there" in refused.text) == (409, True)


def test_the_api_gives_no_empty_answer_where_the_notes_cannot_be_read(kata: Kata, window: Window) -> None:
    add(window, "adds to the cart")
    (kata.root / ".git/refs/notes/tdd").parent.mkdir(parents=True, exist_ok=True)
    (kata.root / ".git/refs/notes/tdd").write_text("1" * 40 + "\n")
    for path in ("/planned-features", "/cycles", "/records", "/stats"):
        answer = window.api("GET", path)
        assert (answer.status_code, "which is missing" in answer.text) == (409, True), path
    assert "which is missing" in window.page()
    assert "adds to the cart" in window.page(), "what was known before stays in view"


def test_damaged_notes_are_a_sentence_on_every_page(kata: Kata, window: Window) -> None:
    kata.plan("an item")
    kata.git(
        "notes", "--ref=tdd", "add", "-m", '{"at":"2026","id":"N","v":99,"kind":"later"}\n{broken', "HEAD"
    )
    for path in ("", "/cycles", "/audit", "/analytics"):
        page = window.page(path)
        assert "was written by a later version of tdd" in page
        assert "cannot be read" in page
    (kata.root / ".git/refs/notes/tdd").write_text("no object name\n")
    assert window.get("/r/kata").status_code in (200, 409)
    assert "Traceback" not in window.get("/r/kata").text


def test_nothing_is_said_to_be_empty_where_nothing_could_be_read(kata: Kata) -> None:
    kata.plan("an item")
    notes = kata.root / ".git/refs/notes/tdd"
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text("1" * 40 + "\n")
    for window in opened(kata.root):
        for path in ("", "/errors", "/cycles", "/analytics"):
            page = window.page(path)
            assert "which is missing" in page
            assert not re.search("is empty|is open|No cycle|Nothing", page), path
        notes.unlink()
        assert "an item" in window.page()
        assert "No failure is open" in window.page("/errors")


def test_a_repository_without_notes_has_every_page(window: Window) -> None:
    for path in ("", "/cycles", "/errors", "/analytics", "/flaky", "/agents", "/audit", "/audit/commits"):
        assert "<h1>" in window.page(path)


def test_a_port_in_use_is_a_sentence() -> None:
    with listening(0) as held, pytest.raises(Refused, match=r"Port \d+ cannot be used"):
        listening(held.getsockname()[1])


def test_the_index_may_go_while_the_page_is_open(kata: Kata, window: Window) -> None:
    kata.plan("an item")
    assert "an item" in window.page()
    for path in window.site.repository.places.root.glob("history.sqlite3*"):
        path.unlink()
    kata.plan("another one")
    assert "another one" in window.page()


def test_an_index_that_is_destroyed_while_the_page_is_open_is_made_again(kata: Kata, window: Window) -> None:
    add(window, "adds to the cart")
    path = window.site.index.path
    assert path is not None
    path.write_bytes(b"no database" * 4000)
    assert "Nothing yet" in window.page("/flaky")
    assert [one["title"] for one in window.api("GET", "/planned-features").json()["items"]] == [
        "adds to the cart"
    ]


def test_what_is_new_shows_within_a_second(kata: Kata, window: Window) -> None:
    """A record is an event for everybody who waits, at once, however many they are."""
    from tdd_orchestrator.web.feed import Feed

    feed: Feed = window.app.state.feed  # type: ignore[attr-defined]
    portal = window.portal
    assert portal is not None
    found: list[float] = []

    async def wait() -> None:
        stream = feed.pages(window.site)
        await anext(stream)
        async for text in stream:
            if text.startswith("event: changed"):
                found.append(time.monotonic())
                break

    until(lambda: feed._marks.get("kata"))
    waiting = [portal.start_task_soon(wait) for _ in range(100)]
    time.sleep(0.5)
    start = time.monotonic()
    kata.git("notes", "--ref=tdd", "add", "-m", '{"at":"2026","id":"N","v":1,"kind":"incident"}', "HEAD")
    for one in waiting:
        one.result(30)
    assert len(found) == 100
    assert max(found) - start < 2.0, "a busy machine is given another second"


def test_events_come_with_their_numbers(kata: Kata, window: Window) -> None:
    from tdd_orchestrator.web.feed import Feed

    kata.git(
        "notes",
        "--ref=tdd",
        "add",
        "-m",
        '{"at":"2026","id":"N","v":1,"kind":"error_report","status":"open","error_id":"e"}',
        "HEAD",
    )
    feed: Feed = window.app.state.feed  # type: ignore[attr-defined]
    until(lambda: feed._marks.get("kata", (0,))[0])
    portal = window.portal
    assert portal is not None

    async def first() -> str:
        stream = feed.records(window.site, 0)
        await anext(stream)
        return await anext(stream)

    text = portal.call(first)
    assert "event: workflow_failure" in text
    assert text.startswith("id: ")
    assert json.loads(text.partition("data: ")[2])["error_id"] == "e"


def test_two_requests_at_once_are_both_answered(kata: Kata, window: Window) -> None:
    answers: list[int] = []
    kata.plan("an item")
    threads = [
        threading.Thread(target=lambda: answers.append(window.get("/r/kata/analytics").status_code))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 8

"""The Audit page says of each commit whether `tdd verify` found it proven, and asks for it from there."""

from __future__ import annotations

import re

import pytest
from kit import Kata

from .conftest import Window
from .test_api import until
from .test_board import record


@pytest.fixture
def landed(kata: Kata) -> list[str]:
    """One cycle that landed; its RED and GREEN commits."""
    kata.plan()
    assert kata.next().code == 0
    return kata.git("rev-list", "--reverse", "HEAD~2..HEAD").split()


def states(window: Window, query: str = "") -> dict[str, str]:
    """State by the first twelve digits of the commit."""
    page = window.page(f"/audit/commits{query}")
    rows = re.findall(
        r'<a href="/r/kata/audit/\w+">(\w{12})</a>.*?<td><span class="pill [^>]*>([a-z ]+)<', page, re.DOTALL
    )
    return dict(rows)


def act(window: Window, name: str, **body: str) -> int:
    job = window.api("POST", f"/actions/{name}", json=body).json()["id"]
    done = until(
        lambda: one if not (one := window.api("GET", f"/jobs/{job}").json())["running"] else None, 120
    )
    return int(done["exit_code"])


@pytest.mark.journey
def test_each_commit_says_what_verify_found_last(window: Window, kata: Kata, landed: list[str]) -> None:
    red, green = (one[:12] for one in landed)
    assert states(window) == {red: "not checked", green: "not checked"}
    assert "Nothing was checked" in window.page("/audit")
    assert act(window, "replay", text=landed[1]) == 0
    assert states(window) == {red: "not checked", green: "verified"}
    assert states(window, "?state=verified") == {green: "verified"}
    assert "0 not proven, 1 not checked" in window.page("/audit/commits")
    assert kata.tdd("verify").code == 0
    assert states(window) == {red: "verified", green: "verified"}
    assert states(window, f"?q={red}") == {red: "verified"}
    assert "tests run again" in window.page("/audit")

    note = kata.git("notes", "--ref=tdd", "show", landed[1])
    put(kata, landed[1], note.replace('"attempt":1', '"attempt":2', 1))
    assert act(window, "verify") == 1
    assert states(window) == {red: "verified", green: "not proven"}
    assert "altered-record" in window.page("/audit")
    put(kata, landed[1], note)
    act(window, "verify")
    assert states(window) == {red: "verified", green: "not checked"}, "what was not run again is not verified"

    path = window.site.repository.places.root / "verdicts.sqlite3"
    path.write_bytes(b"no database at all" * 100)
    assert set(states(window).values()) == {"not checked"}
    assert window.page("/audit")


def put(kata: Kata, commit: str, note: str) -> None:
    path = kata.root.parent / "note"
    path.write_text(note + "\n")
    kata.git("notes", "--ref=tdd", "add", "-f", "-F", str(path), commit)


@pytest.mark.parametrize(
    ("q", "titles"),
    [
        ("50%", ["gives 50% off"]),
        ("S_", ["is_empty \\o/"]),
        ("\\O", ["is_empty \\o/"]),
        ("give", ["gives 50% off", "gives 500 off"]),
    ],
)
def test_a_search_takes_every_sign_as_it_is(window: Window, q: str, titles: list[str]) -> None:
    for title in ("gives 500 off", "gives 50% off", "is_empty \\o/"):
        record(window, "cycle_started", title, cycle_id=title, cycle_number=1)
    answer = window.api("GET", "/records", params={"q": q, "kind": "cycle_started"}).json()
    assert ([row["item"] for row in answer["records"]], answer["total"]) == (titles, len(titles))


def test_what_is_new_keeps_the_filter_and_the_place_in_the_list(window: Window, kata: Kata) -> None:
    kata.plan("an item")
    page = window.page("/audit?kind=error&q=a%22b&offset=50")
    assert 'hx-get="/r/kata/audit?kind=error&amp;q=a%22b&amp;offset=50"' in page
    assert 'hx-get="/r/kata"' in window.page()


@pytest.mark.parametrize("text", ["HEAD", "--all", "a" * 39, "a" * 41])
def test_only_a_commit_is_verified(window: Window, text: str) -> None:
    assert window.api("POST", "/actions/replay", json={"text": text}).status_code == 409

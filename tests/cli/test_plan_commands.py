"""`tdd plan`: the number shown is the number meant; what the editor leaves is what the plan becomes."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import Kata


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def shown(kata: Kata, *words: str) -> list[tuple[str, str]]:
    return [
        (item["title"], item["status"]) for item in kata.tdd("plan", "list", "--json", *words).json["items"]
    ]


def edited(kata: Kata, script: str) -> str:
    """`tdd plan edit` with a sed script as the editor; returns what it said."""
    done = kata.tdd("plan", "edit", env={"VISUAL": f"sed -i '{script}'", "EDITOR": ""})
    assert done.code == 0, done.err
    return done.out


def imported(kata: Kata, text: str) -> None:
    assert kata.tdd("plan", "import", "-", stdin=text).code == 0


@pytest.mark.parametrize("more", [(), ("--all",)])
def test_the_number_shown_is_the_number_meant(kata: Kata, more: tuple[str, ...]) -> None:
    imported(kata, "- [ ] one\n- [-] set aside\n- [ ] two\n- [ ] three\n")
    lines = kata.tdd("plan", "list", *more).out.splitlines()
    number = next(line.split()[0] for line in lines if line.endswith("two"))
    assert kata.tdd("plan", "show", number, "--json").json["title"] == "two"
    assert kata.tdd("plan", "remove", number).out == "removed: two\n"
    assert [title for title, _ in shown(kata)] == ["one", "three"]


def test_an_edit_leaves_what_it_did_not_touch_as_it_stands(kata: Kata) -> None:
    imported(kata, "- [x] covered\n- [-] set aside\n- [ ] two\n")
    edited(kata, "s/two/three/")
    assert shown(kata, "--all") == [
        ("covered", "already_covered"),
        ("set aside", "cancelled"),
        ("three", "planned"),
    ]


def test_an_item_stands_below_its_parent_wherever_that_was_added_and_stays_there(kata: Kata) -> None:
    outer, other = kata.plan("outer", "--type", "acceptance"), kata.plan("other")
    inner = kata.plan("inner", "--parent", outer)
    lines = [line.split() for line in kata.tdd("plan", "list").out.splitlines()]
    assert [line[:2] for line in lines] == [["1", outer], ["3", inner], ["2", other]]
    assert kata.tdd("plan", "move", other, "--first").out == "moved: other\n"
    edited(kata, "s/other/another/")
    items = {item["title"]: item["parent"] for item in kata.tdd("plan", "list", "--json").json["items"]}
    assert list(items.items()) == [("another", ""), ("outer", ""), ("inner", outer)]


def test_marks_that_are_changed_in_the_editor_count(kata: Kata) -> None:
    imported(kata, "- [ ] a\n- [x] b\n- [-] c\n- [ ] d\n")
    edited(kata, "/ a /s/\\[ \\]/[x]/; /[bc] </s/\\[.\\]/[ ]/; / d /s/\\[ \\]/[-]/")
    assert shown(kata, "--all") == [
        ("a", "already_covered"), ("b", "planned"), ("c", "planned"), ("d", "cancelled"),
    ]  # fmt: skip


def test_a_failed_item_that_is_ticked_is_covered(kata: Kata) -> None:
    item = kata.plan()
    kata.script(red=[""])
    assert kata.tdd("cycle", "next", env={"TDD_RETRY_MAX_RETRIES": "0"}).code == 1
    assert shown(kata)[0] == ("doubles a number", "failed")
    edited(kata, "/double/s/\\[!\\]/[x]/")
    assert shown(kata)[0] == ("doubles a number", "already_covered")
    assert kata.tdd("plan", "show", item, "--json").json["failure"] is None


def test_lines_are_added_nested_copied_and_taken_out_in_one_edit(kata: Kata) -> None:
    imported(kata, "- [ ] a\n- [ ] b\n- [ ] c\n")
    edited(kata, "/ a /{p; s/ a / a copy /}; /\\] c /d; s/^- .* b /  - [ ] b /; /b </a - [ ] new")
    items = {item["title"]: item for item in kata.tdd("plan", "list", "--json").json["items"]}
    assert list(items) == ["a", "a copy", "b", "new"]
    assert items["b"]["parent"] == items["a copy"]["id"] != items["a"]["id"]
    assert kata.git("rev-list", "--count", "refs/notes/tdd-plan") == "2"


def test_an_import_is_one_edit_however_long_the_list_is(kata: Kata) -> None:
    imported(kata, "".join(f"- [ ] item {number}\n  - [ ] part of {number}\n" for number in range(150)))
    items = kata.tdd("plan", "list", "--json").json["items"]
    assert [item["title"] for item in items[-2:]] == ["item 149", "part of 149"]
    assert items[-1]["parent"] == items[-2]["id"]
    assert len({item["id"] for item in items}) == 300
    assert kata.git("rev-list", "--count", "refs/notes/tdd-plan") == "1"


@pytest.mark.parametrize("way", ["add", "import", "edit"])
def test_a_secret_is_not_kept_in_the_plan_and_that_is_said(kata: Kata, way: str) -> None:
    key, own = "sk-ant-api03-" + "Zq9" * 30, "hunter2hunter2hunter2"
    env = {"SHOP_TOKEN": own, "VISUAL": f"sed -i 's/what is to happen/uses {key} and {own}/'", "EDITOR": ""}
    done = {
        "add": lambda: kata.tdd("plan", "add", f"uses {key}", "--description", f"with {own}", env=env),
        "import": lambda: kata.tdd("plan", "import", "-", stdin=f"- [ ] uses {key} and {own}\n", env=env),
        "edit": lambda: kata.tdd("plan", "edit", env=env),
    }[way]()
    assert done.code == 0, done.err
    assert "taken out" in done.err
    kept = kata.git("log", "-p", "--format=%B", "refs/notes/tdd-plan") + done.out
    assert (key in kept, own in kept) == (False, False)
    assert next(title for title, _ in shown(kata)).startswith("uses [redacted")


def test_the_list_names_acceptance_items(kata: Kata) -> None:
    kata.tdd("plan", "add", "an order is paid", "--type", "acceptance")
    assert kata.tdd("plan", "list").out.endswith("an order is paid  (acceptance)\n")


def test_a_misspelt_item_is_answered_with_the_nearest(kata: Kata) -> None:
    item = kata.plan("doubles a number")
    refused = kata.tdd("plan", "show", "doubel")
    assert (refused.code, f"Did you mean {item} (doubles a number)?" in refused.err) == (2, True)
    assert "Did you mean" not in kata.tdd("plan", "show", "zzzzzz").err


def test_a_person_without_a_terminal_is_not_asked_for_a_list(kata: Kata) -> None:
    """Each run would ask in a new folder, and never read what was written into the one before."""
    done = kata.tdd("plan", "from", "-", stdin="A cart has a total.", env={"TDD_AGENTS_DEFAULT": "human"})
    assert (done.code, "tdd plan edit" in done.err) == (2, True), done.err
    assert shown(kata) == []

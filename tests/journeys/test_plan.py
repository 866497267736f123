"""The test list: by hand, from an editor, from Markdown, from the Test List agent, and from two people at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kit import Kata


def leave(name: str, text: str) -> str:
    return f'(pathlib.Path(os.environ["TDD_OUTPUT_DIR"]) / {name!r}).write_text({text!r})\n'


LIST = {
    "items": [
        {"title": "greets by name", "covered": True},
        {"title": "greets loudly", "description": "in capitals", "type": "behaviour", "priority": "high",
         "test_file": "tests/test_greet.py", "impl_file": "greet.py"},
    ]
}  # fmt: skip
MARKDOWN = "- [x] greets by name\n- [ ] greets loudly (high)\n  test: tests/test_greet.py\n- [ ] greets nobody (bug)\n"


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def shown(kata: Kata) -> list[tuple[str, str]]:
    return [(item["title"], item["status"]) for item in kata.tdd("plan", "list", "--json").json["items"]]


def test_a_feature_text_becomes_items_and_what_the_agent_edits_is_discarded(kata: Kata) -> None:
    edits = 'write("greet.py", "def greet(name):\\n    return name\\n")\n'
    kata.script(test_list=[edits + leave("test-list.json", json.dumps(LIST))])
    done = kata.tdd("plan", "from", "-", stdin="People are greeted, loudly if they want.\n")
    assert done.code == 0, done.err
    assert "is discarded" in done.err
    assert shown(kata) == [("greets by name", "already_covered"), ("greets loudly", "planned")]
    item = kata.tdd("plan", "show", "2", "--json").json
    assert (item["priority"], item["test_file"], item["impl_file"]) == (
        "high",
        "tests/test_greet.py",
        "greet.py",
    )
    prompt = kata.prompts("test_list")[0]
    assert "loudly if they want" in prompt
    assert "test_greets" in prompt
    assert "hello" in (kata.root / "greet.py").read_text()
    assert kata.git("status", "--porcelain") == ""


def test_an_answer_that_is_none_is_asked_for_again_with_what_was_wrong(kata: Kata) -> None:
    bad = json.dumps({"items": [{"title": "x", "type": "wish"}]})
    kata.script(test_list=[leave("test-list.json", bad), leave("test-list.md", MARKDOWN)])
    (kata.root / "feature.md").write_text("Greet.\n")
    done = kata.tdd("plan", "from", "feature.md")
    assert done.code == 0, done.err
    assert "type must be one of behaviour, bug, chore" in kata.prompts("test_list")[1]
    assert shown(kata) == [
        ("greets by name", "already_covered"),
        ("greets loudly", "planned"),
        ("greets nobody", "planned"),
    ]
    assert kata.tdd("plan", "show", "3", "--json").json["type"] == "bug"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "empty"),
        ("x" * 600_000, "characters"),
        (json.dumps({"items": [{"title": f"item {n}"} for n in range(5000)]}), "at most"),
        ("[" * 100_000, "nested"),
        (json.dumps({"items": [{"title": "a", "test_file": "../../etc/passwd"}]}), "test_file"),
        ('{"items": [{"title": 7}', "JSON"),
    ],
)
def test_three_useless_answers_are_refused_and_the_plan_stays(kata: Kata, answer: str, why: str) -> None:
    kata.plan("stays")
    kata.script(test_list=[leave("test-list.json", answer)])
    done = kata.tdd("plan", "from", "-", stdin="Greet.\n")
    assert done.code == 1
    assert why in done.err
    assert "in 3 answers" in done.err
    assert shown(kata) == [("stays", "planned")]


def test_what_the_agent_is_answered_is_not_said_to_the_person(kata: Kata) -> None:
    kata.script(test_list=["print('Nothing to do here.')"] * 3)
    done = kata.tdd("plan", "from", "-", stdin="Greet.\n")
    assert done.code == 1
    assert "Your last answer" in kata.prompts("test_list")[1]
    assert "Your last answer" not in done.err
    assert "neither JSON nor a Markdown list with checkboxes was found\n" in done.err
    assert "the agent again says that the behavior is there already: Nothing to do here." in done.err


def test_an_agent_that_fails_is_told_as_such(kata: Kata) -> None:
    kata.script(test_list=["sys.exit('the licence has run out')"])
    done = kata.tdd("plan", "from", "-", stdin="Greet.\n")
    assert done.code == 1
    assert "in 3 answers: exit code 1 (the licence has run out)." in done.err


def test_what_a_plain_command_prints_is_its_answer(kata: Kata) -> None:
    kata.script(test_list=[f"print({MARKDOWN!r})"])
    assert kata.tdd("plan", "from", "-", stdin="Greet.\n").code == 0
    assert len(shown(kata)) == 3


def test_what_stands_in_the_plan_is_not_added_again(kata: Kata) -> None:
    kata.plan("Greets loudly.")
    kata.script(test_list=[leave("test-list.json", json.dumps(LIST))])
    done = kata.tdd("plan", "from", "-", stdin="People are greeted.\n")
    assert done.code == 0, done.err
    assert "test list: 1 item from scripted; 1 stands in the plan already" in done.err
    assert [title for title, _ in shown(kata)] == ["Greets loudly.", "greets by name"]
    assert "- Greets loudly." in kata.prompts("test_list")[0]
    again = kata.tdd("plan", "from", "-", stdin="People are greeted.\n")
    assert again.code == 0
    assert "test list: nothing new from scripted; 2 stand in the plan already" in again.err
    assert len(shown(kata)) == 2


def test_a_feature_text_that_is_too_long_is_told(kata: Kata) -> None:
    kata.script(test_list=[leave("test-list.json", json.dumps(LIST))])
    done = kata.tdd("plan", "from", "-", stdin="First. " + "word " * 20_000 + " Last.")
    assert done.code == 0, done.err
    assert (
        "the feature text has 100013 characters: 24000 of its beginning and its end are given to the agent"
        in done.err
    )
    prompt = kata.prompts("test_list")[0]
    assert "First." in prompt
    assert "Last." in prompt


def test_a_hostile_title_is_plain_text(kata: Kata) -> None:
    title = "greets \x1b[31mred\x00\u202e people\nand more"
    kata.script(test_list=[leave("test-list.json", json.dumps({"items": [{"title": title}]}))])
    assert kata.tdd("plan", "from", "-", stdin="Greet.\n").code == 0
    assert shown(kata) == [("greets red people and more", "planned")]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "feature.md cannot be read: No such file or directory."),
        (
            lambda path: path.write_bytes(b"\xff\xfe\x00"),
            "feature.md cannot be read: it is no text in UTF-8.",
        ),
    ],
    ids=["missing", "binary"],
)
def test_a_file_that_is_none(kata: Kata, make: Callable[[Path], object], words: str) -> None:
    make(kata.root / "feature.md")
    done = kata.tdd("plan", "from", "feature.md")
    assert done.code == 2
    assert words in done.err
    assert kata.calls() == []


def test_an_empty_feature_text_asks_nobody(kata: Kata) -> None:
    done = kata.tdd("plan", "from", "-", stdin="  \n")
    assert done.code == 2
    assert kata.calls() == []


def test_by_hand(kata: Kata) -> None:
    first = kata.plan("adds", "--priority", "high", "--tag", "core", "--hours", "1.5", "--issue", "7")
    kata.plan("divides")
    child = kata.plan("adds negatives", "--parent", first, "--before", "2")
    assert [title for title, _ in shown(kata)] == ["adds", "adds negatives", "divides"]
    item = kata.tdd("plan", "show", first, "--json").json
    assert (item["priority"], item["tags"], item["hours"], item["issue"]) == ("high", ["core"], 1.5, 7)
    assert kata.tdd("plan", "move", "divides", "--first").code == 0
    assert [title for title, _ in shown(kata)] == ["divides", "adds", "adds negatives"]
    assert kata.tdd("plan", "move", "divides", "--after", child).code == 0
    assert kata.tdd("plan", "remove", "adds").code == 0
    assert [title for title, _ in shown(kata)] == ["adds negatives", "divides"]
    assert kata.tdd("plan", "move", "divides", "--after", "divides").code == 2
    assert kata.tdd("plan", "remove", "nothing").code == 2
    assert kata.tdd("plan", "add", " ").code == 2


def test_a_markdown_list_is_imported_with_its_nesting(kata: Kata) -> None:
    kata.write(
        "list.md",
        "# List\n\n- [x] adds\n- [ ] divides !high\n  not by zero\n  - [ ] bug: divides negatives\n",
    )
    done = kata.tdd("plan", "import", "list.md")
    assert done.code == 0, done.err
    assert shown(kata) == [
        ("adds", "already_covered"),
        ("divides", "planned"),
        ("divides negatives", "planned"),
    ]
    items = kata.tdd("plan", "list", "--json").json["items"]
    assert items[1]["description"] == "not by zero"
    assert (items[2]["type"], items[2]["parent"]) == ("bug", items[1]["id"])
    assert kata.tdd("plan", "import", "README.md").code == 2


def test_the_editor_rules(kata: Kata) -> None:
    """Order, titles, new and removed lines as they were saved; nothing saved is nothing changed."""
    kata.plan("adds")
    kata.plan("divides")
    kata.plan("subtracts")
    edits = (
        "import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\nlines = path.read_text().splitlines()\n"
        "adds, divides, subtracts = lines\n"
        "path.write_text('\\n'.join([divides.replace('divides', 'divides evenly'), '  - [ ] divides by one', adds]) + '\\n')\n"
    )
    script = kata.agent / "editor.py"
    script.write_text(edits)
    done = kata.tdd("plan", "edit", env={"EDITOR": f"{sys.executable} {script}", "VISUAL": ""})
    assert done.code == 0, done.err
    assert [title for title, _ in shown(kata)] == ["divides evenly", "divides by one", "adds"]
    items = kata.tdd("plan", "list", "--json").json["items"]
    assert items[1]["parent"] == items[0]["id"]
    assert "Nothing was changed" in kata.tdd("plan", "edit", env={"EDITOR": "true", "VISUAL": ""}).out


def test_the_lists_of_two_clones_are_merged(kata: Kata, tmp_path: Path) -> None:
    hub, other = tmp_path / "hub.git", tmp_path / "other"
    kata.git("init", "-q", "--bare", "-b", "main", str(hub))
    kata.git("remote", "add", "origin", str(hub))
    kata.git("push", "-q", "origin", "main")
    kata.plan("adds")
    assert kata.tdd("sync").code == 0
    kata.git("clone", "-q", str(hub), str(other))
    for words in (("user.name", "Bob"), ("user.email", "bob@example.org")):
        kata.git("-C", str(other), "config", *words)
    assert kata.tdd("sync", cwd=other).code == 0
    kata.tdd("plan", "add", "divides", cwd=other)
    kata.plan("subtracts")
    assert kata.tdd("sync", cwd=other).code == 0
    assert kata.tdd("sync").code == 0
    assert kata.tdd("sync", cwd=other).code == 0
    here = {title for title, _ in shown(kata)}
    there = {item["title"] for item in kata.tdd("plan", "list", "--json", cwd=other).json["items"]}
    assert here == there == {"adds", "divides", "subtracts"}

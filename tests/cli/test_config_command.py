"""``tdd config get|set``: one setting is read or changed; the rest of the file stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit import Kata


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def test_comments_and_order_stay(kata: Kata) -> None:
    kata.write("tdd.toml", '# mine\n[test]\ncommand = "true"  # quick\n\n[retry]\nmax_retries = 1\n')
    assert kata.tdd("config", "set", "retry.max_retries", "2").out == "Set retry.max_retries in tdd.toml.\n"
    text = '# mine\n[test]\ncommand = "true"  # quick\n\n[retry]\nmax_retries = 2\n'
    assert (kata.root / "tdd.toml").read_text() == text


def test_a_new_key_stands_above_the_comments_below_its_table(kata: Kata) -> None:
    text = '[test]\ncommand = "true"\n\n[workspace]\nlink = []  # shared\n{new}# setup = ""\n\n# [budget]\n# cost = 5\n'
    kata.write("tdd.toml", text.format(new=""))
    assert kata.tdd("config", "set", "workspace.python_path", '["src"]').code == 0
    assert (kata.root / "tdd.toml").read_text() == text.format(new='python_path = ["src"]\n')


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("test.command", "make test", "make test"),
        ("test.known_failing", '["a::b"]', '["a::b"]'),
        ("retry.delays", "[0, 1]", "[0.0, 1.0]"),
        ("workspace.test_network", "true", "true"),
        ("agents.red", "human", "human"),
        ("agents.cheap.timeout", "7", "7.0"),
        ("cleanup.test", "keep", "keep"),
    ],
)
def test_a_value_is_read_back(kata: Kata, key: str, value: str, shown: str) -> None:
    assert kata.tdd("config", "set", key, value).code == 0
    assert kata.tdd("config", "get", key).out == f"{shown}\n"
    assert kata.tdd("config", "get", key, "--json").json["origin"] == "tdd.toml"


@pytest.mark.parametrize("words", [("get", "test.comand"), ("set", "test.comand", "x")])
def test_the_nearest_key_is_named(kata: Kata, words: tuple[str, ...]) -> None:
    done = kata.tdd("config", *words)
    assert done.code == 2
    assert "There is no setting 'test.comand'; did you mean 'test.command'?" in done.err


def test_a_wrong_value_changes_nothing(kata: Kata) -> None:
    before = (kata.root / "tdd.toml").read_text()
    done = kata.tdd("config", "set", "retry.max_retries", "many")
    assert done.code == 2
    assert "retry.max_retries" in done.err
    assert (kata.root / "tdd.toml").read_text() == before


def test_a_table_in_pyproject(kata: Kata) -> None:
    (kata.root / "tdd.toml").unlink()
    kata.write("pyproject.toml", '[project]\nname = "kata"\n\n[tool.tdd.test]\ncommand = "true"\n')
    assert kata.tdd("config", "set", "test.command", "false").out == "Set test.command in pyproject.toml.\n"
    assert 'name = "kata"' in (kata.root / "pyproject.toml").read_text()
    assert kata.tdd("config", "get", "test.command").out == "false\n"


def test_without_a_file_nothing_is_set(kata: Kata) -> None:
    (kata.root / "tdd.toml").unlink()
    done = kata.tdd("config", "set", "test.command", "true")
    assert done.code == 2
    assert "`tdd init` writes one" in done.err


def test_a_list_that_is_imported_twice_is_there_once(kata: Kata) -> None:
    kata.write("list.md", "- [ ] adds two numbers\n  - [ ] adds negative ones\n")
    assert kata.tdd("plan", "import", "list.md").out == "2 items added.\n"
    kata.write("list.md", "- [ ] Adds two  numbers.\n- [ ] adds three\n")
    assert kata.tdd("plan", "import", "list.md").out == "1 item added. 1 was planned already.\n"
    assert len(kata.tdd("plan", "list", "--json").json["items"]) == 3


def test_a_port_is_for_projects_that_ask_for_one(kata: Kata) -> None:
    from tdd_orchestrator.app.open_repository import OpenRepository

    def wanted() -> bool:
        with OpenRepository(kata.root) as opened:
            return opened.wants_port()

    assert not wanted()
    kata.tdd("config", "set", "workspace.port", "true")
    assert wanted()
    kata.tdd("config", "set", "workspace.port", "false")
    kata.write("server.py", "import os\nPORT = os.environ['TDD_PORT']\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "feat: a server")
    assert wanted()
    kata.git("rm", "-q", "server.py")
    kata.git("commit", "-q", "-m", "feat: no server")
    assert not wanted()


def test_what_asked_for_no_port_is_not_searched_again(kata: Kata) -> None:
    from tdd_orchestrator.app.open_repository import OpenRepository

    def wanted() -> tuple[bool, bool]:
        with OpenRepository(kata.root) as opened:
            assert opened.state.head
            before = opened.git.calls
            return opened.wants_port(), opened.git.calls > before

    def commit(text: str) -> None:
        kata.write("server.py", text)
        kata.git("add", "-A")
        kata.git("commit", "-q", "-m", "feat: a server")

    assert wanted() == (False, True)
    assert wanted() == (False, False)
    commit("PORT = 80\n")
    assert wanted() == (False, False)
    assert wanted() == (False, False)
    commit("import os\nPORT = os.environ['TDD_PORT']\n")
    assert wanted()[0]
    assert wanted()[0]
    shortcut = kata.root / ".git" / "tdd" / "portless"
    for tree in ("f" * 40, "no tree", 7):
        shortcut.write_text(json.dumps({"format": 1, "ref": "HEAD", "subject": "TDD_PORT", "tree": tree}))
        assert wanted()[0]

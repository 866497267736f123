"""``tdd mcp install``: the client's files get our entry, keep all else, and are left alone where they cannot be read."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from kit import Kata

from tdd_orchestrator.agents.editors import EDITORS, SERVER, Entry, merged
from tdd_orchestrator.cli import render
from tdd_orchestrator.cli.mcp import mcp


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


@pytest.mark.parametrize("client", sorted(EDITORS))
def test_a_client_finds_the_server(kata: Kata, client: str) -> None:
    done = kata.tdd("mcp", "install", client)
    assert done.code == 0, done.err
    entry = EDITORS[client].server
    text = (kata.root / entry.file).read_text("utf-8")
    found = tomllib.loads(text) if entry.file.endswith(".toml") else json.loads(text)
    for name in entry.path:
        found = found[name]
    assert {name: found[name] for name in SERVER} == SERVER
    assert kata.tdd("mcp", "install", client).code == 0
    assert (kata.root / entry.file).read_text("utf-8") == text, "a second time changes nothing"


def test_claude_may_edit_the_tree_that_it_is_told_to_edit(kata: Kata) -> None:
    kata.tdd("mcp", "install", "claude")
    settings = json.loads((kata.root / ".claude/settings.local.json").read_text("utf-8"))
    (folder,) = settings["permissions"]["additionalDirectories"]
    assert folder.endswith("agent")
    assert Path(folder).is_dir(), "one that is missing when a session starts is passed over"


def test_what_is_to_be_done_is_wrapped_at_words(kata: Kata, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "columns", lambda *, err=False: 60)
    monkeypatch.setenv("TDD_STATE_DIR", str(kata.root.parent / "state"))
    monkeypatch.chdir(kata.root)
    lines = CliRunner().invoke(mcp, ["install", "cursor"]).output.splitlines()
    assert [line for line in lines if len(line) > 60 and " " in line] == []
    assert any(line.startswith("cursor must be allowed to edit") for line in lines)


def test_what_stands_there_stays() -> None:
    entry = Entry(".mcp.json", ("mcpServers", "tdd"))
    text = merged('{"mcpServers": {"other": {"command": "x"}}, "more": [1]}', entry, dict(SERVER))
    assert json.loads(text) == {"mcpServers": {"other": {"command": "x"}, "tdd": dict(SERVER)}, "more": [1]}
    entry = Entry("c.toml", ("sandbox_workspace_write", "writable_roots"))
    text = merged("# mine\nmodel = 'x'\n[sandbox_workspace_write]\nwritable_roots = ['/a']\n", entry, ["/b"])
    assert text.startswith("# mine\nmodel = 'x'\n")
    assert tomllib.loads(text)["sandbox_workspace_write"]["writable_roots"] == ["/a", "/b"]


@pytest.mark.parametrize("text", ["{ // a comment\n}", "[1]", '{"mcpServers": 3}'])
def test_a_file_that_cannot_be_changed_is_left_as_it_is(kata: Kata, text: str) -> None:
    (kata.root / ".mcp.json").write_text(text)
    done = kata.tdd("mcp", "install", "claude")
    assert done.code == 2
    assert '"command": "tdd"' in done.err, "what to add by hand is shown"
    assert (kata.root / ".mcp.json").read_text() == text
    assert not (kata.root / ".claude").exists(), "all or nothing"


def test_an_unknown_client_is_refused_with_those_that_are_known(kata: Kata) -> None:
    done = kata.tdd("mcp", "install", "emacs")
    assert done.code == 2
    assert "cursor" in done.err

"""The page of the agents: what each one runs, what it is given, and what it lacks."""

from __future__ import annotations

import sys

import pytest
from kit import Kata

from .conftest import opened


def test_each_agent_with_its_program_and_its_variables(kata: Kata, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRIBE_KEY", "a secret of ours")
    text = (kata.root / "tdd.toml").read_text()
    scribe = '[agents.scribe]\ncommand = ["no-such-scribe"]\npass_env = ["SCRIBE_KEY", "SCRIBE_HOST"]\n'
    kata.write("tdd.toml", text + scribe)
    for window in opened(kata.root):
        page = " ".join(window.page("/agents").split())
        assert f"<code>{sys.executable}</code>" in page
        assert "no-such-scribe is not installed" in page
        assert "SCRIBE_KEY (set), SCRIBE_HOST" in page
        assert "a secret of ours" not in page


def test_a_client_without_a_key_says_what_is_missing(kata: Kata) -> None:
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace('default = "scripted"', 'default = "scripted"\nred = "claude"'))
    for window in opened(kata.root):
        page = window.page("/agents")
        assert "one of: ANTHROPIC_API_KEY" in page
        assert "red" in page

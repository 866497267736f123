"""A whole cycle inside bubblewrap, of tests that need what every project's tests need."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest
from kit import GREEN, RED, WRITE, Kata

from tdd_orchestrator.agents.sandbox import available

pytestmark = pytest.mark.skipif(available() is not None, reason=f"no bubblewrap here: {available()}")

OLD = """
from greet import greet


def test_greets(tmp_path):
    (tmp_path / "name").write_text("ada")
    assert greet((tmp_path / "name").read_text()) == "hello ada"
"""
AGENT = f"""
import os, pathlib, sys
sys.stdin.read()
{WRITE}
scenes = {{"red": {RED!r}, "green": {GREEN!r}}}
exec(scenes.get(os.environ["TDD_PHASE"], ""))
"""
"""It keeps no diary: it can write its tree and its output only."""


def test_tests_that_write_to_temporary_folders(tmp_path: Path) -> None:
    kata = Kata(tmp_path, config='[workspace]\nsandbox = "bubblewrap"\n')
    (kata.agent / "agent.py").write_text(AGENT)
    kata.write("tests/test_greet.py", OLD)
    kata.git("commit", "-q", "-am", "test: with a file")
    kata.plan()
    assert Path("/tmp", f"pytest-of-{getpass.getuser()}").is_dir()  # of the run outside, as everybody has it
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.tdd("verify", "HEAD~2..").code == 0

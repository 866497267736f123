"""A whole cycle inside bubblewrap, of tests that need what every project's tests need."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit import GREEN, RED, WRITE, Kata
from warm import ROOT

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


@pytest.mark.journey
def test_a_kill_while_the_next_agent_works_ahead_leaves_nothing_of_it(tmp_path: Path) -> None:
    kata = Kata(tmp_path, config='[workspace]\nsandbox = "bubblewrap"\n')
    agent = kata.agent / "agent.py"
    agent.write_text(f'import os, time\nif os.environ["TDD_PHASE"] == "green":\n    time.sleep(300)\n{AGENT}')
    kata.write("tests/test_slow.py", "import time\n\n\ndef test_takes_long():\n    time.sleep(5.5)\n")
    kata.git("add", "-A")
    kata.git("commit", "-qm", "test: a suite that takes long")
    kata.plan()
    words = [sys.executable, "-m", "tdd_orchestrator", "cycle", "next"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(words, cwd=kata.root, env=env, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    assert any("scripted begins while the whole suite runs" in line for line in child.stderr)
    child.kill()
    child.communicate()
    agent.write_text(AGENT)
    assert [record["kind"] for record in kata.records()] == ["baseline", "cycle_started", "intent"]
    done = kata.next()
    assert done.code == 0, done.err
    assert "scripted begins while the whole suite runs" in done.err
    assert kata.verdicts() == ["proven", "proven", "unchanged"]
    assert not [pid for pid in _pids() if str(agent) in _command_line(pid)], "no agent is left"
    assert kata.tdd("verify", "HEAD~2..").code == 0


def _pids() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdigit()]


def _command_line(pid: str) -> str:
    try:
        return Path("/proc", pid, "cmdline").read_text(errors="replace")
    except OSError:
        return ""

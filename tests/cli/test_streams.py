"""Streams that are closed, or that nobody reads: what daemons, cron jobs and pipes give a command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit import Kata

TDD = [sys.executable, "-m", "tdd_orchestrator"]


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    where = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(where)], check=True)
    for words in (["config", "user.name", "Ada"], ["config", "user.email", "ada@example.org"]):
        subprocess.run(["git", *words], cwd=where, check=True)
    (where / "tdd.toml").write_text('[test]\ncommand = ["true"]\n')
    subprocess.run(["git", "add", "-A"], cwd=where, check=True)
    subprocess.run(["git", "commit", "-qm", "begin"], cwd=where, check=True)
    return where


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["cycle status", "plan list", "log --json"])
def test_a_command_with_closed_streams_does_its_work(repository: Path, closed: str, words: str) -> None:
    line = f'exec "$@" {words} {closed}'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *TDD], cwd=repository, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "bug" not in done.stderr


def test_nobody_reads_on(repository: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*TDD, "plan", "list", "--json"],
        cwd=repository,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.journey
def test_a_reader_that_leaves_is_no_failure_of_the_cycle(kata: Kata) -> None:
    kata.plan()
    read, write = os.pipe()
    os.close(read)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with os.fdopen(write, "wb") as closed:
        subprocess.run([*TDD, "cycle", "next"], cwd=kata.root, env=environment, stderr=closed, check=False)
    assert kata.records("error_report") == []
    assert kata.next().code == 0

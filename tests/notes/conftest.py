"""Real repositories for the store: sealed from the machine's configuration, small, in a temporary folder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tdd_orchestrator.notes import known_good
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects


@pytest.fixture(autouse=True)
def _sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")


def archived(git: Git) -> list[tuple[str, str]]:
    """(ref as it was called, object) of the archived pins, the newest first."""
    tip = refs.read(git, known_good.ARCHIVE)
    return [] if tip is None else list(known_good.chain(git, tip))


def plain(where: Path, *args: str, stdin: str = "") -> str:
    """Plain git, as a user has it."""
    done = subprocess.run(
        ["git", "-C", str(where), *args], input=stdin, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (args, done.stderr)
    return done.stdout.strip()


def commit(where: Path, text: str) -> str:
    (where / "file.txt").write_text(text)
    plain(where, "add", "file.txt")
    plain(where, "commit", "-q", "-m", text)
    return plain(where, "rev-parse", "HEAD")


@pytest.fixture
def where(tmp_path: Path) -> Path:
    path = tmp_path / "repo"
    plain(tmp_path, "init", "-q", "-b", "main", str(path))
    commit(path, "one")
    return path


@pytest.fixture
def git(where: Path) -> Iterator[Git]:
    with Git(where / ".git", where) as git:
        yield git


@pytest.fixture
def objects(git: Git) -> Iterator[Objects]:
    with Objects(git) as objects:
        yield objects


@pytest.fixture
def store(git: Git, objects: Objects) -> Store:
    return Store(git, objects)

"""A repository of real notes, and an index of it in a temporary folder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tdd_orchestrator.history.index import Index
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects


def plain(where: Path, *words: str, stdin: str | bytes = b"") -> str:
    """Plain git, as a user has it."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(["git", "-C", str(where), *words], input=data, capture_output=True, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout.decode("utf-8", "replace").strip()


@pytest.fixture
def where(tmp_path: Path) -> Path:
    path = tmp_path / "repo"
    plain(tmp_path, "init", "-q", "-b", "main", str(path))
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.org")):
        plain(path, "config", key, value)
    plain(path, "commit", "-q", "--allow-empty", "-m", "one")
    return path


@pytest.fixture
def store(where: Path) -> Iterator[Store]:
    with Git(where / ".git") as git, Objects(git) as objects:
        yield Store(git, objects)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    found = Index(tmp_path / "state" / "history.sqlite3")
    yield found
    found.close()

"""Real repositories, sealed from the machine's configuration."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seal(tmp_path, monkeypatch)


def seal(folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("HOME", str(folder / "home"))
    patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    patch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    patch.setenv("GIT_CEILING_DIRECTORIES", str(folder))
    for who in ("AUTHOR", "COMMITTER"):
        patch.setenv(f"GIT_{who}_NAME", "Ada")
        patch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")


def plain(where: Path, *args: str, ok: tuple[int, ...] = (0,)) -> str:
    """Plain git, as a user has it."""
    done = subprocess.run(["git", "-C", str(where), *args], capture_output=True, text=True, check=False)
    assert done.returncode in ok, (args, done.stderr)
    return done.stdout.strip()


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return repository(tmp_path)


def repository(folder: Path) -> Path:
    """One with one commit, in ``folder``."""
    path = folder / "repo"
    plain(folder, "init", "-q", "-b", "main", str(path))
    (path / "file.txt").write_text("one\n")
    plain(path, "add", "file.txt")
    plain(path, "commit", "-q", "-m", "one")
    return path

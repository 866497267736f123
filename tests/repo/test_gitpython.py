"""GitPython is used where it serves, and nowhere else (docs/decisions/0016)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT, Kata

from tdd_orchestrator.repo.discovery import discover

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name == "git" or name.startswith("git."):
            raise ImportError("import git is blocked")

sys.meta_path.insert(0, Blocked())
from tdd_orchestrator.cli.app import main
main()
"""


def without_gitpython(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", BLOCKED, *words],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_remotes_are_those_of_git(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    with discover(kata.root).git() as git:
        assert git.remotes() == ()
    for name in ("origin", "my/fork", "two.dots"):
        kata.git("remote", "add", name, str(tmp_path / name))
    kata.git("worktree", "add", "-q", str(tmp_path / "linked"))
    for root in (kata.root, tmp_path / "linked"):
        with discover(root).git() as git:
            assert sorted(git.remotes()) == sorted(kata.git("remote").split())
            assert Path(git.repo.common_dir).resolve() == git.common_dir.resolve()


@pytest.mark.parametrize("words", [("sync",), ("doctor",)])
def test_what_reads_settings_needs_it(words: tuple[str, ...], tmp_path: Path) -> None:
    done = without_gitpython(Kata(tmp_path).root, *words)
    assert done.returncode == 70
    assert "import git is blocked" in done.stderr


@pytest.mark.parametrize("words", [("status",), ("plan", "list"), ("log",)])
def test_fast_paths_go_on_without_it(words: tuple[str, ...], tmp_path: Path) -> None:
    done = without_gitpython(Kata(tmp_path).root, *words)
    assert done.returncode == 0, done.stderr


def test_the_doctor_says_where_gitpython_opens_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tdd_orchestrator.app.health.checks import opened
    from tdd_orchestrator.app.open_repository import OpenRepository

    monkeypatch.chdir(Kata(tmp_path / "one").root)
    other = Kata(tmp_path / "two").root
    with OpenRepository(Path.cwd()) as repository:
        assert list(opened(repository)) == []
        with discover(other).git() as git:
            repository.git._repo = git.repo
            assert [found.sentence for found in opened(repository)] == [
                f"GitPython opens another repository than git: {other / '.git'}, not {Path.cwd() / '.git'}."
            ]

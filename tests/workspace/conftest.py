"""A real repository with one commit, and a work tree of ours beside it."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.workspace.tree import Tree


@dataclass
class Field:
    root: Path
    git: Git
    tree: Tree
    first: str

    def run(self, *words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=self.root, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, **files: str) -> str:
        for name, text in files.items():
            (self.root / name.replace("__", ".")).write_text(text)
        self.run("add", "-A")
        self.run("commit", "-qm", "more")
        return self.run("rev-parse", "HEAD")


@pytest.fixture
def field(tmp_path: Path) -> Field:
    root = tmp_path / "user"
    (root / "tests").mkdir(parents=True)
    (root / "code.py").write_text("x = 1\n")
    (root / "tests" / "test_code.py").write_text("def test_x():\n    assert 1\n")
    (root / ".gitignore").write_text("*.secret\n")
    git = Git(root / ".git", work_tree=root)
    field = Field(root, git, Tree(tmp_path / "state" / "agent", root / ".git" / "objects"), "")
    (tmp_path / "state").mkdir()
    for words in (("init", "-q", "-b", "main"), ("config", "user.name", "Ada"), ("config", "user.email", "a@b.c"),
                  ("add", "-A"), ("commit", "-qm", "first")):  # fmt: skip
        field.run(*words)
    field.first = field.run("rev-parse", "HEAD")
    field.tree.move_to(field.first)
    return field


def as_one_without_rights(place: Path, deed: Callable[[], None]) -> None:
    """Root may enter everything; so it is done as somebody who may not."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.getuid() == 0:
                nobody = pwd.getpwnam("nobody").pw_uid
                for path in (place, *place.rglob("*")):
                    os.chown(path, nobody, -1, follow_symlinks=False)
                for above in place.parents:
                    os.chmod(above, os.stat(above).st_mode | 0o055)
                os.setuid(nobody)
            deed()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

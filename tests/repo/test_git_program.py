"""Git is looked for once, not in every folder of PATH at every call."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tdd_orchestrator.repo.git import Git, git_program


def test_each_call_names_the_program_itself(tmp_path: Path) -> None:
    assert Git(tmp_path).finished("version").argv[0] == shutil.which("git")


def test_another_path_is_another_git(tmp_path: Path) -> None:
    other = tmp_path / "git"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    assert git_program(os.fspath(tmp_path)) == os.fspath(other)
    assert git_program(os.fspath(tmp_path / "nothing")) == "git"

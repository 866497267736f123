"""A git that is too old is named as such: by doctor, and where a moved branch cannot be merged with it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from kit import GREEN, Kata


@pytest.fixture
def old_git(tmp_path: Path) -> dict[str, str]:
    """A git in front on the PATH that says it is 2.34 and knows no ``merge-tree --write-tree``."""
    real = shutil.which("git")
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        'for word in "$@"; do case "$word" in\n'
        "version) echo git version 2.34.1; exit 0 ;;\n"
        "merge-tree) echo usage: git merge-tree >&2; exit 129 ;;\n"
        f'esac; done\nexec {real} "$@"\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}"}


def test_doctor_says_it(tmp_path: Path, old_git: dict[str, str]) -> None:
    kata = Kata(tmp_path)
    done = kata.tdd("doctor", env=old_git)
    assert "git 2.34.1 is older than 2.38" in done.out
    assert done.code == 1
    assert "older than" not in kata.tdd("doctor").out


def test_a_branch_that_moved_is_no_conflict(tmp_path: Path, old_git: dict[str, str]) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    moves = 'import subprocess\nsubprocess.run(["git", "-C", {!r}, "commit", "-q", "--allow-empty", "-m", "mine"], check=True)\n'
    kata.script(green=[moves.format(str(kata.root)) + GREEN])
    done = kata.next(env=old_git)
    assert done.code == 2
    assert "conflicts" not in done.err
    assert "2.38" in done.err
    assert kata.next().code == 0

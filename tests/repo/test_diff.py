"""The difference of two trees and its patch id are git's own, by one process for all of them."""

from __future__ import annotations

import itertools
import random
import subprocess
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import GitFailed
from tdd_orchestrator.repo.diff import diff_of_trees, patch_id, shortstat
from tdd_orchestrator.repo.git import Git

LINES = [
    "x = 1\n",
    "\ty = 2  \n",
    "-- a\n",
    "++ b\n",
    "\n",
    "@@ -1 +1 @@\n",
    "diff --git a b\n",
    "z",
    "ä\r\n",
    "\fq\n",
]


def shell(line: str, cwd: Path) -> str:
    return subprocess.run(
        line, shell=True, cwd=cwd, check=True, capture_output=True, text=True
    ).stdout.strip()


def trees(root: Path, count: int) -> list[str]:
    """Random trees: files that come, go, change, become programs or links, are empty or end without a newline."""
    rng, found = random.Random(7), []
    shell("git init -q", root)
    for _ in range(count):
        for name in ("a.py", "b c.py", "ü.txt", "folder/d.py"):
            path = root / name
            path.parent.mkdir(exist_ok=True)
            path.unlink(missing_ok=True)
            if rng.random() < 0.2:
                continue
            if rng.random() < 0.15:
                path.symlink_to(rng.choice(LINES).strip() or "x")
                continue
            path.write_text("".join(rng.choices(LINES, k=rng.choice((0, 1, 5, 40)))), newline="")
            path.chmod(rng.choice((0o644, 0o755)))
        found.append(shell("git add -A && git write-tree", root))
    return found


def test_patch_ids_are_those_of_git(tmp_path: Path) -> None:
    made = trees(tmp_path, 60)
    git = Git(tmp_path / ".git")
    for before, after in itertools.pairwise(made):
        diff = diff_of_trees(git, before, after)
        assert diff == git.run("diff-tree", "-p", "--no-renames", before, after)
        asked = git.run("patch-id", "--stable", stdin=diff).split()
        calls = git.calls
        assert patch_id(git, diff) == (asked[0].decode() if asked else "")
        assert git.calls == calls
    assert git.calls == 1 + 2 * (len(made) - 1)
    git.close()


def test_the_summary_of_a_diff_is_that_of_git(tmp_path: Path) -> None:
    (tmp_path / "plus.sql").write_text("++ a\n-- b\n@@ -1 +1 @@\n")
    made = trees(tmp_path, 40)
    (tmp_path / "plus.sql").write_text("-- b\n+++ c\n--- c\ndiff --git a b\n@@ -1 +1 @@\n")
    (tmp_path / "image").write_bytes(b"\0\1")
    made.append(shell("git add -A && git write-tree", tmp_path))
    git = Git(tmp_path / ".git")
    for before, after in itertools.pairwise(made):
        asked = git.run("diff", "--shortstat", "--no-renames", before, after)
        assert shortstat(diff_of_trees(git, before, after)) == asked.decode().strip()
    git.close()


def test_a_binary_file_has_the_patch_id_of_git(tmp_path: Path) -> None:
    shell("git init -q; printf 'a\\0b' > file; git add -A", tmp_path)
    one, git = shell("git write-tree", tmp_path), Git(tmp_path / ".git")
    shell("printf 'a\\0c' > file; git add -A", tmp_path)
    two = shell("git write-tree", tmp_path)
    diff = diff_of_trees(git, one, two)
    assert (
        patch_id(git, diff)
        == shell(f"git diff-tree -p {one} {two} | git patch-id --stable", tmp_path).split()[0]
    )
    git.close()


def test_a_tree_that_is_not_there_is_said(tmp_path: Path) -> None:
    tree, git = trees(tmp_path, 1)[0], Git(tmp_path / ".git")
    for _ in range(2):
        with pytest.raises(GitFailed):
            diff_of_trees(git, tree, "0" * 39 + "1")
    assert diff_of_trees(git, tree, tree) == b""
    git.close()

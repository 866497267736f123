"""Ignored files that `.worktreeinclude` names are shown in the trees, as `workspace.link` shows them."""

from __future__ import annotations

from pathlib import Path

from kit import Kata

from tdd_orchestrator.app.open_repository import OpenRepository


def test_what_is_ignored_and_named_is_a_link(tmp_path: Path) -> None:
    kata = Kata(tmp_path, config='[workspace]\nsandbox = "none"\nlink = ["tools"]\n')
    kata.write(".gitignore", "/local/\n*.key\ntools\n")
    kata.write(".worktreeinclude", "# for each tree\nlocal\n*.key\ntools\nfree.txt\ngreet.py\n")
    for name in ("local/a", "local/b", "deep/in/test.key", "tools/t", "free.txt"):
        kata.write(name, "x")
    with OpenRepository(kata.root) as opened:
        assert sorted(opened.config.workspace.link) == ["deep/in/test.key", "local", "tools"]
    (kata.root / ".worktreeinclude").unlink()
    with OpenRepository(kata.root) as opened:
        assert opened.config.workspace.link == ["tools"]

"""Which repository, in what state; and the clear refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.repo.discovery import discover, state
from tdd_orchestrator.repo.encoding import EMPTY_TREE
from tdd_orchestrator.repo.objects import Objects

from .conftest import plain


def test_found_from_below(where: Path) -> None:
    (where / "deep" / "er").mkdir(parents=True)
    found = discover(where / "deep" / "er")
    assert (found.git_dir, found.common_dir, found.work_tree) == (where / ".git", where / ".git", where)


def test_a_linked_work_tree(where: Path, tmp_path: Path) -> None:
    plain(where, "worktree", "add", "-q", str(tmp_path / "linked"))
    found = discover(tmp_path / "linked")
    assert found.git_dir != found.common_dir
    assert found.common_dir == where / ".git"
    with found.git() as git:
        assert git.common_dir == where / ".git"
        assert state(git).branch == "linked"


@pytest.mark.parametrize(
    ("make", "where_from", "says"),
    [
        ([], ".", "not in a git repository"),
        (["init", "-q", "--bare", "x"], "x", "bare"),
        (["init", "-q", "x"], "x/.git", "inside a .git"),
        (["init", "-q", "--object-format=sha256", "x"], "x", "sha256"),
    ],
)
def test_refused_clearly(tmp_path: Path, make: list[str], where_from: str, says: str) -> None:
    if make:
        plain(tmp_path, *make)
    with pytest.raises(Refused, match=says) as caught:
        discover(tmp_path / where_from)
    assert caught.value.todo


def test_a_format_of_the_future_is_refused(where: Path) -> None:
    plain(where, "config", "core.repositoryFormatVersion", "9")
    with pytest.raises(Refused, match="does not know"):
        discover(where)


def test_broken_configuration_is_refused_with_its_place(where: Path) -> None:
    (where / ".git" / "config").write_text("[core\n")
    with pytest.raises(Refused, match="config line 1"):
        discover(where)


def test_variables_that_point_elsewhere_are_dropped(
    where: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain(tmp_path, "init", "-q", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert discover(where).git_dir == where / ".git"


def test_clean_state(where: Path) -> None:
    with discover(where).git() as git:
        now = state(git)
    assert (now.branch, now.unborn, now.detached, now.dirty, now.untracked) == (
        "main",
        False,
        False,
        False,
        0,
    )
    assert now.head == plain(where, "rev-parse", "HEAD")
    assert now.identity_line == "Ada <ada@example.org>"


@pytest.mark.parametrize(
    ("name", "mail", "line"),
    [
        ("A <b> c", "a<b@c>", "A b c <ab@c>"),
        (" .,Ada;", " <a@b.c>, ", "Ada <a@b.c>"),
        ("x\ny", "x\ny@z", "xy <xy@z>"),
        ('O\'Neil "x"', "a b@c", "O'Neil \"x <a b@c>"),
        ("<>", "a@b.c", ""),
        ("Ada", "<>", ""),
        ("Ada", " .;", ""),
    ],
)
def test_an_odd_identity_is_cleaned_as_git_does(
    where: Path, monkeypatch: pytest.MonkeyPatch, name: str, mail: str, line: str
) -> None:
    monkeypatch.delenv("GIT_COMMITTER_NAME", raising=False)
    monkeypatch.delenv("GIT_COMMITTER_EMAIL", raising=False)
    plain(where, "config", "user.name", name)
    plain(where, "config", "user.email", mail)
    with discover(where).git() as git, Objects(git) as objects:
        now = state(git)
        assert (now.identity_line, now.identity) == (line, bool(line))
        if line:
            objects.write_commit(EMPTY_TREE, [], "x\n", author=f"{line} 1 +0000")
            assert plain(where, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize("mark", ["\x0b", "\x1c", "\u2028", "\x85"])
def test_a_path_with_an_odd_mark_is_found(tmp_path: Path, mark: str) -> None:
    plain(tmp_path, "init", "-q", f"a{mark}b")
    assert discover(tmp_path / f"a{mark}b").work_tree == tmp_path / f"a{mark}b"


@pytest.mark.parametrize("below", [".", ".git"])
def test_a_path_with_a_line_break_is_refused_by_name(tmp_path: Path, below: str) -> None:
    plain(tmp_path, "init", "-q", "a\nb")
    with pytest.raises(Refused, match="line break"):
        discover(tmp_path / "a\nb" / below)


def test_dirty_state_counts(where: Path) -> None:
    (where / "staged").write_text("x")
    plain(where, "add", "staged")
    plain(where, "mv", "file.txt", "moved.txt")
    (where / "staged").write_text("y")
    (where / "loose one").write_text("z")
    with discover(where).git() as git:
        now = state(git)
    assert (now.staged, now.unstaged, now.untracked, now.conflicted) == (2, 1, 1, 0)


def test_unborn_detached_locked_anonymous(
    where: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain(tmp_path, "init", "-q", "-b", "fresh", "new")
    for name in ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    with discover(tmp_path / "new").git() as git:
        now = state(git)
    assert (now.unborn, now.branch, now.identity) == (True, "fresh", False)
    plain(where, "checkout", "-q", "--detach")
    (where / ".git" / "index.lock").touch()
    (where / ".git" / "shallow").touch()
    (where / ".gitmodules").touch()
    (where / ".git" / "config").open("a").write("[core]\n\tsparseCheckout\n")
    with discover(where).git() as git:
        now = state(git)
    assert (now.detached, now.index_lock, now.submodules, now.shallow) == (True,) * 4


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick", "revert", "bisect", "am"])
def test_an_operation_in_progress_is_named(where: Path, operation: str) -> None:
    (where / "file.txt").write_text("two\n")
    plain(where, "commit", "-qam", "two")
    plain(where, "checkout", "-q", "-b", "side", "HEAD~1")
    (where / "file.txt").write_text("three\n")
    plain(where, "commit", "-qam", "three")
    patch = plain(where, "format-patch", "-1", "main", "-o", str(where.parent))
    started = {
        "merge": ["merge", "main"],
        "rebase": ["rebase", "main"],
        "cherry-pick": ["cherry-pick", "main"],
        "revert": ["revert", "main"],
        "bisect": ["bisect", "start"],
        "am": ["am", patch],
    }[operation]
    plain(where, *started, ok=(0, 1, 128))
    with discover(where).git() as git:
        assert state(git).operation == operation


def test_the_folder_of_the_users_hooks(where: Path) -> None:
    with discover(where).git() as git:
        assert state(git).hooks == ""
        plain(where, "config", "core.hooksPath", "tools/hooks")
        assert state(git).hooks == "tools/hooks"

"""The user's repository is as it was after an agent that no sandbox held; what was found instead is kept."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tdd_orchestrator.workspace.repository_snapshot import Snapshot, compare, remember

from .conftest import Field


def watched(field: Field, tmp_path: Path, line: str, genuine: bool = False) -> Snapshot:
    before = remember(field.git)
    field.run("config", "--list")
    import subprocess

    subprocess.run(line, shell=True, cwd=field.root, check=True, capture_output=True)
    return compare(field.git, before, tmp_path / "kept", genuine=lambda old, new: genuine)


def test_nothing_happened_nothing_said(field: Field, tmp_path: Path) -> None:
    assert watched(field, tmp_path, "true") == Snapshot()


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("git config core.hooksPath /evil", "config"),
        ("mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit", "hooks/pre-commit"),
        ("mkdir -p .git/info; echo evil > .git/info/attributes", "info/attributes"),
        ("rm .git/config", "config"),
        ("ln -sf /etc/passwd .git/hooks/post-checkout", ""),
    ],
)
def test_gits_own_files_are_put_back(field: Field, tmp_path: Path, line: str, path: str) -> None:
    def now() -> dict[str, bytes]:
        found = {}
        for place in ("config", "hooks", "info"):
            whole = field.root / ".git" / place
            for one in [whole, *whole.rglob("*")]:
                if one.is_file() and not one.is_symlink():
                    found[str(one)] = one.read_bytes()
        return found

    before = now()
    seen = watched(field, tmp_path, line)
    assert now() == before
    if path:
        assert any(path in one for one in seen.restored)


@pytest.mark.parametrize(
    "line",
    [
        "rm .git/HEAD; mkfifo .git/HEAD",
        "ln -sf /dev/zero .git/HEAD",
        "rm .git/HEAD",
        "rm .git/index; mkfifo .git/index",
        "echo garbage > .git/index",
        "rm .git/index",
        "mkdir -p .git/logs/refs; mkfifo .git/logs/refs/stash",
        "mkfifo .git/refs/heads/zzz",
        "mkdir -p .git/refs/tags/deep; mkfifo .git/refs/tags/deep/er",
        "ln -s /dev/zero .git/refs/heads/zzz",
        "mkfifo .git/packed-refs",
        "echo /nowhere > .git/commondir",
        "printf '[core]\\nworktree=/x\\n' > .git/config.worktree",
    ],
)
def test_git_finds_its_way_in_again_and_waits_for_nothing(field: Field, tmp_path: Path, line: str) -> None:
    (field.root / "code.py").write_text("x = 3\n")
    field.run("add", "code.py")

    def now() -> list[str]:
        words = (["status", "--porcelain"], ["for-each-ref"], ["symbolic-ref", "HEAD"], ["diff", "--cached"])
        return [field.run(*one) for one in words]

    before = now()
    seen = watched(field, tmp_path, line)
    assert seen.restored
    assert now() == before
    assert not list((field.root / ".git").glob("*.tdd-*"))


def test_what_was_there_before_and_the_socket_of_gits_own_monitor_stay(field: Field, tmp_path: Path) -> None:
    (field.root / ".git" / "mine").symlink_to("/dev/null")
    line = "python3 -c \"import os, socket; os.chdir('.git'); socket.socket(socket.AF_UNIX).bind('fsmonitor--daemon.ipc')\""
    assert watched(field, tmp_path, line) == Snapshot()
    assert (field.root / ".git" / "mine").is_symlink()
    assert (field.root / ".git" / "fsmonitor--daemon.ipc").is_socket()


def test_an_index_that_the_user_changed_meanwhile_is_left(field: Field, tmp_path: Path) -> None:
    seen = watched(field, tmp_path, "echo 'x = 4' > code.py; git add code.py")
    assert seen.restored == ()
    assert field.run("diff", "--cached", "--name-only") == "code.py"


def test_a_file_that_could_not_be_read_is_not_taken_for_a_strangers(
    field: Field, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails once must not cost the user's configuration; a hook that is root's alone is left alone."""
    config, hook = field.root / ".git/config", field.root / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("theirs")
    had, read = config.read_bytes(), Path.read_bytes

    def fails(at: Path, number: int) -> Callable[[Path], bytes]:
        def once(path: Path) -> bytes:
            if path == at:
                monkeypatch.setattr(Path, "read_bytes", read)
                raise OSError(number, os.strerror(number), str(path))
            return read(path)

        return once

    monkeypatch.setattr(Path, "read_bytes", fails(config, errno.EIO))
    with pytest.raises(OSError, match="Input/output"):
        remember(field.git)
    monkeypatch.setattr(Path, "read_bytes", fails(hook, errno.EACCES))
    assert watched(field, tmp_path, "true") == Snapshot()
    assert (config.read_bytes(), hook.read_text()) == (had, "theirs")


def test_refs_that_could_not_be_listed_are_not_taken_for_none(
    field: Field, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: str) -> None:
        raise OSError(errno.EIO, "input/output error", path)

    monkeypatch.setattr(os, "scandir", fails)
    with pytest.raises(OSError, match="input/output"):
        remember(field.git)


def test_what_was_found_instead_is_kept(field: Field, tmp_path: Path) -> None:
    watched(field, tmp_path, "git config core.hooksPath /evil")
    assert "/evil" in (tmp_path / "kept" / "foreign" / "config").read_text()


@pytest.mark.parametrize(
    "line",
    [
        "git update-ref -d refs/notes/tdd",
        "git update-ref refs/notes/tdd HEAD~1",
        "echo garbage > .git/refs/notes/tdd",
        "git update-ref -d refs/tdd/plan",
        "git update-ref refs/tdd/plan HEAD~1",
        "git notes --ref=tdd add -f -m forged HEAD",
    ],
)
def test_our_refs_are_put_back(field: Field, tmp_path: Path, line: str) -> None:
    second = field.commit(code__py="x = 2\n")
    field.run("update-ref", "refs/notes/tdd", second)
    field.run("update-ref", "refs/tdd/plan", second)
    seen = watched(field, tmp_path, line)
    assert field.run("rev-parse", "refs/notes/tdd", "refs/tdd/plan").split() == [second, second]
    assert seen.restored


def test_a_foreign_value_is_kept_under_a_ref(field: Field, tmp_path: Path) -> None:
    second = field.commit(code__py="x = 2\n")
    field.run("update-ref", "refs/notes/tdd", second)
    watched(field, tmp_path, f"git update-ref refs/notes/tdd {field.first}")
    assert field.first in field.run("for-each-ref", "--format=%(objectname)", "refs/tdd/foreign")


def test_what_a_writer_of_ours_added_stays(field: Field, tmp_path: Path) -> None:
    field.run("update-ref", "refs/notes/tdd", field.first)
    second = field.commit(code__py="x = 2\n")
    seen = watched(field, tmp_path, f"git update-ref refs/notes/tdd {second}", genuine=True)
    assert seen == Snapshot()
    assert field.run("rev-parse", "refs/notes/tdd") == second


def test_the_users_own_commits_and_branches_are_theirs(field: Field, tmp_path: Path) -> None:
    seen = watched(field, tmp_path, "echo 'x = 3' > code.py; git commit -qam mine; git branch more")
    assert seen == Snapshot()
    assert field.run("log", "--format=%s", "-1") == "mine"


def test_a_branch_that_is_gone_comes_back(field: Field, tmp_path: Path) -> None:
    field.run("branch", "mine")
    seen = watched(field, tmp_path, "git branch -D mine")
    assert field.run("rev-parse", "mine") == field.first
    assert seen.restored == ("refs/heads/mine was removed",)


def test_a_branch_that_was_set_back_is_told_and_kept_reachable(field: Field, tmp_path: Path) -> None:
    second = field.commit(code__py="x = 2\n")
    seen = watched(field, tmp_path, "git reset -q --hard HEAD~1")
    assert seen.reported[0] == "refs/heads/main was moved"
    assert second in field.run("for-each-ref", "--format=%(objectname)", "refs/tdd/foreign")


def test_edits_in_the_checkout_are_told(field: Field, tmp_path: Path) -> None:
    seen = watched(field, tmp_path, "echo evil > code.py; echo x > new.txt")
    assert seen.reported == ("files of your checkout changed meanwhile: code.py, new.txt",)
    assert (field.root / "code.py").read_text() == "evil\n"


def test_a_tag_that_is_gone_comes_back(field: Field, tmp_path: Path) -> None:
    field.run("tag", "-m", "one", "v1")
    tag = field.run("rev-parse", "v1")
    seen = watched(field, tmp_path, "git tag -d v1; git tag mine")
    assert field.run("rev-parse", "v1") == tag
    assert seen.restored == ("refs/tags/v1 was removed",)


@pytest.mark.parametrize("line", ["git stash drop", "git stash drop stash@{1}", "git stash clear"])
def test_stash_entries_that_are_dropped_stay_reachable(field: Field, tmp_path: Path, line: str) -> None:
    for text in ("x = 2\n", "x = 3\n"):
        (field.root / "code.py").write_text(text)
        field.run("stash")
    entries = field.run("rev-parse", "stash@{0}", "stash@{1}").split()
    seen = watched(field, tmp_path, line)
    left = field.run("stash", "list", "--format=%H").split()
    kept = field.run("for-each-ref", "--format=%(objectname)", "refs/tdd/foreign").split()
    assert sorted([*left, *kept]) == sorted(entries)
    assert len(seen.reported) == len(kept)
    assert all("stash entry was dropped" in one for one in seen.reported)


def test_a_stash_of_the_users_is_theirs(field: Field, tmp_path: Path) -> None:
    (field.root / "code.py").write_text("x = 2\n")
    seen = watched(field, tmp_path, "git stash")
    assert [one for one in (*seen.reported, *seen.restored) if "stash" in one] == []
    assert field.run("stash", "list").startswith("stash@{0}")

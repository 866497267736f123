"""Calls are neutral: nothing that a repository's configuration or the environment holds is executed or obeyed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import GitFailed
from tdd_orchestrator.process import Finished
from tdd_orchestrator.repo.git import Git, without_secret

from .conftest import plain


def test_no_hook_daemon_pager_or_signature(where: Path, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    script = tmp_path / "spy"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {witness}\nexit 1\n')
    script.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "reference-transaction", "post-index-change", "post-checkout"):
        (hooks / name).symlink_to(script)
        (where / ".git" / "hooks" / name).symlink_to(script)
    settings = {
        "core.hooksPath": hooks, "core.fsmonitor": script, "core.pager": script, "gpg.program": script,
        "commit.gpgSign": "true", "core.editor": script, "core.askPass": script, "pager.log": "true",
        "log.showSignature": "true", "diff.external": script,
    }  # fmt: skip
    for key, value in settings.items():
        plain(where, "config", key, str(value))
    witness.unlink(missing_ok=True)
    (where / "file.txt").write_text("two\n")
    with Git(where / ".git", where) as git:
        git.run("status", "--porcelain")
        git.run("add", "--", "file.txt")
        git.run("commit", "-q", "-m", "two")
        git.run("log", "--format=%s")
        git.run("update-ref", "refs/tdd/x", "HEAD")
    assert not witness.exists(), witness.read_text()


def test_the_environment_cannot_redirect(
    where: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain(tmp_path, "init", "-q", "other")
    for name in ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE"):
        monkeypatch.setenv(name, str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.quotePath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    with Git(where / ".git", where) as git:
        assert git.line("log", "--format=%s") == "one"
        assert git.line("config", "core.quotePath") == "false"
    assert not (tmp_path / "trace").exists()


def test_replace_refs_have_no_effect(where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    other = plain(where, "commit-tree", "-m", "forged", "HEAD^{tree}")
    plain(where, "replace", head, other)
    with Git(where / ".git", where) as git:
        assert git.line("log", "--format=%s", "-1") == "one"


def test_a_graft_file_hides_no_commit(where: Path) -> None:
    """`.git/info/grafts` names other parents: `tdd verify` would not see the commits between."""
    first = plain(where, "rev-parse", "HEAD")
    for subject in ("hidden", "last"):
        plain(where, "commit", "-q", "--allow-empty", "-m", subject)
    grafts = where / ".git" / "info" / "grafts"
    grafts.parent.mkdir(exist_ok=True)
    grafts.write_text(f"{plain(where, 'rev-parse', 'HEAD')} {first}\n")
    with Git(where / ".git", where) as git:
        assert git.line("log", "--format=%s", "-1", "HEAD~1") == "hidden"
        assert git.finished("log", "--format=%s").stderr == b""


def test_failure_is_a_value_without_secrets(where: Path) -> None:
    with Git(where / ".git", where) as git, pytest.raises(GitFailed) as caught:
        git.run("fetch", "https://ada:secret@127.0.0.1:1/x")
    assert caught.value.code == 128
    assert "secret" not in str(caught.value)
    assert "secret" not in " ".join(caught.value.argv)


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE])
def test_a_warning_that_the_disk_failed_is_a_failure(
    where: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """`git ls-files` passes over a folder that it could not open and leaves with 0: what is in it would be gone."""
    git = Git(where / ".git", where)
    said = f"warning: could not open directory 'tests/': {os.strerror(number)}\n".encode()
    monkeypatch.setattr(git, "finished", lambda *args, **_: Finished(args, 0, b"", said))
    with pytest.raises(GitFailed, match="could not open directory"):
        git.run("ls-files")
    said = b"warning: could not open directory 'Input/output error/': Permission denied\n"
    assert git.run("ls-files") == b""


def test_a_stream_that_the_disk_cut_short_is_a_failure(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "echo one; echo \"warning: could not open directory 'tests/': Input/output error\" >&2"
    git = Git(where / ".git", where)
    monkeypatch.setattr(git, "_prefix", ["sh", "-c", words])
    with pytest.raises(GitFailed, match="could not open directory"):
        list(git.stream("ls-files", separator=b"\n"))


def test_what_git_could_not_look_at_is_not_taken_for_no_ancestor(
    where: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A branch that went on would be taken for one that was moved, and set back."""
    git = Git(where / ".git", where)
    head = git.line("rev-parse", "HEAD")
    assert git.holds(head, head)
    assert not git.holds(head, "1" * 40)
    assert not git.holds(head, git.line("rev-parse", "HEAD^{tree}"))
    said = b"error: unable to open loose object x: Input/output error\nfatal: Not a valid commit name x\n"
    monkeypatch.setattr(git, "finished", lambda *args, **_: Finished(args, 128, b"", said))
    with pytest.raises(GitFailed, match="Input/output error"):
        git.holds(head, head)


def test_stream_ends_git_when_closed_and_says_when_git_failed(where: Path) -> None:
    with Git(where / ".git", where) as git:
        assert list(git.stream("log", "-z", "--format=%s")) == [b"one"]
        stream = git.stream("cat-file", "--batch-all-objects", "--batch-check", separator=b"\n")
        next(stream)
        stream.close()
        with pytest.raises(GitFailed):
            list(git.stream("log", "refs/heads/none"))


def test_calls_are_counted_and_history_is_read_by_gitpython(where: Path) -> None:
    with Git(where / ".git", where) as git:
        git.run("version")
        assert git.calls == 1
        assert [commit.message for commit in git.repo.iter_commits()] == ["one\n"]
        before = len(os.listdir("/proc/self/fd"))
    assert len(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize(
    "url",
    [
        "https://ada:hun@ter22@example.org/x.git",
        "https://ada:" + "hunter22" * 100 + "@example.org/x.git",
        "https://example.org/x.git?private_token=hunter22&x=hunter22",
    ],
)
def test_an_address_loses_what_may_be_secret(url: str) -> None:
    said = without_secret(f"fatal: unable to access '{url}': no")
    assert "ter22" not in said
    assert "example.org/x.git" in said

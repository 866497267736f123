"""Compare-and-swap, power loss, the run lock, stale locks."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import GitFailed, RefMoved, Refused, StoreDamaged
from tdd_orchestrator.process import Finished
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.refs import last_value

from .conftest import plain


@pytest.fixture
def git(where: Path) -> Git:
    return Git(where / ".git", where)


@pytest.fixture
def two(where: Path) -> tuple[str, str]:
    first = plain(where, "rev-parse", "HEAD")
    return first, plain(where, "commit-tree", "-p", first, "-m", "two", "HEAD^{tree}")


def test_groups_go_through_in_order_in_one_process(git: Git, two: tuple[str, str]) -> None:
    refs.update(
        git,
        [("refs/tdd/a", two[0], ZERO)],
        [],
        [("refs/tdd/b", two[1], None), ("refs/tdd/a", two[1], two[0])],
    )
    assert git.calls == 1
    assert (refs.read(git, "refs/tdd/a"), refs.read(git, "refs/tdd/b")) == (two[1], two[1])
    refs.update(git, [("refs/tdd/a", ZERO, two[1])])
    assert refs.read(git, "refs/tdd/a") is None
    git.run("pack-refs", "--all")
    assert refs.read(git, "refs/tdd/b") == two[1]
    refs.update(git, [("refs/tdd/folder/one", two[0], ZERO)])
    assert refs.read(git, "refs/tdd/folder") is None


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        (("refs/tdd/a", "NEW", "NEW"), "NEW"),  # elsewhere
        (("refs/tdd/a", "NEW", ZERO), ZERO),  # there already
        (("refs/tdd/none", "NEW", "NEW"), "NEW"),  # not there
        (("refs/tdd/a", None, "NEW"), "NEW"),  # only verified
        (("refs/tdd/a/below", "NEW", ZERO), ""),  # a folder in the way
    ],
)
def test_a_conflict_names_the_ref_and_moves_nothing(
    git: Git, two: tuple[str, str], move: refs.RefUpdate, expected: str
) -> None:
    refs.update(git, [("refs/tdd/a", two[0], ZERO)])
    ref, new, old = (two[1] if word == "NEW" else word for word in move)
    assert ref
    with pytest.raises(RefMoved) as caught:
        refs.update(git, [("refs/tdd/z", two[0], ZERO)], [("refs/tdd/y", two[0], ZERO), (ref, new, old)])
    assert caught.value.committed == 1
    assert caught.value.ref.startswith("refs/tdd/")
    if expected:
        assert (caught.value.ref, caught.value.expected) == (ref, two[1] if expected == "NEW" else expected)
    assert refs.read(git, "refs/tdd/z") == two[0]
    assert refs.read(git, "refs/tdd/y") is None


def test_a_lock_in_the_way_is_told_apart(git: Git, two: tuple[str, str]) -> None:
    refs.update(git, [("refs/tdd/a", two[0], ZERO)])
    (git.git_dir / "refs/tdd/a.lock").touch()
    with pytest.raises(RefMoved) as caught:
        refs.update(git, [("refs/tdd/a", two[1], two[0])])
    assert (caught.value.ref, caught.value.locked) == ("refs/tdd/a", True)


@pytest.mark.parametrize(
    "why", ["unable to create directory for /x/.git/refs/tdd/a", "error reading reference"]
)
def test_a_disk_that_fails_is_no_other_programs_doing(
    git: Git, where: Path, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """Nobody has moved the ref. (The second is what git says of HEAD where it cannot read the branch.)"""
    said = f"fatal: prepare: cannot lock ref 'refs/tdd/a': {why}\n".encode()
    monkeypatch.setattr(refs, "_talk", lambda *_: Finished((), 128, b"", said))
    with pytest.raises(GitFailed, match=why):
        refs.update(git, [("refs/tdd/a", two[0], None)])


def test_a_symbolic_ref_is_not_followed(git: Git, where: Path, two: tuple[str, str]) -> None:
    plain(where, "symbolic-ref", "refs/heads/tdd/x", "refs/heads/main")
    refs.update(git, [("refs/heads/tdd/x", two[1], None)])
    assert plain(where, "rev-parse", "main") == two[0]


@pytest.mark.parametrize("name", ["HEAD", "main", "refs/x\0y", "--stdin"])
def test_only_refs_are_moved(git: Git, two: tuple[str, str], name: str) -> None:
    with pytest.raises(Refused):
        refs.update(git, [(name, two[1], None)])


def test_a_torn_ref_is_damage_and_the_reflog_is_offered(git: Git, where: Path, two: tuple[str, str]) -> None:
    plain(where, "update-ref", "--create-reflog", "refs/notes/tdd", two[0])
    plain(where, "update-ref", "refs/notes/tdd", two[1])
    path = where / ".git/refs/notes/tdd"
    for torn in (b"", b"\0" * 41, two[1][:20].encode()):
        path.write_bytes(torn)
        with pytest.raises(StoreDamaged) as caught:
            refs.read(git, "refs/notes/tdd")
        assert two[1] in caught.value.todo
    log = where / ".git/logs/refs/notes/tdd"
    log.write_text(log.read_text().replace(two[1], "7" * 40))
    assert last_value(git, "refs/notes/tdd") == two[0]
    log.unlink()
    with pytest.raises(StoreDamaged, match="clone or a backup"):
        refs.read(git, "refs/notes/tdd")


def test_a_ref_is_found_wherever_it_is_without_a_process(git: Git) -> None:
    head = git.line("rev-parse", "HEAD")
    git.run("update-ref", "refs/tdd/one", head)
    git.run("tag", "-a", "-m", "peeled in the packed file", "refs-tdd-one")
    asked = git.calls
    assert refs.read(git, "refs/tdd/one") == head
    assert refs.read(git, "refs/tdd/none") is None
    git.run("pack-refs", "--all")
    assert not (git.common_dir / "refs/tdd/one").exists()
    for name in ("refs/tdd/one", "refs/heads/main"):
        assert refs.read(git, name) == head
    for name in ("refs/tdd/none", "refs/tdd/on", "tdd/one", "refs/tdd"):
        assert refs.read(git, name) is None
    assert git.calls == asked + 1


def test_a_packed_ref_that_is_no_object_name_is_left_to_git_to_say(git: Git) -> None:
    (git.common_dir / "packed-refs").write_text("# pack-refs with: peeled\nzzzz refs/tdd/one\n")
    with pytest.raises(GitFailed, match="unexpected line in"):
        refs.read(git, "refs/tdd/one")


def test_refs_are_listed_as_git_lists_them(git: Git, where: Path, two: tuple[str, str]) -> None:
    refs.update(git, [(f"refs/tdd/{name}", two[0], ZERO) for name in ("a", "deep/b", "deep/c")])
    git.run("pack-refs", "--all")
    refs.update(
        git, [("refs/tdd/a", two[1], two[0]), ("refs/tddx", two[0], ZERO), ("refs/notes/tdd", two[1], ZERO)]
    )
    (git.common_dir / "refs/tdd/torn").write_bytes(b"")
    (git.common_dir / "refs/tdd/c.lock").write_bytes(b"")
    (git.common_dir / "refs/tdd/link").write_text("ref: refs/tdd/a\n")
    calls = git.calls
    for under in (
        ("refs/tdd",),
        ("refs/tdd/deep/",),
        ("refs/tdd/a",),
        ("refs/heads", "refs/notes"),
        ("refs/none",),
    ):
        asked = plain(where, "for-each-ref", "--format=%(refname) %(objectname)", *under).splitlines()
        found = refs.listed(git, *under)
        assert found == dict(line.split() for line in asked)
        assert list(found) == sorted(found)
    assert git.calls == calls + 1, "git is asked for the symbolic ref alone, where that is listed"


def test_a_folder_of_refs_that_the_machine_does_not_show_is_no_empty_one(
    git: Git, two: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: str) -> None:
        raise OSError(errno.EIO, "input/output error", path)

    refs.update(git, [("refs/tdd/a", two[0], ZERO)])
    monkeypatch.setattr(os, "scandir", fails)
    with pytest.raises(OSError, match="input/output"):
        refs.listed(git, "refs/tdd")


def test_the_branch_of_head(git: Git, where: Path, two: tuple[str, str]) -> None:
    assert refs.head_branch(git) == plain(where, "symbolic-ref", "--short", "HEAD")
    plain(where, "checkout", "-q", "-b", "täst/b c".replace(" ", "-"))
    assert refs.head_branch(git) == "täst/b-c"
    plain(where, "checkout", "-q", "--detach")
    assert refs.head_branch(git) == ""
    assert git.calls == 0

"""Loose objects as git would have written them."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdd_orchestrator.model.errors import Paused, Refused, StoreDamaged
from tdd_orchestrator.repo.encoding import EMPTY_TREE, Entry
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import plain

WHO = "Ada <ada@example.org> 1700000000 +0000"


def plain_hash(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def test_blob_tree_commit_pass_fsck_and_read_back(where: Path) -> None:
    with Git(where / ".git") as git, Objects(git) as objects:
        blob = objects.write_blob(b"hello\n")
        paths: dict[bytes, Entry | None] = {
            b"a/b": (0o100644, blob), b"a.c": (0o100755, blob), b"a-d": (0o120000, blob), b"a/z/q": (0o100644, blob),
            b"\xff\xfe name": (0o100644, blob),
        }  # fmt: skip
        tree = objects.edit_tree(EMPTY_TREE, paths)
        commit = objects.write_commit(tree, [], "grüße\n", author=WHO)
        assert git.run("fsck", "--strict", "--no-dangling") == b""
        assert git.run("cat-file", "blob", blob) == b"hello\n"
        assert set(git.run("ls-tree", "-r", "-z", "--name-only", commit).split(b"\0")) == {*paths, b""}
        parsed = objects.read_commit(commit)
        assert (parsed.tree, parsed.parents, parsed.author, parsed.message) == (tree, (), WHO, "grüße\n")
        mode = stat.S_IMODE(os.stat(where / ".git/objects" / blob[:2] / blob[2:]).st_mode)
        assert mode == 0o444


def test_editing_removes_replaces_and_drops_empty_folders(where: Path) -> None:
    with Git(where / ".git") as git, Objects(git) as objects:
        blob = objects.write_blob(b"x")
        file = (0o100644, blob)
        tree = objects.edit_tree(EMPTY_TREE, {b"a/b/c": file, b"a/d": file, b"e": file})
        assert set(objects.read_tree(objects.edit_tree(tree, {b"a/b/c": None, b"a/d": None}))) == {b"e"}
        assert set(objects.read_tree(objects.edit_tree(tree, {b"a": file}))) == {b"a", b"e"}
        below = objects.edit_tree(tree, {b"e/f": file})
        assert git.line("ls-tree", "-r", "--name-only", below).split() == ["a/b/c", "a/d", "e/f"]
        assert objects.edit_tree(tree, {b"no/such": None}) == tree
        assert objects.edit_tree(tree, {}) == tree
        assert objects.edit_tree(tree, {b"a/b/c": None, b"a/d": None, b"e": None}) == EMPTY_TREE


@pytest.mark.parametrize(
    "path", [b"", b"a//b", b"../x", b".git/config", b"a/.GIT/hooks", b"./x", b"git~1", b"a\0b"]
)
def test_names_that_git_must_not_hold(where: Path, path: bytes) -> None:
    with Git(where / ".git") as git, Objects(git) as objects, pytest.raises(Refused):
        objects.edit_tree(EMPTY_TREE, {path: (0o100644, objects.write_blob(b""))})


_names = st.binary(min_size=1, max_size=3).filter(
    lambda n: b"/" not in n and b"\0" not in n and n not in (b".", b"..")
)
_paths = st.lists(_names, min_size=1, max_size=3).map(b"/".join)


@settings(max_examples=40, deadline=None)
@given(paths=st.lists(_paths, min_size=1, max_size=12, unique=True))
def test_any_set_of_paths_is_a_tree_that_git_reads(
    tmp_path_factory: pytest.TempPathFactory, paths: list[bytes]
) -> None:
    taken = [p for p in paths if not any(other.startswith(p + b"/") for other in paths)]
    where = tmp_path_factory.getbasetemp() / "many"
    if not where.exists():
        plain(where.parent, "init", "-q", str(where))
    with Git(where / ".git") as git, Objects(git, sync=False) as objects:
        blob = objects.write_blob(b"x")
        tree = objects.edit_tree(EMPTY_TREE, dict.fromkeys(taken, (33188, blob)))
        assert set(git.run("ls-tree", "-r", "-z", "--name-only", tree).split(b"\0")) == {*taken, b""}
        assert git.run("mktree", "-z", stdin=git.run("ls-tree", "-z", tree)).decode().strip() == tree


def test_packed_named_missing_and_broken_objects(where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    plain(where, "gc", "-q")
    with Git(where / ".git") as git, Objects(git) as objects:
        assert objects.read(head)[0] == "commit"
        found = objects.find("refs/heads/main:file.txt")
        assert found is not None
        assert found[1:] == ("blob", b"one\n")
        assert objects.find("refs/heads/none") is None
        with pytest.raises(StoreDamaged, match="missing"):
            objects.read("1" * 40)
        blob = objects.write_blob(b"to be broken")
        path = where / ".git/objects" / blob[:2] / blob[2:]
        path.chmod(0o644)
        path.write_bytes(b"")
        with pytest.raises(StoreDamaged):
            objects.read(blob)
        assert objects.read(head)[0] == "commit"  # and it goes on
        assert [len(data) for data in objects.read_many([found[0]] * 700)] == [4] * 700
        with pytest.raises(StoreDamaged, match="missing"):
            list(objects.read_many([found[0], "2" * 40, found[0]]))
        assert objects.read(head)[0] == "commit"


def test_alternates_are_read(where: Path, tmp_path: Path) -> None:
    plain(tmp_path, "clone", "-q", "--shared", str(where), "copy")
    head = plain(where, "rev-parse", "HEAD")
    with Git(tmp_path / "copy" / ".git") as git, Objects(git) as objects:
        assert objects.read_commit(head).message == "one\n"


def test_a_folder_that_cannot_be_written_pauses(where: Path) -> None:
    with Git(where / ".git") as git, Objects(git) as objects:
        data = b"x"
        while not plain_hash(data).startswith("fe"):
            data += b"x"
        fan = where / ".git/objects/fe"
        fan.write_text("in the way")
        with pytest.raises(Paused, match="cannot be written"):
            objects.write_blob(data)


def test_a_leftover_temporary_file_is_no_obstacle(where: Path) -> None:
    oid = plain_hash(b"fresh")
    folder = where / ".git/objects" / oid[:2]
    folder.mkdir(exist_ok=True)
    for number in range(1, 5000):
        (folder / f"tmp_obj_{os.getpid():x}_{number:x}").touch()
    with Git(where / ".git") as git, Objects(git) as objects:
        assert objects.write_blob(b"fresh") == oid
        assert git.run("cat-file", "blob", oid) == b"fresh"

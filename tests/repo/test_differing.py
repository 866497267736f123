"""Where two trees differ, as git says it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdd_orchestrator.model.errors import StoreDamaged
from tdd_orchestrator.repo.diff import differing
from tdd_orchestrator.repo.encoding import EMPTY_TREE, Entry, parse_tree
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import repository, seal

NAMES = st.sampled_from([b"a", b"b", b"a.c", b"a-d", b"\xff\xfe x", b"A", b"a\nb"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
FILES = st.dictionaries(
    PATHS, st.tuples(st.sampled_from([0o100644, 0o100755, 0o120000]), st.integers(0, 2)), max_size=9
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> tuple[Git, Objects]:
    folder = tmp_path_factory.mktemp("differing")
    with pytest.MonkeyPatch.context() as patch:
        seal(folder, patch)
        git = Git(repository(folder) / ".git")
        return git, Objects(git)


def tree_of(objects: Objects, files: dict[bytes, tuple[int, int]]) -> str:
    """A tree of those files that no other file's path is a folder of."""
    fit = {
        path: (mode, objects.write_blob(b"%d" % content))
        for path, (mode, content) in files.items()
        if not any(other.startswith(path + b"/") for other in files)
    }
    return objects.edit_tree(EMPTY_TREE, dict[bytes, Entry | None](fit)) if fit else objects.write_tree({})


@given(FILES, FILES)
@settings(max_examples=150, deadline=None)
def test_it_says_what_git_says(opened, before, after) -> None:
    git, objects = opened
    old, new = tree_of(objects, before), tree_of(objects, after)
    fields = git.run("diff-tree", "-r", "-z", "--no-renames", old, new).split(b"\0")
    said = []
    for head, path in zip(fields[0::2], fields[1::2], strict=False):
        modes = head.decode().lstrip(":").split(" ")
        said.append((path, _entry(modes[0], modes[2]), _entry(modes[1], modes[3])))
    assert differing(objects, old, new) == said


def _entry(mode: str, oid: str) -> Entry | None:
    return None if set(oid) == {"0"} else (int(mode, 8), oid)


def test_nothing_is_read_of_what_is_the_same(opened, monkeypatch) -> None:
    _, objects = opened
    blob = objects.write_blob(b"x")
    wide: dict[bytes, Entry | None] = {b"%d/%d" % (n % 20, n): (0o100644, blob) for n in range(200)}
    old = objects.edit_tree(EMPTY_TREE, wide)
    new = objects.edit_tree(old, {b"7/new": (0o100644, blob)})
    read: list[str] = []
    plain = objects.read_kind
    monkeypatch.setattr(objects, "read_kind", lambda oid, kind: read.append(oid) or plain(oid, kind))
    assert [path for path, _, _ in differing(objects, old, new)] == [b"7/new"]
    assert len(read) == 4


def test_a_name_that_stands_twice_in_a_tree_hides_nothing(opened) -> None:
    """Git takes such a tree from a push, and a work tree gets one of the two."""
    _, objects = opened
    one, two = objects.write_blob(b"1"), objects.write_blob(b"2")
    row = b"100644 calc.py\0%b"
    twice = objects.write("tree", row % bytes.fromhex(one) + row % bytes.fromhex(two))
    once = objects.write_tree({b"calc.py": (0o100644, two)})
    assert len(parse_tree(objects.read_kind(twice, "tree"))) == 2
    with pytest.raises(StoreDamaged, match=r"calc\.py.* twice"):
        differing(objects, once, twice)

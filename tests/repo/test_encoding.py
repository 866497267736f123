"""Encoded trees, read and changed in place, against the plain way through a dictionary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdd_orchestrator.model.errors import Refused, StoreDamaged
from tdd_orchestrator.repo.encoding import (
    TREE_MODE,
    Entry,
    entry,
    git_name,
    parse_tree,
    tree_bytes,
    with_entry,
)

# ids of few different bytes, among them NUL, blanks and digits: what a search by bytes could stumble over
_ids = st.lists(
    st.sampled_from([0x00, 0x20, 0x30, 0x31, 0x34, 0x61, 0x62, 0xFF]), min_size=20, max_size=20
).map(lambda values: bytes(values).hex())
_names = st.sampled_from(
    [*(f"{a}{b}".encode() for a in "ab01" for b in "ab01"), b"a", b"ab.c", b"ab-c", b"a" * 40, b"ab0"]
)
_trees = st.dictionaries(_names, st.tuples(st.sampled_from([0o100644, TREE_MODE]), _ids), max_size=12)


@given(_trees, _names, _ids)
def test_one_entry_is_found_and_set_as_through_a_dictionary(
    tree: dict[bytes, Entry], name: bytes, oid: str
) -> None:
    data = tree_bytes(tree)
    assert dict(parse_tree(data)) == tree
    for key in (*tree, name):
        assert entry(data, key) == tree.get(key)
    value = (tree[name][0] if name in tree else TREE_MODE, oid)
    assert with_entry(data, name, value) == tree_bytes({**tree, name: value})


DISGUISES = [
    (".git", ".git"), (".GIT", ".git"), (".g\u200cit", ".git"), ("\ufeff.git", ".git"), (".git.", ".git"), (".git ", ".git"),
    (".git . ", ".git"), (".git::$INDEX_ALLOCATION", ".git"), ("a\\.git", ".git"), ("a\\.git\\b", ".git"), ("GIT~1", ".git"),
    ("git~2", ".git"), (".gitmodules", ".gitmodules"), ("GITMOD~1", ".gitmodules"), (".gitm\u200codules", ".gitmodules"),
    ("gi7eba~1", ".gitmodules"), (".gitmodules ", ".gitmodules"), ("gitatt~3", ".gitattributes"),
    (".gitattributes:x", ".gitattributes"), ("gitign~1", ".gitignore"), ("a\\.MailMap", ".mailmap"),
    ("git", ""), (".github", ""), ("git~x", ""), (".gitkeep", ""), ("...", ""), ("a.git", ""), ("digit~1", ""), ("", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "meant"), DISGUISES)
def test_what_git_would_take_a_name_for(name: str, meant: str) -> None:
    assert git_name(name) == meant
    entries = {name.encode(): (0o100644, "1" * 40)}
    if name and meant != ".git":
        assert tree_bytes(entries)
    else:
        with pytest.raises(Refused):
            tree_bytes(entries)


@pytest.mark.parametrize("cut", [1, 20, 21, 30])
def test_a_cut_tree_is_damage(cut: int) -> None:
    data = tree_bytes({b"a": (0o100644, "1" * 40), b"b": (0o100644, "2" * 40)})
    with pytest.raises(StoreDamaged):
        parse_tree(data[:-cut])

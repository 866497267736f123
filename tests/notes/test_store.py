"""The store on real repositories: written, read with plain git, raced for, damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import RefMoved
from tdd_orchestrator.notes.codec import digest
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import ZERO, Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import commit, plain


def test_a_record_is_read_with_plain_git(store: Store, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    written = store.append(head, {"kind": "attempt", "phase": "RED"}, subject="RED accepted: leap years")
    shown = plain(where, "notes", "--ref=tdd", "show", head)
    assert list(json.loads(shown))[:5] == ["at", "id", "v", "kind", "prev"]
    assert json.loads(shown) == written.record
    assert digest(shown.encode()) == written.hash
    assert plain(where, "log", "--format=%s", "refs/notes/tdd") == "RED accepted: leap years"
    body = plain(where, "log", "--format=%b", "refs/notes/tdd")
    assert f"Annotates: {head}" in body
    assert f"Hash: {written.hash}" in body
    assert plain(where, "fsck", "--strict") == ""


def test_records_chain_and_come_back_in_order(store: Store, where: Path) -> None:
    first = plain(where, "rev-parse", "HEAD")
    second = commit(where, "two")
    written = [
        store.append(oid, {"kind": "k", "n": n}, subject=f"s{n}")
        for n, oid in enumerate([first, second, first])
    ]
    assert [one.record["prev"] for one in written] == ["", written[0].hash, written[1].hash]
    assert [entry.record["n"] for entry in store.trail()] == [2, 1, 0]
    assert [entry.record["n"] for entry in store.trail(newest_first=False)] == [0, 1, 2]
    assert [entry.record["n"] for entry in store.trail(limit=1)] == [2]
    assert [record["n"] for record in store.of(first).records] == [0, 2]
    assert {note.commit: len(note.records) for note in store.all()} == {first: 2, second: 1}
    last = store.last()
    assert last is not None
    assert (last.record, last.commit, last.subject) == (written[2].record, first, "s2")


def test_moves_and_pins_go_with_the_record(store: Store, where: Path, git: Git) -> None:
    head = plain(where, "rev-parse", "HEAD")
    store.append(
        head,
        {"kind": "k"},
        subject="s",
        moves=[("refs/heads/tdd/c1", head, ZERO)],
        pins={"refs/tdd/attempts/1/1": head},
    )
    assert refs.read(git, "refs/heads/tdd/c1") == head
    assert refs.read(git, "refs/tdd/attempts/1/1") == head
    with pytest.raises(RefMoved) as caught:
        store.append(head, {"kind": "k"}, subject="s", moves=[("refs/heads/tdd/c1", head, ZERO)])
    assert caught.value.ref == "refs/heads/tdd/c1"
    assert len(list(store.trail())) == 1


def test_one_git_process_per_record(git: Git, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    with Objects(git) as objects:
        store = Store(git, objects)
        store.append(head, {"kind": "k"}, subject="s")
        before = git.calls
        store.append(head, {"kind": "k"}, subject="s", moves=[("refs/heads/tdd/c1", head, ZERO)])
        assert git.calls - before == 1
        before = git.calls
        assert store.last() is not None
        assert git.calls - before == 0
        plain(where, "gc", "-q")
        plain(where, "pack-refs", "--all")
    with Objects(git) as objects:
        before = git.calls
        assert Store(git, objects).last() is not None
        assert git.calls - before == 1

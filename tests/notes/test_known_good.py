"""The last known-good commit: the same answer by pointer, by near steps and by stream, as a plain reading would give."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import NewerSchema, StoreDamaged
from tdd_orchestrator.notes.known_good import POINTER
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import plain


def chain(where: Path, start: str, length: int, name: str = "c") -> list[str]:
    commits = [start]
    for number in range(length):
        commits.append(plain(where, "commit-tree", "-p", commits[-1], "-m", f"{name}{number}", "HEAD^{tree}"))
    return commits


def by_hand(where: Path, commit: str) -> str:
    """The newest first-parent ancestor whose last word on known-good is yes, read with plain git."""
    for oid in plain(where, "rev-list", "--first-parent", commit).split():
        said = None
        for line in plain(where, "log", "-1", "--format=%N", "--notes=refs/notes/tdd", oid).splitlines():
            said = json.loads(line).get("known_good", said) if line else said
        if said:
            return oid
    return ""


def asked_anew(where: Path, commit: str) -> str:
    with Git(where / ".git") as git, Objects(git) as objects:
        return Store(git, objects).known_good(commit).commit


def test_an_empty_store_knows_nothing(store: Store, where: Path) -> None:
    assert store.known_good(plain(where, "rev-parse", "HEAD")).commit == ""


@pytest.mark.parametrize("seed", range(4))
def test_always_what_a_plain_reading_gives(where: Path, seed: int) -> None:
    rng = random.Random(seed)
    main = chain(where, plain(where, "rev-parse", "HEAD"), 14)
    side = chain(where, main[5], 14, "s")
    merge = plain(where, "commit-tree", "-p", main[-1], "-p", side[-1], "-m", "merge", "HEAD^{tree}")
    every = [*main, *side, merge]
    with Git(where / ".git") as git, Objects(git, sync=False) as objects:
        store = Store(git, objects)
        for _ in range(25):
            said = rng.choice([True, True, False, None])
            record = {"kind": "k"} if said is None else {"kind": "k", "known_good": said}
            store.append(rng.choice(every), record, subject="s")
            if rng.random() < 0.1:
                line = json.dumps(
                    {"at": "2098", "id": str(rng.random()), "v": 1, "kind": "k", "known_good": True}
                )
                plain(where, "notes", "--ref=tdd", "append", "-m", line, rng.choice(every))
            if rng.random() < 0.2:
                git.run("update-ref", "-d", POINTER)
            for commit in rng.sample(every, 2):
                assert store.known_good(commit).commit == by_hand(where, commit)


def test_the_pointer_follows_an_accepted_record(store: Store, where: Path, git: Git) -> None:
    commits = chain(where, plain(where, "rev-parse", "HEAD"), 30)
    store.append(commits[3], {"kind": "k", "known_good": True}, subject="s")
    assert plain(where, "rev-parse", f"{POINTER}^{{commit}}") == commits[3]
    assert asked_anew(where, commits[30]) == commits[3]
    tag = refs.read(git, POINTER)
    assert asked_anew(where, commits[30]) == commits[3]
    assert refs.read(git, POINTER) == tag  # the second time it held, seen from commit 30
    assert f"head {commits[30]}" in plain(where, "cat-file", "tag", POINTER)
    store.append(commits[3], {"kind": "k", "known_good": False}, subject="it was not")
    assert asked_anew(where, commits[30]) == ""


def test_a_forged_pointer_is_not_believed(store: Store, where: Path) -> None:
    commits = chain(where, plain(where, "rev-parse", "HEAD"), 3)
    written = store.append(commits[1], {"kind": "k"}, subject="s")
    text = f"object {commits[1]}\ntype commit\ntag good\ntagger A <a@b> 1 +0000\n\nhead {commits[2]}\nnotes {written.notes_commit}\n"
    plain(where, "update-ref", POINTER, plain(where, "hash-object", "-t", "tag", "-w", "--stdin", stdin=text))
    with pytest.raises(StoreDamaged, match="does not say"):
        store.known_good(commits[3])
    plain(where, "update-ref", POINTER, commits[2])  # no tag at all
    assert store.known_good(commits[3]).commit == ""


@pytest.mark.parametrize("length", [3, 30])
def test_what_cannot_be_judged_is_reported_on_the_way(store: Store, where: Path, length: int) -> None:
    commits = chain(where, plain(where, "rev-parse", "HEAD"), length)
    store.append(commits[0], {"kind": "k", "known_good": True}, subject="s")
    plain(where, "update-ref", "-d", POINTER)
    newer = '{"at":"2099","id":"n","v":99,"kind":"k","known_good":true}'
    plain(where, "notes", "--ref=tdd", "add", "-m", newer, commits[1])
    plain(where, "notes", "--ref=tdd", "add", "-m", '{"at":"20', commits[2])
    found = store.known_good(commits[length])
    assert found.commit == commits[0]
    assert [one.commit for one in found.newer] == [commits[1]]
    assert [one.commit for one in found.unreadable] == [commits[2]]
    assert found.missing == length - 2
    with pytest.raises(NewerSchema):
        found.strictly()
    assert store.known_good(commits[0]).strictly().record is not None
    assert plain(where, "for-each-ref", POINTER) == ""  # an uncertain answer is not kept


def test_many_commits_without_a_note_and_one_whose_blob_is_gone(store: Store, where: Path) -> None:
    commits = chain(where, plain(where, "rev-parse", "HEAD"), 90)
    store.append(commits[0], {"kind": "k", "known_good": True}, subject="s")
    store.append(commits[40], {"kind": "k"}, subject="s")
    plain(where, "update-ref", "-d", POINTER)
    blob = plain(where, "notes", "--ref=tdd", "list", commits[40])
    (where / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with Git(where / ".git") as git, Objects(git) as objects:
        found = Store(git, objects).known_good(commits[90])
    assert (found.commit, [one.commit for one in found.unreadable]) == (commits[0], [commits[40]])
    assert found.missing == 90


def test_an_unknown_commit_is_not_simply_not_good(store: Store, where: Path) -> None:
    store.append(plain(where, "rev-parse", "HEAD"), {"kind": "k"}, subject="s")
    with pytest.raises(StoreDamaged, match="missing"):
        store.known_good("1" * 40)

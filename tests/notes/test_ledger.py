"""What was written here, and in which order: known by a ledger of this clone, whatever others put into the notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.notes import message, write_journal
from tdd_orchestrator.notes.codec import encode
from tdd_orchestrator.notes.store import REF, Store, Written
from tdd_orchestrator.notes.write_journal import WriteJournal
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects

from .conftest import commit, plain


@pytest.fixture
def stranger(git: Git, objects: Objects, tmp_path: Path) -> Store:
    """Writes to the same notes, and to no ledger that is read here."""
    store = Store(git, objects)
    store.journal = WriteJournal(tmp_path / "elsewhere")
    return store


def put(store: Store, where: str, number: int) -> Written:
    return store.append(where, {"kind": "test", "summary": str(number)}, subject=f"number {number}")


def mine(store: Store) -> list[str]:
    return [str(entry.record["summary"]) for entry in store.mine()]


def test_records_of_others_are_in_the_trail_and_are_not_ours(
    where: Path, store: Store, stranger: Store
) -> None:
    oid = commit(where, "two")
    for number, writer in enumerate([store, stranger, store, stranger]):
        put(writer, oid, number)
    assert [entry.record["summary"] for entry in store.trail()] == ["3", "2", "1", "0"]
    assert mine(store) == ["2", "0"]
    assert [record["summary"] for record in store.own(oid)] == ["0", "2"]


def test_a_clone_that_wrote_nothing_reads_nothing(
    where: Path, store: Store, stranger: Store, monkeypatch: Any
) -> None:
    put(stranger, commit(where, "two"), 1)
    monkeypatch.setattr(Store, "_every", lambda *_, **__: pytest.fail("the audit log was read"))
    assert mine(store) == []


def test_a_record_of_ours_that_is_put_on_top_again_stays_where_it_was(
    where: Path, git: Git, objects: Objects, store: Store
) -> None:
    """Somebody makes a notes commit of an old line of ours: what came after it still came after it."""
    oid = commit(where, "two")
    written = [put(store, oid, number) for number in range(3)]
    tip = store.tip()
    assert tip is not None
    line = encode(written[0].record)
    text = message.compose("again", line, oid, written[0].id, ())
    again = objects.write_commit(tip[1].tree, [tip[0]], text, author="x <x@y> 1 +0000")
    refs.update(git, [(REF, again, tip[0])])
    assert mine(store) == ["2", "1", "0"]
    put(store, oid, 3)
    assert mine(store) == ["3", "2", "1", "0"], "nor is anything forgotten when the next one is written"


def test_what_others_announce_moves_no_ref_here(where: Path, git: Git, store: Store, stranger: Store) -> None:
    oid = commit(where, "two")
    ref = "refs/tdd/cycles/c-1"
    put(store, oid, 1)
    refs.update(git, [(ref, oid, None)])
    parent = plain(where, "rev-parse", "HEAD~1")
    stranger.append(oid, {"kind": "test"}, subject="theirs", moves=[(ref, parent, oid)])
    refs.update(git, [(ref, oid, parent)])
    store.recover()
    assert refs.read(git, ref) == oid


def test_a_forged_record_with_the_id_of_ours_does_not_hide_it(
    where: Path, store: Store, stranger: Store
) -> None:
    oid = commit(where, "two")
    written = put(store, oid, 1)
    stranger.append(oid, {"kind": "test", "id": written.id, "summary": "forged"}, subject="forged")
    assert mine(store) == ["1"]


def test_a_line_whose_record_was_never_written_is_forgotten(where: Path, store: Store) -> None:
    """A kill came between the ledger and the notes; the record after it goes where it would have gone."""
    oid = commit(where, "two")
    first = put(store, oid, 1)
    store.journal.enter("f" * 64, first.hash)
    second = put(store, oid, 2)
    assert store.journal.path.read_text().split() == [first.hash, second.hash]
    assert mine(store) == ["2", "1"]


def test_half_a_line_is_no_line(where: Path, store: Store, stranger: Store) -> None:
    oid = commit(where, "two")
    first = put(store, oid, 1)
    put(stranger, oid, 2)
    with store.journal.path.open("a") as file:
        file.write("abc")
    third = put(store, oid, 3)
    assert store.journal.path.read_text().split() == [first.hash, "abc", third.hash]
    assert mine(store) == ["3", "1"]


def test_what_others_merge_into_the_notes_leaves_ours_ours(where: Path, git: Git, store: Store) -> None:
    """`git notes append`, a rewrite, a merge: the lines are found in the tree of a commit that is not ours."""
    oid = commit(where, "two")
    written = put(store, oid, 1)
    forged = encode({**written.record, "id": "01ZZZZZZZZZZZZZZZZZZZZZZZZ", "summary": "forged"}).decode()
    git.run("notes", "--ref=tdd", "append", "-m", forged, oid)
    assert [record["summary"] for record in store.of(oid).records] == ["1", "forged"]
    assert [record["summary"] for record in store.own(oid)] == ["1"]
    assert mine(store) == ["1"]


@pytest.mark.parametrize("how", ["folder", "link", "dangling link"])
def test_what_is_no_plain_file_is_said_and_not_followed(
    where: Path, store: Store, tmp_path: Path, how: str
) -> None:
    path, target = store.journal.path, tmp_path / "somebody's"
    path.parent.mkdir(exist_ok=True)
    if how == "folder":
        path.mkdir()
    else:
        path.symlink_to(target)
        target.write_text("theirs\n" if how == "link" else "")
        if how != "link":
            target.unlink()
    with pytest.raises(Refused, match="no plain file"):
        store.journal.order()
    with pytest.raises(Refused, match="no plain file"):
        put(store, commit(where, "two"), 1)
    assert not target.exists() or target.read_text() == "theirs\n"


@pytest.mark.parametrize("how", ["gone", "file", "link"])
def test_it_is_put_back_where_its_folder_was_taken_away(store: Store, tmp_path: Path, how: str) -> None:
    folder, elsewhere = store.journal.path.parent, tmp_path / "elsewhere"
    elsewhere.mkdir()
    if folder.exists():
        folder.rmdir()
    if how == "file":
        folder.write_text("x")
    elif how == "link":
        folder.symlink_to(elsewhere)
    store.journal.rewrite(["abc"])
    assert store.journal.order() == {"abc": 0}
    assert store.journal.newest() == "abc"
    assert list(elsewhere.iterdir()) == []


def test_only_the_end_of_a_long_ledger_is_read_for_what_is_new(
    where: Path, store: Store, stranger: Store, monkeypatch: Any
) -> None:
    """A line is 65 bytes: three of them are read at once. What is asked for beyond that comes in the same order."""
    oid = commit(where, "two")
    for number in range(12):
        put(stranger if number == 5 else store, oid, number)
    monkeypatch.setattr(write_journal, "_TAIL", 200)
    whole = []
    read = WriteJournal.read
    monkeypatch.setattr(WriteJournal, "read", lambda self, last: whole.append(last) or read(self, last))
    found = store.mine()
    assert [str(next(found).record["summary"]) for _ in range(3)] == ["11", "10", "9"]
    assert 0 not in whole
    assert mine(store) == ["11", "10", "9", "8", "7", "6", "4", "3", "2", "1", "0"]
    assert whole.count(0) == 1


def test_the_newest_records_are_read_without_git(where: Path, store: Store, git: Git) -> None:
    oid = commit(where, "two")
    for number in range(9):
        put(store, oid, number)
    before = git.calls
    assert mine(store) == [str(number) for number in range(8, -1, -1)]
    assert git.calls == before


def test_what_lies_behind_a_notes_commit_of_others_is_read_by_git(
    where: Path, store: Store, git: Git
) -> None:
    oid = commit(where, "two")
    put(store, oid, 0)
    git.run("notes", "--ref=tdd", "append", "-m", "a remark", oid)
    put(store, oid, 1)
    assert mine(store) == ["1", "0"]
    assert [entry.record["summary"] for entry in store.trail()] == ["1", "0"]

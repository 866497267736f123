"""The store on real repositories: written, read with plain git, folded, damaged, fixed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import NewerSchema, RefMoved, Refused, StoreDamaged
from tdd_orchestrator.notes import message, tree
from tdd_orchestrator.notes.codec import digest, stamp
from tdd_orchestrator.notes.known_good import POINTER
from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.encoding import EMPTY_TREE
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


def test_records_of_one_moment_are_one_notes_commit(store: Store, where: Path, git: Git) -> None:
    head = plain(where, "rev-parse", "HEAD")
    store.append(head, {"kind": "k", "n": 0}, subject="s0")
    both = [
        ("it is accepted; or so", {"kind": "k", "n": 1, "known_good": True}),
        ("next begun", {"kind": "k", "n": 2}),
    ]
    move = ("refs/heads/tdd/c1", head, ZERO)
    written = store.append_all(head, both, moves=[move])
    store.append(head, {"kind": "k", "n": 3}, subject="s3")
    assert plain(where, "rev-list", "--count", "refs/notes/tdd") == "3"
    assert plain(where, "log", "-1", "--format=%s", "refs/notes/tdd~1") == "it is accepted; or so; next begun"
    assert written[0].notes_commit == written[1].notes_commit
    assert written[1].record["prev"] == written[0].hash
    for oldest_first in (
        list(store.trail(newest_first=False)),
        list(store.trail())[::-1],
        list(store.mine())[::-1],
    ):
        assert [entry.record["n"] for entry in oldest_first] == [0, 1, 2, 3]
        assert [entry.subject for entry in oldest_first] == ["s0", *(subject for subject, _ in both), "s3"]
        assert [entry.moves for entry in oldest_first] == [(), (), (move,), ()]
    assert [entry.record["n"] for entry in store.announced_in(written[0].notes_commit)] == [1, 2]
    assert [record["n"] for record in store.of(head).strictly()] == [0, 1, 2, 3]
    assert store.known_good(head).commit == head
    assert refs.read(git, POINTER)
    chained = list(store.trail(newest_first=False))
    assert [one.record["prev"] for one in chained] == ["", *(one.hash for one in chained[:-1])]
    assert store.since(chained[0].notes_commit, chained[0].record["at"]) == chained[1:]
    appended = store.appended(chained[0].notes_commit, chained[3].notes_commit)
    assert appended == chained[1:]


@pytest.mark.parametrize("spoil", [("next", "then"), ('"n":1', '"n":7'), ('"n":2', '"n":7')])
def test_records_of_one_moment_are_ours_together_or_not_at_all(
    store: Store, where: Path, spoil: tuple[str, str]
) -> None:
    head = plain(where, "rev-parse", "HEAD")
    store.append_all(head, [("first", {"kind": "k", "n": 1}), ("next", {"kind": "k", "n": 2})])
    text = plain(where, "log", "-1", "--format=%B", "refs/notes/tdd")
    assert [entry.record["n"] for entry in message.entries(text)] == [1, 2]
    whole = message.entries(text.replace(*spoil))
    assert len(whole) == (2 if spoil[0] == "next" else 0)


def test_a_kill_between_the_lines_of_the_journal_leaves_none_of_them(store: Store, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    first = store.append(head, {"kind": "k", "n": 0}, subject="s0")
    store.journal.enter("a" * 64, first.hash)  # the first of two whose notes commit was never made
    store.journal.enter("b" * 64, "a" * 64)
    written = store.append_all(head, [("s1", {"kind": "k", "n": 1}), ("s2", {"kind": "k", "n": 2})])
    assert list(store.journal.order()) == [first.hash, *(one.hash for one in written)]
    assert [entry.record["n"] for entry in store.mine()] == [2, 1, 0]


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


def test_no_git_process_per_record(git: Git, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    with Objects(git) as objects:
        store = Store(git, objects)
        store.append(head, {"kind": "k"}, subject="s")
        begun = git.calls  # a mover of refs, which stays
        assert begun == 1
        for number in range(5):
            ref = f"refs/heads/tdd/c{number}"
            store.append(
                head,
                {"kind": "k"},
                subject="s",
                moves=[(ref, head, ZERO)],
                pins={"refs/tdd/attempts/1/1": head},
            )
        assert store.last() is not None
        assert git.calls == begun
        plain(where, "gc", "-q")
        plain(where, "pack-refs", "--all")
    with Objects(git) as objects:
        before = git.calls
        assert Store(git, objects).last() is not None
        assert git.calls == before


def test_a_long_note_is_folded_and_read_whole(store: Store, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    for number in range(14):
        store.append(head, {"kind": "k", "n": number, "text": "x" * 40_000}, subject="s")
    assert len(plain(where, "notes", "--ref=tdd", "show", head)) <= 256 * 1024
    assert [record["n"] for record in store.of(head).strictly()] == list(range(14))
    assert [entry.record["n"] for entry in store.trail(newest_first=False)] == list(range(14))
    plain(where, "-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now")
    assert [record["n"] for record in store.of(head).strictly()] == list(range(14))
    with pytest.raises(Refused, match="too long"):
        store.append(head, {"kind": "k", "text": "x" * 70_000}, subject="s")


def test_evidence_outlives_garbage_collection(store: Store, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    first = store.evidence(b"all test cases\n")
    store.append(head, {"kind": "k", "evidence": first}, subject="s")
    second = store.evidence(b"the log\n")
    store.append(head, {"kind": "k", "evidence": second}, subject="s")
    plain(where, "-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now")
    assert plain(where, "cat-file", "blob", first) == "all test cases"
    assert plain(where, "cat-file", "blob", second) == "the log"


@pytest.mark.parametrize("subject", ["", "two\nlines", "x" * 500, "esc \x1b[31m red", "NUL \0 byte"])
def test_any_subject_becomes_one_plain_line(store: Store, where: Path, subject: str) -> None:
    head = plain(where, "rev-parse", "HEAD")
    store.append(head, {"kind": "k"}, subject=subject)
    shown = plain(where, "log", "--format=%s", "refs/notes/tdd")
    assert 0 < len(shown) <= 120
    assert "\x1b" not in shown
    last = store.last()
    assert last is not None
    assert last.commit == head


def test_any_text_survives(store: Store, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    text = "grüße \u2028 \udc80 \x00 \x1b \n \t 日本 \u202e"
    written = store.append(
        head, {"kind": "k", "text": text, "nested": {"a": [1, 2.5, None, True]}}, subject="s"
    )
    assert store.of(head).records[0]["text"] == text
    last = store.last()
    assert last is not None
    assert (last.record["text"], last.hash) == (text, written.hash)
    assert json.loads(plain(where, "notes", "--ref=tdd", "show", head))["nested"] == {
        "a": [1, 2.5, None, True]
    }


def test_order_holds_when_the_clock_goes_back(
    store: Store, where: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = plain(where, "rev-parse", "HEAD")
    future = stamp("2099-01-01T00:00:00.000Z")
    assert future == "2099-01-01T00:00:00.001Z"
    assert stamp(future) > future
    assert stamp("no time") < "no time"
    ids = [store.append(head, {"kind": "k"}, subject="s").id for _ in range(20)]
    assert [record["id"] for record in store.of(head).records] == ids


@pytest.mark.parametrize("count", [5, 300])
def test_any_fan_out_is_read_and_kept(store: Store, where: Path, objects: Objects, count: int) -> None:
    blobs = [objects.write_blob(b"%d" % number) for number in range(count)]
    for blob in blobs:
        store.append(blob, {"kind": "k", "of": blob}, subject="s")
    flat = "/" not in plain(where, "ls-tree", "-r", "--name-only", "refs/notes/tdd").split()[0]
    assert flat == (count <= 256)
    listed = plain(where, "notes", "--ref=tdd", "list").splitlines()
    assert sorted(line.split()[1] for line in listed) == sorted(blobs)
    assert all(store.of(blob).strictly()[0]["of"] == blob for blob in blobs)
    # and what git made of it, with its own fan-out, is kept
    plain(where, "notes", "--ref=tdd", "append", "-m", '{"at":"z","id":"z","v":1,"kind":"foreign"}', blobs[0])
    store.append(blobs[0], {"kind": "k"}, subject="s")
    assert len(store.of(blobs[0]).strictly()) == 3
    assert sum(1 for _ in store.all()) == count
    assert plain(where, "fsck", "--strict", "--no-dangling") == ""


def test_folders_split_again_when_they_grow(objects: Objects) -> None:
    blob = objects.write_blob(b"x")
    crowd = {f"ab{number:02x}{number:036x}": blob for number in range(256)} | {
        f"cd{number:038x}": blob for number in range(200)
    }
    root = tree.put_many(objects, EMPTY_TREE, crowd)
    for number in range(300):
        oid = f"ab{number % 256:02x}{'f' * 33}{number:03x}"
        root = tree.put(objects, root, oid, blob)
        crowd[oid] = blob
    assert dict(tree.walk(objects, root)) == crowd
    below = objects.read_tree(objects.read_tree(root)[b"ab"][1])
    assert {len(name) for name in below} == {2}
    assert {len(name) for name in objects.read_tree(objects.read_tree(root)[b"cd"][1])} == {38}


def damage(where: Path, oid: str) -> Path:
    path = where / ".git/objects" / oid[:2] / oid[2:]
    path.unlink()
    return path


def test_a_missing_blob_is_damage_and_not_an_empty_note(store: Store, where: Path, git: Git) -> None:
    head = plain(where, "rev-parse", "HEAD")
    store.append(head, {"kind": "k"}, subject="s")
    damage(where, plain(where, "notes", "--ref=tdd", "list", head))
    with Git(where / ".git") as fresh, Objects(fresh) as objects:
        again = Store(fresh, objects)
        with pytest.raises(StoreDamaged, match="missing"):
            again.of(head)
        with pytest.raises(StoreDamaged, match="missing"):
            again.check()
        with pytest.raises(StoreDamaged, match="missing"):
            again.append(head, {"kind": "k"}, subject="s")
        found = again.known_good(head)
        assert (found.commit, len(found.unreadable)) == ("", 1)
    assert plain(where, "rev-list", "--count", "refs/notes/tdd") == "1"


@pytest.mark.parametrize("what", ["torn", "missing", "packed"])
def test_a_tip_that_cannot_be_read_is_not_an_empty_store(store: Store, where: Path, what: str) -> None:
    head = plain(where, "rev-parse", "HEAD")
    first = store.append(head, {"kind": "k"}, subject="s")
    second = store.append(head, {"kind": "k"}, subject="s")
    if what == "torn":
        (where / ".git/refs/notes/tdd").write_bytes(b"")
    else:
        damage(where, second.notes_commit)
    if what == "packed":  # a packed ref whose commit is gone looks to git cat-file like no ref at all
        (where / ".git/refs/notes/tdd").unlink()
        (where / ".git/packed-refs").write_text(f"{second.notes_commit} refs/notes/tdd\n")
    with Git(where / ".git") as fresh, Objects(fresh) as objects:
        again = Store(fresh, objects)
        for ask in (again.last, again.check, lambda: again.of(head), lambda: again.known_good(head),
                    lambda: list(again.trail()), lambda: again.append(head, {"kind": "k"}, subject="s")):  # fmt: skip
            with pytest.raises(StoreDamaged) as caught:
                ask()
            assert (second if what == "torn" else first).notes_commit in caught.value.todo


def test_unreadable_and_newer_lines_are_told_apart_and_kept(store: Store, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    newer = '{"at":"2099","id":"n","v":99,"kind":"k"}'
    store.append(head, {"kind": "k"}, subject="s")
    plain(where, "notes", "--ref=tdd", "append", "-m", "{scribble", head)
    with pytest.raises(StoreDamaged, match=r"\{scribble"):
        store.last()
    store.append(head, {"kind": "k"}, subject="s")  # a scribble does not stop the work
    note = store.of(head)
    assert (len(note.records), len(note.damaged)) == (2, 1)
    with pytest.raises(StoreDamaged):
        note.strictly()
    plain(where, "notes", "--ref=tdd", "append", "-m", newer, head)
    with pytest.raises(NewerSchema):
        store.append(head, {"kind": "k"}, subject="s")
    with pytest.raises(NewerSchema):
        store.of(head).strictly()
    shown = plain(where, "notes", "--ref=tdd", "show", head)
    assert "scribble" in shown
    assert newer in shown


def test_a_line_that_was_taken_out_is_no_longer_in_the_way(store: Store, where: Path, tmp_path: Path) -> None:
    """That is what the sentence of it says to do; the notes log has it for ever."""
    head = plain(where, "rev-parse", "HEAD")
    written = store.append(head, {"kind": "k"}, subject="s")
    plain(where, "notes", "--ref=tdd", "append", "-m", "{scribble", head)
    for read in (store.mine, store.trail):
        with pytest.raises(StoreDamaged, match=r"\{scribble"):
            list(read())
    kept = tmp_path / "kept"
    lines = plain(where, "notes", "--ref=tdd", "show", head).split("\n")
    kept.write_text("\n".join(line for line in lines if line != "{scribble"))
    plain(where, "notes", "--ref=tdd", "add", "-f", "-F", str(kept), head)
    assert [entry.hash for entry in store.mine()] == [written.hash]
    assert [entry.hash for entry in store.trail()] == [written.hash]
    last = store.last()
    assert last is not None
    assert last.hash == written.hash


def test_what_plain_git_took_away_comes_back(store: Store, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    ids = {store.append(head, {"kind": "k"}, subject="s").id for _ in range(3)}
    plain(where, "notes", "--ref=tdd", "append", "-m", "{scribble", head)
    plain(where, "notes", "--ref=tdd", "remove", head)
    assert store.recover().rescued
    assert {record["id"] for record in store.of(head).records} == ids
    assert store.of(head).damaged == ()  # what is no record may be taken out by hand
    # a history pushed off the ref by a writer who did not compare
    aside = plain(where, "rev-parse", "refs/notes/tdd")
    orphan = plain(where, "commit-tree", "-m", "foreign", "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    plain(where, "update-ref", "refs/notes/tdd", orphan)
    ids.add(store.append(head, {"kind": "k"}, subject="s").id)
    assert {record["id"] for record in store.of(head).records} == ids
    assert plain(where, "merge-base", "--is-ancestor", aside, "refs/notes/tdd") == ""
    assert not store.recover().rescued


def test_a_ref_set_back_on_purpose_stays_back(store: Store, where: Path) -> None:
    head = plain(where, "rev-parse", "HEAD")
    first = store.append(head, {"kind": "k"}, subject="s")
    store.append(head, {"kind": "k"}, subject="s")
    plain(where, "update-ref", "refs/notes/tdd", first.notes_commit)
    third = store.append(head, {"kind": "k"}, subject="s")
    assert [record["id"] for record in store.of(head).records] == [first.id, third.id]


def test_recover_rolls_forward_and_reports_conflicts(store: Store, where: Path, git: Git) -> None:
    head = plain(where, "rev-parse", "HEAD")
    two = plain(where, "commit-tree", "-p", head, "-m", "two", "HEAD^{tree}")
    other = plain(where, "commit-tree", "-m", "other", "HEAD^{tree}")
    moves = [
        (f"refs/tdd/cycles/{name}", two, head) for name in ("undone", "done", "beyond", "elsewhere", "gone")
    ]
    for ref, _, old in moves:
        plain(where, "update-ref", ref, old)
    store.append(head, {"kind": "k"}, subject="s", moves=moves)
    after = plain(where, "commit-tree", "-p", two, "-m", "after", "HEAD^{tree}")
    for ref, oid in ((moves[0][0], head), (moves[2][0], after), (moves[3][0], other)):
        plain(where, "update-ref", ref, oid)
    plain(where, "update-ref", "-d", moves[4][0])
    store.append(head, {"kind": "k"}, subject="another writer's, on top")
    done = store.recover()
    assert [ref for ref, _, _ in done.rolled] == [moves[0][0]]
    assert {(one.ref, one.actual) for one in done.conflicts} == {(moves[3][0], other), (moves[4][0], ZERO)}
    assert [refs.read(git, ref) for ref, _, _ in moves[:3]] == [two, two, after]
    assert store.recover().rolled == []


@pytest.mark.parametrize(
    "ref", ["refs/heads/main", "refs/heads/tdd/mine", "refs/heads/new", "refs/tags/v1", "refs/tdd/good"]
)
def test_recover_moves_no_ref_of_the_users(store: Store, where: Path, git: Git, ref: str) -> None:
    """A record may be anybody's: it came by a sync, and names a branch as a cycle's."""
    head = plain(where, "rev-parse", "HEAD")
    two = plain(where, "commit-tree", "-p", head, "-m", "two", "HEAD^{tree}")
    store.append(head, {"kind": "k"}, subject="s", moves=[(ref, two, None)])
    old = head if ref == "refs/heads/main" else ""
    plain(where, "update-ref", *((ref, old) if old else ("-d", ref)))
    done = store.recover()
    assert (done.rolled, done.conflicts) == ([], [])
    assert (refs.read(git, ref) or "") == old

"""Every way of touching the audit log is named: which record, commit or evidence does not fit, and how."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.model.errors import NewerSchema, Refused
from tdd_orchestrator.notes import message
from tdd_orchestrator.notes.codec import encode

from .conftest import Copied


def _append(kata: Copied, commit: str, **record: Any) -> None:
    """A record that tdd itself would write: what somebody forges who has read our code."""
    with OpenRepository(kata.root) as opened:
        opened.store.append(commit, record, subject="forged")


def _handoff(kata: Copied, commit: str = "HEAD") -> dict[str, Any]:
    return next(r for line in kata.note(commit) if (r := json.loads(line))["kind"] == "handoff")


def _full(kata: Copied, commit: str = "HEAD") -> str:
    return kata.git("rev-parse", commit)


def test_an_honest_trail_fits(kata: Copied) -> None:
    done = kata.check()
    assert done.findings == []
    assert done.proven
    assert (done.commits, done.tracked) == (6, 5)
    assert done.records > 20


def test_an_edited_line_is_named_with_what_changed(kata: Copied) -> None:
    lines = kata.note("HEAD~2")
    kata.set_note("HEAD~2", [line.replace('"branch":"main"', '"branch":"other"') for line in lines])
    found = [one for one in kata.findings() if one.rule == "altered-record"]
    assert found
    assert "branch was 'main', is 'other'" in found[0].what
    assert found[0].commit == _full(kata, "HEAD~2")


def test_an_edited_line_beside_the_true_one_is_named(kata: Copied) -> None:
    lines = kata.note()
    kata.set_note("HEAD", [*lines, lines[0].replace('"attempt":1', '"attempt":7')])
    assert kata.rules() == {"altered-record"}


def test_a_deleted_note_is_named(kata: Copied) -> None:
    count = len(kata.note())
    kata.git("notes", "--ref=tdd", "remove", "HEAD")
    gone = [one for one in kata.findings() if one.rule == "missing-record"]
    assert len(gone) == count
    assert all(one.commit == _full(kata) and one.record and one.notes_commit for one in gone)


def test_a_deleted_line_is_named(kata: Copied) -> None:
    lines = kata.note()
    kata.set_note("HEAD", lines[1:])
    found = kata.findings()
    assert [one.rule for one in found if one.rule == "missing-record"] == ["missing-record"]
    assert json.loads(lines[0])["id"] in found[0].what


def test_a_record_added_by_hand_where_a_range_began_is_named(kata: Copied) -> None:
    """What was known to fail before a cycle stands on the commit below it, which is not of the range."""
    assert kata.rules("HEAD~1..HEAD") == set()
    lines = [json.loads(line) for line in kata.note("HEAD~3")]
    started = next(line for line in lines if line["kind"] == "cycle_started")
    forged = {**started, "id": "0" * 26, "known_failing": ["tests/test_double.py::test_triples"]}
    kata.git("notes", "--ref=tdd", "append", "-m", json.dumps(forged), "HEAD~3")
    assert kata.rules("HEAD~1..HEAD") == {"unannounced-record"}


def test_a_record_added_by_hand_is_named(kata: Copied) -> None:
    forged = json.loads(kata.note()[0]) | {"id": "01ZZZZZZZZZZZZZZZZZZZZZZZZ"}
    kata.set_note("HEAD", [*kata.note(), json.dumps(forged, separators=(",", ":"))])
    assert kata.rules() == {"unannounced-record"}


def test_a_line_that_is_no_record_is_named(kata: Copied) -> None:
    kata.set_note("HEAD", [*kata.note(), "{not json", "{words"])
    assert [one.rule for one in kata.findings()] == ["unreadable-line"] * 2


def test_a_record_without_its_shape_is_named(kata: Copied) -> None:
    _append(kata, _full(kata), kind="handoff", tests="none")
    _append(kata, _full(kata), kind="invented")
    found = [one.what for one in kata.findings() if one.rule == "malformed-record"]
    assert len(found) == 2
    assert "handoff.tests" in found[0]


def test_a_newer_record_is_refused(kata: Copied) -> None:
    newer = json.loads(kata.note()[0]) | {"v": 99}
    kata.set_note("HEAD", [*kata.note(), json.dumps(newer)])
    with pytest.raises(NewerSchema, match="schema 99"):
        kata.check()


def _rewritten(kata: Copied, change: Callable[[str, int], str | None]) -> None:
    """The notes history written anew; ``change`` gives each message (None: the commit is left out)."""
    oids = kata.git("rev-list", "--reverse", "refs/notes/tdd").splitlines()
    with OpenRepository(kata.root) as opened:
        parent: list[str] = []
        for number, oid in enumerate(oids):
            commit = opened.objects.read_commit(oid)
            text = change(commit.message, number)
            if text is not None:
                parent = [opened.objects.write_commit(commit.tree, parent, text, author=commit.author)]
    kata.git("update-ref", "refs/notes/tdd", parent[0])


def test_a_notes_commit_taken_out_of_the_log_is_noticed(kata: Copied) -> None:
    _rewritten(kata, lambda text, number: None if number == 5 else text)
    assert kata.rules() == {"unannounced-record"}


def test_a_notes_commit_whose_message_was_edited_is_noticed(kata: Copied) -> None:
    _rewritten(kata, lambda text, number: text.replace('"attempt":1', '"attempt":2') if number == 3 else text)
    assert "altered-announcement" in kata.rules()


def test_a_record_rewritten_with_its_hash_breaks_the_chain(kata: Copied) -> None:
    """Somebody who knows the format changes the record, its hash and the note; what came after still says the old hash."""
    oids = kata.git("rev-list", "--reverse", "refs/notes/tdd").splitlines()
    victim = next(
        n for n, oid in enumerate(oids) if "RED accepted" in kata.git("show", "-s", "--format=%s", oid)
    )
    forged: dict[str, str] = {}

    def change(text: str, number: int) -> str:
        if number != victim:
            return text
        entry, *others = message.entries(text)
        line = encode(entry.record | {"summary": "as it suits me"})
        forged.update(old=encode(entry.record).decode(), new=line.decode(), commit=entry.commit)
        lines = b"\n".join([line, *(encode(one.record) for one in others)])
        ids = " ".join(one.record["id"] for one in (entry, *others))
        return message.compose(entry.subject, lines, entry.commit, ids, others[-1].moves)

    _rewritten(kata, change)
    lines = kata.note(forged["commit"])
    kata.set_note(forged["commit"], [forged["new"] if line == forged["old"] else line for line in lines])
    found = [one for one in kata.findings() if one.rule == "broken-chain"]
    assert len(found) == 1
    assert "there is none" in found[0].what


def test_a_trail_cut_off_at_its_end_is_noticed_by_what_it_kept(kata: Copied) -> None:
    oids = kata.git("rev-list", "refs/notes/tdd").splitlines()
    kata.git("update-ref", "refs/notes/tdd", oids[8])
    found = {finding.rule: finding.level for finding in kata.findings()}
    assert found["unrecorded-attempt"] == "warning"
    assert found["no-record"] == "error"


def test_a_missing_evidence_is_named(kata: Copied) -> None:
    oid = _handoff(kata)["tests"]["evidence"]
    (kata.root / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    found = kata.findings()
    assert {one.rule for one in found} == {"missing-evidence"}
    assert oid[:12] in found[0].what


def test_an_evidence_with_another_content_is_named(kata: Copied) -> None:
    record = _handoff(kata)
    other = _handoff(kata, "HEAD~2")["tests"]["evidence"]
    record["tests"] = record["tests"] | {"evidence": other}
    _append(kata, _full(kata), **{key: value for key, value in record.items() if key not in ("id", "prev")})
    assert kata.rules() == {"altered-evidence"}


def test_a_record_that_says_other_than_its_evidence_is_named(kata: Copied) -> None:
    record = _handoff(kata)
    record["tests"] = record["tests"] | {"counts": record["tests"]["counts"] | {"passed": 99}}
    _append(kata, _full(kata), **{key: value for key, value in record.items() if key not in ("id", "prev")})
    found = kata.findings()
    assert {one.rule for one in found} == {"evidence-mismatch"}
    assert "99" in found[0].what


def test_a_record_on_a_commit_that_is_not_there_is_named(kata: Copied) -> None:
    nowhere = "0123456789abcdef0123456789abcdef01234567"
    record = {key: value for key, value in _handoff(kata).items() if key not in ("id", "prev")}
    _append(kata, nowhere, **record)
    assert [one.rule for one in kata.findings()] == ["missing-commit"]


def test_a_tree_that_is_not_the_commits_is_named(kata: Copied) -> None:
    record = {key: value for key, value in _handoff(kata).items() if key not in ("id", "prev")}
    _append(kata, _full(kata), **record | {"tree": _full(kata, "HEAD~1^{tree}")})
    assert kata.rules() == {"tree-mismatch"}


def test_a_note_copied_to_another_commit_is_said(kata: Copied) -> None:
    kata.git("commit", "-q", "--allow-empty", "-m", "chore: mine")
    kata.git("notes", "--ref=tdd", "copy", "HEAD~1", "HEAD")
    found = kata.findings()
    assert [(one.rule, one.level) for one in found] == [("moved-record", "warning")], "one for all of them"
    assert found[0].commit == _full(kata)


def test_a_note_whose_content_is_missing_is_named(kata: Copied) -> None:
    commit = _full(kata)
    listed = kata.git("notes", "--ref=tdd", "list", commit)
    path = kata.root / ".git" / "objects" / listed[:2] / listed[2:]
    assert path.exists()
    path.unlink()
    assert "missing-note" in kata.rules()


def test_a_pin_without_a_record_is_said(kata: Copied) -> None:
    kata.git("commit", "-q", "--allow-empty", "-m", "chore: mine")
    kata.git("update-ref", "refs/tdd/attempts/c-x/red-1", "HEAD")
    assert kata.rules() == {"unrecorded-attempt"}


def test_a_pin_that_a_record_elsewhere_names_is_recorded(kata: Copied) -> None:
    kept = kata.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "test: too much").strip()
    _append(kata, _full(kata), kind="error", candidate=kept, known_good=False)
    kata.git("update-ref", "refs/tdd/attempts/c-x/red-9", kept)
    assert "unrecorded-attempt" not in kata.rules()


def test_two_histories_joined_by_a_merge_fit(kata: Copied, tmp_path: Path) -> None:
    """After a sync of two clones the audit log is a graph: nothing of that is a fault."""
    other = Copied(tmp_path / "other")
    kata.git("clone", "-q", "--mirror", str(kata.root), str(tmp_path / "hub.git"))
    kata.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    kata.git("clone", "-q", str(tmp_path / "hub.git"), str(other.root))
    other.git("config", "user.name", "Eve")
    other.git("config", "user.email", "eve@example.org")
    assert other.tdd("sync").code == 0
    _append(kata, _full(kata), kind="incident", error="here", known_good=False)
    _append(other, _full(other), kind="incident", error="there", known_good=False)
    assert kata.tdd("sync").code == 0
    assert other.tdd("sync").code == 0
    assert kata.tdd("sync").code == 0
    for clone in (kata, other):
        done = clone.check()
        assert done.findings == []
        assert sum('"error":"here"' in line or '"error":"there"' in line for line in clone.note()) == 2


def test_no_records_at_all_is_refused(tmp_path: Path) -> None:
    from kit import Kata

    Kata(tmp_path)
    with pytest.raises(Refused, match="There are no records"):
        Copied(tmp_path / "kata").check()

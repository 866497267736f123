"""A rewrite that loses the notes: found by tree, by patch, re-attached where it is certain, reported where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import Kata


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.plan()
    assert kata.next().code == 0
    return kata


def test_a_reworded_commit_gets_its_records_back_and_stays_known_good(kata: Kata) -> None:
    kata.git("commit", "--amend", "-q", "-m", "feat: in other words\n\nTdd-Cycle: c-x\nTdd-Phase: GREEN")
    done = kata.tdd("doctor", "--json")
    said = [row["sentence"] for row in done.json["troubles"] if row["check"] == "rewrites"]
    assert len(said) == 1
    assert "found by its tree" in said[0]
    records = kata.tdd("show", "HEAD", "--json").json["records"]
    record = next(one for one in records if one["kind"] == "reattached")
    assert (record["kind"], record["how"], record["known_good"]) == ("reattached", "tree", True)
    assert not [row for row in kata.tdd("doctor", "--json").json["troubles"] if row["check"] == "rewrites"]
    assert "nothing to undo" in kata.tdd("rollback").out


def test_a_fresh_clone_without_the_records_is_one_finding(kata: Kata) -> None:
    kata.git("update-ref", "-d", "refs/notes/tdd")
    out = kata.tdd("doctor", "--no-tests").out
    head = kata.git("rev-parse", "HEAD")[:12]
    belong = f"rewrites: {head} and 1 more say that they belong to a cycle, and no record of them is here"
    assert out == f"{belong}; `tdd sync` may bring them.\n"


def test_a_revert_is_no_rewrite_though_its_tree_was_proven_before(kata: Kata) -> None:
    """Of a whole cycle, to the tree of its baseline; and of a commit after it, to the tree of its GREEN."""
    kata.git("revert", "--no-edit", "HEAD", "HEAD~1")
    kata.write("more.txt", "more\n")
    kata.git("add", "more.txt")
    kata.git("commit", "-q", "-m", "docs: more")
    kata.git("revert", "--no-edit", "HEAD", "HEAD~1", "HEAD~2")
    assert kata.git("diff", "HEAD~6", "--stat") == ""
    assert kata.tdd("doctor", "--no-tests").out == "Nothing is wrong.\n"


def test_a_cherry_pick_is_found_by_its_patch_and_not_called_good(kata: Kata) -> None:
    red, green = kata.git("rev-parse", "HEAD~1"), kata.git("rev-parse", "HEAD")
    kata.git("switch", "-q", "-c", "other", "HEAD~2")
    kata.write("more.txt", "more\n")
    kata.git("add", "more.txt")
    kata.git("commit", "-q", "-m", "docs: more")
    kata.git("cherry-pick", red, green)
    said = [
        row["sentence"] for row in kata.tdd("doctor", "--json").json["troubles"] if row["check"] == "rewrites"
    ]
    assert len(said) == 2
    assert all("by its patch" in sentence for sentence in said)
    records = kata.tdd("show", "HEAD", "--json").json["records"]
    assert [record["known_good"] for record in records if record["kind"] == "reattached"] == [False]

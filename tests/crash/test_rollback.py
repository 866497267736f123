"""`tdd rollback`, killed at its git calls: the same command brings branch, index and files to the same place."""

from __future__ import annotations

import pytest
from wreck import Room


@pytest.fixture
def undone(room: Room) -> Room:
    """A room in which a cycle has landed, with a commit of the user's above it that no record knows."""
    assert room.tdd("cycle", "next").code == 0
    room.write("extra.txt", "committed\n")
    room.write("run.sh", "# changed\n" + (room.root / "run.sh").read_text())
    room.git("add", "extra.txt", "run.sh")
    room.git("commit", "-q", "-m", "feat: extra", "--", "extra.txt", "run.sh")
    return room


@pytest.mark.parametrize(
    ("how", "only"),
    [
        ("before", "update-ref --no-deref -m tdd"),
        ("before", "read-tree -m -u"),
        ("after", "read-tree -m -u"),
        ("before", "read-tree -n"),
    ],
)
def test_killed(undone: Room, how: str, only: str) -> None:
    good = undone.git("rev-parse", "HEAD~1")
    env = undone.shimmed(before=int(how == "before"), after=int(how == "after"), only=only)
    assert undone.ran("rollback", good, env=env).code == -9
    done = undone.tdd("rollback", good)
    assert done.code == 0, done.err
    assert undone.git("rev-parse", "HEAD") == good
    assert not (undone.root / "extra.txt").exists()
    assert not (undone.root / "run.sh").read_text().startswith("# changed")
    assert undone.users() == undone.theirs
    assert undone.locks() == []


def test_work_that_no_record_knows_is_undone_by_name_only(undone: Room) -> None:
    head = undone.git("rev-parse", "HEAD")
    refused = undone.tdd("rollback")
    assert refused.code == 2
    assert f"tdd rollback {undone.git('rev-parse', 'HEAD~1')[:12]}" in refused.err
    assert undone.git("rev-parse", "HEAD") == head
    assert undone.users() == undone.theirs


def statuses(room: Room) -> list[str]:
    return [item["status"] for item in room.tdd("plan", "list", "--json").json["items"]]


def test_what_is_undone_is_planned_again(room: Room) -> None:
    base = room.git("rev-parse", "HEAD")
    assert room.tdd("cycle", "next").code == 0
    assert statuses(room) == ["completed"]
    assert room.tdd("rollback", base).code == 0
    assert statuses(room) == ["planned"]
    [record] = room.records("item_reopened")
    assert "rolled back" in record["reason"]
    again = room.tdd("cycle", "next")
    assert (again.code, statuses(room)) == (0, ["completed"]), again.err


def test_what_stays_on_the_branch_stays_done(undone: Room) -> None:
    assert undone.tdd("rollback", "HEAD~1").code == 0
    assert statuses(undone) == ["completed"]
    assert undone.records("item_reopened") == []


@pytest.mark.parametrize(
    ("how", "only"),
    [
        ("before", "update-ref --no-deref -m tdd"),
        ("before", "rev-list --reverse"),
        ("before", "read-tree -m -u"),
        ("after", "read-tree -m -u"),
    ],
)
def test_killed_while_items_are_undone(room: Room, how: str, only: str) -> None:
    base = room.git("rev-parse", "HEAD")
    assert room.tdd("cycle", "next").code == 0
    env = room.shimmed(before=int(how == "before"), after=int(how == "after"), only=only)
    assert room.ran("rollback", base, env=env).code == -9
    moved = room.git("rev-parse", "HEAD") == base
    assert statuses(room) == ["completed"] or moved, "planned again before it was undone"
    done = room.tdd("rollback", base)
    assert done.code == 0, done.err
    assert room.git("rev-parse", "HEAD") == base
    assert statuses(room) == ["planned"]
    assert len(room.records("item_reopened")) == 1
    assert room.users() == room.theirs
    assert room.locks() == []


@pytest.mark.parametrize(
    ("how", "only"),
    [
        ("after", "update-ref --no-deref -m tdd rollback"),
        ("before", "rev-list --reverse"),
        ("before", "read-tree -m -u"),
        ("after", "read-tree -m -u"),
    ],
)
def test_killed_and_then_the_next_cycle(room: Room, how: str, only: str) -> None:
    """What the rollback began is finished first: what it undid is planned, and done again."""
    base = room.git("rev-parse", "HEAD")
    assert room.tdd("cycle", "next").code == 0
    env = room.shimmed(before=int(how == "before"), after=int(how == "after"), only=only)
    assert room.ran("rollback", base, env=env).code == -9
    assert room.git("rev-parse", "HEAD") == base
    done = room.tdd("cycle", "next")
    assert done.code == 0, done.err
    assert "doubles a number) landed" in done.out
    assert statuses(room) == ["completed"]
    assert len(room.records("item_reopened")) == 1
    assert room.git("rev-parse", "HEAD") != base
    assert room.users() == room.theirs
    assert room.locks() == []


def test_killed_and_then_rolled_back_further(undone: Room) -> None:
    """What was begun is finished first, and then what is asked for now is done."""
    good, base = undone.git("rev-parse", "HEAD~1"), undone.git("rev-parse", "HEAD~3")
    assert undone.ran("rollback", good, env=undone.shimmed(before=1, only="read-tree -m -u")).code == -9
    assert undone.git("rev-parse", "HEAD") == good
    done = undone.tdd("rollback", base)
    assert done.code == 0, done.err
    assert undone.git("rev-parse", "HEAD") == base
    assert "your files have followed it now" in done.err
    assert f"back at {base[:12]}; what was undone is kept" in done.out
    assert not (undone.root / "extra.txt").exists()
    assert statuses(undone) == ["planned"]


def test_a_rollback_that_is_done_is_not_done_again(room: Room) -> None:
    """What the user brings back into the index afterwards is the user's."""
    base = room.git("rev-parse", "HEAD")
    assert room.tdd("cycle", "next").code == 0
    landed = room.git("rev-parse", "HEAD")
    assert room.tdd("rollback", base).code == 0
    room.git("checkout", "-q", landed, "--", "double.sh", "tests/test_double.sh")
    again = room.tdd("cycle", "next", "--phase")
    assert again.code in (0, 1), again.err
    assert (room.root / "double.sh").exists()
    assert room.git("for-each-ref", "refs/tdd/undoing") == ""


def test_what_was_proven_stays_known_good_whatever_is_begun_on_it(room: Room) -> None:
    """The next cycle's start, an attempt's begin and a rollback are noted on the same commit; none of them judges it."""
    assert room.tdd("cycle", "next").code == 0
    good = room.git("rev-parse", "HEAD")
    room.plan("greets loudly")
    assert room.tdd("cycle", "next", "--phase").code in (0, 1)
    assert room.tdd("cycle", "abort").code in (0, 2)
    done = room.tdd("rollback")
    assert done.code == 0, done.err
    assert room.git("rev-parse", "HEAD") == good
    assert "known to be good" in done.out

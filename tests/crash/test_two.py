"""Two orchestrators, and a user who works on meanwhile (T45)."""

from __future__ import annotations

import json
import os
from pathlib import Path

from wreck import Room, waits_until

ATTEMPTS = [
    ("RED", "proven", 0),
    ("GREEN", "still_failing", 0),
    ("GREEN", "proven", 1),
    ("REFACTOR", "unchanged", 0),
]


def waiting(room: Room) -> tuple[Path, Path]:
    """The agent tells that it works by the first file, and waits for the second one."""
    here, go, agent = room.folder / "here", room.folder / "go", room.agent / "agent.sh"
    agent.write_text(f"touch {here}; while [ ! -f {go} ]; do sleep 0.05; done\n{agent.read_text()}")
    return here, go


def test_the_second_says_who_holds_it_and_leaves(room: Room) -> None:
    here, go = waiting(room)
    first = room.start("cycle", "next")
    assert waits_until(here.exists, 60)
    before = room.snapshot()
    second = room.tdd("cycle", "next")
    assert second.code == 5
    assert f"process {first.pid} on {os.uname().nodename}" in second.err
    assert room.snapshot() == before
    go.touch()
    first.communicate(timeout=120)
    assert first.returncode == 0
    assert room.facts().attempts == ATTEMPTS


def test_a_lock_whose_owner_is_dead_is_taken_over(room: Room) -> None:
    lock = room.root / ".git/tdd/run"
    lock.parent.mkdir(exist_ok=True)
    lock.write_text(
        json.dumps(
            {
                "pid": 1,
                "host": "elsewhere",
                "started": "2020-01-01T00:00:00+00:00",
                "cookie": "0123456789abcdef",
            }
        )
    )
    assert room.tdd("cycle", "next").code == 0
    assert lock.read_bytes() == b""


def test_reading_commands_do_not_wait_for_the_lock(room: Room) -> None:
    here, go = waiting(room)
    first = room.start("cycle", "next")
    assert waits_until(here.exists, 60)
    assert [room.tdd(*words).code for words in (("cycle", "status"), ("log",), ("plan", "list"))] == [0, 0, 0]
    go.touch()
    first.communicate(timeout=120)
    assert first.returncode == 0


def test_a_commit_of_the_user_meanwhile_stays_and_the_cycle_goes_on_top(room: Room) -> None:
    here, go = waiting(room)
    first = room.start("cycle", "next")
    assert waits_until(here.exists, 60)
    room.write("notes.md", "mine\n")
    room.git("add", "notes.md")
    room.git("commit", "-q", "-m", "docs: mine", "--", "notes.md")
    mine = room.git("rev-parse", "HEAD")
    go.touch()
    _, err = first.communicate(timeout=120)
    assert first.returncode == 0, err
    assert room.subjects()[-3:] == ["docs: mine", "test: doubles a number", "feat: doubles a number"]
    assert room.git("merge-base", "--is-ancestor", mine, "HEAD", check=False) == ""
    assert (room.root / "scratch.txt").read_text() == "untracked\n"


def test_an_amend_of_the_commit_below_the_cycle_does_not_bring_the_old_one_back(room: Room) -> None:
    assert room.tdd("cycle", "next", "--phase").code == 0
    old = room.git("rev-parse", "HEAD")
    room.git("commit", "-q", "--amend", "-m", "chore: said better", "--only")
    done = room.tdd("cycle", "next")
    assert done.code == 0, done.err
    assert old not in room.git("rev-list", "HEAD").splitlines()
    assert room.subjects() == [
        "chore: begin",
        "chore: said better",
        "test: doubles a number",
        "feat: doubles a number",
    ]

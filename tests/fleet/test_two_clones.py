"""Two clones with one remote: no item is built twice, and nothing lands twice."""

from __future__ import annotations

import copy
import subprocess
from pathlib import Path

import pytest

from fleet.hall import Hall

pytestmark = pytest.mark.journey


def two(tmp_path: Path, items: list[str], config: str = "") -> tuple[Hall, Hall]:
    """A repository and a clone of it, with the same plan and the same agent."""
    first = Hall(tmp_path, items, config=config)
    remote = str(tmp_path / "remote.git")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    first.git("remote", "add", "origin", remote)
    first.git("push", "-q", "origin", "main")
    assert first.tdd("sync").code == 0
    second = copy.copy(first)
    second.root = tmp_path / "second"
    subprocess.run(["git", "clone", "-q", "-b", "main", remote, str(second.root)], check=True)
    second.git("config", "user.name", "Bob")
    second.git("config", "user.email", "bob@example.org")
    assert second.tdd("sync").code == 0
    return first, second


def test_two_clones_at_once_take_different_items(tmp_path: Path) -> None:
    first, second = two(tmp_path, ["one", "two", "three", "four"], '[fleet]\nremote = "origin"\njobs = 2\n')
    runs = [clone.start("cycle", "run") for clone in (first, second)]
    for run in runs:
        out, err = run.communicate(timeout=200)
        assert run.returncode == 0, out + err
    begun = [row[1] for row in first.agent_calls("red")]
    assert sorted(begun) == ["four", "one", "three", "two"], "each was built once"
    assert sorted([*first.landed(), *second.landed()]) == sorted(begun)
    assert first.tdd("sync").code == 0
    assert set(first.statuses().values()) == {"completed"}
    for clone in (first, second):
        assert not clone.records("incident"), "what was fetched is nothing that an agent did"
        assert clone.tdd("verify").code == 0


def test_an_item_that_landed_elsewhere_does_not_land_twice(tmp_path: Path) -> None:
    first, second = two(tmp_path, ["one"])
    assert second.tdd("cycle", "next", "--phase").code == 0, "RED is proven here"
    assert first.tdd("cycle", "run").code == 0
    first.git("push", "-q", "origin", "main")
    second.git("pull", "-q", "--ff-only", "origin", "main")
    done = second.tdd("cycle", "run")
    assert "the RED test passes at once" in done.err
    assert "tdd cycle abort" in done.err
    assert second.landed() == ["one"], "the other clone's commit alone"
    assert second.git("rev-parse", "HEAD") == first.git("rev-parse", "HEAD")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_without_the_remote_work_goes_on_and_is_shared_later(tmp_path: Path, jobs: str) -> None:
    first, second = two(tmp_path, ["one", "two"], '[fleet]\nremote = "origin"\n')
    there = first.git("remote", "get-url", "origin")
    first.git("remote", "set-url", "origin", str(tmp_path / "gone.git"))
    done = first.tdd("cycle", "run", "--jobs", jobs)
    assert done.code == 0, done.err
    assert "begun without a claim" in done.err
    assert "the records go there with the next cycle" in done.err
    assert first.statuses() == {"one": "completed", "two": "completed"}, "and the plan has no item to fix it"
    first.git("remote", "set-url", "origin", there)
    assert first.tdd("sync").code == 0
    assert second.tdd("sync").code == 0
    assert second.statuses() == {"one": "completed", "two": "completed"}

"""Many writers, and writers killed at any moment: nothing acknowledged is lost, nothing half-done remains."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tdd_orchestrator.notes.store import Store
from tdd_orchestrator.repo import refs
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.lock import RunLock
from tdd_orchestrator.repo.objects import Objects

from .conftest import plain

WRITER = Path(__file__).with_name("writer.py")


def start(where: Path, head: str, name: str, count: int, mode: str) -> subprocess.Popen[str]:
    argv = [sys.executable, str(WRITER), str(where / ".git"), head, name, str(count), mode]
    return subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def test_eight_writers_lose_nothing_also_against_plain_git(where: Path, store: Store) -> None:
    head = plain(where, "rev-parse", "HEAD")
    blob = plain(where, "hash-object", "-w", "file.txt")
    writers = [start(where, head, f"w{number}", 25, "plain") for number in range(8)]
    foreign = 0
    while any(writer.poll() is None for writer in writers):
        done = subprocess.run(
            ["git", "-C", str(where), "notes", "--ref=tdd", "add", "-f", "-m", f"foreign {foreign}", blob],
            capture_output=True, check=False,
        )  # fmt: skip
        foreign += done.returncode == 0
        time.sleep(0.3)
    said = set()
    for writer in writers:
        out, err = writer.communicate()
        assert writer.returncode == 0, err
        said.update(out.split())
    assert len(said) == 200
    assert foreign
    store.recover()  # the last write may have been plain git's, which does not compare before it swaps
    records = store.of(head).records
    assert {record["id"] for record in records} == said
    assert {entry.record["id"] for entry in store.trail(damaged=lambda _: None)} == said
    last = store.last(damaged=lambda _: None)
    assert last is not None
    assert last.record == records[-1]
    assert plain(where, "fsck", "--strict", "--no-dangling") == ""


def kill_and_look(where: Path, rng: random.Random, kills: int) -> tuple[int, int]:
    """Kill a writer ``kills`` times at random moments; each time everything must be consistent after recover().

    How many records were acknowledged, and how many recoveries had something to roll forward.
    """
    head = plain(where, "rev-parse", "HEAD")
    acknowledged: set[str] = set()
    rolled = 0
    for _ in range(kills):
        writer = start(where, head, "c", 10_000, "moves")
        assert writer.stdout is not None
        first = writer.stdout.readline().strip()
        assert first, writer.communicate()[1]
        acknowledged.add(first)
        time.sleep(rng.uniform(0.0, 0.06))
        writer.kill()
        acknowledged.update(writer.communicate()[0].split())
        with Git(where / ".git") as git, Objects(git) as objects, RunLock(git) as lock:
            lock.sweep_locks()
            store = Store(git, objects)
            recovered = store.recover()
            rolled += bool(recovered.rolled)
            assert recovered.conflicts == []
            assert store.recover().rolled == []
            store.check(deep=True)
            trail = list(store.trail(newest_first=False))
            assert [entry.record["n"] for entry in trail] == list(range(len(trail)))
            assert acknowledged <= {entry.record["id"] for entry in trail}
            hashes = ["", *(entry.hash for entry in trail)]
            assert [entry.record["prev"] for entry in trail] == hashes[:-1]
            newest = trail[-1].commit
            assert refs.read(git, "refs/tdd/cycles/c") == newest
            assert refs.read(git, f"refs/tdd/cycles/c-{(len(trail) - 1) % 3}") == newest
            assert refs.read(git, f"refs/tdd/attempts/c/{len(trail) - 1}") == newest
            assert store.known_good(newest).commit == newest
    assert plain(where, "fsck", "--strict", "--no-dangling") == ""
    assert [str(path) for path in (where / ".git").rglob("*.lock")] == []
    return len(acknowledged), rolled


def test_a_killed_writer_leaves_a_state_that_recovers(where: Path) -> None:
    acknowledged, _ = kill_and_look(where, random.Random(7), 15)
    assert acknowledged >= 15


@pytest.mark.slow
def test_three_hundred_kills(where: Path) -> None:
    acknowledged, rolled = kill_and_look(where, random.Random(8), 300)
    assert acknowledged >= 300
    assert rolled > 0

"""Loose objects are packed when they are many; nothing is lost by it, and nobody's gc is disturbed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.repo.packs import loose_objects, pack


@pytest.fixture
def git(tmp_path: Path) -> Git:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return Git(tmp_path / ".git")


def _write(git: Git, prefix: str, count: int) -> list[str]:
    with Objects(git) as objects:
        return [objects.write_blob(f"{prefix} {number}".encode()) for number in range(count)]


def _counted(git: Git) -> dict[str, int]:
    lines = (line.split(": ") for line in git.line("count-objects", "-v").splitlines())
    return {name: int(value) for name, value in lines}


def test_few_loose_objects_stay(git: Git) -> None:
    _write(git, "a", 50)
    assert not pack(git, most_loose=200)
    assert _counted(git)["count"] == 50


def test_many_are_packed_also_those_that_nothing_names(git: Git) -> None:
    oids = _write(git, "a", 600)
    assert 300 < loose_objects(git) < 900
    assert pack(git, most_loose=200)
    counted = _counted(git)
    assert (counted["count"], counted["in-pack"], counted["packs"]) == (0, 600, 1)
    with Objects(git) as objects:
        assert [objects.read(oid)[1] for oid in oids[:3]] == [b"a 0", b"a 1", b"a 2"]


def test_packs_do_not_pile_up(git: Git) -> None:
    for number in range(12):
        _write(git, f"round {number}", 300)
        assert pack(git, most_loose=50)
    counted = _counted(git)
    assert counted["in-pack"] == 3600
    assert counted["packs"] <= 5


def test_objects_opened_before_are_read_after(git: Git) -> None:
    with Objects(git) as objects:
        oids = [objects.write_blob(f"b {number}".encode()) for number in range(300)]
        assert objects.find("0" * 40) is None  # the reading child runs, and has seen no pack
        assert pack(git, most_loose=50)
        assert all(objects.find(oid) for oid in oids)


def test_nothing_is_done_beside_a_gc_or_in_a_partial_clone(git: Git) -> None:
    _write(git, "a", 300)
    marker = git.common_dir / "gc.pid"
    marker.write_text("1 here\n")
    assert not pack(git, most_loose=50)
    marker.unlink()
    promised = git.common_dir / "objects" / "pack" / "pack-1.promisor"
    promised.write_text("")
    assert not pack(git, most_loose=50)
    promised.unlink()
    assert pack(git, most_loose=50)

"""The refs of cycles that have ended are folded, and nothing that they named is lost or driven again."""

from __future__ import annotations

from pathlib import Path

from simulated_cycles import Cycles, repository

from tdd_orchestrator.notes import known_good
from tdd_orchestrator.repo import refs

from .conftest import archived


def test_refs_loose_objects_and_packs_stay_few(tmp_path: Path) -> None:
    """Forty cycles leave 160 refs and 2,500 objects."""
    cycles = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    cycles.play(40)
    git = cycles.git
    named = len(git.line("for-each-ref").splitlines())
    counted = dict(line.split(": ") for line in git.line("count-objects", "-v").splitlines())
    assert cycles.said == []
    assert named <= known_good.LIMIT + 10
    assert known_good.count(git) == len(known_good.listed(git)) <= known_good.LIMIT
    assert int(counted["count"]) <= 1300
    assert 1 <= int(counted["packs"]) <= 3
    assert git.line("fsck", "--strict", "--no-dangling") == ""
    wanted = {f"refs/tdd/attempts/c-{n:014}/{phase}-1" for n in range(1, 41) for phase in ("red", "green", "refactor")}  # fmt: skip
    assert {ref for ref, _ in (*known_good.listed(git), *archived(git)) if "/attempts/" in ref} == wanted
    recovered = cycles.store.recover()
    assert (recovered.rolled, recovered.conflicts) == ([], [])
    cycles.close()


def test_the_branch_of_an_ended_cycle_may_be_gone(tmp_path: Path) -> None:
    cycles = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    cycles.play(2)
    ref = "refs/tdd/cycles/c-00000000000002"
    refs.update(cycles.git, [(ref, "0" * 40, None)])
    recovered = cycles.store.recover()
    assert (recovered.rolled, recovered.conflicts) == ([], [])
    assert refs.read(cycles.git, ref) is None
    cycles.close()


def test_packed_refs_are_counted(tmp_path: Path) -> None:
    cycles = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    cycles.play(3)
    before = known_good.count(cycles.git)
    cycles.git.run("pack-refs", "--all")
    assert known_good.count(cycles.git) == before == 12
    cycles.close()

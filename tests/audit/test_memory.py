"""An audit holds one note at a time, and of a range reads as much as its records need: counted, not timed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from simulated_cycles import Cycles, repository

from tdd_orchestrator.audit import audit_log, chain, verify
from tdd_orchestrator.audit.audit_log import Trail
from tdd_orchestrator.notes.codec import Record
from tdd_orchestrator.repo.objects import Objects


def test_records_are_not_held(tmp_path: Path) -> None:
    cycles = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    cycles.play(8)
    held: list[int] = []

    class Counted(dict[str, Any]):
        alive = 0

        def __init__(self, record: Record) -> None:
            super().__init__(record)
            Counted.alive += 1
            held.append(Counted.alive)

        def __del__(self) -> None:
            Counted.alive -= 1

    with pytest.MonkeyPatch.context() as patch:
        parsed = audit_log.parsed_line
        patch.setattr(audit_log, "parsed_line", lambda raw: Counted(parsed(raw)))
        patch.setattr(audit_log, "_KNOWN", 4)
        patch.setattr(chain, "_BATCH", 4)
        done = verify.audit(cycles.git, cycles.objects, cycles.store, "HEAD")
    cycles.close()
    assert done.records == 80
    assert len(held) >= 80
    assert max(held) < 60


def _read_by(cycles: Cycles, wanted: str) -> Counter[str]:
    """What an audit of a range costs: objects, bytes of commits and blobs (the trees of notes are bounded by their
    fan-out), records of the log, git processes."""
    counts: Counter[str] = Counter()
    find, find_many, announced = Objects.find, Objects.find_many, audit_log._announced

    def found_one(self: Objects, name: str) -> Any:
        answer = find(self, name)
        counts["objects"] += 1
        counts["bytes"] += len(answer[2]) if answer and answer[1] != "tree" else 0
        return answer

    def found(self: Objects, names: Any) -> Any:
        answers = find_many(self, names)
        counts["objects"] += len(answers)
        counts["bytes"] += sum(len(one[2]) for one in answers if one and one[1] != "tree")
        return answers

    def read(*words: Any) -> Any:
        for one in announced(*words):
            counts["log"] += 1
            yield one

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Objects, "find", found_one)
        patch.setattr(Objects, "find_many", found)
        patch.setattr(audit_log, "_announced", read)
        before = cycles.git.calls
        done = verify.audit(cycles.git, cycles.objects, cycles.store, wanted)
    assert done.findings == []
    counts["git"] = cycles.git.calls - before
    counts["tracked"] = done.tracked
    return counts


def test_a_range_costs_as_much_behind_many_cycles(tmp_path: Path) -> None:
    cycles = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    cycles.play(10)
    few = _read_by(cycles, "main~12..main")
    cycles.play(50)
    many = _read_by(cycles, "main~12..main")
    cycles.close()
    assert few["tracked"] == many["tracked"] == 12
    assert few["log"] >= 40
    assert many["git"] <= few["git"]
    assert many["log"] == few["log"]
    assert many["objects"] <= few["objects"] + 20
    assert many["bytes"] <= 1.2 * few["bytes"]


def test_a_part_of_the_log_begins_where_its_records_do(tmp_path: Path) -> None:
    cycles = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    cycles.play(6)
    trail = Trail(cycles.git, cycles.objects, cycles.store)
    trail.narrow([cycles.git.line("rev-parse", "main")])
    numbers = {one.record["cycle_number"] for one in trail.log() if one.record and one.record["cycle_id"]}
    cycles.close()
    assert trail.part is not None
    assert not trail.part.open
    assert numbers == {5, 6}

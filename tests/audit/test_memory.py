"""An audit holds each record once, and each text once: by what is held, not by how many bytes that takes."""

from __future__ import annotations

from pathlib import Path

from simulated_cycles import Cycles, repository

from tdd_orchestrator.audit.audit_log import read


def test_a_record_stands_in_memory_once(tmp_path: Path) -> None:
    cycles = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    cycles.play(3)
    trail = read(cycles.git, cycles.objects, cycles.store)
    cycles.close()
    lines = {line.hash: line.record for line in trail.lines}
    assert len(trail.log) == len(lines) == 30
    assert all(one.record is lines[one.hash] for one in trail.log)
    keys = [key for record in lines.values() for key in record or ()]
    assert len({id(key) for key in keys}) == len(set(keys))

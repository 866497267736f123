"""A cycle costs the same behind many cycles as behind few: counted, for time says nothing on a busy machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from simulated_cycles import Cycles, repository

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from _growth_cycle import Project

pytestmark = pytest.mark.journey


def _counts(folder: Path, past: int) -> dict[str, Any]:
    where = repository(folder / "repo")
    cycles = Cycles(where, folder / "simulated")
    cycles.play(past)
    cycles.close()
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=where, check=True)
    project = Project(folder)
    project.commit()
    project.cycle()
    return project.cycle()


def test_a_cycle_costs_as_much_behind_many_others(tmp_path: Path) -> None:
    """The whole notes log of sixty cycles has six hundred records; it was read four times in a cycle."""
    few, many = _counts(tmp_path / "few", 1), _counts(tmp_path / "many", 60)
    assert many["records"] <= few["records"] + 60
    assert many["git"] <= few["git"] + 2
    assert few["git"] <= 33, few["calls"]
    assert many["modules"] <= few["modules"] + 2
    assert many["patterns"] <= few["patterns"] + 5

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
    assert few["git"] <= 30, few["calls"]
    assert few["modules"] <= 680
    assert few["patterns"] <= 1400
    assert many["modules"] <= few["modules"] + 2
    assert many["patterns"] <= few["patterns"] + 5


def _counts_among(folder: Path, files: int) -> dict[str, Any]:
    folder.mkdir()
    project = Project(folder)
    for number in range(files):
        project.write(f"src/d{number % 20}/m{number}.txt", f"{number}\n")
    project.commit()
    project.cycle()
    return project.cycle()


def test_a_tracked_file_is_looked_at_as_often_as_the_trees_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each use of a tree looks at each file once, since a test or an agent may have touched it; no names are read
    of folders that are as they were, and git is called as often."""
    monkeypatch.setenv("GROWTH_LOOKS", "1")
    few, many = _counts_among(tmp_path / "few", 40), _counts_among(tmp_path / "many", 440)
    assert many["looks"] - few["looks"] <= 18 * 400
    assert many["lists"] <= few["lists"] + 5
    assert many["git"] == few["git"], (few["calls"], many["calls"])
    assert many["patterns"] <= few["patterns"] + 5

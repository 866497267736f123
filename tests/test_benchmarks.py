"""Every benchmark can be loaded as `make bench` loads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
LOAD = "import sys, pathlib; sys.path.insert(0, sys.argv[1]); import run; print(run.loaded(pathlib.Path(sys.argv[2])).main)"


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("[!_]*.py")), ids=lambda path: path.stem)
def test_it_is_loaded(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(BENCHMARKS), str(path)], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("<function main"), done.stderr

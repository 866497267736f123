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


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="what is measured comes from /proc")
def test_the_memory_of_a_command_is_not_that_of_the_benchmark() -> None:
    """A benchmark that holds 10,000 cycles made `tdd verify` look as large as itself."""
    inner = "import sys; sys.path.insert(0, sys.argv[1]); import _probe; print(_probe.highest_memory())"
    outer = "import subprocess, sys; held = b'x' * 300_000_000; subprocess.run(sys.argv[1:], check=True)"
    words = [sys.executable, "-c", inner, str(BENCHMARKS)]
    done = subprocess.run([sys.executable, "-c", outer, *words], capture_output=True, text=True, check=True)
    assert 1_000 < int(done.stdout) < 150_000

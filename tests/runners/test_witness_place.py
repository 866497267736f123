"""A witness lies in a folder of its own, under a name of its own, and is not compiled anew for each run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tdd_orchestrator.runners import witness_place


def loaded(home: Path, module: str) -> str:
    line = f"import sys; sys.path.insert(0, {str(home)!r}); import {module} as m; print(m.cut.__code__.co_filename)"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("other", [False, True], ids=["our own Python", "another Python"])
def test_our_own_python_need_not_compile_it(tmp_path: Path, other: bool) -> None:
    name, home = witness_place.put("pytest", tmp_path / "out", "0a", {})
    source = home / f"{name}_shared.py"
    if other:
        for file in (home / "__pycache__").iterdir():
            file.write_bytes(b"\x00" * 4 + file.read_bytes()[4:])  # a number that no Python has
    else:
        source.write_text(source.read_text() + "\nraise SystemExit('compiled')\n")
    assert loaded(home, f"{name}_shared") == str(source)

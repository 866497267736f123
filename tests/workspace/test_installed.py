"""Which modules a Python environment has, by the names by which tests import them."""

from __future__ import annotations

from pathlib import Path

from tdd_orchestrator.workspace.imports import installed


def test_modules_of_site_packages(tmp_path: Path) -> None:
    packages = tmp_path / "lib/python3.11/site-packages"
    for name in ("sorted/__init__.py", "six.py", "_fast.cpython-311-x86_64-linux-gnu.so", "sorted-2.dist-info/METADATA", "tests/__init__.py", "__pycache__/six.pyc", "a.pth"):  # fmt: skip
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text("")
    assert installed(tmp_path) == {"sorted", "six", "_fast"}


def test_no_environment(tmp_path: Path) -> None:
    assert installed(tmp_path / "nothing") == frozenset()

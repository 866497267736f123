"""Which modules a Python environment has, by the names by which tests import them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.app.suites import rules_of
from tdd_orchestrator.config.schema import Config
from tdd_orchestrator.workspace.project import installed


def test_modules_of_site_packages(tmp_path: Path) -> None:
    packages = tmp_path / "lib/python3.11/site-packages"
    for name in ("sorted/__init__.py", "six.py", "_fast.cpython-311-x86_64-linux-gnu.so", "sorted-2.dist-info/METADATA", "tests/__init__.py", "__pycache__/six.pyc", "a.pth"):  # fmt: skip
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text("")
    assert installed(tmp_path) == {"sorted", "six", "_fast"}


def test_no_environment(tmp_path: Path) -> None:
    assert installed(tmp_path / "nothing") == frozenset()


def test_names_that_a_module_of_the_projects_may_not_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`factory` is well known, and not there; `slug` is there by chance: an honest module may have either name."""
    environment, root = tmp_path / "env", tmp_path / "kata"
    for name in ("responses", "slug"):
        (environment / "lib/python3.11/site-packages" / name).mkdir(parents=True)
    root.mkdir()
    (root / "requirements.txt").write_text("roman==4\n")
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    assert rules_of(Config(), (), root).packages == {"responses", "roman"}

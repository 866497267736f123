"""Sealed tests: a home of their own, no user configuration, no secrets; real git, real runners, real processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

_DROPPED = ("GIT_", "TDD_", "PYTEST_ADDOPTS", "XDG_", "NODE_OPTIONS")


@pytest.fixture(autouse=True)
def sealed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of the person who runs the tests is read or written."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(_DROPPED) and name not in ("TDD_REAL_AGENTS_DIR", "TDD_BROWSER_DIR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TDD_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("NO_COLOR", "1")
    return home

"""Journeys run many test runs: pytest starts in them without the plugins that this suite itself happens to have."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def quick(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding plugins costs each test run more than the run itself."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("TDD_TEST_PASS_ENV", '["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]')

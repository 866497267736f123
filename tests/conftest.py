"""Sealed tests: a home of their own, no user configuration, no secrets; real git, real runners, real processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine, so that a run says something about the change it judges. To search for new
# ones: pytest --hypothesis-profile=default
settings.register_profile("the same every time", derandomize=True)
settings.load_profile("the same every time")

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


JOURNEYS = (
    "agents/test_bad_input.py",
    "audit/test_replay.py",
    "audit/test_reattach.py",
    "cli/test_cycle_commands.py",
    "cli/test_old_git.py",
    "cli/test_verify_hooks.py",
    "crash/",
    "cycle/test_stronger.py",
    "failures/test_errors_command.py",
    "failures/test_escalation.py",
    "hostile/",
    "journeys/test_approval.py",
    "journeys/test_away.py",
    "journeys/test_elsewhere.py",
    "journeys/test_in_a_sandbox.py",
    "journeys/test_in_place.py",
    "journeys/test_odd_input.py",
    "journeys/test_budget.py",
    "journeys/test_enriched.py",
    "journeys/test_fix.py",
    "journeys/test_fix_odd.py",
    "journeys/test_other_suites.py",
    "journeys/test_outside.py",
    "journeys/test_plan.py",
    "journeys/test_recovery.py",
    "journeys/test_red_asks.py",
    "journeys/test_red_edits.py",
    "journeys/test_last_words.py",
    "journeys/test_provider_faults.py",
    "journeys/test_told.py",
    "journeys/test_triggers.py",
    "journeys/test_usage_in_cycles.py",
)
"""Whole cycles by the dozen: `make journeys` runs them, and CI does; `make test` stays under five minutes."""


OWED = Path(__file__).with_name("owed.txt")
"""Tests that do not pass today and are no defect that was understood: a line each, taken away by whoever settles it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    owed = {
        line for line in OWED.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    }
    for item in items:
        if item.nodeid in owed:
            item.add_marker(pytest.mark.xfail(reason="listed in tests/owed.txt", strict=False))
        inside = item.path.relative_to(here).as_posix() if item.path.is_relative_to(here) else ""
        if inside.startswith(JOURNEYS):
            item.add_marker(pytest.mark.journey)

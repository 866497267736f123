"""Sealed tests: a home of their own, no user configuration, no secrets; real git, real runners, real processes."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine, so that a run says something about the change it judges. To search for new
# ones: pytest --hypothesis-profile=default
settings.register_profile("the same every time", derandomize=True)
settings.load_profile("the same every time")

sys.path.insert(0, str(Path(__file__).parent))

_DROPPED = ("GIT_", "TDD_", "PYTEST_ADDOPTS", "XDG_", "NODE_OPTIONS")

# Begun in the background of a shell, it ignores interrupts, and so would every program that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
    "audit/test_chain.py::test_an_honest_trail_fits",
    "audit/test_forged.py::test_a_fix_is_believed",
    "audit/test_forged.py::test_an_older_cycle_squashed",
    "audit/test_forged.py::test_nothing_of_a_record_acts",
    "audit/test_forged.py::test_two_cycles_squashed",
    "audit/test_reattach.py",
    "audit/test_replay.py",
    "cli/test_cycle_commands.py",
    "cli/test_init.py::test_a_suite_that_cannot_be_judged",
    "cli/test_init.py::test_suites_that_differ",
    "cli/test_init.py::test_tests_that_fail_already",
    "cli/test_look.py",
    "cli/test_mark_failed.py::test_an_item_that_is_done",
    "cli/test_odd_settings.py::test_status_reads_the_trail",
    "cli/test_old_git.py",
    "cli/test_setup_truth.py",
    "cli/test_verify_hooks.py",
    "crash/",
    "cycle/test_stronger.py",
    "failures/test_errors_command.py",
    "failures/test_escalation.py",
    "hostile/",
    "journeys/",
    "languages/test_katas.py",
    "ordinary/",
    "web/test_api.py::test_a_failed_cycle_is_mended",
    "web/test_api.py::test_cycles_attempts_and_records",
    "web/test_reports.py::test_the_badge",
    "web/test_reports.py::test_the_page_has_test_output",
)
"""Whole cycles: `make journeys` runs them, and CI does; `make test` stays under five minutes."""

IN_TEST = (
    "journeys/test_first_cycle.py::test_a_behaviour_lands",
    "journeys/test_first_cycle.py::test_a_branch_that_moved",
    "journeys/test_first_cycle.py::test_a_phase_is_retried",
    "journeys/test_first_cycle.py::test_the_users_own_edits",
)
"""The way of a cycle from beginning to end, which `make test` runs all the same."""

SAMPLED = ("crash/test_fix_killed.py", "crash/test_rollback.py", "crash/test_states.py")
"""A kill in every state: every third one in CI, all of them by `make crash`."""


EVERY, PART = int(os.environ.get("EVERY") or 1), int(os.environ.get("PART") or 1)
"""CI takes every sixth journey of each file, beginning with its first (PART=2: its second); before a release,
`make journeys` takes all."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here, seen = Path(__file__).parent, Counter[str]()
    for item in items:
        inside = item.path.relative_to(here).as_posix() if item.path.is_relative_to(here) else ""
        name = f"{inside}::{item.name}"
        if name.startswith(JOURNEYS) and not name.startswith(IN_TEST):
            item.add_marker(pytest.mark.journey)
        if inside in SAMPLED:
            seen[inside] += 1
            if seen[inside] % 3:
                item.add_marker(pytest.mark.slow)
    journeys, left = Counter[Path](), dict[pytest.Item, None]()
    for item in items:
        if item.get_closest_marker("journey") and not item.get_closest_marker("slow"):
            if journeys[item.path] % EVERY != (PART - 1) % EVERY:
                left[item] = None
            journeys[item.path] += 1
    if left:
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]

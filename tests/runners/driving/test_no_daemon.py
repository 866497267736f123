"""A build tool's daemon lives on after the run, with what a test left in it: none is begun."""

from __future__ import annotations

from tdd_orchestrator.runners.select import add_report_arguments
from tdd_orchestrator.runners.table import FRAMEWORKS
from tdd_orchestrator.runners.wrappers import Reach


def test_gradle_leaves_no_daemon() -> None:
    gradle = next(row for row in FRAMEWORKS if row.name == "gradle")
    assert "--no-daemon" in add_report_arguments(gradle, ["./gradlew", "test"], Reach.DIRECT, {})

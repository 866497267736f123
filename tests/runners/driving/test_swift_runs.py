"""How Swift's tests are run: beside one another in one process, chosen by what ``--filter`` is matched with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners.detect import detect
from tdd_orchestrator.runners.select import add_report_arguments, select_cases
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.runners.wrappers import Reach

SWIFT = by_name("swift-test")


def test_the_report_of_swift_testing_is_asked_for_and_may_be_missing() -> None:
    words = add_report_arguments(SWIFT, ["swift", "test", "-q"], Reach.DIRECT, {"report": "/r"})
    assert words == ["swift", "test", "--xunit-output", "/r/all.xml", "-q"]
    assert SWIFT.ask.partial


@pytest.mark.parametrize(
    ("identity", "pattern"),
    [
        ("KataTests.testDoubles", r"[./](?:testDoubles)(?:\(|$)"),
        ("KataTests.Doubling.Deeper::inside()", r"[./](?:inside)(?:\(|$)"),
        ("KataTests::pairs(number:wanted:)", r"[./](?:pairs)(?:\(|$)"),
        ("KataTests::`adds two`()", r"[./](?:`adds\ two`)(?:\(|$)"),
    ],
)
def test_a_test_is_chosen_by_its_function(identity: str, pattern: str) -> None:
    case = Case(identity, "shown", Outcome.FAILED)
    assert select_cases(SWIFT, ["swift", "test"], Reach.DIRECT, [case], Path()) == [
        "swift", "test", "--filter", pattern,
    ]  # fmt: skip


def test_xcode_is_a_runner_of_its_own(tmp_path: Path) -> None:
    row = detect(tmp_path, "xcodebuild -scheme App test").framework
    words = ["xcodebuild", "-scheme", "App", "test"]
    assert add_report_arguments(row, words, Reach.DIRECT, {"report": "/r"}) == words

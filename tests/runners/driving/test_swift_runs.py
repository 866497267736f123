"""How Swift's tests are run: beside one another in one process, chosen by what ``--filter`` is matched with."""

from __future__ import annotations

from pathlib import Path

import pytest
from tdd_orchestrator.runners.control import planted

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners.detect import detect
from tdd_orchestrator.runners.select import asked, narrowed, told
from tdd_orchestrator.runners.table import by_name
from tdd_orchestrator.runners.wrappers import Reach

SWIFT = by_name("swift-test")
XCTEST = "import XCTest\n@testable import Kata\n\nfinal class ATests: XCTestCase {}\n"
TESTING = "import Testing\n@testable import Kata\n\n@Test func adds() {}\n"


def test_the_report_of_swift_testing_is_asked_for_and_may_be_missing() -> None:
    words = asked(SWIFT, ["swift", "test", "-q"], Reach.DIRECT, {"report": "/r"})
    assert words == ["swift", "test", "--xunit-output", "/r/all.xml", "-q"]
    assert SWIFT.ask.partial


@pytest.mark.parametrize(
    "command",
    ["swift test --parallel", "swift test --parallel --num-workers 4", "swift test --num-workers=4"],
)
def test_tests_run_in_one_process(command: str) -> None:
    assert told(SWIFT, command.split()) == ["swift", "test"]


def test_other_rows_keep_what_they_have() -> None:
    assert told(by_name("pest"), ["pest", "--parallel"]) == ["pest", "--parallel"]


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
    assert narrowed(SWIFT, ["swift", "test"], Reach.DIRECT, [case], [], Path()) == [
        "swift", "test", "--filter", pattern,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("neighbour", "line"), [(XCTEST, "final class zz"), (TESTING, "@Test func ")], ids=["xctest", "testing"]
)
def test_the_control_is_of_its_neighbours_kind(tmp_path: Path, neighbour: str, line: str) -> None:
    near = tmp_path / "Tests/KataTests/ATests.swift"
    near.parent.mkdir(parents=True)
    near.write_text(neighbour + "import Foundation\n")
    (tmp_path / "Sources/Kata").mkdir(parents=True)
    with planted(SWIFT, tmp_path, "Tests/KataTests/ATests.swift") as control:
        assert control is not None
        text = (tmp_path / control.path).read_text()
        assert line in text
        assert f"func {control.leaf}()" in text
        # an XCTAssertEqual of the project's own would stand in front of the runner's
        assert "\n@testable import Kata\n" in text
        assert "Foundation" not in text


def test_xcode_is_a_runner_of_its_own(tmp_path: Path) -> None:
    row = detect(tmp_path, "xcodebuild -scheme App test").framework
    words = ["xcodebuild", "-scheme", "App", "test"]
    assert asked(row, words, Reach.DIRECT, {"report": "/r"}) == words

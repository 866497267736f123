"""Whole cycles with ``swift test``: a package with tests of XCTest and of Swift Testing, built for real."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from kit import Kata

SWIFT = os.environ.get("TDD_SWIFT", "") or shutil.which("swift") or ""
"""The ``swift`` of a toolchain of version 6 or later."""

MANIFEST = """\
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Kata",
    targets: [
        .target(name: "Kata"),
        .testTarget(name: "KataTests", dependencies: ["Kata"]),
    ]
)
"""
OLD = {
    "OldTests": "import XCTest\n@testable import Kata\n\nfinal class OldTests: XCTestCase {\n"
    '    func testGreets() { XCTAssertEqual(greet(), "hello") }\n}\n',
    "OldModernTests": 'import Testing\n@testable import Kata\n\n@Test("greets (at once)") func greets() { #expect(greet() == "hello") }\n',
}
GREET = 'import Foundation\n\npublic func greet() -> String { "hello" }\n'
XCTEST = """\
import XCTest
@testable import Kata

final class DoubleTests: XCTestCase {
    func testDoubles() { XCTAssertEqual(double(2), 4) }
    func testDoublesMore() { XCTAssertEqual(double(3), 6) }
}
"""
TESTING = """\
import Testing
@testable import Kata

@Suite("doubling") struct DoubleTests {
    @Test(arguments: [(2, 4), (3, 6)]) func doubles(number: Int, wanted: Int) { #expect(double(number) == wanted) }
    @Test("greets (at once)") func greets() { #expect(double(0) == 0) }
}
"""
XCTEST_SAYS = (
    "Test Case 'DoubleTests.testDoubles' passed (0.0 seconds)",
    "Test Case 'DoubleTests.testDoublesMore' started at 2026-01-01 00:00:00.000",
    "Test Case 'DoubleTests.testDoublesMore' passed (0.0 seconds)",
    *(
        f"Test Suite '{name}' passed at 2026-01-01 00:00:00.000\\n\\t Executed 3 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds"
        for name in ("DoubleTests", "debug.xctest", "All tests")
    ),
)
TESTING_SAYS = (
    "✔ Test doubles(number:wanted:) passed after 0.001 seconds.",
    '✔ Test \\"greets (at once)\\" passed after 0.001 seconds.',
    "✔ Test run with 3 tests passed after 0.001 seconds.",
)


def _doubles(body: str) -> str:
    text = f"import Foundation\n\npublic func double(_ number: Int) -> Int {{\n    {body}\n}}\n"
    return f"write('Sources/Kata/Double.swift', {text!r})"


@pytest.fixture
def kata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kata:
    if not SWIFT:
        pytest.skip("swift is not installed, and TDD_SWIFT does not tell where it is")
    monkeypatch.setenv("PATH", f"{Path(SWIFT).parent}{os.pathsep}{os.environ['PATH']}")
    kata = Kata(tmp_path, existing=False)
    kata.write(".gitignore", ".build/\n")
    kata.write("Package.swift", MANIFEST)
    kata.write("Sources/Kata/Kata.swift", GREET)
    for name, text in OLD.items():
        kata.write(f"Tests/KataTests/{name}.swift", text)
    text = (kata.root / "tdd.toml").read_text().splitlines()
    text[1] = f"command = {json.dumps(['swift', 'test', '--parallel'])}"
    kata.write("tdd.toml", "\n".join(text) + "\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "chore: set up")
    kata.plan()
    return kata


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "says"), [(XCTEST, XCTEST_SAYS), (TESTING, TESTING_SAYS)], ids=["xctest", "testing"]
)
def test_a_cycle_with_cheats_that_are_refused(kata: Kata, test: str, says: tuple[str, ...]) -> None:
    lies = "".join(f'print("{line}"); ' for line in says)
    weaker = f"write('Tests/KataTests/DoubleTests.swift', {test.replace('double(3), 6', 'double(3), 0').replace('(3, 6)', '(3, 0)')!r})"
    kata.script(
        red=[f"write('Tests/KataTests/DoubleTests.swift', {test!r})"],
        green=[
            _doubles(f"{lies} exit(0)"),
            _doubles(f"{lies} exit(1)"),
            f"{weaker}\n{_doubles('number == 3 ? 0 : number * 2')}",
            _doubles("number * 2"),
        ],
    )
    done = kata.next()
    assert done.code == 0, done.err
    verdicts = kata.verdicts()
    assert [verdicts[0], *verdicts[3:]] == ["proven", "forbidden_change", "proven", "unchanged"]
    assert set(verdicts[1:3]) <= {"tampered", "crashed", "still_failing"}
    green = [record["tests"] for record in kata.records("handoff") if record["phase"] == "GREEN"][-1]
    assert green["exit_code"] == 0
    assert green["counts"]["passed"] == 4
    assert kata.git("status", "--porcelain") == ""
    verified = kata.tdd("verify")
    assert verified.code == 0, verified.err

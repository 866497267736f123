"""Swift's lines where tests print between them, where a report covers other tests, and the signs of other systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.model.report import Counts, RunVerdict
from tdd_orchestrator.testlog.read import read

BEGIN = "Test Suite 'All tests' started at 2026-01-01 00:00:00.000\nTest Case 'ATests.testA' started at 2026-01-01 00:00:00.000\n"
END = (
    "Test Suite 'All tests' {} at 2026-01-01 00:00:00.000\n"
    "\t Executed 1 test, with {} failures (0 unexpected) in 0.0 (0.0) seconds\n"
)
PASSED = "Test Case 'ATests.testA' passed (0.0 seconds)"
FAILED = "Test Case 'ATests.testA' failed (0.0 seconds)"


def verdict(text: str, report: Path | None = None, code: int = 0) -> RunVerdict:
    return read(text.encode(), exit_code=code, report=report, command="swift test").verdict


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("no line's end", RunVerdict.PASSED),
        (FAILED, RunVerdict.PASSED),  # the runner's own words are the last of a line
        ("Fatal error: says a test that reads logs\n", RunVerdict.PASSED),
        (f"{FAILED}\n", RunVerdict.FAILED),
    ],
)
def test_what_a_test_prints_before_its_end(printed: str, expected: RunVerdict) -> None:
    assert verdict(BEGIN + printed + PASSED + "\n" + END.format("passed", 0)) is expected


def test_a_failure_is_not_taken_back() -> None:
    text = f"{BEGIN}{FAILED}\n{PASSED}\n" + END.format("passed", 0)
    assert verdict(text) is RunVerdict.FAILED


@pytest.mark.parametrize("ending", ["exited", "Process '/repo/.build/debug/KataPackageTests.xctest' exited"])
def test_a_signal_is_told_before_what_the_process_printed(ending: str) -> None:
    line = f"error: {ending} with unexpected signal code 11\n".replace("error: exited", "error: Exited")
    assert verdict(line + BEGIN + "KataTests/A.swift:7: Fatal error: no\n", code=1) is RunVerdict.CRASHED
    found = read((line + BEGIN + "KataTests/A.swift:7: Fatal error: no\n").encode(), exit_code=1)
    assert found.why == "The run died: KataTests/A.swift:7: Fatal error: no"
    assert [case.name for case in found.failing] == ["ATests.testA"]


@pytest.mark.parametrize(
    ("passes", "fails", "says"),
    [("✔", "✘", "✘"), ("√", "×", "×"), ("\U0010105b ", "\U00100884 ", "\U00100884 "), ("✔", "✘ ●●", "✘ ●●")],
    ids=["linux", "windows", "symbols of Apple's", "tags"],
)
def test_the_signs_of_swift_testing(passes: str, fails: str, says: str) -> None:
    text = (
        f"◇ Test run started.\n↳ Testing Library Version: 1743\n{passes} Test adds() passed after 0.001 seconds.\n"
        f'{says} Test "halves (a, b)" (aka \'halves(a:b:)\') recorded an issue with 2 arguments a → "x at y", b → 2 at ATests.swift:9:5: Expectation failed: a == b\n'
        f"{fails} Test \"halves (a, b)\" (aka 'halves(a:b:)') with 2 test cases failed after 0.001 seconds with 1 issue.\n"
        '➜ Test later() skipped: "not yet"\n'
        f"{fails} Test run with 3 tests in 1 suite failed after 0.001 seconds with 1 issue.\n"
    )
    found = read(text.encode(), exit_code=1)
    assert found.counts is not None
    assert (found.counts.passed, found.counts.failed, found.counts.skipped) == (1, 1, 1)
    (case,) = found.failing
    assert (case.name, case.file, case.line) == ("halves(a:b:)", "ATests.swift", 9)
    assert case.message == "Expectation failed: a == b"


def test_what_a_report_does_not_know_is_not_forgotten(tmp_path: Path) -> None:
    report = tmp_path / "all-swift-testing.xml"
    report.write_text(
        '<testsuites><testsuite name="TestResults"><testcase classname="KataTests" name="doubles()"/></testsuite></testsuites>'
    )
    text = (
        "◇ Test run started.\n✘ Test control() recorded an issue at C.swift:4:5: Expectation failed: 1 == 2\n"
        "✘ Test control() failed after 0.001 seconds with 1 issue.\n✔ Test doubles() passed after 0.001 seconds.\n"
        "✔ Test run with 2 tests passed after 0.001 seconds.\n"
    )
    found = read(text.encode(), exit_code=0, report=report, command="swift test")
    assert found.verdict is RunVerdict.FAILED
    assert [case.name for case in found.failing] == ["control()"]


def test_a_report_without_its_end_is_no_pass(tmp_path: Path) -> None:
    report = tmp_path / "all-swift-testing.xml"
    report.write_text('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
    text = "◇ Test run started.\n✔ Test doubles() passed after 0.001 seconds.\n✔ Test run with 1 test passed after 0.001 seconds.\n"
    assert verdict(text) is RunVerdict.PASSED
    assert verdict(text, report) is RunVerdict.CRASHED


@pytest.mark.parametrize("suite", ["All tests", "Selected tests"])
def test_a_suite_that_failed_as_a_whole_is_no_pass(suite: str) -> None:
    text = (BEGIN + f"{PASSED}\n{END}").replace("All tests", suite)
    assert verdict(text.format("passed", 0)) is RunVerdict.PASSED
    assert verdict(text.format("failed", 0)) is RunVerdict.FAILED
    assert verdict(text.format("failed", 0) + text.format("passed", 0)) is RunVerdict.FAILED
    inner = "Test Suite 'ATests' {} at 2026-01-01 00:00:00.000\n"
    within = BEGIN.replace("Test Case", inner.format("started") + "Test Case")
    assert (
        verdict(f"{within}{PASSED}\n{inner.format('passed')}{END.format('passed', 0)}") is RunVerdict.PASSED
    )


def test_counts_of_the_text_do_not_hide_what_failed_in_a_report(tmp_path: Path) -> None:
    report = tmp_path / "all-swift-testing.xml"
    report.write_text(
        '<testsuites><testsuite name="TestResults" tests="1" failures="1"><testcase classname="KataTests" name="doubles()">'
        '<failure message="Expectation failed"/></testcase></testsuite></testsuites>'
    )
    text = BEGIN + f"{PASSED}\n" + END.format("passed", 0).replace("Executed 1 test,", "Executed 5 tests,")
    found = read(text.encode(), exit_code=0, report=report, command="swift test")
    assert (found.verdict, found.counts) == (RunVerdict.FAILED, Counts(passed=4, failed=1))
    assert found.why == "1 failed, 4 passed."

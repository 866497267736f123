"""Whatever a run leaves behind, the answer is a verdict and a sentence: no traceback, and no pass out of nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from pace import within

from tdd_orchestrator.model.report import Counts, RunVerdict
from tdd_orchestrator.testlog.parsers.choose import rows
from tdd_orchestrator.testlog.parsers.lines import all_lines
from tdd_orchestrator.testlog.read import read

V = RunVerdict
RULE = "=" * 29
PYTEST = (
    f"{RULE}= test session starts {RULE}=\ncollected 2 items\n\ntests/test_a.py ..   [100%]\n\n"
    f"{RULE}= 2 passed in 0.01s {RULE}==\n"
)
JUNIT = '<testsuite name="s" tests="1"><testcase classname="A" name="one"/></testsuite>'
BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>' + JUNIT.replace('"one"', '"&b;"')


def test_the_sound_output_is_a_pass() -> None:
    found = read(PYTEST.encode(), exit_code=0)
    assert (found.verdict, found.framework, found.counts) == (V.PASSED, "pytest", Counts(passed=2))


def test_a_blank_line_in_a_traceback_is_no_end_of_it() -> None:
    log = (
        "USING RUNNER: behave\n  Scenario: adds  # a.feature:3\n      Traceback (most recent call last):\n      \n"
        '        File "a.py", line 1, in x\n      ValueError: boom\n\nFailing scenarios:\n  a.feature:3  adds\n\n'
        "0 features passed, 1 failed, 0 skipped\n0 scenarios passed, 1 failed, 0 skipped\n"
    )
    case = read(log.encode(), exit_code=1).failing[0]
    assert (case.name, case.file, case.line, case.exception) == ("adds", "a.py", 1, "ValueError")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00" * 5_000,
        bytes(range(256)) * 200,
        os.urandom(50_000),
        b"\xff" * 3_000,
        b"OK\nPASSED\nall tests passed\n",
        b"All good, OK\n",
        b"." * 100_000,
        b"\r" * 10_000,
        b"\n" * 10_000,
        b"\x1b[" * 10_000,
        b"<testsuite tests='3'>",
        b"{" * 5_000,
        b"test_ok ok\n" * 3,
    ],
    ids=range(14),
)
@pytest.mark.parametrize("code", [0, 1, 139, None])
def test_nothing_readable_is_never_a_pass(data: bytes, code: int | None) -> None:
    found = read(data, exit_code=code)
    assert found.verdict is not V.PASSED
    assert found.why


def test_binary_output_is_unreadable() -> None:
    assert read(b"\x80\xfe\xff" * 4_000, exit_code=0).verdict is V.UNREADABLE


@pytest.mark.parametrize("kind", ["utf-16", "utf-8-sig"])
def test_other_encodings_are_read(kind: str) -> None:
    assert read(PYTEST.encode(kind), exit_code=0).verdict is V.PASSED


def test_colour_and_windows_line_ends_are_read() -> None:
    data = PYTEST.replace("2 passed", "\x1b[32m2 passed\x1b[0m").replace("\n", "\r\n")
    assert read(data.encode(), exit_code=0).verdict is V.PASSED


def report(tmp_path: Path, text: str | bytes, name: str = "report.xml") -> Path:
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_a_report_alone_is_enough_for_a_pass(tmp_path: Path) -> None:
    found = read(b"", exit_code=0, report=report(tmp_path, JUNIT))
    assert (found.verdict, found.source) == (V.PASSED, "report")


def test_a_stale_report_is_ignored_and_said(tmp_path: Path) -> None:
    file = report(tmp_path, JUNIT)
    os.utime(file, (1, 1))
    found = read(b"", exit_code=0, report=file, not_before=time.time())
    assert found.verdict is V.NO_TESTS
    assert "older than the run" in found.disagreements[0]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BOMB, "document type"),
        ("", "empty"),
        ("<html><body/></html>", "no test report"),
        ('{"results": 1', "not whole JSON"),
        ('{"something": 1}', "no format that is known"),
        ("just words\n", "no format that is known"),
        ("<testsuite>" + "<a>" * 300, "nested too deeply"),
    ],
)
def test_a_bad_report_is_no_evidence(tmp_path: Path, text: str, word: str) -> None:
    found = read(b"", exit_code=0, report=report(tmp_path, text))
    assert found.verdict is not V.PASSED
    assert any(word in note for note in found.disagreements)


def test_a_missing_report_is_said(tmp_path: Path) -> None:
    found = read(PYTEST.encode(), exit_code=0, report=tmp_path / "gone.xml")
    assert any("no report" in note for note in found.disagreements)


@pytest.mark.parametrize("cut", [30, 60, 75])
def test_half_a_report_is_not_a_pass(tmp_path: Path, cut: int) -> None:
    found = read(PYTEST.encode(), exit_code=0, report=report(tmp_path, JUNIT[:cut]))
    assert found.verdict is V.CRASHED
    assert any("not whole" in note for note in found.disagreements)


def test_a_report_with_terminal_escapes_in_it_is_read(tmp_path: Path) -> None:
    file = report(
        tmp_path, JUNIT.replace('name="one"/>', 'name="one"><failure>\x1b[31mno\x00</failure></testcase>')
    )
    found = read(b"", exit_code=1, report=file)
    assert found.failing[0].detail == "[31mno"


def test_two_frameworks_in_one_output_are_both_heard() -> None:
    unittest = "F\n" + "=" * 70 + "\nFAIL: test_b (t.T.test_b)\n" + "-" * 70
    unittest += "\nTraceback (most recent call last):\nAssertionError: 1 != 2\n\n" + "-" * 70
    unittest += "\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n"
    for text in (PYTEST + unittest, unittest + PYTEST):
        found = read(text.encode(), exit_code=0)
        assert found.verdict is V.FAILED
        assert found.counts == Counts(passed=2, failed=1)


JEST = "PASS src/a.test.js\n  ✓ adds (2 ms)\n\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\nSnapshots:   0 total\nTime:        0.5 s\nRan all test suites.\n"
JEST_RED = JEST.replace("PASS", "FAIL").replace("✓", "✕").replace("1 passed", "1 failed")


@pytest.mark.parametrize(
    ("log", "verdict", "names", "why"),
    [
        (PYTEST + JEST, V.PASSED, "pytest, jest", "3 passed: 2 by pytest, 1 by jest."),
        (JEST + PYTEST, V.PASSED, "jest, pytest", "3 passed: 1 by jest, 2 by pytest."),
        (PYTEST + JEST + PYTEST, V.PASSED, "pytest, jest", "5 passed: 4 by pytest, 1 by jest."),
        (PYTEST + JEST_RED, V.FAILED, "pytest, jest", "1 failed, 2 passed: 2 passed by pytest; 1 failed by jest."),
        (PYTEST + JEST_RED + PYTEST, V.FAILED, "pytest, jest", "1 failed, 4 passed: 4 passed by pytest; 1 failed by jest."),
        (PYTEST + JEST.split("Tests:")[0], V.CRASHED, "pytest, jest", "jest's closing lines are missing: the run was cut short."),
        (PYTEST[:160] + JEST, V.CRASHED, "pytest, jest", "pytest's closing lines are missing: the run was cut short."),
        (PYTEST + "2 passed, 1 failed\n", V.FAILED, "pytest", "1 failed, 4 passed: 2 passed by pytest; 1 failed, 2 passed by another."),
        (JEST + "Killed\nmake: *** [Makefile:2: t] Error 137\n", V.ERROR, "jest", "The tests could not be built or loaded."),
        (PYTEST + " RUN  v1.6.1 /repo\n\n", V.CRASHED, "pytest, vitest", "vitest's closing lines are missing: the run was cut short."),
    ],
)  # fmt: skip
def test_each_of_two_frameworks_is_named_with_what_it_said(
    log: str, verdict: V, names: str, why: str
) -> None:
    found = read(log.encode(), exit_code=0)
    assert (found.verdict, found.framework, found.why) == (verdict, names, why)


@pytest.mark.parametrize(
    ("before", "after", "verdict"), [("", "", V.PASSED), (JEST_RED, "", V.FAILED), ("", JEST_RED, V.FAILED)]
)
def test_in_a_long_log_what_stands_before_and_after_the_runs_is_heard(
    before: str, after: str, verdict: V
) -> None:
    flood = "".join(f"tests/test_a.py::test_{n} PASSED      [ 50%]\n" for n in range(60_000))
    log = f"{' test session starts ':=^80}\n\n{flood}\n{' 60000 passed in 0.01s ':=^80}\n"
    assert read(f"{before}{log}{after}".encode(), exit_code=0).verdict is verdict


HOSTILE = [
    "a" * 8_000,
    " " * 8_000,
    "(" * 8_000,
    "[" * 4_000 + "]" * 4_000,
    "=" * 8_000,
    "= " * 4_000,
    "_" * 8_000,
    "- " * 4_000,
    "1 passed, " * 800,
    "test " * 1_600,
    "FAILED tests/a.py::x[" + " - " * 2_600,
    "::" * 4_000,
    "a::" * 2_600 + " PASSED",
    "ok " * 2_600,
    "not ok 1 " + "#" * 8_000,
    "  " + "1) " * 2_600,
    'File "' + "a" * 8_000,
    "at " + "(a:1:" * 1_600,
    "✓ " * 4_000,
    "a.b." * 2_000,
    "--- FAIL: " * 800,
    "\t" * 8_000,
    "https://" * 1_000,
    "0" * 8_000,
    "x (" * 2_600,
    "E " * 4_000,
]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_every_reader_is_linear_on_hostile_lines(row: object) -> None:
    """A pattern that backtracks takes seconds on one such line; all of them together have half a second."""
    begun = time.process_time()
    reader = row.reader()  # type: ignore[attr-defined]
    for line in HOSTILE:
        for sign in row.signs:  # type: ignore[attr-defined]
            sign.search(line)
        reader.feed(line)
        reader.feed(line.strip())
    reader.finish()
    assert time.process_time() - begun < within(0.5)


def test_lines_of_every_kind_are_cleaned_in_linear_time() -> None:
    begun = time.process_time()
    for piece in (b"\x1b]", b"\x1b[", b"\x1b[0", b"\r", b"\x00", b"\xe2\x9c", b"\x1bP"):
        list(all_lines(piece * 300_000))
    assert time.process_time() - begun < within(5)


@pytest.mark.parametrize("fake", ["4 passed, 0 failed\n", "-" * 70 + "\nRan 4 tests in 0.1s\n\nOK\n"])
def test_a_fake_of_another_runner_is_no_run_of_the_one_in_the_command(fake: str) -> None:
    assert read(fake.encode(), exit_code=0, command="npx jest --ci").verdict is not V.PASSED
    assert read(fake.encode(), exit_code=0).verdict is V.PASSED


def test_another_runner_s_output_inside_a_session_is_noise() -> None:
    fake = "Test Suites: 1 failed, 1 total\nTests:       4 failed, 4 total\nTime:        1 s\nRan all test suites.\n"
    data = PYTEST.replace("tests/test_a.py ..", fake + "tests/test_a.py ..")
    found = read(data.encode(), exit_code=0)
    assert (found.verdict, found.framework) == (V.PASSED, "pytest")


def test_fewer_tests_than_were_collected_is_a_run_cut_short() -> None:
    found = read(PYTEST.replace("collected 2", "collected 3").encode(), exit_code=0)
    assert found.verdict is V.CRASHED
    assert "3 tests were collected" in found.why


def test_output_of_no_runner_is_quoted_by_its_last_line() -> None:
    said = b"Resolving...\nerror: failed to remove file: Read-only file system\n\n"
    assert read(said, exit_code=2).why == (
        "No test runner was recognised in the output (exit code 2); it ends with: "
        "error: failed to remove file: Read-only file system"
    )


def test_a_last_line_that_goes_on_after_a_colon_is_quoted_with_the_line_before() -> None:
    said = b"+----+\nOSError: [Errno 30] Read-only file system:\n'/home/ada/env/default.json'\n"
    assert (
        "OSError: [Errno 30] Read-only file system: '/home/ada/env/default.json'"
        in read(said, exit_code=1).why
    )

"""A test that ends its program, by a segmentation fault say, is named as the one that failed."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.model.report import Case, Outcome, Report, RunVerdict, grouped_as_in
from tdd_orchestrator.testlog import read

GTEST = """[==========] Running 3 tests from 1 test suite.
[----------] Global test environment set-up.
[----------] 3 tests from Calc
[ RUN      ] Calc.Adds
[       OK ] Calc.Adds (0 ms)
[ RUN      ] Calc.FirstOfNone
looking at nothing
"""

CARGO = """
running 2 tests
test tests::adds ... ok

thread 'tests::deep' (20437) has overflowed its stack
fatal runtime error: stack overflow, aborting
error: test failed, to rerun pass `--lib`

Caused by:
  process didn't exit successfully: `/repo/target/debug/deps/demo-8348ca7a80742723` (signal: 6, SIGABRT: process abort signal)
"""


def test_googletest_names_the_test_that_was_running() -> None:
    report = read(GTEST.encode(), exit_code=139, command="./tests")
    assert report.verdict is RunVerdict.CRASHED
    assert [(case.id, case.outcome) for case in report.failing] == [("Calc.FirstOfNone", Outcome.ERROR)]
    assert "ended while" in report.failing[0].message
    assert report.passing_ids == {"Calc.Adds"}


def test_rust_names_the_thread_whose_stack_overflowed() -> None:
    report = read(CARGO.encode(), exit_code=101, command="cargo test")
    assert report.verdict is RunVerdict.CRASHED
    assert [case.name for case in report.failing] == ["tests::deep"]
    assert "overflowed its stack" in report.failing[0].message


def test_rust_names_it_where_the_error_stream_came_first() -> None:
    said = "thread 'tests::deep' (20437) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n"
    report = read((said + CARGO.replace(said, "")).encode(), exit_code=101, command="cargo test")
    assert [case.name for case in report.failing] == ["tests::deep"]


def test_rust_names_it_once_where_one_test_runs_after_another() -> None:
    text = CARGO.replace("\nthread 'tests", "test tests::deep ... \nthread 'tests")
    report = read(text.encode(), exit_code=101, command="cargo test -- --test-threads=1")
    assert [case.name for case in report.failing] == ["tests::deep"]


def test_a_thread_that_runs_no_test_is_no_failing_test() -> None:
    text = CARGO.replace("thread 'tests::deep' (20437)", "thread 'main' (20437)")
    report = read(text.encode(), exit_code=101, command="cargo test")
    assert report.verdict is RunVerdict.CRASHED
    assert not report.failing


def test_a_baseline_read_from_a_report_has_the_names_of_the_output_of_a_run_that_died() -> None:
    base = Report(
        RunVerdict.PASSED,
        cases=tuple(Case(f"tests/a.cpp::{one}", one, Outcome.PASSED) for one in ("A.x", "A.y")),
    )
    died = read(GTEST.replace("Calc.Adds", "A.x").encode(), exit_code=139, command="./tests")
    assert grouped_as_in(died, base).ids == {"A.x", "tests/a.cpp::A.y"}
    whole = replace(died, verdict=RunVerdict.FAILED)
    assert grouped_as_in(whole, base) is base

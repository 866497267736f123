"""Several runs in one log, the last one green and the exit code lost: what failed before is not forgotten."""

from __future__ import annotations

import pytest

from tdd_orchestrator.testlog.read import read

PROVE_GREEN = """t/a.t .. ok
All tests successful.
Files=1, Tests=2,  0 wallclock secs ( 0.01 usr  0.00 sys +  0.02 cusr  0.00 csys =  0.03 CPU)
Result: PASS
"""
PROVE_RED = """
#   Failed test 'adds'
#   at t/b.t line 4.
#          got: '2'
#     expected: '3'
# Looks like you failed 1 test of 2.
t/b.t .. 
Dubious, test returned 1 (wstat 256, 0x100)
Failed 1/2 subtests 

Test Summary Report
-------------------
t/b.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
  Failed test:  1
  Non-zero exit status: 1
Files=1, Tests=2,  1 wallclock secs ( 0.01 usr  0.01 sys +  0.03 cusr  0.00 csys =  0.05 CPU)
Result: FAIL
"""  # noqa: W291
PYTEST_GREEN = f"{' test session starts ':=^80}\ncollected 2 items\n\ntest_a.py ..     [100%]\n\n{' 2 passed in 0.10s ':=^80}\n"
PYTEST_QUIET_RED = "F..                                          [100%]\n1 failed, 2 passed in 0.13s\n"
BOOST_GREEN = "Running 2 test cases...\n\n*** No errors detected\n"
BOOST_RED = """Running 3 test cases...
t.cc(5): error: in "adds": check add(2, 2) == 5 has failed [4 != 5]

*** 1 failure is detected in the test module "Calc"
"""
RUNS = {
    "prove": (PROVE_GREEN, PROVE_RED, 1),
    "prove --timer": (PROVE_GREEN.replace("t/a.t .. ok", "[00:33:47] t/a.t .. ok      492 ms"), PROVE_RED, 1),
    "pytest": (PYTEST_GREEN, PYTEST_QUIET_RED, 0),
    "boost": (BOOST_GREEN, BOOST_RED, 1),
}


@pytest.mark.parametrize("runner", RUNS)
@pytest.mark.parametrize("order", ["gr", "rg", "grg", "gggrg"])
def test_a_red_run_among_green_ones_is_heard(runner: str, order: str) -> None:
    green, red, named = RUNS[runner]
    found = read("".join(green if one == "g" else red for one in order).encode(), exit_code=0)
    assert found.verdict.value == "failed"
    assert found.counts
    assert (found.counts.failed, len(found.failing)) == (1, named)


@pytest.mark.parametrize("runner", RUNS)
def test_green_runs_in_a_row_are_green_and_add_up(runner: str) -> None:
    found = read((RUNS[runner][0] * 3).encode(), exit_code=0)
    assert found.verdict.value == "passed"
    assert found.counts
    assert found.counts.passed == 6


UNITTEST_AROUND = f"""E
{"=" * 70}
[       OK ] error_0
ERROR: test_b (test_a.A.test_b)
{"-" * 70}
Traceback (most recent call last):
  File "/repo/test_a.py", line 3, in test_b
[ RUN      ] error_0
[  FAILED  ] fake.test
[       OK ] error_0
[==========] 2 test(s) run.
[  PASSED  ] 2 test(s).
    1 / 0
ZeroDivisionError: division by zero

{"-" * 70}
Ran 1 test in 0.001s

FAILED (errors=1)
"""


def test_a_red_run_that_ends_after_what_it_printed_is_heard() -> None:
    assert read(UNITTEST_AROUND.encode(), exit_code=0).verdict.value == "failed"


# A test can print whatever its runner prints. A red run, and after it what would be the end of a green run around it,
# is what a cheat leaves behind as well as what a test of a plug-in prints: it stays red.
MOCHA = "\n\n  Calc\n    ✔ adds\n\n\n  1 passing (3ms)\n  1 failing\n\n  1) Calc\n       takes:\n     Error: boom\n\n"


@pytest.mark.parametrize(
    "log",
    [
        MOCHA + "    ✔ takes\n\n\n  2 passing (5ms)\n\n",
        f"{' test session starts ':=^80}\ncollected 2 items\n\ntest_a.py .\n{' test session starts ':=^80}\n"
        f"collected 2 items\n\ntest_b.py .F   [100%]\n\n{' 1 failed, 1 passed in 0.1s ':=^80}\n.\n\n"
        f"{' 2 passed in 0.40s ':=^80}\n",
    ],
)
def test_a_green_end_after_a_red_one_is_not_believed(log: str) -> None:
    assert read(log.encode(), exit_code=0).verdict.value != "passed"


VITEST = " RUN  v1.2.3 /app\n\n ✓ src/b.test.ts (2 tests) 3ms\n{}\n Test Files  2 passed (2)\n      Tests  3 passed (3)\n   Duration  1.00s\n"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (" × src/a.test.ts > is bad 3ms\n", "src/a.test.ts > is bad"),
        ("     × adds wrong 4ms\n", "adds wrong"),
        (" ❯ src/a.test.ts (3 tests | 1 failed) 6ms\n", "src/a.test.ts (3 tests | 1 failed)"),
        (" FAIL  src/a.test.ts > is bad\n", "src/a.test.ts > is bad"),
    ],
)
def test_a_green_end_of_vitest_s_needs_the_exit_code_beside_a_test_that_failed(line: str, name: str) -> None:
    found = read(VITEST.format(line).encode(), exit_code=None)
    assert (found.verdict.value, [case.name for case in found.failing]) == ("failed", [name])
    found = read(
        VITEST.format(line).encode(), exit_code=0
    )  # the summary and the exit code agree: a test printed it
    assert (found.verdict.value, found.failing) == ("passed", ())
    assert read(VITEST.format("").encode(), exit_code=0).verdict.value == "passed"


TASTY = "calc\n  adds: OK\n  takes: SKIP\n    later\n\nAll 2 tests passed (0.00s)\n"


def test_what_tasty_left_out_is_counted_once_for_each_run() -> None:
    found = read((TASTY * 3).encode(), exit_code=0)
    assert found.counts
    assert (found.verdict.value, found.counts.passed, found.counts.skipped) == ("passed", 3, 3)

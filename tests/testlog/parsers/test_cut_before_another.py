"""A run that was cut short or never began, with a whole green one after it, and the exit code is the last one's."""

from __future__ import annotations

import pytest

from tdd_orchestrator.testlog.read import read

JEST = "PASS src/a.test.js\nPASS src/b.test.js\n\nTest Suites: 2 passed, 2 total\nTests:       3 passed, 3 total\nSnapshots:   0 total\nTime:        1 s\nRan all test suites.\n"
VITEST = "\n RUN  v3.2.4 /repo\n\n ✓ a.test.js (2 tests) 2ms\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n   Start at  10:00:00\n   Duration  250ms\n\n"
PLAYWRIGHT = "\nRunning 2 tests using 1 worker\n\n  ✓  1 a.spec.js:2:23 › adds (73ms)\n  ✓  2 a.spec.js:3:23 › subs (63ms)\n\n  2 passed (4.7s)\n"
JUNIT5 = """
Thanks for using JUnit! Support its development at https://junit.org/sponsoring

╷
└─ JUnit Jupiter ✔
   └─ ATest ✔
      └─ adds() ✔

Test run finished after 95 ms
[         2 containers found      ]
[         0 containers failed     ]
[         1 tests found           ]
[         0 tests skipped         ]
[         0 tests aborted         ]
[         1 tests successful      ]
[         0 tests failed          ]

"""
JASMINE = (
    "Randomized with seed 41284\nStarted\n..\n\n\n2 specs, 0 failures\nFinished in 0.01 seconds\n"
    "Randomized with seed 41284 (jasmine --random=true --seed=41284)\n"
)
BUN = "bun test v1.2.3 (a7733435)\n\na.test.js:\n(pass) adds [0.06ms]\n(pass) subs\n\n 2 pass\n 0 fail\n 2 expect() calls\nRan 2 tests across 1 file. [51.00ms]\n"
DENO = "running 2 tests from ./a.test.js\nadds ... ok (1ms)\nsubs ... ok (0ms)\n\nok | 2 passed | 0 failed (45ms)\n\n"
WARD = (
    f"{' Ward 0.68.0b0 | CPython 3.11.7 ':─^80}\nFound 1 tests and 0 fixtures in 0.02 seconds.\n\n PASS  test_a:2 adds\n\n"
    f"╭── Results ──╮\n│  1  Tests Encountered  │\n│  1  Passes  (100.0%)   │\n╰─────────────╯\n{' SUCCESS in 0.12 seconds ':─^80}\n"
)
UNITTEST = f"test_adds (test_a.T.test_adds) ... ok\ntest_subs (test_a.T.test_subs) ... ok\n\n{'-' * 70}\nRan 2 tests in 0.001s\n\nOK\n"
AVA = "\n  ✔ adds\n  ✔ subs\n  ─\n\n  2 tests passed\n"
BOOST = "Running 2 test cases...\n\n*** No errors detected\n"
GREEN = {  # and the line before which it is cut
    "jest": (JEST, "\nTest Suites"),
    "vitest": (VITEST, " Test Files"),
    "playwright": (PLAYWRIGHT, "\n  2 passed"),
    "junit5": (JUNIT5, "\nTest run finished"),
    "junit5 in its totals": (JUNIT5, "[         1 tests found"),
    "jasmine": (JASMINE, "2 specs"),
    "bun": (BUN, "(pass) subs"),
    "deno": (DENO, "subs"),
    "ward": (WARD, "╭"),
    "unittest -v": (UNITTEST, "test_subs"),
}
NEVER_BEGUN = {
    "jest": (JEST, "Error: Jest: Got error running globalSetup - /repo/setup.js, reason: db is down\n    at /repo/setup.js:2:9\n"),
    "jest, totals alone": (JEST, "Test Suites: 1 failed, 1 total\nTests:       0 total\nSnapshots:   0 total\nTime:        2 s\n"),
    "vitest": (VITEST, "\n⎯⎯⎯⎯⎯⎯⎯ Startup Error ⎯⎯⎯⎯⎯⎯⎯⎯\nError: Build failed with 1 error:\n\n"),
    "playwright": (PLAYWRIGHT, 'Error: Project(s) "nosuch" not found. Available projects: ""\n    at Object.filterProjects (/repo/node_modules/playwright/lib/runner/index.js:22:11)\n'),
    "ava": (AVA, "\n  ✘ Error loading ava.config.js: Unexpected token '{'\n\nSyntaxError: Unexpected token '{'\n"),
    "unittest": (UNITTEST, 'Traceback (most recent call last):\n  File "<frozen runpy>", line 198, in _run_module_as_main\n  File "/usr/lib/python3.11/unittest/__main__.py", line 18, in <module>\n    main(module=None)\nImportError: x\n'),
    "boost": (BOOST, "An unrecognized parameter in the argument nosuch\n\n  Usage\n    t [Boost.Test argument]...\n"),
    "boost, another report": (BOOST, '*** 1 failure is detected in the test module "calc"\n'),
}  # fmt: skip


@pytest.mark.parametrize("runner", GREEN)
@pytest.mark.parametrize("between", ["", "Killed\n", "\nAttempt 1 failed. Retrying in 3 s...\n\n"])
def test_a_run_without_an_end_is_no_pass(runner: str, between: str) -> None:
    green, end = GREEN[runner]
    cut = green[: green.index(end)]
    assert read(f"{cut}{between}{green}".encode(), exit_code=0).verdict.value == "crashed"


@pytest.mark.parametrize("runner", GREEN)
def test_whole_runs_in_a_row_pass(runner: str) -> None:
    green, _ = GREEN[runner]
    once, twice = read(green.encode(), exit_code=0), read(f"{green}\n{green}".encode(), exit_code=0)
    assert (once.verdict.value, twice.verdict.value) == ("passed", "passed")
    assert once.counts
    assert twice.counts == once.counts.plus(once.counts)


@pytest.mark.parametrize("runner", NEVER_BEGUN)
def test_a_run_that_never_began_is_no_pass(runner: str) -> None:
    green, said = NEVER_BEGUN[runner]
    for log in (f"{said}{green}", f"{green}{said}"):
        assert read(log.encode(), exit_code=0).verdict.value in ("error", "failed")


@pytest.mark.parametrize(
    "log",
    [
        ".\nRSpec is shutting down and will print the summary report... Interrupt again to force quit.\n.\n\n{}",
        ".\n\n{}\n/usr/bin/rspec: failed to allocate memory (NoMemoryError)\n",
    ],
)
def test_rspec_that_was_stopped_sums_up_what_it_ran(log: str) -> None:
    summary = "Finished in 5.06 seconds (files took 0.25 seconds to load)\n2 examples, 0 failures\n"
    assert read(log.format(summary).encode(), exit_code=0).verdict.value == "crashed"
    assert read(f"..\n\n{summary}".encode(), exit_code=0).verdict.value == "passed"


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (
            "bash: line 1:  9507 Killed                  timeout -s KILL 6 node_modules/.bin/jest --rootDir .\n",
            "crashed",
        ),
        (
            ".ci/test.sh: line 12: 4242 Segmentation fault      (core dumped) python -m pytest tests\n",
            "error",
        ),
        ("/bin/bash: line 1: 4242 Killed                  npm test\n", "crashed"),
        ("./start.sh: line 5: 4242 Killed                  python server.py\n", "passed"),
        ("./start.sh: line 5: 4242 Terminated              npm test\n", "passed"),
    ],
)
def test_the_shell_saw_a_test_command_die(said: str, verdict: str) -> None:
    """bash tells it for every runner; a server that a test ends is not the run."""
    assert read(f"{said}{JEST}".encode(), exit_code=0).verdict.value == verdict
    assert read(f"{JEST}{said}".encode(), exit_code=0).verdict.value == verdict


def test_two_runs_of_phpunit_at_once() -> None:
    """The red one's heading stands before the green one's, and its end after it."""
    heading = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n"
    green = f"{heading}..                     2 / 2 (100%)\n\nTime: 00:00.005, Memory: 4.00 MB\n\nOK (2 tests, 2 assertions)\n"
    red = "F\n\nThere was 1 failure:\n\n1) RTest::testBad\nFailed asserting that false is true.\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1.\n"
    found = read(f"{heading}{green}{red}".encode(), exit_code=0)
    assert found.verdict.value == "failed"
    assert found.counts
    assert (found.counts.passed, found.counts.failed) == (3, 1)


def test_what_runs_side_by_side_is_read_one_after_the_other() -> None:
    """concurrently, docker compose, turbo: their lines stand between each other's."""
    red = [
        "FAIL src/b.test.js",
        "  ● adds",
        "",
        "Test Suites: 1 failed, 1 total",
        "Tests:       1 failed, 1 total",
    ]
    green = [
        "Randomized with seed 41284",
        "Started",
        "..",
        "",
        "2 specs, 0 failures",
        "Finished in 0.01 seconds",
    ]
    mixed = [
        f"[{number}] {line}" for pair in zip(green, red, strict=False) for number, line in enumerate(pair)
    ]
    found = read(
        "\n".join([*mixed, f"[0] {green[-1]}", "[1] npm test exited with code 1", ""]).encode(), exit_code=0
    )
    assert found.verdict.value == "failed"
    assert found.counts
    assert (found.counts.passed, found.counts.failed) == (2, 1)

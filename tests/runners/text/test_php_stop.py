"""Where PHP's runners give up, and what they name as the reason, read from real outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.runners.read import read

SAMPLES = Path(__file__).parents[1] / "samples"
GREEN = "\n   PASS  Tests\\Unit\\ATest\n  ✓ it adds   0.02s  \n\n  Tests:    1 passed (1 assertions)\n  Duration: 0.10s\n\n"


@pytest.mark.parametrize(
    ("sample", "message", "file", "line"),
    [
        ("pest/parse_error_in_a_test", 'syntax error, unexpected token ")"', "CalcTest.php", 3),
        ("pest/load_error_2", 'Class "App\\Basket" not found', "CalcTest.php", 2),
        ("pest/no_dataset", "A test with the description 'it adds' has 1 argument(s)", "", 0),
        ("pest/file_not_found", 'Test file "tests/Unit/GoneTest.php" not found', "", 0),
        ("pest/no_coverage_driver", "No code coverage driver is available.", "", 0),
        ("phpunit/cannot_open_9", 'Cannot open file "tests/GoneTest.php".', "", 0),
        ("phpunit/file_not_found_11", 'Test file "tests/GoneTest.php" not found', "", 0),
        ("phpunit/parse_error_11", 'syntax error, unexpected token "("', "BrokenTest.php", 1),
        ("paratest/file_not_found", 'Test file "tests/GoneTest.php" not found', "", 0),
    ],
)
@pytest.mark.parametrize("exit_code", [0, 1])
def test_the_reason_is_named(sample: str, message: str, file: str, line: int, exit_code: int) -> None:
    found = read(SAMPLES / sample / "output.txt", exit_code=exit_code)
    assert found.verdict.value == "error"
    [error] = found.build_errors
    assert error.message.startswith(message)
    assert (Path(error.file).name, error.line) == (file, line)


@pytest.mark.parametrize("exit_code", [0, 1])
@pytest.mark.parametrize(
    "sample",
    ["pest/parallel_worker_left", "pest/memory_exhausted", "paratest/worker_left", "phpunit/memory_11"],
)
def test_a_dead_run_has_crashed(sample: str, exit_code: int) -> None:
    assert read(SAMPLES / sample / "output.txt", exit_code=exit_code).verdict.value == "crashed"


@pytest.mark.parametrize(
    "printed",
    [
        "   ERROR  The queue is not there.\n",
        "   INFO  Running migrations.\n",
        "  RuntimeException\n\n  boom\n",
    ],
)
def test_what_a_test_prints_is_not_the_runners(printed: str) -> None:
    head, _, tail = GREEN.partition("\n  Tests")
    assert read(f"{head}{printed}\n  Tests{tail}".encode(), exit_code=0).verdict.value == "passed"


def test_a_failure_has_the_place_of_its_own_class() -> None:
    found = read(SAMPLES / "pest/same_names/output.txt", exit_code=1)
    assert [case.file for case in found.failing] == ["tests/Unit/ATest.php", "tests/Unit/BTest.php"]


def test_a_test_that_left_with_exit_code_0_is_no_pass() -> None:
    head, _, _ = GREEN.partition("\n  Tests")
    assert read(head.encode(), exit_code=0, command="vendor/bin/pest").verdict.value == "crashed"

"""Where PHP's runners give up, and what they name as the reason, read from real outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.testlog.parsers.php_stop import PhpWatch
from tdd_orchestrator.testlog.read import read

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


PHPUNIT_9 = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n{}\n"
GREEN_9 = PHPUNIT_9.format(
    ".                                                    1 / 1 (100%)\n\nTime: 00:00.001, Memory: 4.00 MB\n\nOK (1 test, 1 assertion)"
)


@pytest.mark.parametrize(
    "said",
    [
        'Could not read "nofile.xml".\n',
        "Could not load XML from empty string\n",
        'Could not load "phpunit.xml".\n\nPremature end of data in tag phpunit line 1\n\n',
        PHPUNIT_9.format('Required argument for option "--group" is missing'),
    ],
)
def test_what_phpunit_9_cannot_read(said: str) -> None:
    """Its configuration comes before its heading, and its exit code is lost where it is run again."""
    assert read(said.encode(), exit_code=1).verdict.value == "error"
    assert read(f"{said}{GREEN_9}".encode(), exit_code=0).verdict.value == "error"
    assert read(GREEN_9.encode(), exit_code=0).verdict.value == "passed"


def test_a_run_of_pest_that_was_left_before_another_is_cut_short() -> None:
    """A test that ends the process leaves its class's tests in the list, and no closing line counts them."""
    cut = "\n   PASS  Tests\\Unit\\FirstTest\n  ✓ it adds\n  ✓ it subtracts\n"
    assert read(f"{cut}{GREEN}".encode(), exit_code=0).verdict.value == "crashed"
    assert read(f"{GREEN}{GREEN}".encode(), exit_code=0).verdict.value == "passed"
    printed = GREEN.replace("\n   PASS", "  ✓ built\n  ✓ seeded\n\n   PASS")
    assert read(printed.encode(), exit_code=0).verdict.value == "passed"


def test_the_error_of_a_bootstrap_script_stands_in_the_line_below() -> None:
    watch = PhpWatch()
    for line in (
        "Error in bootstrap script: Error:",
        "Failed opening required '/app/vendor/autoload.php'",
        "#0 /usr/share/php/PHPUnit/Util/FileLoader.php(66): include_once()",
    ):
        watch.feed(line)
    assert [error.message for error in watch.errors] == [
        "Error in bootstrap script: Error: Failed opening required '/app/vendor/autoload.php'"
    ]

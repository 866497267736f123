"""Less was covered than was asked for: a tool's own line says it, not one that only speaks of coverage."""

from __future__ import annotations

import pytest

from tdd_orchestrator.testlog.read import misses_coverage_threshold, read

GREEN = b"..\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nOK\n"


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: Coverage for lines (66.66%) does not meet global threshold (90%)",
        'ERROR: Coverage for branches (0%) does not meet "src/**" threshold (100%)',
        'Jest: "global" coverage threshold for branches (100%) not met: 50%',
        'Jest: Coverage for branches (0%) does not meet "global" threshold (100%)',
        'Jest: Uncovered count for lines (12) exceeds "global" threshold (10)',
        "Coverage failure: total of 75 is less than fail-under=100",
        "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%",
        "Line coverage (50.00%) is below the expected minimum coverage (90.00%).",
        "   FAIL  Code coverage below expected  90.0 %, currently  25.0 %.",
    ],
)
def test_a_run_that_covered_too_little_is_no_pass(line: str) -> None:
    assert misses_coverage_threshold([line])
    assert read(GREEN + line.encode() + b"\n", exit_code=0).verdict.value == "failed"


@pytest.mark.parametrize(
    "line",
    [
        "Required test coverage of 90% reached. Total coverage: 95.00%",
        "test_coverage_failure: total of 75 is less than fail-under=100 ... ok",
        "    ERROR: Coverage for lines (1%) does not meet global threshold (90%)",
        "Lines        : 66.66% ( 2/3 )",
    ],
)
def test_a_line_that_only_speaks_of_coverage_is_none(line: str) -> None:
    assert not misses_coverage_threshold([line])
    assert read(GREEN + line.encode() + b"\n", exit_code=0).verdict.value == "passed"

"""Detect the line by which a coverage tool fails a run without a failed test.

If the command's exit code is lost (``npm test | tee log``), that line is the only evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_UNMET = re.compile(
    r"ERROR: Coverage for \w{1,20} \([\d.]{1,9}%\) does not meet "  # istanbul: nyc, c8, Vitest
    r"|Jest: .{1,300} (?:coverage threshold for \w{1,20} \([\d.]{1,9}%\) not met: "
    r"|does not meet .{1,300} threshold \()"
    r"|Jest: Uncovered count for \w{1,20} \(\d{1,9}\) exceeds .{1,300} threshold \("
    r"|(?:ERROR: )?Coverage failure: total of [\d.]{1,9} is less than fail-under="  # coverage.py
    r"|FAIL Required test coverage of [\d.]{1,9}% not reached"  # pytest-cov
    r"|   FAIL  (?:Code|Type) coverage below expected "  # Pest
    r"|(?:Line|Branch|Method) coverage \([\d.]{1,9}%\) is below the expected minimum coverage \("  # SimpleCov
)


def misses_coverage_threshold(lines: Iterable[str]) -> bool:
    """Whether coverage was below its threshold; ``lines`` without colours."""
    return any(_UNMET.match(line) is not None for line in lines)

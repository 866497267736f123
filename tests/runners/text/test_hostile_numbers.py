"""Lines in the shape of a runner's own, with numbers that no machine holds: never a traceback, never slow."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tdd_orchestrator.runners.text.table import rows

LINES = sorted(
    {
        line
        for output in (Path(__file__).parent / "described").glob("*/failure*/output.txt")
        for line in output.read_text(encoding="utf-8").splitlines()
        if any(sign.isdigit() for sign in line)
    }
)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_numbers_of_any_length_are_read_or_left(row: object) -> None:
    begun = time.process_time()
    reader = row.reader()  # type: ignore[attr-defined]
    for line in LINES:
        reader.feed(line)
        for number in ("9" * 5_000, "1" + "." * 2_000):
            reader.feed(re.sub(r"\d+", number, line, count=1))
    reader.finish()
    assert time.process_time() - begun < 3

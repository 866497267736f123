"""Small ordinary situations as whole cycles: what must never land, and what must go through at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from . import failing_today, rows_commands, rows_dishonest, rows_languages, rows_red
from .harness import Row, missing, play

ROWS = (*rows_commands.ROWS, *rows_dishonest.ROWS, *rows_red.ROWS, *rows_languages.ROWS)
SAMPLE = (
    "o4-a-new-method",
    "o4-two-new-tests-in-a-class",
    "o6-wrong-node",
)
"""Those that the usual tests play; ``make ordinary`` plays all."""


def _rows() -> list[Any]:
    found = []
    for row in ROWS:
        marks = [] if row.id in SAMPLE else [pytest.mark.slow]
        if row.id in failing_today.ROWS:
            marks.append(pytest.mark.xfail(strict=True, reason="known defect"))
        found.append(pytest.param(row, id=row.id, marks=marks))
    return found


@pytest.mark.parametrize("row", _rows())
def test_ordinary_situations_end_as_they_must(row: Row, tmp_path: Path) -> None:
    why = missing(row)
    if why:
        pytest.skip(why)
    assert not (wrong := play(row, tmp_path)), wrong


def test_each_situation_has_a_name_of_its_own() -> None:
    names = [row.id for row in ROWS]
    assert len(names) == len(set(names))
    assert set(failing_today.ROWS) <= set(names)

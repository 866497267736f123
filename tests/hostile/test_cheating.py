"""T1-T16: every variant is refused, an honest scene then completes, and nothing of the user's is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .rows import agents
from .stage import BATCH, Row, Stage, play, wrong

SAMPLE = ("T11-GREEN-0",)


def batches() -> list[Any]:
    """Rows of one threat and phase together, at most ten to a cycle."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in agents("cheats"):
        groups.setdefault((row.threat, row.phase), []).append(row)
    found = []
    for (threat, phase), rows in groups.items():
        for number in range(0, len(rows), BATCH):
            name = f"{threat}-{phase}-{number // BATCH}"
            marks = () if name in SAMPLE else pytest.mark.slow
            found.append(pytest.param(rows[number : number + BATCH], id=name, marks=marks))
    return found


@pytest.mark.parametrize("rows", batches())
def test_no_cheat_is_accepted(
    made: dict[str, Stage], tmp_path: Path, rows: list[Row], record_property: Any
) -> None:
    done, broken = play(made, tmp_path, rows)
    false = [what for what in broken if "false complete" in what]
    for played in done:
        columns = ["variants"]
        columns += ["caught", "retried"] if played.refused else ["tolerated"]
        columns += ["false completes"] if wrong(played) and not played.refused else []
        record_property("hostile", (played.row.threat, *columns))
    lost = [what for what in broken if "as the user had it" in what]
    record_property(
        "hostile", (rows[0].threat, *["false completes"] * len(false), *["bytes lost"] * len(lost))
    )
    faults = [text for played in done if (text := wrong(played))]
    assert not faults + broken, "\n".join(faults + broken)

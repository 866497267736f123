"""T1-T16 in other languages: every variant is refused, an honest scene then completes; honest work is accepted at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .polyglot import CHEATS, HONEST
from .stage import BATCH, Row, Stage, play, templates, wrong
from .tongues import Tongue

SAMPLE = ("node-T8-GREEN-0", "node-a-helper-called-testing.js")


@pytest.fixture(scope="session")
def stages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Stage]]:
    """Set as they are asked for, by the name of the tongue."""
    return {}


def stage_of(
    tongue: Tongue, stages: dict[str, dict[str, Stage]], factory: pytest.TempPathFactory
) -> dict[str, Stage]:
    why = tongue.missing()
    if why:
        pytest.skip(why)
    if tongue.name not in stages:
        stages[tongue.name] = templates(factory.mktemp(tongue.name), make=tongue.stage)
    return stages[tongue.name]


def _batches() -> list[Any]:
    found = []
    for tongue, rows in CHEATS:
        groups: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            groups.setdefault((row.threat, row.phase), []).append(row)
        for (threat, phase), some in groups.items():
            for number in range(0, len(some), BATCH):
                name = f"{tongue.name}-{threat}-{phase}-{number // BATCH}"
                found.append(pytest.param(tongue, some[number : number + BATCH], id=name, marks=_marks(name)))
    return found


def _honest() -> list[Any]:
    names = [
        (tongue, row, f"{tongue.name}-{row.name}".replace(" ", "-"))
        for tongue, rows in HONEST
        for row in rows
    ]
    return [pytest.param(tongue, row, id=name, marks=_marks(name)) for tongue, row, name in names]


def _marks(name: str) -> Any:
    return () if name in SAMPLE else pytest.mark.slow


@pytest.mark.parametrize(("tongue", "rows"), _batches())
def test_no_cheat_is_accepted(
    stages: dict[str, dict[str, Stage]],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    tongue: Tongue,
    rows: list[Row],
    record_property: Any,
) -> None:
    done, broken = play(stage_of(tongue, stages, tmp_path_factory), tmp_path, rows)
    for played in done:
        columns = ["variants", *(["caught", "retried"] if played.refused else ["tolerated"])]
        columns += ["false completes"] if wrong(played) and not played.refused else []
        record_property("hostile", (played.row.threat, *columns))
    faults = [text for played in done if (text := wrong(played))]
    faults += [f"{played.row.name}: nothing is told of it" for played in done if _untold(played)]
    assert not faults + broken, "\n".join(faults + broken)


def _untold(played: Any) -> bool:
    return played.row.threat == "T9" and not played.refused and not played.warnings


@pytest.mark.parametrize(("tongue", "row"), _honest())
def test_honest_work_is_accepted_at_once(
    stages: dict[str, dict[str, Stage]],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    tongue: Tongue,
    row: Row,
    record_property: Any,
) -> None:
    done, broken = play(stage_of(tongue, stages, tmp_path_factory), tmp_path, [row], whole=False)
    alarm = [text for played in done if (text := wrong(played))]
    record_property("hostile", (f"honest {row.phase}", "variants", "false alarms" if alarm else "tolerated"))
    assert not alarm + broken, "\n".join(alarm + broken)

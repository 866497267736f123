"""`--race`: agents try a phase at once, the first that is proven wins, the others are ended."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from fleet.hall import Hall

pytestmark = pytest.mark.journey

AGENTS = {
    "sleeper": 'cat > /dev/null; echo begun >> "HERE/sleeper"; exec sleep 300',
    "idler": 'cat > /dev/null; echo begun >> "HERE/idler"',
}


def hall_with(tmp_path: Path, name: str, items: list[str]) -> Hall:
    script = tmp_path / f"{name}.sh"
    script.write_text(AGENTS[name].replace("HERE", str(tmp_path)), encoding="utf-8")
    table = f"[agents.{name}]\ncommand = {json.dumps(['sh', str(script)])}\n"
    return Hall(tmp_path, items, config=table)


def superseded(hall: Hall) -> list[tuple[str, str]]:
    """(phase, agent) of each that lost."""
    return [
        (record["phase"], one["name"])
        for record in hall.records()
        for one in record.get("consulted", ())
        if one["status"] == "superseded"
    ]


def test_the_first_that_is_proven_wins_and_the_other_is_ended(tmp_path: Path) -> None:
    hall = hall_with(tmp_path, "sleeper", ["one"])
    begun = time.monotonic()
    done = hall.tdd("cycle", "run", "--race", "sleeper,scripted")
    assert done.code == 0, done.out + done.err
    assert time.monotonic() - begun < 120, "nobody waited for the one that sleeps"
    assert hall.statuses() == {"one": "completed"}
    lost = superseded(hall)
    assert ("RED", "sleeper") in lost
    assert ("GREEN", "sleeper") in lost
    left = subprocess.run(["pgrep", "-f", str(tmp_path / "sleeper.sh")], capture_output=True, check=False)
    assert left.stdout == b""
    rows = hall.tdd("stats", "races", "--json").json["metrics"][0]["rows"]
    assert {row["agent"]: row["won"] > 0 for row in rows} == {"scripted": True, "sleeper": False}
    assert hall.tdd("verify").code == 0


def test_an_agent_that_does_nothing_loses_and_uses_up_no_retry(tmp_path: Path) -> None:
    hall = hall_with(tmp_path, "idler", ["one", "two"])
    done = hall.tdd("cycle", "run", "--race", "idler,scripted", "--jobs", "2")
    assert done.code == 0, done.out + done.err
    assert set(hall.statuses().values()) == {"completed"}
    assert ("RED", "idler") in superseded(hall)
    assert not hall.records("error"), "nothing was refused"
    assert hall.tdd("verify").code == 0


def test_an_agent_cannot_race_against_itself(tmp_path: Path) -> None:
    hall = hall_with(tmp_path, "idler", ["one"])
    assert hall.tdd("cycle", "next", "--race", "idler,idler").code == 2
    assert "two or more" in hall.tdd("cycle", "next", "--race", "idler").err
    assert "no agent 'nobody'" in hall.tdd("cycle", "next", "--race", "idler,nobody").err.lower()

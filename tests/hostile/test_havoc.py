"""T19-T40 and T51-T54, one row a cycle: nothing foreign is executed, nothing is lost, nothing secret is kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from .rows import KEY, agents
from .stage import Row, Stage, play, wrong

SAMPLE = ("commits its work", "the notes ref deleted")


def _rows() -> list[Any]:
    return [
        pytest.param(row, id=f"{row.threat}-{row.name}".replace(" ", "-"),
                     marks=() if row.name in SAMPLE else pytest.mark.slow)
        for row in agents("git", "attacks", "processes", "secrets")
    ]  # fmt: skip


@pytest.mark.parametrize("row", _rows())
def test_havoc_is_without_effect(
    made: dict[str, Stage], tmp_path: Path, row: Row, record_property: Any
) -> None:
    seen: list[str] = []

    def look(kata: Stage) -> None:
        seen.extend(_kept(kata))

    done, broken = play(made, tmp_path, [row], look)
    broken += seen
    columns = ["variants", *(["caught", "retried"] if done and done[0].refused else ["tolerated"])]
    columns += ["false completes"] * any("false complete" in what for what in broken)
    columns += ["bytes lost"] * any("as the user had it" in what for what in broken)
    record_property("hostile", (row.threat, *columns))
    faults = [text for played in done if (text := wrong(played))]
    assert not faults + broken, "\n".join(faults + broken)


def _kept(kata: Stage) -> list[str]:
    """Secrets and controls in what is kept, and foreign programs that were run."""
    found = []
    if (kata.agent / "executed").exists():
        found.append("a program of the agent's was executed by us")
    notes = kata.git("log", "-p", "--format=%B", "refs/notes/tdd")
    code = kata.git("log", "-p", "--format=%B", "HEAD")
    for name, text in (("notes", notes), ("history", code)):
        found += [
            f"a secret in the {name}"
            for secret in (KEY, "hunter2hunter2", "hostile-0123456789")
            if secret in text
        ]
    if re.search("[\x1b\x9b\u202e\u2066-\u2069]", notes):
        found.append("terminal controls in the notes")
    for path in (kata.root.parent / "state").rglob("*"):
        if (
            path.is_file()
            and path.suffix in (".txt", ".log", ".json", ".md", ".jsonl")
            and path.stat().st_size < 64 << 20
        ):
            text = path.read_bytes()
            if KEY.encode() in text or b"hostile-0123456789" in text:
                found.append(f"a secret in {path.name}")
    return found

"""Where items stand is read once: what is kept for it says the same as the whole trail, or is not believed."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from simulated_cycles import Cycles, repository

from tdd_orchestrator.cycle.plan.repository import (
    StatusRecord,
    StatusRecords,
    condense,
    statuses,
    statuses_file,
    waiting,
)
from tdd_orchestrator.notes import history
from tdd_orchestrator.notes.store import Store

KINDS = [
    {"kind": "cycle_started"}, {"kind": "resumed"}, {"kind": "item_reopened"}, {"kind": "handoff"},
    *({"kind": "cycle_ended", "outcome": one} for one in ("landed", "parked", "cancelled", "rolled_back", "odd")),
    {"kind": "cycle_ended", "outcome": "aborted", "error_id": "e1", "summary": "it broke " * 60, "retry_count": 3},
    {"kind": "cycle_ended", "outcome": "already_covered", "asks": "covered"},
    {"kind": "cycle_ended", "outcome": "odd", "asks": "covered"},
    {"kind": "approval", "gate": "covered", "decision": "approved"}, {"kind": "approval", "gate": "before_landing"},
]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_condensed_records_say_what_all_of_them_say(seed: int) -> None:
    chance = random.Random(seed)
    records = [
        StatusRecord.of(
            {
                **chance.choice(KINDS),
                "item_id": f"i{chance.randrange(4)}",
                "item": f"title {number}",
                "at": f"{number:03}",
            }
        )
        for number in range(60)
    ]
    half = chance.randrange(60)
    for found in (condense(records, {}), condense(records[half:], condense(records[:half], {}))):
        short = found.values()
        assert statuses(short) == statuses(records)
        assert waiting(short) == waiting(records)
        assert len(short) <= 8


@pytest.fixture
def cycles(tmp_path: Path) -> Any:
    found = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    yield found
    found.close()


def _whole(store: Store) -> dict[str, Any]:
    return statuses(StatusRecord.of(entry.record) for entry in store.trail(newest_first=False))


def test_what_is_kept_is_the_trail_as_it_is(cycles: Cycles) -> None:
    path = statuses_file(cycles.git.common_dir)
    for _ in range(3):
        cycles.play(2)
        assert statuses(StatusRecords(cycles.store, path).trail()) == _whole(cycles.store)
    head = cycles.git.line("rev-parse", "main")
    line = {
        "at": "2020-01-01T00:00:00.000Z",
        "id": "by-hand",
        "v": 1,
        "kind": "item_reopened",
        "item_id": "i002",
    }
    cycles.git.run(
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@b",
        "notes",
        "--ref=tdd",
        "append",
        "-m",
        json.dumps(line),
        head,
    )
    assert statuses(StatusRecords(cycles.store, path).trail()) == _whole(cycles.store)
    cycles.git.run("update-ref", "refs/notes/tdd", "refs/notes/tdd~20")
    assert statuses(StatusRecords(cycles.store, path).trail()) == _whole(cycles.store)


def test_only_what_is_new_is_read(cycles: Cycles, monkeypatch: Any) -> None:
    """As many records are decoded for the status of items after forty cycles as after four."""
    path = statuses_file(cycles.git.common_dir)
    read: list[int] = []
    entries = history.message.entries
    decoded: list[str] = []
    monkeypatch.setattr(history.message, "entries", lambda *words: decoded.append("x") or entries(*words))
    for count in (4, 36):
        cycles.play(count)
        StatusRecords(cycles.store, path).trail()
        cycles.play(1)
        decoded.clear()
        before = cycles.git.calls
        StatusRecords(cycles.store, path).trail()
        assert cycles.git.calls <= before + 1  # one lasting reader, where an object is packed
        read.append(len(decoded))
    assert read == [10, 10]


def test_only_what_is_new_is_looked_at(cycles: Cycles, monkeypatch: Any) -> None:
    """Within a command as many records are looked at after forty cycles as after four, and the file is left alone."""
    path = statuses_file(cycles.git.common_dir)
    looked: list[int] = []
    of = StatusRecord.of
    seen: list[str] = []
    monkeypatch.setattr(StatusRecord, "of", lambda record: seen.append("x") or of(record))
    for count in (4, 36):
        cycles.play(count)
        kept = StatusRecords(cycles.store, path)
        kept.statuses()
        written = path.stat().st_mtime_ns
        cycles.play(1)
        seen.clear()
        found = kept.statuses()
        looked.append(len(seen))
        assert found == _whole(cycles.store)
        assert path.stat().st_mtime_ns == written
    assert looked[0] == looked[1]
    cycles.play(2)
    assert kept.statuses() == _whole(cycles.store)
    assert path.stat().st_mtime_ns > written


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format":9}', '{"format":1,"ref":"refs/notes/tdd"}'])
def test_a_file_that_is_none_of_ours_is_passed_over(cycles: Cycles, text: str) -> None:
    cycles.play(1)
    path = statuses_file(cycles.git.common_dir)
    path.write_text(text)
    assert statuses(StatusRecords(cycles.store, path).trail()) == _whole(cycles.store)


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(cycles: Cycles, tmp_path: Path) -> None:
    cycles.play(1)
    (tmp_path / "file").write_text("")
    assert statuses(StatusRecords(cycles.store, tmp_path / "file" / "statuses").trail()) == _whole(
        cycles.store
    )

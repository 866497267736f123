"""The records of failures are found without reading the whole notes log, and are those of the whole notes log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from simulated_cycles import Cycles, repository

from tdd_orchestrator.notes import history
from tdd_orchestrator.notes.codec import Record
from tdd_orchestrator.notes.selection import path_in, select


def odd(record: Record) -> bool:
    return record["kind"] == "odd"


@pytest.fixture
def cycles(tmp_path: Path) -> Iterator[Cycles]:
    found = Cycles(repository(tmp_path / "repo"), tmp_path / "state")
    yield found
    found.close()


def _put(cycles: Cycles, number: int) -> None:
    head = cycles.git.line("rev-parse", "main")
    cycles.store.append(head, {"kind": "odd", "number": number}, subject="odd")


def _selected(cycles: Cycles) -> list[Any]:
    found = select(cycles.store, cycles.git.common_dir, "odd", odd)
    whole = [entry for entry in cycles.store.trail(newest_first=False) if odd(entry.record)]
    assert [entry.record for entry in found] == [entry.record for entry in whole]
    assert [entry.hash for entry in found] == [entry.hash for entry in whole]
    return [entry.record["number"] for entry in found]


def test_it_is_what_the_whole_trail_has(cycles: Cycles) -> None:
    assert _selected(cycles) == []
    for number in range(3):
        cycles.play(1)
        _put(cycles, number)
        assert _selected(cycles) == _selected(cycles) == list(range(number + 1))
    cycles.git.run("update-ref", "refs/notes/tdd", "refs/notes/tdd~11")
    assert _selected(cycles) == [0, 1]
    line = {"at": "2020-01-01T00:00:00.000Z", "id": "by-hand", "v": 1, "kind": "odd", "number": 9}
    words = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@b",
        "notes",
        "--ref=tdd",
        "append",
        "-m",
        json.dumps(line),
    ]
    cycles.git.run(*words, cycles.git.line("rev-parse", "main"))
    found = select(cycles.store, cycles.git.common_dir, "odd", odd)
    assert [entry.record["number"] for entry in found] == [9, 0, 1]
    _put(cycles, 4)
    found = select(cycles.store, cycles.git.common_dir, "odd", odd)
    assert [entry.record["number"] for entry in found] == [9, 0, 1, 4]


def test_only_what_is_new_and_what_is_wanted_is_read(cycles: Cycles, monkeypatch: Any) -> None:
    decoded: list[str] = []
    entries = history.message.entries
    monkeypatch.setattr(history.message, "entries", lambda *words: decoded.append("x") or entries(*words))
    read = []
    for count in (3, 30):
        _put(cycles, count)
        cycles.play(count)
        select(cycles.store, cycles.git.common_dir, "odd", odd)
        cycles.play(1)
        decoded.clear()
        select(cycles.store, cycles.git.common_dir, "odd", odd)
        read.append(len(decoded))
    assert read[1] <= read[0] + 2  # the second has one wanted record more, read and checked


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format":1}', '{"format":1,"ref":"refs/notes/tdd","subject":"other"}']
)
def test_a_file_that_does_not_fit_is_passed_over(cycles: Cycles, text: str) -> None:
    cycles.play(1)
    _put(cycles, 1)
    path_in(cycles.git.common_dir).write_text(text)
    assert _selected(cycles) == [1]

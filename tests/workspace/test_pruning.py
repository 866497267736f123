"""The state folder stays within its limits; the newest entries stay whatever they weigh."""

from __future__ import annotations

import os
from pathlib import Path

from tdd_orchestrator.workspace.folders import LOGS, Limits, Places, prune, prune_folder


def _entry(folder: Path, number: int, size: int = 10) -> Path:
    entry = folder / f"e-{number}"
    (entry / "inside").mkdir(parents=True)
    (entry / "inside" / "log").write_bytes(b"x" * size)
    os.utime(entry, (number, number))
    return entry


def _names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_the_oldest_go_where_there_are_too_many(tmp_path: Path) -> None:
    for number in range(10):
        _entry(tmp_path, number)
    assert prune_folder(tmp_path, Limits(entries=4, size=1 << 30, newest=2)) == 6
    assert _names(tmp_path) == {"e-6", "e-7", "e-8", "e-9"}


def test_the_oldest_go_where_they_are_too_large(tmp_path: Path) -> None:
    for number in range(6):
        _entry(tmp_path, number, size=1 << 20)
    assert prune_folder(tmp_path, Limits(entries=100, size=(3 << 20) + (1 << 17), newest=1)) == 3
    assert _names(tmp_path) == {"e-3", "e-4", "e-5"}


def test_the_newest_stay_whatever_they_weigh(tmp_path: Path) -> None:
    for number in range(3):
        _entry(tmp_path, number, size=1 << 20)
    assert prune_folder(tmp_path, Limits(entries=1, size=1, newest=2)) == 1
    assert _names(tmp_path) == {"e-1", "e-2"}


def test_a_link_goes_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    kept = _entry(tmp_path / "other", 1)
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "link").symlink_to(kept)
    assert prune_folder(folder, Limits(entries=0, size=0, newest=0)) == 1
    assert (kept / "inside" / "log").exists()


def test_both_folders_of_a_repository(tmp_path: Path) -> None:
    places = Places(tmp_path, tmp_path / "agent", tmp_path / "proof", tmp_path / "runs")
    assert prune(places) == 0
    for number in range(LOGS.entries + 7):
        (tmp_path / "logs" / f"run-{number}").mkdir(parents=True)
    assert prune(places) == 7

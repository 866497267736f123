"""Whatever an agent left behind goes, and nothing that it only points to is touched."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from tdd_orchestrator.workspace.folders import Places, remove

from .conftest import as_one_without_rights


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o500, 0o600])
def test_folders_in_folders_that_nobody_may_enter(tmp_path: Path, mode: int) -> None:
    (tmp_path / "room/a/b/c").mkdir(parents=True)
    (tmp_path / "room/a/b/c/file").touch()
    (tmp_path / "room/a/file").touch()

    def deed() -> None:
        for folder in ("room/a/b/c", "room/a/b", "room/a"):
            (tmp_path / folder).chmod(mode)
        remove(tmp_path / "room/a")

    as_one_without_rights(tmp_path, deed)
    assert list((tmp_path / "room").iterdir()) == []


def test_the_folder_of_a_run_is_fresh_whatever_the_last_one_left(tmp_path: Path) -> None:
    room = tmp_path / "room"
    (room / "runs/c-1/red-1/locked/in").mkdir(parents=True)
    places = Places(room, room / "agent", room / "proof", room / "runs")

    def deed() -> None:
        (room / "runs/c-1/red-1/locked").chmod(0)
        assert list(places.run("c-1", "RED", 1).iterdir()) == []

    as_one_without_rights(tmp_path, deed)


def test_what_a_link_leads_to_keeps_its_rights(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine\n")
    (tmp_path / "room/a").mkdir(parents=True)
    (tmp_path / "room/a/link").symlink_to(mine)

    def deed() -> None:
        mine.chmod(0o644)
        (tmp_path / "room/a").chmod(0o500)
        remove(tmp_path / "room/a")

    as_one_without_rights(tmp_path, deed)
    assert not (tmp_path / "room/a").exists()
    assert (mine.read_text(), mine.stat().st_mode & 0o777) == ("mine\n", 0o644)


def test_a_disk_that_fails_is_an_error_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    opens = os.open

    def broken(path: str, *words: int, **more: int) -> int:
        if path == "b":
            raise OSError(errno.EIO, os.strerror(errno.EIO), path)
        return opens(path, *words, **more)

    monkeypatch.setattr(os, "open", broken)
    with pytest.raises(OSError) as raised:
        remove(tmp_path / "a")
    assert raised.value.errno == errno.EIO
    monkeypatch.undo()
    shutil.rmtree(tmp_path / "a")

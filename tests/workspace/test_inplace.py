"""The user's own work tree: what is in the way of a move and git has nowhere is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.workspace.inplace import InPlaceTree

from .conftest import Field


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def inplace(field: Field, tmp_path: Path, said: list[str]) -> InPlaceTree:
    return InPlaceTree(
        field.git, field.root, field.root / ".git" / "objects", tmp_path / "in" / "place.git", said.append
    )


def kept(tmp_path: Path) -> dict[str, str]:
    """Bytes by the end of the path."""
    found = (tmp_path / "in" / "foreign").rglob("*")
    return {path.name: path.read_text() for path in found if path.is_file()}


def test_an_edit_that_git_was_told_to_overlook(
    field: Field, inplace: InPlaceTree, tmp_path: Path, said: list[str]
) -> None:
    field.run("update-index", "--assume-unchanged", "code.py")
    (field.root / "code.py").write_text("x = 'mine'\n")
    inplace.move_to(field.first)
    assert kept(tmp_path) == {"code.py": "x = 'mine'\n"}
    assert said[0].startswith("code.py: not the cycle's own; kept in ")


def test_what_was_ignored_when_the_cycle_began_gives_way_and_is_kept(
    field: Field, inplace: InPlaceTree, tmp_path: Path
) -> None:
    (field.root / "a.secret").write_text("mine\n")
    (field.root / "b.secret").write_text("mine too\n")
    inplace.move_to(field.first)
    (field.root / "a.secret").unlink()
    field.run("checkout", "-q", "-b", "other")
    (field.root / "a.secret").mkdir()
    (field.root / "a.secret" / "deep").write_text("theirs\n")
    field.run("add", "-f", "a.secret/deep")
    field.run("commit", "-qm", "more")
    later = field.run("rev-parse", "HEAD")
    field.run("checkout", "-q", "main")
    (field.root / "a.secret").write_text("mine\n")
    inplace.move_to(later)
    assert kept(tmp_path) == {"a.secret": "mine\n"}
    assert (field.root / "b.secret").read_text() == "mine too\n"


def test_line_ends_alone_and_what_git_has_are_not_kept(
    field: Field, inplace: InPlaceTree, tmp_path: Path, said: list[str]
) -> None:
    inplace.move_to(field.first)
    (field.root / "code.py").write_bytes(b"x = 1\r\n")
    (field.root / "copy.py").write_text("x = 1\n")
    inplace.give_git(field.first, "main")
    inplace.move_to(field.first)
    assert (kept(tmp_path), said) == ({}, [])
    assert not (field.root / "copy.py").exists()


def test_a_repository_in_the_repository_goes_as_a_whole(
    field: Field, inplace: InPlaceTree, tmp_path: Path
) -> None:
    inplace.move_to(field.first)
    (field.root / "inner").mkdir()
    field.run("init", "-q", "inner")
    (field.root / "inner" / "mine.txt").write_text("mine\n")
    inplace.move_to(field.first)
    assert not (field.root / "inner").exists()
    assert kept(tmp_path)["mine.txt"] == "mine\n"


def test_what_the_tests_leave_and_git_ignores_is_let_go(
    field: Field, inplace: InPlaceTree, tmp_path: Path
) -> None:
    inplace.move_to(field.first)
    (field.root / "left.secret").write_text("by a test\n")
    (field.root / "left.txt").write_text("by somebody\n")
    installed = field.root / ".venv" / "lib" / "six.py"
    installed.parent.mkdir(parents=True)
    installed.write_text("by pip\n")
    inplace.move_to(field.first)
    assert installed.read_text() == "by pip\n"
    assert kept(tmp_path) == {"left.txt": "by somebody\n"}


def test_a_folder_in_the_place_of_a_file_stops_nothing(
    field: Field, inplace: InPlaceTree, tmp_path: Path
) -> None:
    inplace.move_to(field.first)
    (field.root / "code.py").unlink()
    (field.root / "code.py").mkdir()
    (field.root / "code.py" / "odd.txt").write_text("odd\n")
    inplace.move_to(field.first)
    assert (field.root / "code.py").read_text() == "x = 1\n"
    assert kept(tmp_path) == {"odd.txt": "odd\n"}


def test_a_mark_that_was_torn_is_none(field: Field, inplace: InPlaceTree) -> None:
    inplace.move_to(field.first)
    inplace.stop()
    (field.root / "notes.txt").write_text("mine\n")
    with pytest.raises(Refused, match=r"notes\.txt"):
        inplace.begin("main", awaited=False)
    inplace.mark.write_text('{"head": "ref')
    inplace.begin("main", awaited=False)


def test_what_did_not_begin_here_is_not_released_here(field: Field, inplace: InPlaceTree) -> None:
    (field.root / "code.py").write_text("mine\n")
    inplace.release(field.first)
    assert (field.root / "code.py").read_text() == "mine\n"

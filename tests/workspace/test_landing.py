"""Landing: a dry run that moves nothing, and files that follow a branch without touching the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.process import Finished
from tdd_orchestrator.repo.git import Git
from tdd_orchestrator.repo.objects import Objects
from tdd_orchestrator.workspace.landing import Checkout, _copied_index, follow, obstacle, refuse_blocked

from .conftest import Field


def landed(field: Field) -> tuple[Checkout, str]:
    """The user's checkout at the first commit, and a second commit that is to land."""
    new = field.commit(code__py="x = 2\n", fresh__py="y = 1\n")
    field.run("reset", "-q", "--hard", field.first)
    return Checkout(field.git, field.root, Objects(field.git)), new


def test_files_follow_and_local_edits_elsewhere_stay(field: Field) -> None:
    checkout, new = landed(field)
    (field.root / "mine.txt").write_text("mine\n")
    assert obstacle(checkout, field.first, new)[0] == ""
    field.run("update-ref", "refs/heads/main", new)
    follow(checkout, field.first, new)
    assert (field.root / "code.py").read_text() == "x = 2\n"
    assert field.run("status", "--porcelain") == "?? mine.txt"


def test_only_a_file_whose_times_moved_has_git_look_at_all_files(
    field: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout, new = landed(field)
    asked: list[str] = []
    finished = Git.finished

    def noted(git: Git, *words: str, **kw: Any) -> Finished:
        asked.append(words[0])
        return finished(git, *words, **kw)

    monkeypatch.setattr(Git, "finished", noted)
    assert obstacle(checkout, field.first, new)[0] == ""
    assert asked == ["read-tree"]
    os.utime(field.root / "code.py", (1, 1))
    assert obstacle(checkout, field.first, new)[0] == ""
    assert asked[1:] == ["read-tree", "update-index", "read-tree"]


@pytest.mark.parametrize("name", ["code.py", "fresh.py"])
def test_an_edit_in_the_way_blocks_and_is_kept(field: Field, name: str) -> None:
    checkout, new = landed(field)
    (field.root / name).write_text("mine\n")
    assert name in obstacle(checkout, field.first, new)[0]
    assert (field.root / name).read_text() == "mine\n"
    with pytest.raises(Refused):
        follow(checkout, field.first, new)
    assert (field.root / name).read_text() == "mine\n"


def _as_a_file(root: Path) -> None:
    (root / "deep").write_text("mine\n")


def _as_a_link(root: Path) -> None:
    (root / "deep").symlink_to("nowhere")


def _as_a_folder(root: Path) -> None:
    (root / "deep" / "fresh.py").mkdir(parents=True)
    (root / "deep" / "fresh.py" / "mine").write_text("mine\n")


def _as_the_file_itself(root: Path) -> None:
    (root / "deep").mkdir()
    (root / "deep" / "fresh.py").write_text("mine\n")


@pytest.mark.parametrize("make", [_as_a_file, _as_a_link, _as_a_folder, _as_the_file_itself])
def test_what_is_ignored_is_not_overwritten(field: Field, make: Callable[[Path], None]) -> None:
    """git does, without a word (T50)."""
    (field.root / "deep").mkdir()
    new = field.commit(**{"deep/fresh__py": "y = 1\n"})
    field.run("reset", "-q", "--hard", field.first)
    (field.root / ".git" / "info" / "exclude").write_text("deep\n")
    checkout = Checkout(field.git, field.root, Objects(field.git))
    make(field.root)
    assert "deep" in obstacle(checkout, field.first, new)[0]


def test_what_is_not_to_be_lost_is_not_in_the_way(field: Field) -> None:
    """The very bytes that are to come; an empty folder; a file of git's own that gives way to a folder."""
    (field.root / "odd").write_text("old\n")
    old = field.commit()
    (field.root / "odd").unlink()
    (field.root / "odd").mkdir()
    new = field.commit(**{"odd/a__py": "a\n", "same__py": "s\n", "empty": "e\n"})
    field.run("reset", "-q", "--hard", old)
    (field.root / ".git" / "info" / "exclude").write_text("same.py\nempty\n")
    (field.root / "same.py").write_text("s\n")
    (field.root / "empty").mkdir()
    checkout = Checkout(field.git, field.root, Objects(field.git))
    assert obstacle(checkout, old, new)[0] == ""
    field.run("update-ref", "refs/heads/main", new)
    follow(checkout, old, new)
    assert field.run("status", "--porcelain") == ""


@pytest.mark.parametrize("attributes", [".git/info/attributes", ".gitattributes", "deep/.gitattributes"])
@pytest.mark.parametrize(("smudge", "said"), [("false", "smudge filter odd failed"), ("cat", "")])
def test_a_filter_that_fails_is_noticed_before_anything_moves(
    field: Field, attributes: str, smudge: str, said: str
) -> None:
    (field.root / "deep").mkdir()
    (field.root / attributes).write_text("*.py filter=odd\n")
    new = field.commit(**{"deep/fresh__py": "y = 1\n"})
    field.run("reset", "-q", "--hard", field.first)
    field.run("config", "filter.odd.clean", "cat")
    field.run("config", "filter.odd.smudge", smudge)
    field.run("config", "filter.odd.required", "true")
    checkout = Checkout(field.git, field.root, Objects(field.git), filters=True)
    before = sorted(field.root.rglob("*"))
    assert said in obstacle(checkout, field.first, new)[0]
    assert bool(obstacle(checkout, field.first, new)[0]) == bool(said)
    assert {*field.root.rglob("*")} - {*before} <= {field.root / ".git" / "tdd"}
    if said:
        with pytest.raises(Refused) as refused:
            refuse_blocked(checkout, field.first, new, what="It cannot land", then="try again.")
        assert refused.value.todo == "Fix that filter, or what it needs, then try again."


def test_a_lock_blocks(field: Field) -> None:
    checkout, new = landed(field)
    (field.root / ".git" / "index.lock").touch()
    assert "index.lock" in obstacle(checkout, field.first, new)[0]


def test_what_to_do_fits_what_blocks(field: Field) -> None:
    checkout, new = landed(field)
    refuse_blocked(checkout, field.first, new, what="It cannot land", then="try again.")
    (field.root / "code.py").write_text("mine\n")
    with pytest.raises(Refused) as edited:
        refuse_blocked(checkout, field.first, new, what="It cannot land", then="try again.")
    assert edited.value.what == "It cannot land: code.py has changes of yours that are not committed."
    assert edited.value.todo == "Commit or move your own edits aside, then try again."
    (field.root / ".git" / "index.lock").touch()
    with pytest.raises(Refused) as locked:
        refuse_blocked(checkout, field.first, new, what="It cannot land", then="try again.")
    assert locked.value.todo == "Remove it if no git command is running, then try again."


def test_killed_between_branch_and_files_it_goes_on(field: Field) -> None:
    checkout, new = landed(field)
    field.run("update-ref", "refs/heads/main", new)
    (field.root / "fresh.py").write_text("y = 1\n")
    follow(checkout, field.first, new)
    assert field.run("status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["landing.index", "landing.index.lock"])
def test_a_folder_in_the_place_of_our_own_index_goes(field: Field, name: str) -> None:
    checkout, new = landed(field)
    (field.root / ".git" / "tdd" / name).mkdir(parents=True)
    assert obstacle(checkout, field.first, new)[0] == ""
    assert not (field.root / ".git" / "tdd" / name).exists()


def test_a_git_that_ended_badly_leaves_no_lock(field: Field) -> None:
    with _copied_index(field.git) as git:
        assert git.index is not None
        git.index.with_name("landing.index.lock").touch()
    assert list((field.root / ".git/tdd").glob("landing*")) == []

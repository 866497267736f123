"""An agent's files as they are read: no links, no filters, no ignore file of its own."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tdd_orchestrator.workspace.collect import Collected, collect

from .conftest import Field


def taken(field: Field, hidden: frozenset[str] = frozenset()) -> Collected:
    known = field.run("ls-tree", "-r", "--name-only", field.first).splitlines()
    return collect(field.tree, known=known, ignored=lambda fresh: hidden & set(fresh))


def test_new_changed_and_gone_are_told(field: Field) -> None:
    here = field.tree.path
    (here / "new.py").write_bytes(b"a\r\n")
    (here / "code.py").write_text("x = 2\n")
    (here / "tests" / "test_code.py").unlink()
    found = {change.path: (change.how, change.content) for change in taken(field).changes}
    assert found == {
        "new.py": ("new", b"a\r\n"),
        "code.py": ("changed", b"x = 2\n"),
        "tests/test_code.py": ("gone", None),
    }


def test_the_executable_bit_is_kept(field: Field) -> None:
    (field.tree.path / "run.sh").write_text("#!/bin/sh\n")
    os.chmod(field.tree.path / "run.sh", 0o755)
    assert [change.executable for change in taken(field).changes] == [True]


def test_an_ignore_file_of_its_own_hides_nothing(field: Field) -> None:
    (field.tree.path / ".gitignore").write_text("*\n")
    (field.tree.path / "new.py").write_text("x = 1\n")
    assert taken(field).paths == (".gitignore", "new.py")
    assert taken(field, frozenset({"new.py"})).left[0][0] == "new.py"


@pytest.mark.parametrize(
    "litter",
    [
        "__pycache__/a.pyc",
        ".pytest_cache/v",
        "node_modules/a/b.js",
        ".venv/bin/python",
        ".opencode/.gitignore",
    ],
)
def test_litter_is_passed_over(field: Field, litter: str) -> None:
    path = field.tree.path / litter
    path.parent.mkdir(parents=True)
    path.write_text("x")
    assert taken(field) == Collected()


def _make(kind: str, path: Path) -> None:
    {
        "link": lambda: os.symlink("/etc/passwd", path),
        "fifo": lambda: os.mkfifo(path),
        "binary": lambda: path.write_bytes(b"a\0b"),
        "huge": lambda: (path.touch(), os.truncate(path, 5 << 20)),
        "repository": lambda: (path.mkdir(), os.system(f"git init -q {path} && touch {path}/x")),  # noqa: S605
    }[kind]()


@pytest.mark.parametrize("kind", ["link", "fifo", "binary", "huge", "repository"])
def test_what_is_no_plain_text_is_left(field: Field, kind: str) -> None:
    _make(kind, field.tree.path / "odd")
    found = taken(field)
    assert found.changes == ()
    assert [path.rstrip("/") for path, _ in found.left] in ([], ["odd"]) or kind == "repository"


def test_a_folder_that_became_a_link_is_not_followed(field: Field) -> None:
    here = field.tree.path
    os.rename(here / "tests", here.parent / "elsewhere")
    os.symlink(here.parent / "elsewhere", here / "tests")
    assert taken(field).changes == ()


def test_a_name_that_differs_by_case_is_left(field: Field) -> None:
    (field.tree.path / "Code.py").write_text("x = 1\n")
    assert taken(field).left == (("Code.py", "differs only by case from code.py"),)


@pytest.mark.parametrize(
    "names",
    [
        ("new.py", "New.py"),
        ("caf\u00e9.py", "cafe\u0301.py"),
        ("fresh/a.py", "Fresh/b.py"),
        ("Tests/other.py",),
        ("TESTS",),
        ("deep/a/x.py", "deep/A/y.py"),
    ],
)
def test_new_names_that_a_disk_may_take_for_one_are_left(field: Field, names: tuple[str, ...]) -> None:
    for name in names:
        path = field.tree.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    found = taken(field)
    assert len(found.paths) == len(names) - 1
    assert ["differs only by case" in why for _, why in found.left] == [True]


def test_a_folder_may_change_the_case_of_its_name(field: Field) -> None:
    (field.tree.path / "tests").rename(field.tree.path / "Tests")
    (field.tree.path / "Tests" / "test_code.py").rename(field.tree.path / "Tests" / "test_more.py")
    assert taken(field).paths == ("Tests/test_more.py", "tests/test_code.py")


@pytest.mark.parametrize(
    "name",
    [".g\u200cit/x", ".git./x", ".git::$INDEX_ALLOCATION/x", "a\\.git/x", "git~2/x", "sub/GITMOD~1", ".gitmodules ",
     ".gitattributes\u200d", ".GITIGNORE", "gitign~1"],
)  # fmt: skip
def test_a_name_of_gits_own_in_disguise_is_left(field: Field, name: str) -> None:
    (field.tree.path / name).parent.mkdir(parents=True, exist_ok=True)
    (field.tree.path / name).write_text("x")
    found = taken(field)
    assert (found.paths, [why for _, why in found.left]) == ((), ["a name that git keeps for itself"])


@pytest.mark.parametrize("name", [b"a\nb", b"\xff\xfe", b"a\x7fb"])
def test_a_name_that_cannot_be_written_down_is_left(field: Field, name: bytes) -> None:
    with open(os.path.join(os.fsencode(field.tree.path), name), "w") as file:
        file.write("x")
    assert taken(field).changes == ()


def test_its_git_says_what_it_did(field: Field) -> None:
    field.tree.give_git(field.first, "work")
    assert field.tree.moved_git(field.first, "work") == ""
    os.system(f"cd {field.tree.path} && git commit -q --allow-empty -m mine")  # noqa: S605
    assert field.tree.moved_git(field.first, "work") == "it made commits"
    os.system(f"rm -rf {field.tree.path}/.git")  # noqa: S605
    assert field.tree.moved_git(field.first, "work") == "its .git is gone"


def test_moving_undoes_everything_but_what_is_kept(field: Field) -> None:
    here = field.tree.path
    field.tree.keep = ("shared",)
    (here / "shared").mkdir()
    (here / "shared" / "x").write_text("kept")
    (here / "left.py").write_text("x")
    (here / "deep").mkdir()
    (here / "deep" / "y").write_text("y")
    (here / "code.py").unlink()
    field.tree.move_to(field.first)
    assert sorted(path.name for path in here.iterdir() if path.name != ".git") == [
        ".gitignore",
        "code.py",
        "shared",
        "tests",
    ]


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE])
def test_a_disk_that_fails_is_not_the_agents_doing(
    field: Field, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Its file would be passed over as "not a plain file", and its attempt refused for having done nothing."""
    (field.tree.path / "new.py").write_text("x = 1\n")
    opened = os.open

    def refused(path: str, flags: int, *args: int, **kw: int) -> int:
        if path == "new.py":
            raise OSError(number, os.strerror(number), path)
        return opened(path, flags, *args, **kw)

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(OSError, match=os.strerror(number)):
        taken(field)

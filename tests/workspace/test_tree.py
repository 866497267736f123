"""Our git dir of a tree is sealed: what somebody wrote into it runs nothing, hides nothing and decides nothing."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from tdd_orchestrator.workspace.tree import Touched, Tree

from .conftest import Field, as_one_without_rights


def shell(line: str, cwd: Path) -> str:
    return subprocess.run(line, shell=True, cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    "line",
    [
        "git config filter.x.clean 'touch $RAN; cat'; mkdir -p info; echo '* filter=x' > info/attributes",
        "git config filter.x.smudge 'touch $RAN; cat'; git config core.attributesFile $PWD/a; echo '* filter=x' > a",
        "git config core.fsmonitor 'touch $RAN'",
        "git config core.hooksPath $PWD/hooks; mkdir -p hooks; printf '#!/bin/sh\\ntouch $RAN\\n' > hooks/post-checkout; chmod +x hooks/*",
        "git config include.path $PWD/more; printf '[core]\\nfsmonitor = touch $RAN\\n' > more",
        "touch index.lock",
        "rm config",
        ": > HEAD",  # what a kill at the wrong moment leaves
        "rm HEAD",
        "git symbolic-ref HEAD refs/heads/other",
        "echo /nowhere > objects/info/alternates",
    ],
)
def test_what_is_written_into_our_git_dir_is_without_effect(field: Field, tmp_path: Path, line: str) -> None:
    ran = tmp_path / "ran"
    shadow = field.tree.path.parent / "agent.git"
    shell(line.replace("$RAN", str(ran)), shadow)
    (field.tree.path / "code.py").write_text("x = 2\n")
    assert [entry.path for entry in field.tree.touched()] == ["code.py"]
    field.tree.move_to(field.first)
    assert (field.tree.path / "code.py").read_text() == "x = 1\n"
    assert not ran.exists()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_an_index_that_was_touched_is_not_believed(field: Field, flag: str) -> None:
    shadow = field.tree.path.parent / "agent.git"
    (field.tree.path / "tests" / "test_code.py").write_text("def test_x():\n    pass\n")
    shell(f"git --git-dir={shadow} --work-tree=. update-index {flag} tests/test_code.py", field.tree.path)
    field.tree.move_to(field.first)
    assert "assert 1" in (field.tree.path / "tests" / "test_code.py").read_text()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_the_index_hides_is_seen(field: Field, flag: str) -> None:
    shadow = field.tree.path.parent / "agent.git"
    (field.tree.path / "code.py").write_text("x = 2\n")
    shell(f"git --git-dir={shadow} --work-tree=. update-index {flag} code.py", field.tree.path)
    assert field.tree.touched() == [Touched("code.py", "changed")]


@pytest.mark.parametrize(
    ("gone", "line"),
    [
        (".", "rm -r $SHADOW; ln -s $THEIRS $SHADOW"),
        ("objects", "rm -r $SHADOW/objects; ln -s $THEIRS/objects $SHADOW/objects"),
        ("objects/info", "rm -r $SHADOW/objects/info; ln -s $THEIRS/objects/info $SHADOW/objects/info"),
        ("refs", "rm -r $SHADOW/refs; ln -s $THEIRS/refs $SHADOW/refs"),
        ("index", "rm $SHADOW/index; mkfifo $SHADOW/index"),
        ("index", "rm $SHADOW/index; ln -s /dev/zero $SHADOW/index"),
        (".", "rm -r $SHADOW; echo > $SHADOW"),
    ],
)
@pytest.mark.parametrize("use", ["touched", "move_to"])
def test_what_lies_behind_a_link_in_our_git_dir_is_left_alone(
    field: Field, gone: str, line: str, use: str
) -> None:
    """What is removed of a git dir of ours must be ours: the link may lead to the user's repository."""
    shadow, theirs = field.tree.path.parent / "agent.git", field.root / ".git"
    before = shell("find . -type f | sort | xargs sha256sum", theirs)
    shell(line.replace("$SHADOW", str(shadow)).replace("$THEIRS", str(theirs)), field.tree.path)
    (field.tree.path / "code.py").write_text("x = 2\n")
    if use == "touched":
        assert [(entry.path, entry.how) for entry in field.tree.touched()] == [("code.py", "changed")]
    field.tree.move_to(field.first)
    assert (field.tree.path / "code.py").read_text() == "x = 1\n"
    assert not (shadow / gone).is_symlink()
    assert shell("find . -type f | sort | xargs sha256sum", theirs) == before


@pytest.mark.parametrize("name", ["HEAD", "refs/heads/main"])
@pytest.mark.parametrize(
    "line", ["rm $F; mkfifo $F", "ln -sf /dev/zero $F", "truncate -s 5G $F", "rm $F; mkdir $F", "rm $F"]
)
def test_a_git_dir_of_the_agents_that_never_ends_is_not_read(field: Field, name: str, line: str) -> None:
    field.tree.give_git(field.first, "main")
    assert field.tree.moved_git(field.first, "main") == ""
    shell(line.replace("$F", str(field.tree.path / ".git" / name)), field.tree.path)
    assert field.tree.moved_git(field.first, "main") in (
        "its branch is gone",
        "it switched its HEAD",
        "it made commits",
    )


def test_what_git_does_not_find_is_found(field: Field, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that failed while git read a folder or a file: to git there is nothing, and it says so with exit code 0."""
    (field.tree.path / "new").mkdir()
    (field.tree.path / "new/file.py").write_text("x = 1\n")
    os.utime(field.tree.path / "code.py")
    heard = b"H code.py\0R code.py\0H .gitignore\0H tests/test_code.py\0"
    monkeypatch.setattr(field.tree.git, "run", lambda *words: heard)
    assert field.tree.touched() == [Touched("code.py", "changed"), Touched("new/file.py", "new")]


def test_a_repository_in_the_tree_is_one_path(field: Field) -> None:
    shell(
        "git init -q sub; touch sub/a sub/b; mkdir -p old; mv code.py old/code.py; mkdir code.py; touch code.py/x; ln -s nowhere link",
        field.tree.path,
    )
    assert sorted((one.path, one.how) for one in field.tree.touched()) == [
        ("code.py", "changed"), ("code.py/x", "new"), ("link", "new"), ("old/code.py", "new"), ("sub/", "new"),
    ]  # fmt: skip


def test_a_forged_object_is_not_believed(field: Field) -> None:
    shadow = field.tree.path.parent / "agent.git"
    blob = field.run("rev-parse", "HEAD:code.py")
    other = shell("echo 'x = 9' | git hash-object -w --stdin", field.root).strip()
    forged = shadow / "objects" / blob[:2] / blob[2:]
    forged.parent.mkdir(exist_ok=True)
    forged.write_bytes((field.root / ".git" / "objects" / other[:2] / other[2:]).read_bytes())
    (field.tree.path / "code.py").unlink()
    field.tree.move_to(field.first)
    assert (field.tree.path / "code.py").read_text() == "x = 1\n"


def test_a_tree_that_is_a_link_or_gone_is_made_again(field: Field, tmp_path: Path) -> None:
    here = field.tree.path
    here.rename(tmp_path / "away")
    assert field.tree.touched() == []
    here.symlink_to(field.root)
    assert field.tree.touched() == []
    field.tree.move_to(field.first)
    assert not here.is_symlink()
    assert (here / "code.py").exists()
    assert field.run("status", "--porcelain") == ""


def test_folders_without_permissions_go(field: Field) -> None:
    shell("mkdir -p a/b; touch a/b/c; chmod 0 a/b; chmod 0 a", field.tree.path)
    field.tree.move_to(field.first)
    assert not (field.tree.path / "a").exists()


def test_folders_without_permissions_go_for_others_than_root_too(field: Field) -> None:
    """Root may enter them anyway; so the same is done as a user without rights."""
    shell("mkdir -p a/b; touch a/b/c; chmod 0 a/b; chmod 0 a", field.tree.path)
    as_one_without_rights(field.tree.path.parent, lambda: field.tree.move_to(field.first))
    assert not (field.tree.path / "a").exists()


def test_pipes_and_sockets_go_which_git_does_not_see(field: Field) -> None:
    """Whoever opens a pipe that was left waits for ever: the next agent, or the tests (T30)."""
    folder = field.tree.path
    os.mkfifo(folder / "double.py")
    (folder / "deep/er").mkdir(parents=True)
    os.mkfifo(folder / "deep/er/pipe")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(folder / "sock"))
    (folder / ".venv").mkdir()
    os.mkfifo(folder / ".venv/kept")
    (folder / "code.py").unlink()
    os.mkfifo(folder / "code.py")
    tree = Tree(folder, field.root / ".git/objects", keep=(".venv",))
    tree.move_to(field.first)
    assert sorted(path.name for path in folder.iterdir()) == [".gitignore", ".venv", "code.py", "tests"]
    assert (folder / "code.py").read_text() == "x = 1\n"
    assert (folder / ".venv/kept").exists(), "what is not ours to clean"


def test_a_folder_too_deep_for_a_path_costs_the_tree_and_no_more(field: Field) -> None:
    here = os.open(field.tree.path, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("dddddd", dir_fd=here)
        below = os.open("dddddd", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    field.tree.move_to(field.first)
    names = {path.name for path in field.tree.path.iterdir()}
    assert "code.py" in names
    assert "dddddd" not in names
    assert [path for path in field.tree.path.parent.iterdir() if path.name.startswith(".agent-")] == []
    field.tree.move_to(field.first)

"""A tree whose files are known is moved by as few git processes as its changes need, and is as clean as a new one."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tdd_orchestrator.workspace import disk_state
from tdd_orchestrator.workspace.tree import Touched, Tree

from .conftest import Field

Rows = dict[str, tuple[int, bytes]]


def state_of(folder: Path) -> Rows:
    """Mode and content of everything in a folder."""
    found: Rows = {}
    for above, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(above, name)
            mode = path.lstat().st_mode
            content = os.fsencode(os.readlink(path)) if path.is_symlink() else b""
            found[str(path.relative_to(folder))] = (
                mode,
                path.read_bytes() if stat.S_ISREG(mode) else content,
            )
    return found


def calls_of_move(tree: Tree, commit: str) -> int:
    before = tree.git.calls
    tree.move_to(commit)
    return tree.git.calls - before


@pytest.fixture
def larger(field: Field) -> Field:
    """Two commits: the second has a file more, one less and one changed."""
    (field.root / "pkg/deep").mkdir(parents=True)
    (field.root / "pkg/deep/tool.py").write_text("y = 1\n")
    (field.root / "run.sh").write_text("#!/bin/sh\n")
    (field.root / "run.sh").chmod(0o755)
    (field.root / "link").symlink_to("code.py")
    field.first = field.commit()
    field.tree.move_to(field.first)
    return field


def test_a_folder_that_is_as_it_was_is_not_listed(field: Field, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 40 folders with five files each, one look at each file, and the names of the one with a new file."""
    for number in range(200):
        path = field.root / f"d{number // 5}" / f"f{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("x\n")
    field.tree.move_to(field.commit())
    (field.tree.path / "d7" / "new.txt").write_text("y\n")
    (field.tree.path / "d9" / "f45.txt").write_text("z\n")
    counts = {"scandir": 0, "stat": 0}
    for name in counts:
        real = getattr(os, name)

        def counted(*words: object, name: str = name, real: object = real, **kw: object) -> object:
            counts[name] += 1
            return real(*words, **kw)  # type: ignore[operator]

        monkeypatch.setattr(disk_state.os, name, counted)
    found = field.tree._disk._difference() if field.tree._disk else ()
    assert found[:2] == (["d7/new.txt"], ["d9/f45.txt"])
    assert counts["scandir"] == 1
    assert 200 <= counts["stat"] + 5 <= 210


def test_what_a_large_tree_costs_is_by_what_changed(field: Field, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 300 files one is written again: git is asked about this one, and each file is looked at once."""
    for number in range(300):
        (field.root / f"f{number}.py").write_text("x = 1\n")
    field.tree.move_to(field.commit())
    asked: list[tuple[str, ...]] = []
    run = field.tree.git.run
    monkeypatch.setattr(field.tree.git, "run", lambda *words, **kw: asked.append(words) or run(*words, **kw))
    looked = []
    facts = disk_state._facts
    monkeypatch.setattr(disk_state, "_facts", lambda found: looked.append(1) or facts(found))
    (field.tree.path / "f7.py").write_text("x = 2\n")
    os.utime(field.tree.path / "f8.py")
    (field.tree.path / "new.py").touch()
    assert field.tree.touched() == [Touched("f7.py", "changed"), Touched("new.py", "new")]
    assert len(asked) == 1
    assert set(asked[0][-2:]) == {":(top,literal)f7.py", ":(top,literal)f8.py"}
    assert len(looked) < 330


LEAVES_NOTHING = ["", "cat code.py; mkdir a; rmdir a", "mv code.py other; mv other code.py; ls"]
NEEDS_NO_GIT = [
    "touch new.py .hidden pkg/deep/x.secret",
    "mkdir -p a/b/c empty; touch a/b/c/d; git init -q nested",
    "mkdir -p a; chmod 0 a",
    "chmod 700 pkg",
    "mkfifo pipe; ln -s / root; ln -s nowhere dangling",
]
NEEDS_ONE = [
    "touch -r code.py /tmp/when.$$; echo 'x = 2' > code.py; touch -r /tmp/when.$$ code.py; rm /tmp/when.$$",
    "chmod +x code.py",
    "chmod -x run.sh",
    "rm code.py",
    "rm code.py; mkdir code.py; touch code.py/x",
    "cp code.py copy; mv copy code.py",
    "ln code.py second",
    "rm -r pkg",
    "mv pkg $OUTSIDE/pkg; ln -s $OUTSIDE/pkg pkg",
    "mv pkg/deep $OUTSIDE/deep; ln -s $OUTSIDE/deep pkg/deep",
    "rm link; ln -s run.sh link",
    "rm -r pkg; touch pkg",
    "rm link; cp code.py link",
    "git --git-dir=$SHADOW --work-tree=. update-index --assume-unchanged code.py; echo 'x = 2' > code.py",
    "git --git-dir=$SHADOW --work-tree=. update-index --skip-worktree code.py; rm code.py",
    "git --git-dir=$SHADOW --work-tree=. rm -q --cached code.py; rm code.py",
    "rm $SHADOW/index; echo 'x = 2' > code.py",
]


@pytest.mark.parametrize(
    ("line", "most"),
    [(line, 0) for line in (*LEAVES_NOTHING[:2], *NEEDS_NO_GIT)]
    + [(line, 2) for line in (LEAVES_NOTHING[2], *NEEDS_ONE)],
)
@pytest.mark.parametrize("further", [False, True])
def test_whatever_a_run_leaves_is_gone(
    larger: Field, tmp_path: Path, line: str, most: int, further: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = larger.commit(code__py="x = 3\n", more__py="z = 1\n") if further else larger.first
    shadow = larger.tree.path.parent / "agent.git"
    env = {**os.environ, "OUTSIDE": str(outside), "SHADOW": str(shadow)}
    subprocess.run(["sh", "-c", line], cwd=larger.tree.path, env=env, check=True)
    before = state_of(outside)
    assert calls_of_move(larger.tree, target) <= most + further
    fresh = Tree(tmp_path / "fresh", larger.root / ".git/objects")
    fresh.move_to(target)
    assert state_of(larger.tree.path) == state_of(fresh.path)
    assert state_of(outside) == before
    assert calls_of_move(larger.tree, target) == 0
    assert larger.tree.touched() == []


def test_a_write_right_after_a_move_is_seen(larger: Field) -> None:
    """The clock of a file system goes in steps of milliseconds: a write in the same step would look like none."""
    for number in range(30):
        (larger.tree.path / "code.py").write_text(f"x = {number % 10}\n")
        larger.tree.move_to(larger.first)
        assert (larger.tree.path / "code.py").read_text() == "x = 1\n"


def test_other_texts_in_some_files_go_without_git(larger: Field) -> None:
    texts = {"code.py": "x = 0\n", "run.sh": "exit 1\n", "link": "x = 0\n", "new/file.py": "\n"}
    before = state_of(larger.tree.path)
    for _ in range(2):
        larger.tree.rewrite(texts)
        assert (larger.tree.path / "run.sh").read_text() == "exit 1\n"
        assert calls_of_move(larger.tree, larger.first) == 0
        assert state_of(larger.tree.path) == before


@pytest.mark.parametrize(
    "line",
    [
        "echo 'x = 2' > $ASIDE",
        "rm $ASIDE",
        "mv $ASIDE /tmp/a.$$; mkdir $ASIDE; rm /tmp/a.$$",
        "rm -r pkg; mkdir pkg",
        "mv pkg $OUTSIDE/pkg; ln -s $OUTSIDE/pkg pkg",
        "rm pkg/deep/tool.py; mkdir pkg/deep/tool.py",
        "rm pkg/deep/tool.py; ln -s $OUTSIDE/x pkg/deep/tool.py",
    ],
)
def test_a_text_that_was_set_aside_comes_back_as_the_commit_has_it(
    larger: Field, tmp_path: Path, line: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    before = state_of(larger.tree.path)
    larger.tree.rewrite({"pkg/deep/tool.py": "y = 0\n"})
    aside = next((larger.tree.path.parent / "agent.aside").iterdir())
    env = {**os.environ, "OUTSIDE": str(outside), "ASIDE": str(aside)}
    subprocess.run(["sh", "-c", line], cwd=larger.tree.path, env=env, check=True)
    larger.tree.move_to(larger.first)
    assert state_of(larger.tree.path) == before
    assert [path for path in outside.rglob("*") if path.is_file()] in ([], [outside / "pkg/deep/tool.py"])


def test_what_is_kept_stays_where_it_is(larger: Field) -> None:
    tree = Tree(larger.tree.path, larger.root / ".git/objects", keep=(".venv", "sub/node_modules"))
    tree.move_to(larger.first)
    for name in (".venv/lib", "sub/node_modules/x"):
        (tree.path / name).mkdir(parents=True)
    (tree.path / "sub/other").touch()
    assert calls_of_move(tree, larger.first) == 0
    assert sorted(path.name for path in (tree.path / "sub").iterdir()) == ["node_modules"]
    assert (tree.path / "sub/node_modules/x").is_dir()
    assert (tree.path / ".venv/lib").is_dir()


def test_new_files_alone_are_found_without_git(larger: Field) -> None:
    (larger.tree.path / "a/b").mkdir(parents=True)
    (larger.tree.path / "a/b/new.py").touch()
    (larger.tree.path / "other.secret").touch()
    before = larger.tree.git.calls
    assert sorted(one.path for one in larger.tree.touched()) == ["a/b/new.py", "other.secret"]
    assert larger.tree.git.calls == before
    (larger.tree.path / "code.py").write_text("x = 2\n")
    assert sorted(one.path for one in larger.tree.touched()) == ["a/b/new.py", "code.py", "other.secret"]
    assert larger.tree.git.calls == before + 1


def test_files_that_come_and_go_meanwhile_are_no_error(larger: Field) -> None:
    """A program that outlived its agent may still be writing."""
    names = " ".join(f"f{number}" for number in range(40))
    writer = subprocess.Popen(
        ["sh", "-c", f"while :; do touch {names}; rm {names}; done"], cwd=larger.tree.path
    )
    try:
        for _ in range(300):
            assert {one.how for one in larger.tree.touched()} <= {"new"}
    finally:
        writer.kill()
        writer.wait()

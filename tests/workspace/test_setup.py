"""What the setup command makes in a tree stays there, wherever it is; nothing else hides behind it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tdd_orchestrator.model.errors import Refused
from tdd_orchestrator.workspace.shared import Shared
from tdd_orchestrator.workspace.tree import Tree

from .conftest import Field

MAKES = "echo x >> ../runs; echo 41 > generated.txt; mkdir -p deps/one 'odd [name]'; echo a > deps/one/a; echo b > 'odd [name]/b'; echo c > tests/made.cfg"


def set_up(field: Field, line: str = MAKES) -> tuple[Shared, Tree]:
    shared = Shared(field.root, setup=("sh", "-c", line))
    tree = shared.tree(field.tree.path, field.root / ".git/objects")
    tree.move_to(field.first)
    shared.set_up(tree, dict(os.environ), run_marker="", say=lambda _: None)
    return shared, tree


def runs(field: Field) -> int:
    return (field.tree.path.parent / "runs").read_text().count("x")


def made(tree: Tree) -> set[str]:
    names = ("generated.txt", "deps/one/a", "odd [name]/b", "tests/made.cfg")
    return {name for name in names if (tree.path / name).exists()}


def test_it_stays_and_is_made_once(field: Field) -> None:
    _, tree = set_up(field)
    tree.move_to(field.first)
    assert len(made(tree)) == 4
    _, again = set_up(field)
    again.move_to(field.first)
    assert len(made(again)) == 4
    assert runs(field) == 1
    assert again.touched() == []


def test_what_an_agent_adds_beside_it_is_seen_and_goes(field: Field) -> None:
    _, tree = set_up(field)
    for name in ("vendor/new.py", "target/new.py", "tests/test_new.py"):
        (tree.path / name).parent.mkdir(exist_ok=True)
        (tree.path / name).write_text("x = 1\n")
    assert sorted(one.path for one in tree.touched()) == [
        "target/new.py",
        "tests/test_new.py",
        "vendor/new.py",
    ]
    tree.move_to(field.first)
    assert not (tree.path / "vendor").exists()


@pytest.mark.parametrize("name", ["generated.txt", "deps"])
def test_what_got_lost_is_made_again(field: Field, name: str) -> None:
    _, tree = set_up(field)
    (tree.path / name).rename(tree.path.parent / "elsewhere")
    _, tree = set_up(field)
    assert runs(field) == 2
    assert len(made(tree)) == 4


def test_a_stamp_of_an_earlier_version_is_no_stamp(field: Field) -> None:
    stamp = field.tree.path.parent / f"{field.tree.path.name}.setup"
    stamp.write_text("0" * 64)
    set_up(field)
    assert runs(field) == 1


def test_a_command_that_fails_is_said(field: Field, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no such thing"):
        set_up(field, "echo no such thing; exit 3")


PACKAGED = "echo x >> ../runs; mkdir -p node_modules/lib build; echo right > node_modules/lib/index.js; echo 1 > build/state"


def sealed(shared: Shared, tree: Tree) -> list[str]:
    said: list[str] = []
    shared.set_up(tree, dict(os.environ), run_marker="", say=said.append, sealed=True)
    return said


def test_packages_that_a_run_changed_are_made_anew(field: Field) -> None:
    shared, tree = set_up(field, PACKAGED)
    assert sealed(shared, tree) == []
    (tree.path / "node_modules/lib/index.js").write_text("wrong\n")
    assert "node_modules is not as the setup command left it" in sealed(shared, tree)[0]
    assert (tree.path / "node_modules/lib/index.js").read_text() == "right\n"
    tree.move_to(field.first)
    assert (tree.path / "build/state").exists()
    assert (tree.path / "node_modules/lib/index.js").exists()
    assert (sealed(shared, tree), runs(field)) == ([], 2)


@pytest.mark.parametrize(
    "name", ["node_modules/lib/more.js", "node_modules/.bin/jest", "node_modules/lib/__pycache__/a.pyc"]
)
def test_what_a_run_put_into_packages_goes(field: Field, name: str) -> None:
    shared, tree = set_up(field, PACKAGED)
    (tree.path / name).parent.mkdir(exist_ok=True)
    (tree.path / name).write_text("x\n")
    sealed(shared, tree)
    assert not (tree.path / name).exists()


@pytest.mark.parametrize("name", ["node_modules/.cache/x", "node_modules/.temp/test-results", "build/state"])
def test_what_runs_are_to_write_stays(field: Field, name: str) -> None:
    shared, tree = set_up(field, PACKAGED)
    (tree.path / name).parent.mkdir(exist_ok=True)
    (tree.path / name).write_text("2\n")
    assert (sealed(shared, tree), runs(field)) == ([], 1)
    assert (tree.path / name).read_text() == "2\n"


def test_what_was_made_before_stays_where_it_is_made_again(field: Field) -> None:
    shared, tree = set_up(field, PACKAGED)
    (tree.path / "package.json").write_text("{}\n")
    shared.set_up(tree, dict(os.environ), run_marker="", say=lambda _: None)
    tree.move_to(field.first)
    assert (runs(field), (tree.path / "node_modules/lib/index.js").exists()) == (2, True)

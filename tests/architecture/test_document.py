"""docs/architecture.md is true: its table is the table of layers, its names are modules, its arrows are imports."""

from __future__ import annotations

import re

import pytest
from test_floors import FLOORS, PACKAGE, _dotted, _imports, _modules

TEXT = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
ARROWS = re.findall(r"^    ([\w.]+\.\w+) --> ([\w.]+\.\w+)$", TEXT, re.MULTILINE)
FILES = {_dotted(path): path for path in _modules()}


def test_the_table_is_the_table_of_layers() -> None:
    rows = re.findall(r"^\| \d+ \| ([^|]+) \|", TEXT, re.MULTILINE)
    assert [tuple(re.findall(r"`(\w+)`", row)) for row in rows] == FLOORS


def test_every_layered_package_is_drawn_inside() -> None:
    assert {name.split(".")[0] for arrow in ARROWS for name in arrow} >= {"cli", "cycle", "runners", "notes"}


@pytest.mark.parametrize(("user", "used"), ARROWS, ids=lambda name: name)
def test_an_arrow_is_an_import(user: str, used: str) -> None:
    path = FILES[f"tdd_orchestrator.{user}"]
    name = f"tdd_orchestrator.{used}"
    assert name in FILES
    text = path.read_text(encoding="utf-8")
    package, _, module = name.rpartition(".")
    by_module = rf"from {re.escape(package)} import [^\n]*\b{module}\b|from {re.escape(package)} import \([^)]*\b{module}\b"
    assert name in _imports(path) or re.search(by_module, text), f"{user} does not import {used}"


def test_modules_that_are_named_exist() -> None:
    for name in re.findall(r"`((?:cli|app|cycle|workspace|prompting|notes)/[\w/]+)`", TEXT):
        assert (PACKAGE / f"{name}.py").exists() or (PACKAGE / name).is_dir(), name


DECIDED = re.findall(r"^\| (.+) \| `([\w/]+)`: `(\w+)` \|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("question", "module", "name"), DECIDED, ids=[row[0] for row in DECIDED])
def test_a_decision_is_where_the_page_says(question: str, module: str, name: str) -> None:
    text = (PACKAGE / f"{module}.py").read_text(encoding="utf-8")
    assert re.search(rf"^ *(?:def {name}\(|{name}\b.* = )", text, re.MULTILINE), question


def test_the_page_says_where_ten_things_are_decided() -> None:
    assert len(DECIDED) >= 10

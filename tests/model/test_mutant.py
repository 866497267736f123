"""A mutant finds its place again in code that has moved."""

from __future__ import annotations

from tdd_orchestrator.languages.twins import stop_before
from tdd_orchestrator.model.plan import Item, Mutant, from_authored

MUTANT = Mutant("calc.py", 2, 1, "    return a + b\n", "    return a - b\n")
CODE = "def add(a, b):\n    return a + b\n"


def test_it_is_applied_where_it_stands() -> None:
    assert MUTANT.applied(CODE) == "def add(a, b):\n    return a - b\n"


def test_it_is_applied_to_the_nearest_of_equal_lines() -> None:
    moved = "# one\n# two\n" + CODE + "\n\n" + CODE.replace("add", "plus")
    assert MUTANT.applied(moved) == moved.replace("a + b", "a - b", 1)


def test_code_that_is_gone_has_no_mutant() -> None:
    assert MUTANT.applied("def add(a, b):\n    return sum((a, b))\n") is None


def test_its_phrase_names_the_fault() -> None:
    assert str(MUTANT) == "`return a + b` as `return a - b` in calc.py:2"
    stopped = stop_before(CODE, "calc.py", 2)
    assert stopped is not None
    stop = Mutant("calc.py", 2, 1, "    return a + b\n", stopped)
    assert str(stop) == "a failing statement before `return a + b` in calc.py:2"


def test_a_plan_keeps_it() -> None:
    item = Item("ab2c", "notices a fault", mutant=MUTANT)
    assert from_authored(item.authored()) == item
    assert "mutant" not in Item("ab2c", "doubles").authored()

"""Hidden variants and mutants as values: what is changed, and where nothing can be."""

from __future__ import annotations

import ast

import pytest

from tdd_orchestrator.model.report import Case, Outcome
from tdd_orchestrator.runners.mutants import Mutant, changed_lines
from tdd_orchestrator.runners.variants import told, variant_of

IDS = ["tests/test_a.py::test_a[one]", "tests/test_a.py::test_a[two]"]


def source(table: str, body: str = "assert act(given) == wanted", names: str = "'given, wanted'") -> str:
    return f"import pytest\n\n\n@pytest.mark.parametrize({names}, {table})\ndef test_a(given, wanted):\n    {body}\n"


@pytest.mark.parametrize(
    ("table", "new"),
    [
        ("[(2, 4), (30, 60)]", [9, 37]),
        ("[('ab', 1), ('x', 2)]", ["ba", "xx"]),
        ("[('12', 12), ('', 0)]", ["21", "a"]),
        ("[(0.5, 1.0), (1.5, 3.0)]", [2.0, 3.0]),
    ],
)
def test_inputs_are_others_of_their_kind_and_answers_stay(table: str, new: list[object]) -> None:
    variant = variant_of(source(table), "tests/test_a.py", "test_a", IDS)
    assert variant is not None
    assert [row[0][2] for row in variant.rows.values()] == new
    call = next(
        one for one in ast.walk(ast.parse(variant.text)) if isinstance(one, ast.Call) and one.keywords
    )
    assert [row[1] for row in ast.literal_eval(call.args[1])] == [row[1] for row in ast.literal_eval(table)]
    assert ast.literal_eval(call.keywords[0].value) == ["one", "two"]


@pytest.mark.parametrize(
    "text",
    [
        "def test_a():\n    assert act(2) == 4\n",
        source("ROWS"),
        source("[(1, 2)]"),
        source("[(True, 2), (None, 3)]"),
        source("[(1, 2), (3, 4)]", "assert act(given)"),
        source("[(1, 2), (3, 4)]", "assert given == wanted"),
        source("[(1, 2, 3), (3, 4, 5)]"),
        "def test_a(:\n",
    ],
    ids=["plain", "a name", "fewer rows", "no numbers", "no answer", "no call", "other width", "no Python"],
)
def test_a_test_that_cannot_be_varied_is_left_alone(text: str) -> None:
    assert variant_of(text, "tests/test_a.py", "test_a", IDS) is None


def test_what_an_outcome_says() -> None:
    row = (("given", 2, 9),)
    wrong = Case("a", "a", Outcome.FAILED, exception="AssertionError", message="assert 18 == 4")
    assert told(wrong, row) == ""
    assert (
        told(Case("a", "a", Outcome.PASSED), row) == "with given=9 instead of 2 the answer is still the same"
    )
    raised = Case("a", "a", Outcome.FAILED, exception="KeyError")
    assert told(raised, row) == "with given=9 instead of 2 the code raises KeyError"


def test_lines_that_a_change_brought() -> None:
    assert changed_lines("a\nb\nc\n", "a\nx\nc\nd\n") == {2, 4}
    assert changed_lines("", "a\nb\n") == {1, 2}
    assert changed_lines("a\nb\n", "a\n") == frozenset()


def test_a_mutant_replaces_its_lines_only() -> None:
    mutant = Mutant("a.py", 2, 1, "    return 1\n", "    return 2\n")
    assert mutant.applied("def f():\n    return 1\nX = 1\n") == "def f():\n    return 2\nX = 1\n"
    assert mutant.said == "`return 1` as `return 2`"

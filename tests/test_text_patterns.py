"""A pattern of a table, compiled when it is asked."""

from __future__ import annotations

import dataclasses
import importlib
import re

import pytest

from tdd_orchestrator.text import LazyRegex


def test_it_answers_as_the_pattern_does() -> None:
    source, text = r"^(?P<name>\w+):", "ada: 1\nbob: 2\n"
    late, plain = LazyRegex(source, re.MULTILINE), re.compile(source, re.MULTILINE)
    assert late.findall(text) == plain.findall(text) == ["ada", "bob"]
    assert [one.span() for one in late.finditer(text)] == [one.span() for one in plain.finditer(text)]
    found = late.search(text)
    assert found is not None
    assert found["name"] == "ada"


def test_a_mistake_is_told_where_it_is_asked() -> None:
    late = LazyRegex("(")
    with pytest.raises(re.error):
        late.search("a")


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("runners.reason_rows", "ROWS"),
        ("runners.reason_frames", "_TRACES"),
    ],
)
def test_each_row_of_the_tables_compiles(table: str, rows: str) -> None:
    made = getattr(importlib.import_module(f"tdd_orchestrator.{table}"), rows)
    patterns = [
        value
        for row in made
        for value in (
            row if isinstance(row, tuple) else [getattr(row, field.name) for field in dataclasses.fields(row)]
        )
        if isinstance(value, LazyRegex)
    ]
    assert len(patterns) >= len(made)
    for pattern in patterns:
        pattern.search("")

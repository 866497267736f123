"""Configuration of a wrong shape, in a wrong place, or from the environment: a sentence, or passed over; never a bug."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import Kata


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\ntdd = 3\n", "[[tool]]\nx = 1\n"])
def test_a_pyproject_of_another_shape_is_passed_over(kata: Kata, text: str) -> None:
    kata.write("pyproject.toml", text)
    assert kata.tdd("config").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[notes]\nref = \n", "tdd.toml: not valid TOML"),
        ("notes = 3\n", "tdd.toml:1: notes: "),
        ("[notes]\nref = 3\n", "tdd.toml:2: notes.ref: "),
        ("x = " + "[" * 5000 + " # notes\n", "tdd.toml: not valid TOML"),
    ],
)
def test_a_torn_file_that_speaks_of_notes_is_said_by_status(kata: Kata, text: str, said: str) -> None:
    kata.write("tdd.toml", text)
    done = kata.tdd("cycle", "status")
    assert done.code == 2
    assert said in done.err

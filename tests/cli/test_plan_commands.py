"""`tdd plan`: the number shown is the number meant; what the editor leaves is what the plan becomes."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit import Kata


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def shown(kata: Kata, *words: str) -> list[tuple[str, str]]:
    return [
        (item["title"], item["status"]) for item in kata.tdd("plan", "list", "--json", *words).json["items"]
    ]


def edited(kata: Kata, script: str) -> str:
    """`tdd plan edit` with a sed script as the editor; returns what it said."""
    done = kata.tdd("plan", "edit", env={"VISUAL": f"sed -i '{script}'", "EDITOR": ""})
    assert done.code == 0, done.err
    return done.out


def imported(kata: Kata, text: str) -> None:
    assert kata.tdd("plan", "import", "-", stdin=text).code == 0


@pytest.mark.parametrize("more", [(), ("--all",)])
def test_the_number_shown_is_the_number_meant(kata: Kata, more: tuple[str, ...]) -> None:
    imported(kata, "- [ ] one\n- [-] set aside\n- [ ] two\n- [ ] three\n")
    lines = kata.tdd("plan", "list", *more).out.splitlines()
    number = next(line.split()[0] for line in lines if line.endswith("two"))
    assert kata.tdd("plan", "show", number, "--json").json["title"] == "two"
    assert kata.tdd("plan", "remove", number).out == "removed: two\n"
    assert [title for title, _ in shown(kata)] == ["one", "three"]

"""``tdd cycle`` as a script and a person read it: what is printed where nothing is left, and where to go from a failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kit import GREEN, Kata

WRONG = 'write("double.py", "def double(number):\\n    return number + 3\\n")'


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path, config="[retry]\nmax_retries = 0\n")
    kata.plan()
    return kata


def run(kata: Kata, *words: str) -> list[dict[str, Any]]:
    done = kata.tdd("cycle", "run", "--json", *words)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_a_run_says_when_nothing_is_left(kata: Kata) -> None:
    assert [one["outcome"] for one in run(kata, "--max-cycles", "1")] == ["landed"]
    add = 'tdd plan add "what is to happen"'
    assert run(kata) == [{"schema": "tdd/cycle-result", "v": 1, "outcome": "list_done", "next": add}]


def test_the_end_of_a_run_says_what_is_left(kata: Kata) -> None:
    kata.script(green=[WRONG, GREEN])
    kata.plan("doubles it again")
    some = kata.tdd("cycle", "run", "--max-cycles", "1")
    assert some.code == 1
    assert some.out.endswith("1 cycle run. 1 item is left: run it again to go on.\n")
    rest = kata.tdd("cycle", "run")
    assert rest.out.endswith(
        "1 cycle run. Nothing is left to begin; 1 item failed.\n  next: tdd errors list\n"
    )
    assert "list is done" not in some.out + rest.out
    nothing = kata.tdd("cycle", "run")
    assert nothing.out == "0 cycles run. Nothing is left to begin; 1 item failed.\n  next: tdd errors list\n"


def test_a_failed_cycle_can_be_taken_up_until_another_begins(kata: Kata) -> None:
    kata.script(green=[WRONG, GREEN])
    failed = kata.next()
    assert failed.code == 1
    assert '  next: tdd cycle resume --hint "what the agents should know"' in failed.out
    kata.plan("doubles it again")
    kata.next()
    late = kata.tdd("cycle", "resume")
    assert late.code == 0
    assert "nothing to resume" in late.out
    assert "  next: tdd errors list" in late.out


def test_a_rejection_promises_nothing_to_agents(kata: Kata) -> None:
    said = kata.tdd("cycle", "reject", "--help").out
    assert "agent" not in said
    assert "Why, for the record." in said

"""A provider that is away, in the middle of something: nothing is lost by it, and nothing is counted for it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from kit import GREEN, Kata
from test_recovery import SEEN, SYNTAX, WAITS, complain, waits

LIMITED = complain("429 too many requests")
OVERLOADED = complain("529 overloaded")
WRONG = 'write("double.py", "def double(number):\\n    return number + {}\\n")'


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path, config=WAITS)
    kata.plan()
    return kata


def specialists_calls(kata: Kata) -> list[tuple[str, str, str]]:
    """Role, failed phase and attempt, as each call of a specialist was told."""
    return [(call["TDD_ROLE"], call["TDD_FAILED_PHASE"], call["TDD_ATTEMPT"]) for call in kata.calls("fix")]


def test_a_specialist_is_asked_again_with_all_that_it_had(kata: Kata) -> None:
    kata.script(green=[SYNTAX], build_doctor_role=[LIMITED, OVERLOADED, SEEN + GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert specialists_calls(kata) == [("build-doctor", "GREEN", number) for number in "234"]
    assert [record["attempt"] for record in kata.records("intent") if record["phase"] == "GREEN"] == [
        1,
        2,
        3,
        4,
    ]
    first, _, last = kata.prompts("fix")
    assert last == first
    assert "double.py" in (kata.agent / "seen.txt").read_text().splitlines()
    refused, *away = kata.records("error")
    assert [one["on"] for one in kata.records("intent") if one["phase"] == "GREEN"][1:] == [
        refused["candidate"]
    ] * 3
    assert [one["move"]["kind"] for one in away] == ["wait", "wait"]
    assert waits(kata, "GREEN") == [0.0, 0.05, 0.08, 0.16]


def test_a_specialist_goes_on_after_a_pause(kata: Kata) -> None:
    kata.configure(WAITS + "transient_retries = 0\n")
    kata.script(green=[SYNTAX], build_doctor_role=[LIMITED])
    assert kata.next().code == 4
    kata.script(build_doctor_role=[GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert specialists_calls(kata) == [("build-doctor", "GREEN", number) for number in "23"]
    assert kata.prompts("fix")[1] == kata.prompts("fix")[0]


def test_a_test_list_that_is_paused_begins_anew_and_says_so(kata: Kata) -> None:
    kata.configure(WAITS + "transient_retries = 0\n")
    kata.script(test_list=[LIMITED])
    paused = kata.tdd("plan", "from", "-", stdin="Double a number.\n")
    assert paused.code == 4
    assert (
        "Run the same command again in about 1 minute; it begins anew, and the plan is as it was."
        in paused.err
    )
    assert "goes on" not in paused.err


def test_a_provider_that_is_away_is_no_failure_of_the_agent(kata: Kata) -> None:
    """Neither for the approval gate, nor for the breaker, nor for the analyzer, nor for the budget."""
    kata.configure(WAITS + "[approval]\nafter_failures = 2\n[breaker]\nlimit = 2\n[budget]\nattempts = 4\n")
    kata.script(green=[LIMITED, OVERLOADED, WRONG.format(3), LIMITED, GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == [
        "proven",
        *["agent_failed"] * 2,
        "still_failing",
        "agent_failed",
        "proven",
        "unchanged",
    ]
    assert kata.calls("analyze") == []
    assert "too many requests" not in kata.prompts("green")[-1]


def test_another_agent_takes_up_what_the_specialist_was_given(kata: Kata) -> None:
    other = f"[agents.other]\ncommand = {json.dumps([sys.executable, str(kata.agent / 'agent.py')])}\n"
    kata.configure(WAITS + "transient_retries = 0\n" + other)
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace("[agents.scripted]\n", '[agents.scripted]\nfallback = "other"\n'))
    kata.script(green=[SYNTAX], build_doctor_role=[LIMITED, GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert specialists_calls(kata) == [("build-doctor", "GREEN", number) for number in "23"]
    assert kata.records("error")[1]["move"]["kind"] == "other_agent"
    green = kata.records("handoff")[1]["agent"]
    assert (green["name"], green["role"]) == ("other", "build-doctor")

"""When the Error Analyzer is called (D5), and the rows of R3 and R4 that end a specialist's turn; each a whole cycle."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata
from test_outside import served
from test_recovery import SYNTAX, WAITS, WRONG, moves, other_agent, report

RAISES = 'write("double.py", "def double(number):\\n    raise {}\\n")'
AWAY = RAISES.format("RuntimeError('GET http://127.0.0.1/rates returned 503')")


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path, config=WAITS)
    kata.plan()
    return kata


def test_the_second_failure_of_a_kind_and_not_the_first(kata: Kata) -> None:
    """Two messages, one kind: the same verdict and error type."""
    first = RAISES.format("AssertionError('no factor yet')")
    second = RAISES.format("AssertionError('the table is empty')")
    kata.script(green=[first, second, GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    assert len(kata.calls("analyze")) == 1
    assert "analysing: the same kind of error again" in done.err
    errors = kata.records("error")
    assert errors[0]["fingerprint"] != errors[1]["fingerprint"]


def test_tests_that_fail_repeatedly_whatever_they_say(kata: Kata) -> None:
    """A wrong value, a broken neighbour, another error: no two alike."""
    breaks = GREEN + '\nwrite("greet.py", "def greet(name):\\n    return name\\n")'
    kata.script(green=[WRONG.format(3), breaks, RAISES.format("AssertionError('odd')"), GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    assert "analysing: the tests fail repeatedly" in done.err
    assert len(kata.calls("analyze")) == 1


def test_an_agent_that_runs_out_of_time(kata: Kata) -> None:
    command = json.dumps([sys.executable, str(kata.agent / "agent.py")])
    kata.configure(WAITS + f"[agents.slow]\ncommand = {command}\ntimeout = 3\n")
    kata.script(green=[WRONG.format(3) + "\nimport time\ntime.sleep(60)", GREEN], analyze=[""])
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "slow"})
    assert done.code == 0, done.err
    assert "analysing: the agent ran into its time limit" in done.err
    assert len(kata.calls("analyze")) == 1


def test_one_that_was_silent_for_too_long_is_run_once_more(kata: Kata) -> None:
    command = json.dumps([sys.executable, str(kata.agent / "agent.py")])
    kata.configure(WAITS + f"[agents.slow]\ncommand = {command}\nidle_timeout = 3\n")
    kata.script(green=["import time\ntime.sleep(60)\n" + GREEN, GREEN], analyze=[""])
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "slow"})
    assert done.code == 0, done.err
    assert moves(kata) == ["retry"]
    assert "Your last run was stopped at its time limit." in kata.prompts("green")[1]
    assert "idle limit" in kata.records("error")[0]["agent"]["failure_reason"]


def test_a_dependency_that_fails(kata: Kata, tmp_path: Path) -> None:
    kata.script(green=[served(tmp_path / "runs", 999)], debugger_role=[GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    assert "analysing: a dependency failed" in done.err
    assert len(kata.calls("analyze")) == 1


def test_what_is_critical_and_then_a_persons_at_once(kata: Kata) -> None:
    kata.script(green=[RAISES.format("OSError(28, 'No space left on device')"), GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 1
    assert "analysing: the error is critical" in done.err
    assert len(kata.calls("green")) == 1
    assert moves(kata) == ["escalate"]
    report = kata.records("error_report")[0]["report"]
    assert "MB are free on the disk where the tests run" in report["root_cause"]


TOUCHES = GREEN + '\nwrite("tests/test_double.py", "def test_doubles():\\n    assert True\\n")'


def test_a_change_that_the_review_blocks(kata: Kata) -> None:
    """At once, and its advice reaches the next attempt."""
    kata.script(green=[TOUCHES, GREEN], analyze=[report("RETRY")])
    done = kata.next()
    assert done.code == 0, done.err
    assert "analysing: the review of the change blocks it" in done.err
    assert len(kata.calls("analyze")) == 1
    assert "tests/test_double.py" in kata.prompts("analyze")[0]
    assert "Follow RETRY here" in kata.prompts("green")[1]


def test_a_blocked_review_has_advice_of_its_own_where_nobody_can_be_asked(kata: Kata) -> None:
    """Missing rights would be a person's; what is refused here is to be done in another way."""
    kata.script(green=[TOUCHES, GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    assert "leave them alone" in kata.prompts("green")[1]
    assert "without what the review refused" in kata.prompts("green")[1]
    assert "until a person has decided" not in kata.prompts("green")[1]
    refused = kata.records("error")[0]
    assert refused["investigation"]["by"] == "rules"
    assert (refused["agent"]["status"], refused["agent"]["incident"][:4]) == ("failed", "inc_")


def test_a_logic_error_that_stays_gets_more_context_and_ends_with_a_question(kata: Kata) -> None:
    """R4, LOGIC; the answer reaches the agent of the cycle that goes on."""
    kata.script(green=[WRONG.format(number) for number in (3, 30, 300, 3000)] + [GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 1
    assert moves(kata) == ["retry", "more_context", "more_context", "escalate"]
    green = kata.prompts("green")
    assert "The code around it" not in green[1]
    assert "The code around it" in green[2]
    assert (
        "> 2      return number + 30" in green[2]
        or "assert double(2) == 4" in green[2].split("The code around it")[1]
    )
    assert "tdd cycle resume --hint" in kata.records("error")[-1]["move"]["why"]
    done = kata.tdd("cycle", "resume", "--hint", "double means times two")
    assert done.code == 0, done.err
    assert "double means times two" in kata.prompts("green")[-1]


def test_the_analyzer_is_given_the_code_around_the_failure(kata: Kata) -> None:
    """D5: file, line, code; also of what the attempt changed."""
    kata.script(green=[WRONG.format(3), WRONG.format(30), GREEN], analyze=[""])
    assert kata.next().code == 0
    shown = kata.prompts("analyze")[0].split("The code around it")[1]
    assert "tests/test_double.py:5" in shown
    assert "assert double(2) == 4" in shown
    assert "return number + 30" in shown


def test_a_first_transient_error_is_tried_again_without_it(kata: Kata) -> None:
    """R4, TRANSIENT: fewer than three runs more, with growing waits; then its specialist; no analyzer."""
    kata.script(green=[AWAY], debugger_role=[GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    assert not kata.calls("analyze")
    (error,) = kata.records("error")
    assert "run 2 times more, after 0.01 and 0.02 s" in error["reasons"][-1]
    assert error["move"]["kind"] == "specialist"


def test_specialists_at_their_maximum_hand_back(kata: Kata) -> None:
    """R3: three deployments for the same error, each after its wait; then the phase's own agent, told of it."""
    more = [f"{SYNTAX}\nwrite('note{number}.py', 'x = {number}')" for number in range(3)]
    kata.script(green=[SYNTAX, GREEN], build_doctor_role=more, analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    assert moves(kata) == ["specialist", "specialist", "specialist", "retry"]
    assert [call["TDD_ATTEMPT"] for call in kata.calls("fix")] == ["2", "3", "4"]
    assert [record["wait"] for record in kata.records("intent") if record["role"] == "build-doctor"] == [
        0.05,
        0.06,
        0.07,
    ]
    assert [record["retry_count"] for record in kata.records("error")] == [0, 0, 0, 0]


def test_a_semantic_error_that_comes_again_is_another_agents(kata: Kata) -> None:
    """R4, SEMANTIC, where no specialist can be called: the test does not compile, twice."""
    kata.configure(WAITS + other_agent(kata))
    broken = 'write("tests/test_double.py", "def test_doubles(:\\n    assert {}\\n")'
    kata.script(red=[broken.format(1), broken.format(2), RED], analyze=[""])
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "first"})
    assert done.code == 0, done.err
    assert moves(kata) == ["retry", "other_agent"]
    assert kata.records("handoff")[0]["agent"]["name"] == "second"

"""What follows a refused attempt, each row of the recovery tables as a whole cycle with scripted agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kit import GREEN, RED, Kata

WRONG = 'write("double.py", "def double(number):\\n    return number + {}\\n")'
BREAKS = GREEN + '\nwrite("greet.py", "def greet(name):\\n    return name\\n")'
UNCOMPILED = 'write("tests/test_double.py", "def test_doubles(:\\n    assert 1\\n")'
PASSES = "write(\"tests/test_loud.py\", \"from greet import greet\\n\\n\\ndef test_loud():\\n    assert greet('bob').endswith('bob')\\n\")"
SEEN = '(here / "seen.txt").write_text("\\n".join(sorted(str(p) for p in pathlib.Path(".").rglob("*.py"))))\n'
SYNTAX = 'write("double.py", "def double(number:\\n    return number\\n")'
WAITS = "[retry]\ndelays = [0.01, 0.02, 0.04]\nfix_delays = [0.05, 0.06, 0.07]\ntransient_delay = 0.08\n"


def complain(words: str) -> str:
    return f"print({words!r}, file=sys.stderr)\nsys.exit(1)"


def moves(kata: Kata) -> list[str]:
    return [record["move"]["kind"] for record in kata.records("error")]


def waits(kata: Kata, phase: str) -> list[float]:
    return [record["wait"] for record in kata.records("intent") if record["phase"] == phase]


def items(kata: Kata) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = kata.tdd("plan", "list", "--json").json["items"]
    return found


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path, config=WAITS)
    kata.plan()
    return kata


def test_each_ordinary_failure_is_told_and_tried_again(kata: Kata) -> None:
    """R1, row by row, in one cycle; R2: the waits are the settings' own."""
    broken = 'write("double.py", "def double(number):\\n    return 7\\n")'
    better = 'write("double.py", "def double(number: int) -> int:\\n    return 2 * number\\n")'
    kata.script(
        red=[UNCOMPILED, PASSES, RED],
        green=[WRONG.format(3), BREAKS, SEEN + GREEN],
        refactor=[broken, SEEN + better],
    )
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == [
        "invalid_test", "unexpected_pass", "proven", "still_failing", "breaks_existing", "proven",
        "breaks_existing", "proven",
    ]  # fmt: skip
    assert moves(kata) == ["retry", "retry", "retry", "roll_back", "roll_back"]
    assert waits(kata, "RED") == waits(kata, "GREEN") == [0.0, 0.01, 0.02]
    assert waits(kata, "REFACTOR") == [0.0, 0.01]
    red, green, refactor = kata.prompts("red"), kata.prompts("green"), kata.prompts("refactor")
    assert "did not compile" in red[1]
    assert "SyntaxError" in red[1]
    assert "Verify its assertions" in red[2]
    assert "Try another approach" in green[1]
    assert "return number + 3" in green[1]
    assert "assert 5 == 4" in green[1]
    assert "find another implementation" in green[2]
    assert "test_greets" in green[2]
    assert "rolled back to the state before it" in refactor[1]
    # the third GREEN attempt began from RED's commit: neither the broken greeter nor double.py was there
    assert kata.git("show", "HEAD~1:greet.py") == kata.git("show", "HEAD~3:greet.py")
    assert "def double(number: int)" in kata.git("show", "HEAD:double.py")


def test_a_broken_candidate_is_not_built_upon(kata: Kata) -> None:
    kata.script(green=[BREAKS, SEEN + GREEN])
    assert kata.next().code == 0
    assert "double.py" not in (kata.agent / "seen.txt").read_text().splitlines()
    assert kata.records("error")[0]["move"]["why"] == "back to where it was good"


def test_retries_count_on_through_a_kill_and_then_a_person_is_asked(kata: Kata) -> None:
    kill = "import signal\nos.kill(os.getppid(), signal.SIGKILL)\nimport time\ntime.sleep(5)"
    kata.script(green=[WRONG.format(3), kill, WRONG.format(30), "", WRONG.format(50)], analyze=[""])
    assert kata.next().code == -9
    done = kata.next()
    assert done.code == 1
    errors = kata.records("error")
    assert [record["retry_count"] for record in errors] == [0, 1, 2, 3]
    assert waits(kata, "GREEN") == [0.0, 0.01, 0.02, 0.04]
    assert len(kata.calls("green")) == 5  # one more for the kill
    assert errors[-1]["next_phase"] == "ABORTED"
    assert "retried 3 times" in errors[-1]["move"]["why"]
    ended = kata.records("cycle_ended")[-1]
    assert (ended["outcome"], ended["retry_count"]) == ("aborted", 3)
    assert ended["error_id"].startswith("err_")
    assert items(kata)[0]["failure"]["error_id"] == ended["error_id"]
    noted = kata.git("notes", "--ref=tdd", "show", errors[-1]["candidate"])
    assert '"error":"Test still failing after implementation"' in noted.replace('": ', '":')


def test_a_rate_limit_costs_no_retry_and_a_lost_connection_gets_more_time(kata: Kata) -> None:
    limited = complain("API Error: 429 rate limit exceeded, retry-after: 0.3")
    overloaded = complain("529 overloaded")
    timeout = complain("fetch failed: request timed out")
    kata.script(green=[limited, overloaded, timeout, GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    first, second, third = kata.records("error")
    assert first["error_details"]["type"] == "rate_limited"
    assert (first["move"]["kind"], first["move"]["delay"], first["move"]["counts"]) == ("wait", 0.3, False)
    assert second["error_details"]["type"] == "overloaded"
    assert second["move"]["delay"] == 0.16
    assert (third["move"]["kind"], third["move"]["longer"]) == ("longer_timeout", 2.0)
    assert [record["retry_count"] for record in (first, second, third)] == [0, 0, 0]
    assert waits(kata, "GREEN") == [0.0, 0.3, 0.16, 0.01]


def test_a_provider_that_stays_away_pauses_and_the_same_command_goes_on(kata: Kata) -> None:
    kata.configure(WAITS + "transient_retries = 1\n")
    kata.script(green=[complain("429 too many requests")])
    done = kata.next()
    assert done.code == 4
    assert "rate limit" in done.err
    assert "Run the same command again" in done.err
    assert len(kata.calls("green")) == 2
    kata.script(green=[GREEN])
    assert kata.next().code == 0
    assert kata.records("handoff")[1]["retry_count"] == 0


def test_a_specialist_goes_on_from_the_candidate(kata: Kata) -> None:
    """A8: the request, its environment, its waits; the phase's own retries are not used up."""
    kata.script(green=[SYNTAX], build_doctor_role=[SEEN + GREEN + 'print("Fix applied successfully")'])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts()[1:3] == ["build_error", "proven"]
    call = kata.calls("fix")[0]
    assert (call["TDD_ROLE"], call["TDD_FAILED_PHASE"], call["TDD_ATTEMPT"]) == ("build-doctor", "GREEN", "2")
    assert call["TDD_CYCLE_ID"] == kata.records("handoff")[0]["cycle_id"]
    assert "double.py" in (kata.agent / "seen.txt").read_text().splitlines()
    prompt = kata.prompts("fix")[0]
    for words in (
        "Fix this error so the test can pass",
        "double.py:1",
        "SyntaxError",
        "Fix applied successfully",
        "still in the files",
    ):
        assert words in prompt, words
    error = kata.records("error")[0]
    assert error["move"]["on_candidate"] is True
    assert error["move"]["counts"] is False
    assert error["request"]["task"] == "Fix this error so the test can pass"
    assert error["diagnosis"]["routing_type"] == "build-error"
    assert waits(kata, "GREEN") == [0.0, 0.05]
    green = kata.records("handoff")[1]
    assert (green["agent"]["role"], green["retry_count"]) == ("build-doctor", 0)
    assert [one["agent"]["signalled"] for one in kata.records("handoff")] == [False, True, False]


def test_specialists_follow_each_other_as_the_error_changes(kata: Kata) -> None:
    """The same error and retries left: the same one again; another error: the one for that; all of it is logged."""
    runtime = 'write("double.py", "def double(number):\\n    return {}[\'factor\'] * number\\n")'
    also = SYNTAX.replace("return number", "return number * 2")
    kata.script(green=[SYNTAX], build_doctor_role=[also, runtime], debugger_role=[GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert [call["TDD_ROLE"] for call in kata.calls("fix")] == ["build-doctor", "build-doctor", "debugger"]
    assert [call["TDD_ATTEMPT"] for call in kata.calls("fix")] == ["2", "3", "4"]
    assert waits(kata, "GREEN") == [0.0, 0.05, 0.06, 0.07]
    errors = kata.records("error")
    assert [record["agent"]["role"] for record in errors] == ["green", "build-doctor", "build-doctor"]
    assert [record["diagnosis"]["routing_type"] for record in errors] == [
        "build-error",
        "build-error",
        "runtime-error",
    ]
    prompt = kata.prompts("fix")[2]
    assert "KeyError" in prompt
    assert "double.py:2" in prompt


def test_a_database_error_is_the_database_specialists(kata: Kata) -> None:
    query = (
        'write("double.py", "import sqlite3\\n\\n\\ndef double(number):\\n    base = sqlite3.connect(\':memory:\')\\n'
        "    return base.execute('SELECT twice FROM numbers WHERE n = ?', (number,)).fetchone()[0]\\n\")"
    )
    kata.script(green=[query], database_role=[GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert [call["TDD_ROLE"] for call in kata.calls("fix")] == ["database"]
    prompt = kata.prompts("fix")[0]
    assert "no such table: numbers" in prompt
    assert "numbers" in kata.records("error")[0]["request"]["table"]


def test_a_specialist_that_does_nothing_is_not_called_again(kata: Kata) -> None:
    kata.script(green=[SYNTAX, SYNTAX, GREEN], build_doctor_role=[""], analyze=[""])
    done = kata.next()
    assert done.code == 0, done.err
    # the error is no other specialist's: the phase's own agent goes on
    assert kata.verdicts()[1:5] == ["build_error", "no_change", "build_error", "proven"]
    assert [call["TDD_ROLE"] for call in kata.calls("fix")] == ["build-doctor"]
    assert len(kata.calls("green")) == 3


REPORT = """
here_out = pathlib.Path(os.environ["TDD_OUTPUT_DIR"]) / "investigation.md"
here_out.write_text('''# Investigation report
## Classification
- category: LOGIC
- severity: MEDIUM
- recoverable: yes
## Root cause
The factor is {cause}.
## Evidence
- double.py:2 returns another sum
## Recommendation
- strategy: {strategy}
### Steps
1. Multiply by two
## Confidence
- diagnosis: 0.9 (read the code)
- recommendation: 0.8 (simple)
## Action
{action}
''')
"""


def report(action: str, cause: str = "wrong in double.py", strategy: str = "") -> str:
    return REPORT.format(action=action, cause=cause, strategy=strategy or f"Follow {action} here")


def other_agent(kata: Kata) -> str:
    """Configuration of a second agent, that the first one falls back on; it plays the same scenes."""
    import json
    import sys

    command = json.dumps([sys.executable, str(kata.agent / "agent.py")])
    return f'[agents.first]\ncommand = {command}\nfallback = "second"\n[agents.second]\ncommand = {command}\n'


def test_a_believed_investigation_is_followed(kata: Kata) -> None:
    """R4: RETRY, ROLLBACK, REPLAN and FALLBACK, each the second time that the same kind of error comes."""
    long_leash = WAITS.replace("[retry]", "[retry]\nmax_retries = 9")
    kata.configure(long_leash + other_agent(kata))
    kata.plan("halves a number")
    new_list = 'import json\n(pathlib.Path(os.environ["TDD_OUTPUT_DIR"]) / "test-list.json").write_text(json.dumps({"items": [{"title": "multiply, never add", "description": "two times the number"}]}))'
    kata.script(
        green=[*(WRONG.format(number) for number in (3, 30, 31, 37, 41)), GREEN],
        analyze=[report("RETRY"), report("ROLLBACK"), report("REPLAN"), report("FALLBACK")],
        test_list=[new_list],
    )
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "first"})
    assert done.code == 0, done.err
    assert moves(kata) == ["retry", "retry", "roll_back", "replan", "other_agent"]
    green = kata.prompts("green")
    assert "Follow RETRY here" in green[2]
    assert "Multiply by two" in green[2]
    assert "Follow ROLLBACK here" in green[3]
    assert "The step was planned anew" in green[4]
    assert "multiply, never add: two times the number" in green[4]
    assert "Follow REPLAN here" not in green[4]
    assert [record["agent"]["name"] for record in kata.records("error")] == ["first"] * 5
    assert kata.records("handoff")[1]["agent"]["name"] == "second"
    errors = kata.records("error")
    assert "investigation" not in errors[0] or not errors[0]["investigation"]
    assert [one["investigation"]["action"] for one in errors[1:]] == [
        "RETRY",
        "ROLLBACK",
        "REPLAN",
        "FALLBACK",
    ]
    assert errors[1]["investigation"]["by"] == "agent"
    assert errors[1]["investigation"]["diagnosis_confidence"] == {"level": 0.9, "reason": "read the code"}
    prompt = kata.prompts("analyze")[0]
    assert "number + 30" in prompt or "assert 32 == 4" in prompt
    call = kata.calls("analyze")[0]
    assert (call["TDD_PHASE"], call["TDD_FAILED_PHASE"]) == ("analyze", "GREEN")
    planner = kata.prompts("test_list")[0]
    assert "multiply" in planner.lower()
    assert "Still to come, not yours to repeat:\n- halves a number" in planner


def test_an_investigation_may_stop_for_a_person_and_changes_nothing_itself(kata: Kata) -> None:
    edits = 'write("double.py", "def double(number):\\n    return 4\\n")\nwrite("tests/test_double.py", "")\n'
    kata.script(green=[WRONG.format(3), WRONG.format(30)], analyze=[edits + report("ESCALATE")])
    done = kata.next()
    assert done.code == 1
    assert "it did to" in done.err
    assert "is discarded" in done.err
    assert len(kata.calls("green")) == 2
    last = kata.records("error")[-1]
    assert last["move"]["kind"] == "escalate"
    assert "wrong in double.py" in last["move"]["why"]
    assert kata.subjects() == ["chore: begin"]
    assert kata.git("status", "--porcelain", "--untracked-files=no").replace(" M tdd.toml", "") == ""


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (report("ESCALATE", cause="the wrong import in lib/missing_factor.py"), "not believed"),
        ("", "investigation report missing"),
        (report("ESCALATE") + "here_out.write_text('all is lost')", "investigation report too small"),
        (report("PANIC"), "cannot be used"),
    ],
)
def test_an_investigation_that_is_none_is_not_followed(kata: Kata, answer: str, why: str) -> None:
    kata.script(green=[WRONG.format(3), WRONG.format(30), GREEN], analyze=[answer])
    done = kata.next()
    assert done.code == 0, done.err
    assert why in done.err
    investigation = kata.records("error")[-1]["investigation"]
    assert investigation["by"] == "rules"
    assert "assert" in investigation["root_cause"]
    assert "What the analysis found" in kata.prompts("green")[2]


def test_going_in_circles_ends_early_and_the_breaker_opens(kata: Kata) -> None:
    """R5, both: the same change again and again on a long leash; and one agent's runs without progress, in one role. What
    is begun has all its retries; what is not is not begun."""
    kata.configure(
        WAITS.replace("[retry]", "[retry]\nmax_retries = 20") + "[breaker]\nwindow = 9\nlimit = 6\n"
    )
    kata.script(green=[WRONG.format(3)], analyze=[""])
    assert kata.next().code == 1
    assert len(kata.calls("green")) == 3
    assert "no progress" in kata.records("error")[-1]["move"]["why"]
    assert kata.tdd("cycle", "resume").code == 1
    assert len(kata.calls("green")) == 6
    (newest,) = [line for line in kata.tdd("errors", "list").out.splitlines() if " open " in line]
    assert newest.split()[0] == kata.records("error_report")[-2]["error_id"]
    kata.script(green=[GREEN])
    kata.plan("triples a number")
    done = kata.next()
    assert done.code == 4
    assert "One more item is tried from " in done.err
    assert (
        "circuit breaker is open: the agent 'scripted' made 6 of the last 9 runs without progress as green"
        in done.err
    )
    assert "tdd agents reset scripted" in done.err
    assert len(kata.calls("green")) == 6
    assert "circuit breaker" in kata.tdd("errors", "list").out
    assert kata.next().code == 4
    assert "notification of a stop" not in kata.tdd("log").out  # none is set up
    assert kata.tdd("agents", "reset", "nobody").code == 2
    assert kata.tdd("agents", "reset", "scripted").code == 0
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.records("breaker_reset")[0]["agent"]["name"] == "scripted"


@pytest.mark.parametrize(("cooldown", "code"), [("0", 3), ("30", 4), ("0.0001", 0)])
def test_an_open_breaker_lets_one_more_item_be_tried_once_it_has_cooled_down(
    kata: Kata, cooldown: str, code: int
) -> None:
    kata.configure(WAITS + f"[breaker]\nlimit = 2\ncooldown = {cooldown}\n")
    kata.script(green=[WRONG.format(3), WRONG.format(30)], analyze=[""])
    assert kata.next().code == 1
    kata.script(green=[GREEN])
    kata.plan("triples a number")
    done = kata.next()
    assert done.code == code, done.err
    assert ("has cooled down: one more item is tried" in done.err) is (code == 0)
    assert ("One more item is tried from" in done.err) is (code == 4)


def test_another_test_command_in_mid_cycle_is_said_before_an_agent_works(kata: Kata) -> None:
    kata.plan()
    assert kata.next("--phase").code == 0
    before = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", before.replace('"-q"', '"-q", "-rA"'))
    calls = len(kata.calls())
    done = kata.next()
    assert done.code == 2
    assert "not the one that this cycle began with" in done.err
    assert "tdd cycle abort" in done.err
    assert len(kata.calls()) == calls
    kata.write("tdd.toml", before)
    assert kata.next().code == 0


def test_a_gc_that_took_what_refs_of_ours_held_costs_the_cycle_and_no_more(kata: Kata) -> None:
    kata.plan()
    assert kata.next("--phase").code == 0
    for ref in kata.git("for-each-ref", "--format=%(refname)", "refs/tdd").splitlines():
        kata.git("update-ref", "-d", ref)
    kata.git("reflog", "expire", "--expire=now", "--all")
    kata.git("gc", "-q", "--prune=now")
    kata.plan("doubles a number")
    done = kata.next()
    assert done.code == 2
    assert "tdd cycle abort" in done.err
    assert kata.tdd("cycle", "abort").code == 0
    assert kata.next().code == 0

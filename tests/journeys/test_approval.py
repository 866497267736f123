"""What stops a cycle and lets it go on: approval gates, budgets, a person as the agent, rollback, time limits, chance."""

from __future__ import annotations

import json
import re
import sys
from datetime import date
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata

WRONG = 'write("double.py", "def double(number):\\n    return number + {}\\n")'


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.plan()
    return kata


def status(kata: Kata) -> str:
    found: str = kata.tdd("plan", "list", "--json").json["items"][0]["status"]
    return found


def test_after_so_many_failures_a_person_is_asked_and_before_landing_again(kata: Kata) -> None:
    kata.configure("[approval]\nafter_failures = 2\nbefore_landing = true\n")
    kata.script(green=[WRONG.format(3), WRONG.format(30), WRONG.format(50), GREEN], analyze=[""])
    done = kata.next()
    assert done.code == 3
    assert "tdd cycle approve" in done.err
    assert len(kata.calls("green")) == 2
    assert kata.next().code == 3  # nobody has answered yet
    assert len(kata.calls("green")) == 2
    done = kata.tdd("cycle", "approve", "--comment", "go on")
    assert len(kata.calls("green")) == 4  # the count begins anew: one failure more asks nobody
    assert done.code == 3
    assert "before landing" in done.err
    assert kata.subjects() == ["chore: begin"]
    assert kata.tdd("cycle", "approve").code == 0
    assert kata.subjects()[-1] == "feat: doubles a number"
    answers = [(one["gate"], one["decision"]) for one in kata.records("approval")]
    assert answers == [
        ("after_failures", "wanted"), ("after_failures", "approved"),
        ("before_landing", "wanted"), ("before_landing", "approved"),
    ]  # fmt: skip


def test_an_approval_does_not_outlive_the_failure_that_it_was_for(kata: Kata) -> None:
    kata.configure("[approval]\nafter_failures = 1\n[retry]\nmax_retries = 1\ndelays = [0]\n")
    kata.script(green=[WRONG.format(number) for number in (3, 30, 50, 70)], analyze=[""])
    assert kata.next().code == 3
    assert kata.tdd("cycle", "approve").code == 1
    assert kata.records("cycle_ended")[0]["outcome"] == "aborted"
    assert kata.tdd("cycle", "resume").code == 3
    assert len(kata.calls("green")) == 3


def test_a_rollback_leaves_neither_a_question_nor_its_answer(kata: Kata) -> None:
    kata.configure("[approval]\nafter_failures = 1\n")
    kata.script(green=[WRONG.format(number) for number in (3, 30, 50, 70)], analyze=[""])
    assert kata.next().code == 3
    assert kata.tdd("cycle", "approve").code == 3
    assert kata.tdd("rollback").code == 0
    assert kata.next().code == 3
    assert [len(kata.calls(phase)) for phase in ("red", "green")] == [2, 3]
    assert [one["decision"] for one in kata.records("approval")] == ["wanted", "approved", "wanted", "wanted"]


def test_a_mended_failure_is_settled_by_the_approval_of_its_fix(kata: Kata) -> None:
    kata.configure("[retry]\nmax_retries = 0\n")
    kata.script(green=[WRONG.format(3)])
    assert kata.next().code == 1
    kata.configure("[approval]\nbefore_landing = true\n")
    kata.script(green=[GREEN])
    assert kata.tdd("errors", "fix", "last").code == 3
    done = kata.tdd("cycle", "approve", "--json")
    assert done.code == 0, done.err
    assert (done.json["schema"], done.json["outcome"]) == ("tdd/cycle-result", "landed")
    assert kata.tdd("errors", "list", "--json").json["errors"] == []
    assert status(kata) == "planned"


def test_a_rejected_cycle_ends_and_keeps_everything(kata: Kata) -> None:
    kata.configure("[approval]\nbefore_landing = true\n")
    assert kata.next().code == 3
    tip = kata.records("approval")[0]["tip"]
    assert kata.tdd("cycle", "reject", "--comment", "another name, please").code == 0
    assert kata.subjects() == ["chore: begin"]
    assert kata.git("cat-file", "-t", tip) == "commit"
    assert status(kata) == "planned"
    assert kata.records("cycle_ended")[-1]["reasons"] == ["another name, please"]
    assert kata.tdd("cycle", "approve").code == 2


def test_a_budget_of_attempts_pauses_and_goes_on_when_raised(kata: Kata) -> None:
    kata.configure("[budget]\nattempts = 2\n")
    kata.script(green=[WRONG.format(3), GREEN])
    done = kata.next()
    assert done.code == 4
    assert "2 of 2 attempts are used up" in done.err
    assert "Raise budget.attempts in tdd.toml and run the same command again." in done.err
    assert kata.next().code == 4
    assert len(kata.calls("green")) == 1
    kata.configure("[budget]\nattempts = 9\n")
    assert kata.next().code == 0


def test_a_budget_that_is_just_enough_does_not_keep_what_is_done_from_landing(kata: Kata) -> None:
    kata.configure("[budget]\nattempts = 3\n")
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.subjects()[-1] == "feat: doubles a number"


def test_a_budget_that_is_used_up_does_not_keep_a_failure_from_being_told(kata: Kata) -> None:
    kata.configure("[budget]\nattempts = 2\n[retry]\nmax_retries = 0\n")
    kata.script(green=[WRONG.format(3)])
    assert kata.next().code == 1
    assert kata.records("cycle_ended")[0]["outcome"] == "aborted"


def test_a_budget_of_tokens_pauses_too(kata: Kata) -> None:
    takes = [
        {"phase": "red", "write": {"tests/test_double.py": "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"}, "tokens": 700},
        {"phase": "green", "write": {"double.py": "def double(number):\n    return number * 2\n"}, "tokens": 500},
        {"phase": "refactor", "say": "nothing"},
    ]  # fmt: skip
    (kata.agent / "takes.json").write_text(json.dumps({"take": takes}))
    tape = f'[agents.tape]\npreset = "replay"\nrecording = {json.dumps(str(kata.agent / "takes.json"))}\n'
    kata.configure(tape + "[budget]\ntokens = 1000\n")
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "tape"})
    assert done.code == 4
    assert "1,200 of 1,000 tokens" in done.err
    kata.configure(tape)
    assert kata.next(env={"TDD_AGENTS_DEFAULT": "tape"}).code == 0


def test_a_run_stops_after_so_many_cycles(kata: Kata) -> None:
    kata.plan("greets loudly")
    done = kata.tdd("cycle", "run", "--max-cycles", "1")
    assert done.code == 0, done.err
    assert kata.subjects()[-1] == "feat: doubles a number"
    assert [item["status"] for item in kata.tdd("plan", "list", "--json").json["items"]] == [
        "completed",
        "planned",
    ]


def test_the_budget_of_a_run_stops_between_two_attempts(kata: Kata) -> None:
    """A stand-in for a coding agent that says what it cost, in that agent's own words."""
    lines = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m"},
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": "done",
            "session_id": "s",
            "total_cost_usd": 0.6,
        },
    ]
    said = "".join(f"print({json.dumps(line)!r})\n" for line in lines)
    program = kata.agent / "claude"
    program.write_text(
        f"#!{sys.executable}\n"
        + (kata.agent / "agent.py").read_text().replace("__file__", repr(str(kata.agent / "agent.py")))
        + said
    )
    program.chmod(0o755)
    kata.configure(f'[agents.paid]\npreset = "claude"\ncommand = [{json.dumps(str(program))}]\n')
    paid = {"TDD_AGENTS_DEFAULT": "paid"}
    done = kata.tdd("cycle", "run", "--budget", "1", env=paid)
    assert done.code == 4, done.err
    assert "The budget of this run: 1.20 of 1.00 dollars" in done.err
    assert "Run it again to go on, or give it more: --budget, or budget.run_cost in tdd.toml." in done.err
    assert len(kata.calls()) == 2
    done = kata.tdd("cycle", "run", "--budget", "1", env=paid)
    assert done.code == 0, done.err
    assert kata.subjects()[-1] == "feat: doubles a number"


def test_a_person_without_a_terminal_edits_between_two_runs(kata: Kata) -> None:
    human = {"TDD_AGENTS_DEFAULT": "human"}
    for files in (
        {
            "tests/test_double.py": "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
        },
        {"double.py": "def double(number):\n    return number * 2\n"},
        {},
    ):
        done = kata.next(env=human)
        assert done.code == 3, done.err
        found = re.search(r"  where  (\S+)\n(?:.*\n)+.*run the same command again", done.err)
        assert found, done.err
        for name, text in files.items():
            (Path(found[1]) / name).write_text(text)
    done = kata.next(env=human)
    assert done.code == 0, done.err
    assert kata.subjects()[-1] == "feat: doubles a number"
    assert kata.verdicts() == ["proven", "proven", "unchanged"]


def test_rolling_back_within_a_cycle(kata: Kata) -> None:
    kata.next("--phase")
    tip = kata.git("for-each-ref", "--format=%(objectname)", "refs/tdd/cycles/")
    done = kata.tdd("rollback")
    assert done.code == 0, done.err
    kept = kata.git("for-each-ref", "--format=%(objectname)", "refs/tdd/undone/")
    assert kept == tip
    assert kata.records("rollback")[0]["old"] == tip
    assert kata.next().code == 0
    assert len(kata.calls("red")) == 2


def test_rolling_the_branch_back_keeps_what_is_not_committed(kata: Kata) -> None:
    assert kata.next().code == 0
    good = kata.git("rev-parse", "HEAD")
    kata.write("greet.py", "def greet(name):\n    return name\n")
    kata.git("commit", "-q", "-am", "feat: bad")
    bad = kata.git("rev-parse", "HEAD")
    kata.write("README.md", "# Mine\n")
    kata.write("scratch.txt", "mine too\n")
    refused = kata.tdd("rollback")
    assert refused.code == 2
    assert "work that no record knows" in refused.err
    assert kata.git("rev-parse", "HEAD") == bad
    done = kata.tdd("rollback", good)
    assert done.code == 0, done.err
    assert kata.git("rev-parse", "HEAD") == good
    assert "hello" in (kata.root / "greet.py").read_text()
    assert (kata.root / "README.md").read_text() == "# Mine\n"
    assert (kata.root / "scratch.txt").read_text() == "mine too\n"
    assert kata.git("for-each-ref", "--format=%(objectname)", "refs/tdd/undone/") == bad
    assert kata.records("rollback")[0]["new"] == good
    kata.git("checkout", "-q", "README.md")
    kata.git("reset", "-q", "--hard", bad)
    kata.write("greet.py", "mine\n")
    blocked = kata.tdd("rollback", good)
    assert blocked.code == 2  # the edit stands in the way
    assert "greet.py" in blocked.err
    assert (kata.root / "greet.py").read_text() == "mine\n"


def test_an_agent_that_runs_out_of_time_is_judged_by_what_it_left(kata: Kata) -> None:
    """A6: ended, its work proven all the same; where that fails: once more, from what it left, with the same limit."""
    command = json.dumps([sys.executable, str(kata.agent / "agent.py")])
    kata.configure(f"[agents.slow]\ncommand = {command}\ntimeout = 3\n")
    hang = "\nimport time\ntime.sleep(60)"
    kata.script(green=[WRONG.format(3) + hang, GREEN + hang], analyze=[""])
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "slow"})
    assert done.code == 0, done.err
    error, green = kata.records("error")[0], kata.records("handoff")[1]
    assert error["verdict"] == "still_failing"
    assert error["agent"]["status"] == "agent_failed"
    assert "time limit" in error["agent"]["failure_reason"]
    assert error["move"]["kind"] == "retry"
    assert (error["move"]["longer"], error["move"]["on_candidate"]) == (1.0, True)
    assert "stopped at its time limit. What it left is in the files." in kata.prompts("green")[1]
    assert green["verdict"] == "proven"
    assert "time limit" in green["warnings"][0]
    assert green["agent"]["seconds"] < 8


def test_an_agent_that_crashes_is_marked_and_its_work_is_proven(kata: Kata) -> None:
    """A7. One that left nothing has failed; one that had finished before it died is believed by its tests."""
    died = "import signal\nos.kill(os.getpid(), signal.SIGSEGV)"
    kata.script(green=["sys.exit(3)", died, WRONG.format(3) + "\n" + died, GREEN + died])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts()[1:5] == ["agent_failed", "agent_failed", "still_failing", "proven"]
    first, second, third = kata.records("error")
    assert (first["agent"]["status"], first["agent"]["exit_code"]) == ("agent_failed", 3)
    assert second["agent"]["status"] == "error"
    assert "SIGSEGV" in second["agent"]["failure_reason"]
    assert second["incident"].startswith("inc_")
    assert third["agent"]["status"] == "error"
    assert kata.records("handoff")[1]["agent"]["status"] == "error"


def test_a_flaky_test_rolls_nothing_back_and_rests(kata: Kata, tmp_path: Path) -> None:
    """E4: an old test that fails once and then passes is neither a pass nor a regression."""
    switch = tmp_path / "fails-once"
    kata.write(
        "tests/test_now_and_then.py",
        f"import os\n\n\ndef test_now_and_then():\n    if os.path.exists({str(switch)!r}):\n"
        f"        os.remove({str(switch)!r})\n        assert False, 'unlucky'\n",
    )
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "test: now and then")
    kata.script(green=[GREEN + f"pathlib.Path({str(switch)!r}).touch()\n"])
    assert kata.next().code == 0
    assert kata.verdicts() == ["proven", "proven", "unchanged"]
    green = kata.records("handoff")[1]
    tests = green["tests"]
    assert tests["flaky_tests"] == ["tests/test_now_and_then.py::test_now_and_then"]
    assert any("tests/test_now_and_then.py::test_now_and_then" in warning for warning in green["warnings"])
    recorded = (tests["run_verdict"], tests["exit_code"], tests["failing_tests"], green["known_good"])
    assert recorded == ("passed", 0, [], True), "the whole run that succeeded is the evidence"
    until = tests["quarantined_until"]["tests/test_now_and_then.py::test_now_and_then"]
    assert date.fromisoformat(until) > date.today()


def test_a_red_test_that_fails_only_sometimes_is_refused(kata: Kata, tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    flaky = (
        "import pathlib\nimport random\n\nfrom greet import greet\n\n\ndef test_doubles():\n"
        f"    path = pathlib.Path({str(counter)!r})\n    path.write_text(path.read_text() + 'x' if path.exists() else 'x')\n"
        "    assert greet(random.choice(['a'])) == ('hello a' if len(path.read_text()) % 2 == 0 else 'bye')\n"
    )
    kata.script(red=[f'write("tests/test_double.py", {flaky!r})', RED])
    assert kata.next().code == 0
    assert kata.verdicts()[:2] == ["flaky", "proven"]
    assert "random" in kata.prompts("red")[1] or "every run" in kata.prompts("red")[1]


def test_a_tree_that_a_record_proves_is_not_run_again(kata: Kata, tmp_path: Path) -> None:
    """E6: the second cycle begins without a baseline run."""
    runs = tmp_path / "runs"
    kata.write(
        "tests/test_counted.py",
        f"open({str(runs)!r}, 'a').write('x')\n\n\ndef test_counted():\n    assert 1 + 1 == 2\n",
    )
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "test: counted")
    assert kata.next().code == 0
    first = len(runs.read_text())
    kata.plan("halves a number")
    kata.script(red=[RED.replace("double", "halve").replace("== 4", "== 1")])
    kata.agent.joinpath("calls.jsonl").unlink()
    assert kata.next("--phase").code == 0
    assert len(runs.read_text()) == first + 1
    assert len(kata.records("baseline")) == 1

"""Faults of an agent's provider or process in whole cycles: limits that end at a time, programs that do not start, kills (A10)."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata
from test_recovery import complain

LIMIT = "You've hit your usage limit. Try again in {}."


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.plan()
    return kata


def test_a_usage_limit_is_waited_for_and_the_run_goes_on_by_itself_once(kata: Kata) -> None:
    kata.script(green=[complain(LIMIT.format("2 seconds")), GREEN])
    begun = time.monotonic()
    done = kata.next()
    assert done.code == 0, done.err
    assert time.monotonic() - begun > 2
    error = kata.records("error")[0]
    assert (error["move"]["kind"], error["move"]["delay"]) == ("wait", 2.2)
    assert error["agent"]["fault"] == "usage_limit"
    assert "it goes on by itself" in done.err
    assert "GREEN: scripted works (attempt 2)" in done.err, "the number is the record's, as in tdd cycle show"
    assert "GREEN: accepted at attempt 2" in kata.tdd("cycle", "show").out
    assert LIMIT.format("2 seconds").rstrip(".") in done.err


def test_a_limit_that_ends_later_pauses_and_nothing_is_started_before(kata: Kata) -> None:
    kata.script(green=[complain(LIMIT.format("3 days 4 hours")), GREEN])
    done = kata.next()
    assert done.code == 4
    assert "in about 3 days" in done.err
    status = kata.tdd("status").out
    assert status.count("3 days 4 hours") == 1, status
    assert kata.tdd("cycle", "show").out.count("3 days 4 hours") == 1
    calls = len(kata.calls())
    again = kata.next()
    assert again.code == 4
    assert "The account of scripted is limited until" in again.err
    assert len(kata.calls()) == calls
    assert len(kata.tdd("errors", "list", "--json").json["errors"]) == 1
    assert kata.tdd("agents", "reset", "scripted").code == 0
    assert kata.next().code == 0


@pytest.mark.parametrize(
    ("words", "kind", "error_type", "then"),
    [
        ("Credit balance is too low", "quota", "resource", "Add credit or change the plan"),
        ("Invalid API key · Fix external API key", "auth", "integration", "Log in to the agent"),
        (LIMIT.format("3 days"), "usage limit", "resource", "Run the same command again on"),
        (
            "Could not load credentials from any providers",
            "misconfigured",
            "integration",
            "`tdd agents first`",
        ),
        ("model: big-9 not found, the budget of memory", "denied", "integration", "Check the agent's model"),
    ],
)
def test_a_pause_has_a_report_of_its_kind_and_an_item_with_what_to_do(
    kata: Kata, words: str, kind: str, error_type: str, then: str
) -> None:
    command = json.dumps([sys.executable, str(kata.agent / "agent.py")])
    kata.configure(f'[agents.first]\npreset = "claude"\ncommand = {command}\n')
    ended = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "Done.",
        "session_id": "s-1",
    }
    failed = f"print({json.dumps({**ended, 'is_error': True, 'result': words})!r})\nsys.exit(1)"
    well = f"print({json.dumps(ended)!r})"
    kata.script(red=[f"{RED}\n{well}"], green=[failed, f"{GREEN}\n{well}"], refactor=[well])
    env = {"TDD_AGENTS_DEFAULT": "first"}
    assert kata.next(env=env).code == 4
    (report,) = kata.tdd("errors", "list", "--json").json["errors"]
    assert report["error_type"] == error_type
    assert f"open    {kind} " in kata.tdd("errors", "list").out
    assert kind in kata.tdd("errors", "show").out
    items = kata.tdd("plan", "list", "--json").json["items"]
    (made,) = [one for one in items if one["title"].startswith("Fix: ")]
    assert then in made["description"]
    assert words.split(".")[0] in made["title"]
    assert "tdd agents NAME" not in kata.tdd("status").out
    kata.tdd("agents", "reset", "first", env=env)
    assert kata.next(env=env).code == 0
    assert "No failure is open." in kata.tdd("errors", "list").out
    assert [one["status"] for one in kata.tdd("plan", "list", "--json").json["items"]] == ["completed"]


def test_a_second_pause_for_the_same_reason_says_again_what_to_do(kata: Kata) -> None:
    kata.script(red=[complain(LIMIT.removesuffix(" Try again in {}."))] * 2)
    assert kata.next().code == 4
    assert kata.next().code == 4
    assert len(kata.tdd("errors", "list", "--json").json["errors"]) == 1
    assert "  Run the same command again when the limit has ended;" in kata.tdd("status").out


def test_another_agent_takes_over_while_the_account_is_limited(kata: Kata) -> None:
    command = json.dumps([sys.executable, str(kata.agent / "agent.py")])
    kata.configure(
        f'[agents.first]\ncommand = {command}\nfallback = "second"\n[agents.second]\ncommand = {command}\n'
    )
    kata.script(green=[complain(LIMIT.format("2 hours")), GREEN])
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "first"})
    assert done.code == 0, done.err
    assert [one["agent"]["name"] for one in kata.records("handoff")] == ["first", "second", "second"]


def test_a_program_that_cannot_be_started_pauses_at_once(kata: Kata) -> None:
    broken = kata.agent / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    kata.configure(f'[agents.broken]\ncommand = ["{broken}"]\n')
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "broken"})
    assert done.code == 4
    assert "did not start" in done.err.lower()
    assert len(kata.records("error")) == 1


def test_a_client_that_is_killed_is_tried_once_more_and_then_paused(kata: Kata) -> None:
    kata.script(green=["import signal\nos.kill(os.getpid(), signal.SIGKILL)"], analyze=[""])
    done = kata.next()
    assert done.code == 4
    assert "killed twice" in done.err
    assert len(kata.calls("green")) == 2
    assert [one["agent"]["fault"] for one in kata.records("error")] == ["killed", "killed"]
    assert kata.records("error")[0]["diagnosis"]["error_type"] == "resource"
    listed = kata.tdd("errors", "list").out
    assert "open    killed " in listed
    assert "integration" not in listed + kata.tdd("errors", "show").out
    kata.tdd("plan", "add", "greets in French")
    run = kata.tdd("cycle", "run")
    assert run.code == 4, "the item fails, and the next one is begun, whose agent is killed as well"
    assert kata.records("cycle_ended")[0]["outcome"] == "aborted"
    assert "failed      doubles a number" in run.out


@pytest.mark.parametrize("left", ["", "write(f'half_{number}.py', 'x = 1\\n')\n"])
def test_an_agent_that_runs_out_of_time_twice_is_a_persons(kata: Kata, left: str) -> None:
    """Also where it left half of the work: no specialist, no code that is wrong, and the limit is named."""
    command = json.dumps([sys.executable, str(kata.agent / "agent.py")])
    kata.configure(f"[agents.slow]\ncommand = {command}\ntimeout = 2\n")
    kata.script(green=[left + "import time\ntime.sleep(60)"], analyze=[""])
    done = kata.next(env={"TDD_AGENTS_DEFAULT": "slow"})
    assert done.code == 1
    assert len(kata.calls("green")) == 2
    assert kata.calls("fix") == []
    assert "✗ GREEN rejected: timed out: the agent took longer than its time limit (2 s)" in done.err
    assert kata.prompts("green")[1].count("stopped at its time limit") == 1
    assert ("What it left is in the files." in kata.prompts("green")[1]) is bool(left)
    assert "raise agents.slow.timeout" in kata.records("error")[1]["move"]["why"]
    assert kata.records("error")[0]["diagnosis"]["error_type"] == "timeout"
    assert "Fix:" not in kata.tdd("plan", "list").out
    listed = kata.tdd("errors", "list").out
    assert "took longer than its time limit (2 s)" in listed
    assert "next: raise agents.slow.timeout, then tdd cycle resume" in listed
    shown = kata.tdd("errors", "show", "last").out
    assert "Raise agents.slow.timeout in tdd.toml, or split the item (tdd plan edit)." in shown
    assert "an endless loop" not in shown, "no code is known to run for ever"
    assert "dependency" not in shown

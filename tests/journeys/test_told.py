"""F11: whatever stops a run is told to the user's own command, once, with what to do next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kit import GREEN, ROOT, Kata
from test_landing import conflicting
from test_recovery import WAITS, complain

WRONG = 'write("double.py", "def double(number):\\n    return number + {}\\n")'
BREAKER = WAITS.replace("[retry]", "[retry]\nmax_retries = 20") + "[breaker]\nwindow = 9\nlimit = 2\n"


def notified(kata: Kata, config: str) -> None:
    """Every message to the user's command is kept as a line."""
    ear = kata.agent / "ear.py"
    ear.write_text(
        f"import sys\nopen({str(kata.agent / 'heard.jsonl')!r}, 'a').write(sys.stdin.read() + '\\n')\n"
    )
    kata.configure(f"{config}[notify]\ncommand = {json.dumps([sys.executable, str(ear)])}\n")


def heard(kata: Kata) -> list[dict[str, Any]]:
    path = kata.agent / "heard.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize(
    ("config", "scenes", "code", "what", "todo"),
    [
        (WAITS + "transient_retries = 0\n", {"green": [complain("429 too many requests")]}, 4, "rate limit", "Run the same command again"),
        ("[budget]\nattempts = 1\n", {}, 4, "1 of 1 attempts are used up", "Raise budget.attempts"),
        ("[approval]\nbefore_landing = true\n", {}, 3, "waits for a person", "tdd cycle approve"),
    ],
    ids=["provider", "budget", "approval"],
)  # fmt: skip
def test_a_stop_is_told_once(
    tmp_path: Path, config: str, scenes: dict[str, list[str]], code: int, what: str, todo: str
) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    notified(kata, config)
    kata.script(**scenes)
    assert kata.next().code == code
    (told,) = heard(kata)
    assert (told["schema"], told["exit_code"]) == ("tdd/stopped", code)
    assert what in told["what"]
    assert todo in told["next"][0]
    assert told["cycle_id"] == kata.records("cycle_started")[0]["cycle_id"]
    assert kata.next().code == code  # the same again: the terminal says it, nobody is woken twice
    assert len(heard(kata)) == 1
    assert [record["status"] for record in kata.records("report_action")] == ["begun", "done"]


def test_a_stop_that_cannot_be_recorded_is_told_all_the_same(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    notified(kata, "[notes]\nsign = true\n")
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", key], check=True)
    kata.git("config", "gpg.format", "ssh")
    kata.git("config", "user.signingKey", str(key))
    done = kata.next()
    assert done.code == 4
    (told,) = heard(kata)
    assert "cannot be signed" in told["what"]
    assert "notification" not in done.err


def test_a_medium_failure_is_told_and_makes_no_item_and_a_low_one_is_only_recorded(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    notified(kata, "")
    conflicting(kata)
    (report,) = (record["report"] for record in kata.records("error_report"))
    assert report["trigger"] == {"stage": "landing", "level": "low"}
    assert heard(kata) == []
    assert kata.records("report_action") == []


def test_the_circuit_breaker_has_a_report_and_an_item_until_a_cycle_lands(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    notified(kata, BREAKER)
    kata.script(green=[WRONG.format(3), WRONG.format(30)], analyze=[""])
    assert kata.next().code == 1
    kata.plan("doubles again")
    assert kata.next().code == 4
    assert [one["schema"] for one in heard(kata)] == ["tdd/error-report", "tdd/stopped"]
    assert kata.next().code == 4
    assert len(heard(kata)) == 2
    stop = kata.records("error_report")[-1]["report"]
    assert (stop["trigger"], stop["error_type"]) == ({"stage": "circuit_breaker", "level": "high"}, "logic")
    assert "tdd agents reset scripted" in stop["recommended_workflow"]
    titles = [item["title"] for item in kata.tdd("plan", "list", "--json").json["items"]]
    assert any(title.startswith("Fix: The circuit breaker is open") for title in titles)
    kata.tdd("config", "set", "agents.other.command", "true")
    assert "is closed: " not in kata.tdd("agents", "reset", "other").out
    assert f"{stop['error_id']} is closed: the circuit breaker was reset" in kata.tdd("agents", "reset").out
    assert "circuit breaker" not in kata.tdd("errors", "list").out
    assert "circuit breaker" not in kata.tdd("plan", "list").out
    kata.script(green=[GREEN])
    assert kata.next().code == 0


def test_an_item_that_was_set_aside_is_no_longer_what_to_do_next(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    item = kata.plan()
    kata.script(green=[WRONG.format(3)] * 4, analyze=[""])
    assert kata.next().code == 1
    assert "next: tdd cycle resume --hint" in kata.tdd("status").out
    assert kata.tdd("plan", "remove", item).code == 0
    assert 'next: tdd plan add "what is to happen"' in kata.tdd("status").out
    kata.plan("triples a number")
    assert "next: tdd cycle next" in kata.tdd("status").out


def test_a_stop_has_its_own_steps_and_nothing_to_fix_in_code(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    kata.configure("[retry]\ntransient_retries = 0\n")
    kata.script(green=[complain("429 too many requests")])
    assert kata.next().code == 4
    report = kata.records("error_report")[0]["report"]
    assert (report["fix_strategy"], report["estimated_fix_hours"]) == ("", 0)
    shown = kata.tdd("errors", "show", "last").out
    prompt = kata.tdd("errors", "prompt", "last").out
    for text in (shown, prompt):
        assert "1. See whether the agent answers: tdd doctor --agents." in text
        assert "2. Run the same command again in about 1 minute" in text
        for untrue in ("full_rework", " h,", "boundary", "after 0", "refused attempt", "unknown"):
            assert untrue not in text
    assert "Done when" not in prompt
    refused = kata.tdd("errors", "fix", "last")
    assert (refused.code, "Nothing in the code is to be fixed" in refused.err) == (2, True)
    assert "Fix: The provider's rate limit" in kata.tdd("plan", "list").out
    assert kata.tdd("errors", "close", "last").code == 0
    assert "Fix: The provider's rate limit" not in kata.tdd("plan", "list").out


def test_no_free_port_has_a_report_and_an_item_until_a_cycle_lands(tmp_path: Path) -> None:
    """It stops the command before there is a cycle, and is reported like a stop within one."""
    kata = Kata(tmp_path)
    kata.write("serve.py", "import os\n\nPORT = int(os.environ.get('TDD_PORT', '0'))\n")
    kata.git("add", "-A")
    kata.git("commit", "-q", "-m", "feat: serve")
    kata.plan()
    notified(kata, "")
    kata.script()
    for _ in range(2):
        code = (
            "from tdd_orchestrator.workspace import services; services.SLOTS = 0;"
            "from tdd_orchestrator.__main__ import main; main()"
        )
        words, env = [sys.executable, "-c", code, "cycle", "next"], {**os.environ, "PYTHONPATH": str(ROOT)}
        assert subprocess.run(words, cwd=kata.root, env=env, capture_output=True, check=False).returncode == 4
    (told,) = heard(kata)
    assert "No port is free" in told["what"]
    (report,) = kata.records("error_report")
    assert report["report"]["trigger"]["stage"] == "no_free_port"
    assert "Fix: No port is free" in kata.tdd("plan", "list").out
    assert kata.next().code == 0
    assert "No port is free" not in kata.tdd("errors", "list").out + kata.tdd("plan", "list").out


def test_a_budget_has_a_report_and_no_item(tmp_path: Path) -> None:
    kata = Kata(tmp_path, config="[budget]\nattempts = 1\n")
    kata.plan()
    assert kata.next().code == 4
    assert kata.next().code == 4
    (report,) = kata.records("error_report")
    assert report["report"]["trigger"] == {"stage": "budget", "level": "medium"}
    assert len(kata.tdd("plan", "list", "--json").json["items"]) == 1


def test_a_failure_for_good_a_success_and_a_persons_own_turn(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    notified(kata, "[retry]\nmax_retries = 0\n")
    kata.script(green=[WRONG.format(3)])
    assert kata.next().code == 1
    assert [one["schema"] for one in heard(kata)] == ["tdd/error-report"]
    assert heard(kata)[0]["error_id"].startswith("err_")
    kata.plan("halves a number")
    assert kata.next(env={"TDD_AGENTS_DEFAULT": "human"}).code == 3
    assert kata.tdd("cycle", "abort").code == 0
    assert kata.tdd("cycle", "approve").code == 2
    kata.script(green=[GREEN])
    assert kata.next().code == 0
    assert len(heard(kata)) == 1


def test_who_cannot_be_told_does_not_change_what_is_told(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    kata.configure('[budget]\nattempts = 1\n[notify]\ncommand = ["false"]\n')
    done = kata.next()
    assert done.code == 4
    assert "1 of 1 attempts are used up" in done.err
    assert "the notification did not go out: notify.command ended with exit code 1" in done.err

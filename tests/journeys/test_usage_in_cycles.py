"""A client's stream to the record, the budget and the screen, also where the run failed or was ended (A11)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from agents.provoked import recordings
from kit import GREEN, RED, WRITE, Kata

from tdd_orchestrator.agents.preset import PRESETS

STREAM = """import json, sys, time
def say(**event):
    print(json.dumps(event), flush=True)
def message(number):
    usage = {"input_tokens": 100, "cache_creation_input_tokens": 1000, "cache_read_input_tokens": 10000, "output_tokens": 10}
    content = [{"type": "text", "text": "working"}]
    say(type="assistant", message={"id": f"m{number}", "model": "sonnet", "content": content, "usage": usage})
say(type="system", subtype="init", session_id="s-1", model="sonnet", claude_code_version="2.1.0")
message(1)
"""


def claude(folder: Path, body: str) -> list[str]:
    """A program that prints what Claude Code prints."""
    script = folder / "claude"
    head = f"import os, pathlib\nprompt = sys.stdin.read()\nphase = os.environ['TDD_PHASE']\n{WRITE}\n"
    script.write_text(f"#!{sys.executable}\n{STREAM}{head}{body}\n")
    script.chmod(0o755)
    return [str(script)]


WORK = f"""
work = {{"red": {RED!r}, "green": {GREEN!r}}}
exec(work.get(phase, ""))
message(2)
say(type="result", subtype="success", is_error=False, num_turns=2, result="Done.", session_id="s-1")
"""
SLOW = f"if phase == 'green':\n    time.sleep(60)\n{WORK}"


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.plan()
    return kata


def configure(kata: Kata, body: str, more: str = "") -> None:
    command = json.dumps(claude(kata.agent, body))
    kata.configure(f'[agents.mine]\npreset = "claude"\ncommand = {command}\ntimeout = 4\n{more}')


MINE = {"TDD_AGENTS_DEFAULT": "mine"}
PRICES = "[prices.sonnet]\ninput = 3\ncached = 0.3\ncache_creation = 3.75\noutput = 15\n"


def test_every_kind_of_token_and_its_price_reach_record_and_screen(kata: Kata) -> None:
    configure(kata, WORK, PRICES)
    done = kata.next(env=MINE)
    assert done.code == 0, done.err
    green = kata.records("handoff")[1]["agent"]
    kinds = [green[f"{kind}_tokens"] for kind in ("input", "cached", "cache_creation", "output")]
    assert (kinds, green["tokens"], green["turns"], green["version"]) == (
        [200, 20000, 2000, 20],
        22220,
        2,
        "2.1.0",
    )
    assert (round(green["cost"], 6), green["cost_from"]) == (0.0144, "prices")
    assert "used 3 agent calls, 66,660 tokens (60,000 cached), $0.0432" in done.out
    assert "per landed behavior" not in done.out  # the time of one cycle is named already
    shown = kata.tdd("cycle", "show").out
    assert "mine 2.1.0 sonnet" in shown
    assert "used: 3 agent calls" in shown
    assert "22,220 tokens (200 input, 20,000 cached" in kata.tdd("show", "HEAD").out
    assert "tokens unknown" not in kata.tdd("show", "HEAD~1").out, "an attempt that began used nothing yet"


def test_a_run_that_was_ended_counts_and_the_budget_stops_on_it(kata: Kata) -> None:
    configure(kata, SLOW, "[budget]\ntokens = 30000\n")
    done = kata.next(env=MINE)
    assert done.code == 4, done.err
    ended = kata.records("error")[0]["agent"]
    assert (ended["tokens"], ended["fault"], ended["cost"]) == (11110, "timeout_wall", None)
    assert "of 30,000 tokens are used up" in done.err


PLAY = """import os, pathlib, re, sys
from datetime import UTC, datetime
sys.stdin.read() if not sys.stdin.isatty() else ""
phase = os.environ["TDD_PHASE"]
{write}
exec({{"red": {red!r}, "green": {green!r}}}.get(phase, ""))
at = datetime.now(UTC).isoformat()
log = pathlib.Path(os.environ["HOME"], {place!r})
log.parent.mkdir(parents=True, exist_ok=True)
log.write_text(re.sub(r'("timestamp": ?")[^"]*', r"\\g<1>" + at, {log!r}))
sys.stdout.write({stdout!r})
"""


@pytest.mark.parametrize("client", ["claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen"])
def test_a_budget_stops_on_what_a_client_printed_for_real(kata: Kata, client: str) -> None:
    """2,800 tokens a run, by :func:`tests.agents.test_usage.test_a_recorded_run_counts_what_its_model_counted`."""
    (row,) = [one for one in recordings(client) if one.provoked == "works"]
    session = row.parsed(client).session
    program = kata.agent / client
    logs = PRESETS[client].session_log.format(session=session).replace("*", "x")
    place = logs.partition(" ")[0] or "unused"
    text = PLAY.format(write=WRITE, red=RED, green=GREEN, place=place, log=row.log, stdout=row.stdout)
    program.write_text(f"#!{sys.executable}\n{text}")
    program.chmod(0o755)
    model = "\n".join(
        f'[prices."{name}"]\ninput = 3\ncached = 0.3\noutput = 15'
        for name in ("m", "fake-model", "gemini-2.5-pro")
    )
    kata.configure(
        f'[agents.mine]\npreset = "{client}"\ncommand = [{json.dumps(str(program))}]\nmodel = "m"\n'
        f"[budget]\ntokens = 5600\n{model}\n"
    )
    done = kata.next(env=MINE)
    assert done.code == 4, done.err
    assert "5,600 of 5,600 tokens are used up" in done.err
    spent = [record["agent"] for record in kata.records("handoff")]
    kinds = ("input_tokens", "cached_tokens", "output_tokens", "tokens")
    assert [[one[kind] for kind in kinds] for one in spent] == [[1100, 1600, 100, 2800]] * 2
    own = {"claude": 0.00528, "opencode": 0.0013, "pi": 0.0013}  # what these print themselves
    assert [round(one["cost"], 5) for one in spent] == [own.get(client, 0.00528)] * 2


WRONG = 'write("double.py", "def double(number):\\n    return number + 3\\n")'
AGAIN = f"""
with open({"{log!r}"}, "a") as file:
    file.write(phase + " " + " ".join(sys.argv[1:]) + "\\n")
before = open({"{log!r}"}).read().count("green ")
work = {{"red": {RED!r}, "green": {GREEN!r} if before > 1 else {WRONG!r}}}
exec(work.get(phase, ""))
say(type="result", subtype="success", is_error=False, num_turns=1, result="Done.", session_id="s-1")
"""


def test_a_retry_goes_on_in_the_same_session(kata: Kata) -> None:
    log = kata.agent / "argv.txt"
    configure(kata, AGAIN.replace("{log!r}", repr(str(log))))
    done = kata.next(env=MINE)
    assert done.code == 0, done.err
    calls = [line for line in log.read_text().splitlines() if line.startswith("green ")]
    assert ["--resume s-1" in call for call in calls] == [False, True]

"""R8: wall time and everything that agents cost, also those that are only asked; what stops here goes on later."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kit import GREEN, RED, Kata

from tdd_orchestrator.app.context import Surroundings, make_context
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.cycle import loop
from tdd_orchestrator.failures.escalation import FailureReporter
from tdd_orchestrator.model.errors import Paused

WRONG = 'write("double.py", "def double(number):\\n    return number + {}\\n")'


class Held:
    """Stands still but for the waits that it is asked for; nothing else can move it."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


class Silent:
    def doing(self, what: str) -> None: ...

    def working(self, progress: object) -> None: ...

    def done(self, what: str, good: bool) -> None: ...

    def note(self, what: str) -> None: ...


def paused(kata: Kata, clock: Held) -> str:
    with OpenRepository(kata.root) as opened:
        reporter = FailureReporter(opened.config, lambda _: None)
        context = make_context(opened, Surroundings(Silent(), reporter, lambda _: None, clock=clock))
        with pytest.raises(Paused) as stopped:
            loop.cycle(context)
    return stopped.value.what


def test_minutes_are_of_the_clock_survive_a_restart_and_do_not_run_while_nothing_does(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    kata.script(green=[WRONG.format(number) for number in (3, 30, 300, 3000)], analyze=[""])
    settings = "[retry]\ndelays = [90]\n[budget]\nminutes = {}\n"
    clock = Held()
    kata.configure(settings.format(1))
    assert "1.5 of 1.0 minutes are used up" in paused(kata, clock)
    assert len(kata.calls("green")) == 2
    clock.sleep(3600)
    kata.configure(settings.format(2.5))
    assert "3.0 of 2.5 minutes are used up" in paused(kata, clock)
    assert len(kata.calls("green")) == 3
    assert [round(record["wall"]) for record in kata.records("error")] == [0, 0, 0]
    assert [round(record["wall"]) for record in kata.records("intent")] == [0, 0, 90, 90]


def paid(kata: Kata, cost: float) -> dict[str, str]:
    """A stand-in for a coding agent that says what each run cost, in that agent's own words."""
    lines = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m"},
        {"type": "result", "subtype": "success", "is_error": False, "result": "done", "session_id": "s",
         "total_cost_usd": cost, "usage": {"input_tokens": 90, "output_tokens": 10}},
    ]  # fmt: skip
    said = "".join(f"print({json.dumps(line)!r})\n" for line in lines)
    program = kata.agent / "claude"
    script = (kata.agent / "agent.py").read_text().replace("__file__", repr(str(kata.agent / "agent.py")))
    program.write_text(f"#!{sys.executable}\n{script}{said}")
    program.chmod(0o755)
    kata.configure(f'[agents.paid]\npreset = "claude"\ncommand = [{json.dumps(str(program))}]\n')
    return {"TDD_AGENTS_DEFAULT": "paid"}


def test_what_the_analyzer_costs_is_counted(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    kata.script(green=[WRONG.format(3), WRONG.format(30)], analyze=[""])
    done = kata.tdd("cycle", "run", "--budget", "2", env=paid(kata, 0.6))
    assert done.code == 4, done.err
    assert "2.40 of 2.00 dollars" in done.err
    assert "give it more: --budget, or budget.run_cost in tdd.toml." in done.err
    assert [len(kata.calls(phase)) for phase in ("red", "green", "analyze")] == [1, 2, 1]
    asked = kata.records("error")[-1]["consulted"]
    assert [(one["role"], one["name"], one["cost"], one["tokens"]) for one in asked] == [
        ("analyze", "paid", 0.6, 100)
    ]


def test_a_run_has_limits_of_its_own_over_all_its_cycles(tmp_path: Path) -> None:
    """Each is told as the run's; the next run begins to count anew, in the middle of the cycle."""
    kata = Kata(tmp_path, config="[budget]\nattempts = 9\nrun_attempts = 4\n")
    kata.plan()
    kata.plan("greets loudly")
    loud = 'write("tests/test_loud.py", "from greet import loud\\n\\n\\ndef test_loud():\\n    assert loud(1) == 2\\n")'
    kata.script(red=[RED, loud], green=[GREEN, 'write("greet.py", "def loud(x):\\n    return 2\\n")'])
    done = kata.tdd("cycle", "run")
    assert done.code == 4, done.err
    assert "The budget of this run: 4 of 4 attempts are used up" in done.err
    assert "give it more: budget.run_attempts in tdd.toml." in done.err
    assert "1 cycle run. 1 item is left: run it again to go on." in done.out
    assert kata.subjects()[-1] == "feat: doubles a number"
    assert len(kata.calls()) == 4
    assert [record["outcome"] for record in kata.records("cycle_ended")] == ["landed"]


def test_a_run_that_is_used_up_begins_no_cycle(tmp_path: Path) -> None:
    kata = Kata(tmp_path, config="[budget]\nrun_attempts = 3\n")
    kata.plan()
    kata.plan("greets loudly")
    done = kata.tdd("cycle", "run")
    assert done.code == 4, done.err
    assert "The budget of this run: 3 of 3 attempts are used up" in done.err
    assert len(kata.records("cycle_started")) == 1


def test_the_minutes_of_a_run_are_of_the_clock(tmp_path: Path) -> None:
    kata = Kata(tmp_path)
    kata.plan()
    kata.script(green=[WRONG.format(number) for number in (3, 30, 300)], analyze=[""])
    kata.configure("[retry]\ndelays = [90]\n[budget]\nrun_minutes = 1\n")
    clock = Held()
    assert "The budget of this run: 1.5 of 1.0 minutes are used up" in paused(kata, clock)
    assert "The budget of this run: 1.5 of 1.0 minutes are used up" in paused(kata, clock)
    assert len(kata.calls("green")) == 3

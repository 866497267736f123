"""What an agent that is only asked gets for it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from kit import GREEN, Kata

from tdd_orchestrator.agents.agent import Agent, Request
from tdd_orchestrator.app.context import Surroundings, make_context
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.cycle import loop
from tdd_orchestrator.cycle.attempt import agent_run
from tdd_orchestrator.failures.escalation import FailureReporter

WRONG = 'write("double.py", "def double(number):\\n    return number + {}\\n")'


class Silent:
    def doing(self, what: str) -> None: ...

    def working(self, progress: object) -> None: ...

    def done(self, what: str, good: bool) -> None: ...

    def note(self, what: str) -> None: ...


@pytest.mark.journey
@pytest.mark.parametrize(("set_to", "given"), [(900, 300), (20, 20)])
def test_an_analysis_takes_five_minutes_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, set_to: int, given: int
) -> None:
    """D5, however long the same agent may write code."""
    kata = Kata(tmp_path)
    kata.plan()
    command = json.dumps([sys.executable, str(kata.agent / "agent.py")])
    kata.configure(f"[agents.slow]\ncommand = {command}\ntimeout = {set_to}\n")
    kata.script(green=[WRONG.format(3), WRONG.format(30), GREEN], analyze=[""])
    monkeypatch.setenv("TDD_AGENTS_DEFAULT", "slow")
    limits: dict[str, float] = {}
    real = agent_run.work

    def work(context: Any, agent: Agent, request: Request) -> agent_run.Work:
        limits[request.role] = request.timeout
        return real(context, agent, request)

    monkeypatch.setattr(agent_run, "work", work)
    with OpenRepository(kata.root) as opened:
        reporter = FailureReporter(opened.config, lambda _: None)
        loop.cycle(make_context(opened, Surroundings(Silent(), reporter, lambda _: None)))
    assert (limits["green"], limits["analyze"]) == (set_to, given)

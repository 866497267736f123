"""An agent that is silent is told of, and only then."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from kit import GREEN, Kata

from tdd_orchestrator.app.context import Surroundings, make_context
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.cycle import loop
from tdd_orchestrator.cycle.attempt import agent_run
from tdd_orchestrator.cycle.attempt.agent_run import IdleNotice
from tdd_orchestrator.failures.escalation import FailureReporter


def test_it_is_told_each_time_that_the_silence_has_doubled() -> None:
    said: list[str] = []
    enough = threading.Event()

    def say(what: str) -> None:
        said.append(what)
        if len(said) == 3:
            enough.set()

    with IdleNotice("pi", 300, say, first=0.01):
        assert enough.wait(20)
    assert said[0] == "pi has said nothing for 1 second; it is stopped after 5 minutes"
    told = len(said)
    time.sleep(0.1)
    assert len(said) == told, "it goes on after the agent has ended"


def test_one_that_speaks_is_left_alone() -> None:
    said: list[str] = []
    with IdleNotice("pi", 0, said.append, first=1.0) as idle_notice:
        for _ in range(8):
            idle_notice.note_activity(b".")
            time.sleep(0.2)
    assert said == []


def test_a_silence_is_said_with_what_was_seen_last() -> None:
    said: list[str] = []
    enough = threading.Event()

    def say(what: str) -> None:
        said.append(what)
        enough.set()

    used = {"type": "tool_use", "name": "Write", "input": {"file_path": "/t/calc.py"}}
    event = {"type": "assistant", "message": {"id": "m", "content": [used]}}
    with IdleNotice("claude", 0, say, first=0.05) as idle_notice:
        idle_notice.note_activity(json.dumps(event).encode() + b"\n")
        assert enough.wait(20)
    assert said[0] == "claude has said nothing for 1 second (last: Write calc.py)"


class Told:
    def __init__(self) -> None:
        self.said: list[str] = []

    def working(self, progress: object) -> None: ...

    def doing(self, what: str, *, begins: bool = True) -> None:
        self.said.append(what)

    def done(self, what: str, good: bool) -> None: ...

    def note(self, what: str) -> None: ...


@pytest.mark.journey
def test_whoever_watches_a_cycle_hears_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_run, "IdleNotice", lambda *given, **more: IdleNotice(*given, first=0.2, **more))
    kata = Kata(tmp_path)
    kata.plan()
    kata.script(green=["import time\ntime.sleep(1)\n" + GREEN])
    watch = Told()
    with OpenRepository(kata.root) as opened:
        reporter = FailureReporter(opened.config, lambda _: None)
        context = make_context(opened, Surroundings(watch, reporter, lambda _: None))
        state = loop.cycle(context)
    assert state is not None
    assert state.over == "landed"
    assert any("GREEN: scripted has said nothing for" in what for what in watch.said)
    assert any("it is stopped after 15 minutes" in what for what in watch.said)

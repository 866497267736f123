"""What follows a record at once is written with it, in one notes commit; nothing is held where a command ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tdd_orchestrator.cycle import loop
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.policy import Budget

from .test_ahead import IN_ORDER, Agents, Tests, agents_of, kinds, play  # noqa: F401


def _subjects(context: CycleContext) -> list[list[str]]:
    """Of each notes commit, the oldest first, what was begun, accepted, landed."""
    text = context.repo.git.line("log", "--reverse", "--format=%s", "refs/notes/tdd")
    return [[one.partition(":")[0] for one in line.split("; ")] for line in text.splitlines()]


def test_a_cycle_makes_five_notes_commits(play: Any) -> None:  # noqa: F811
    context = play(agents_of(), Tests(lambda tree: None))
    loop.cycle(context)
    assert _subjects(context) == [
        ["baseline"],
        ["cycle 1 started", "RED begun"],
        ["RED accepted", "GREEN begun"],
        ["GREEN accepted", "REFACTOR begun"],
        ["REFACTOR accepted", "landing"],
        ["landed"],
    ]
    assert kinds(context) == IN_ORDER
    stored = [entry.typed for entry in context.repo.store.mine()][::-1]
    assert stored[1:] == context.run.records  # as they were written, with their times and hashes


class Watched(Agents):
    """Notes what was written when an agent is called."""

    context: CycleContext | None = None

    def work(self, *words: Any) -> Any:
        assert self.context is not None
        newest = self.context.repo.store.last()
        assert newest is not None
        self.seen = [*getattr(self, "seen", []), (newest.record["kind"], newest.record["phase"])]
        return super().work(*words)


def test_an_agent_works_when_all_before_it_is_written(play: Any) -> None:  # noqa: F811
    scenes = agents_of().scenes
    agents = Watched(**scenes)
    agents.context = context = play(agents, Tests(lambda tree: None, seconds=0.1), sandbox="none")
    loop.cycle(context)
    assert agents.seen == [("intent", "RED"), ("intent", "GREEN"), ("intent", "REFACTOR")]


def test_what_was_accepted_is_written_where_a_command_stops(play: Any) -> None:  # noqa: F811
    context = play(agents_of(), Tests(lambda tree: None))
    assert loop.cycle(context, until=Phase.RED) is not None
    assert _subjects(context)[-1] == ["RED accepted"]
    context.settings = replace(context.settings, budget=Budget(attempts=2))
    with pytest.raises(Paused):
        loop.cycle(context)
    assert _subjects(context)[-2:] == [["GREEN begun"], ["GREEN accepted"]]
    assert not context.run.held

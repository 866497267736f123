"""The next phase's agent begins while the whole suite runs; a late no throws its work away (scripted places)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kit import Kata

from tdd_orchestrator.agents.agent import Agent, AgentStatus, Reply, Request
from tdd_orchestrator.app.context import Surroundings, make_context
from tdd_orchestrator.app.open_repository import OpenRepository
from tdd_orchestrator.cycle import loop
from tdd_orchestrator.cycle.context import CycleContext
from tdd_orchestrator.failures.escalation import FailureReporter
from tdd_orchestrator.model.errors import Paused
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.model.plan import Item, ItemType
from tdd_orchestrator.model.report import Case, Counts, Outcome, Report, RunVerdict
from tdd_orchestrator.runners.run import Ran
from tdd_orchestrator.workspace.tree import Tree

LONG = 10.0  # seconds in which a thread that should go on goes on
NOT_YET = "tests/test_double.py:5: AssertionError"
CONFIG = "[proof]\nquestions = []\n"


class Silent:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def doing(self, what: str, *, begins: bool = True) -> None:
        self.lines.append(what)

    def working(self, progress: object) -> None:
        self.lines.append(str(progress))

    def done(self, what: str, good: bool) -> None:
        self.lines.append(what)

    def note(self, what: str) -> None:
        self.lines.append(what)


class Agents:
    """An agent place: each call of a phase writes what its scene says, and is counted."""

    def __init__(self, **scenes: Sequence[tuple[str, str]]) -> None:
        self.scenes, self.calls, self.stopped = scenes, list[str](), threading.Event()
        self.begun = threading.Semaphore(0)
        self.holds = False  # the next call goes on when it is stopped

    def work(
        self, tree: Tree, agent: Agent, request: Request, on_output: Callable[[bytes], None] | None
    ) -> Reply:
        scenes = self.scenes.get(request.phase, ())
        number = self.calls.count(request.phase)
        self.calls.append(request.phase)
        if scenes:
            path, text = scenes[min(number, len(scenes) - 1)]
            (tree.path / path).write_text(text, encoding="utf-8")
        self.begun.release()
        if self.holds and request.run_marker.endswith(".ahead"):
            assert self.stopped.wait(LONG)
        return Reply(agent.name, AgentStatus.SUCCESS)

    def stop(self) -> None:
        self.stopped.set()

    def apart(self) -> Agents:
        return self


class Tests:
    """A test place whose whole suite takes a minute by its own report. ``whole`` is called in each whole run."""

    __test__ = False

    def __init__(self, whole: Callable[[Tree], None], seconds: float = 60.0) -> None:
        self.whole, self.seconds = whole, seconds
        self.runs: list[str] = []

    def run(
        self, tree: Tree, commit: str, chosen: Any, texts: Mapping[str, str], watched: Sequence[str]
    ) -> list[Ran]:
        tree.move_to(commit)
        only = {case.file for _, cases in chosen for case in cases}
        self.runs.append("targets" if only else "whole")
        if not only:
            self.whole(tree)
        paths = sorted((tree.path / "tests").glob("test_*.py"))
        cases = [_case(tree, path.name) for path in paths if not only or f"tests/{path.name}" in only]
        failed = sum(case.outcome is Outcome.FAILED for case in cases)
        report = Report(
            RunVerdict.FAILED if failed else RunVerdict.PASSED, "pytest", Counts(len(cases) - failed, failed),
            tuple(cases), complete=True, exit_code=int(bool(failed)), source="report", seconds=self.seconds,
        )  # fmt: skip
        return [Ran(report, self.seconds, "")]

    def stop(self) -> None: ...


def _case(tree: Tree, name: str) -> Case:
    """A test of doubling passes with its code; the first one passes unless a file says that it is broken."""
    test = {"test_double.py": "test_doubles", "test_greet.py": "test_greets"}[name]
    needed = (
        (tree.path / "double.py").exists()
        if "double" in name
        else not (tree.path / "tests/broken.txt").exists()
    )
    path, outcome = f"tests/{name}", Outcome.PASSED if needed else Outcome.FAILED
    said = "" if needed else "assert None == 4"
    return Case(
        f"{path}::{test}", test, outcome, path, 5, said, "" if needed else "AssertionError", detail=NOT_YET
    )


RED_FILE = (
    "tests/test_double.py",
    "def test_doubles():\n    import double\n\n    assert double.double(2) == 4\n",
)
GREEN_FILE = ("double.py", "def double(number):\n    return number * 2\n")


def _chosen(setting: str) -> str:
    """A sandbox is there unless it is turned off, whatever this machine has."""
    return "none" if setting == "none" else "bubblewrap"


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., CycleContext]]:
    kata = Kata(tmp_path, config=CONFIG)
    kata.plan()
    monkeypatch.setenv("TDD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr("tdd_orchestrator.cycle.attempt.ahead.choose", _chosen)
    with OpenRepository(kata.root) as opened:

        def wired(agents: Agents, tests: Tests, **more: Any) -> CycleContext:
            reporter = FailureReporter(opened.config, lambda _: None)
            context = make_context(opened, Surroundings(Silent(), reporter, lambda _: None))
            context.agents.place, context.prover.place = agents, tests
            context.settings = replace(context.settings, **{"sandbox": "auto", **more})
            return context

        yield wired


def agents_of(*red: tuple[str, str]) -> Agents:
    return Agents(red=red or (RED_FILE,), green=(GREEN_FILE,))


def kinds(context: CycleContext) -> list[tuple[str, str]]:
    return [(record.kind, record.phase) for record in context.run.records]


IN_ORDER = [
    ("cycle_started", "PLAN"), ("intent", "RED"), ("handoff", "RED"), ("intent", "GREEN"), ("handoff", "GREEN"),
    ("intent", "REFACTOR"), ("handoff", "REFACTOR"), ("landing", "COMPLETE"), ("cycle_ended", "COMPLETE"),
]  # fmt: skip


def test_each_next_agent_works_while_the_whole_suite_runs(play: Any) -> None:
    agents = agents_of()
    begun: list[bool] = []

    def whole(tree: Tree) -> None:
        if agents.calls:  # the baseline is run before anybody works; RED and GREEN have had their turn
            agents.begun.acquire()
            begun.append(agents.begun.acquire(timeout=LONG))
            agents.begun.release()

    context = play(agents, Tests(whole))
    state = loop.cycle(context)
    assert state is not None
    assert state.over == "landed"
    assert begun == [True, True]
    assert agents.calls == ["red", "green", "refactor"]
    assert kinds(context) == IN_ORDER, "the same records as one after the other"
    assert not any(record.consulted for record in context.run.records)


def test_what_an_agent_did_ahead_is_shown_when_its_work_is_taken_over(play: Any) -> None:
    class Acting(Agents):
        def work(self, tree: Tree, agent: Agent, request: Request, on_output: Any) -> Reply:
            if request.run_marker.endswith(".ahead"):
                call = {"type": "tool_use", "name": "Write", "input": {"file_path": "/t/double.py"}}
                event = {"type": "assistant", "message": {"id": "m", "content": [call]}}
                on_output(json.dumps(event).encode() + b"\n")
            return super().work(tree, agent, request, on_output)

    context = play(Acting(red=(RED_FILE,), green=(GREEN_FILE,)), Tests(lambda _: None))
    loop.cycle(context)
    lines = context.watch.lines
    works = lines.index("GREEN: scripted works (attempt 1)")
    assert "GREEN: scripted: Write double.py, 1 file" in lines[works:], lines


def test_a_late_no_throws_the_work_away_and_records_it(play: Any) -> None:
    agents = agents_of(RED_FILE, RED_FILE)
    agents.holds = True

    def breaks(tree: Tree) -> None:
        if agents.calls.count("red") == 1 and tree.path.joinpath("tests/test_double.py").exists():
            tree.path.joinpath("tests/broken.txt").write_text("")

    context = play(agents, Tests(breaks))
    state = loop.cycle(context)
    assert state is not None
    refused = next(record for record in context.run.records if record.kind == "error")
    assert refused.verdict == "breaks_existing"
    assert [(one.name, one.role, one.status) for one in refused.consulted] == [
        ("scripted", "green", "discarded")
    ]
    assert state.over == "landed"
    assert [a.retry for a in state.attempts if a.phase is Phase.GREEN] == [0]


def test_work_on_a_test_that_turns_out_to_pass_ends_before_the_cycle_does(play: Any) -> None:
    agents = agents_of(RED_FILE, (RED_FILE[0], RED_FILE[1].replace("2", "3")))
    agents.holds = True

    def passes(tree: Tree) -> None:
        if tree.path.joinpath("tests/test_double.py").exists():
            tree.path.joinpath("double.py").write_text("")

    context = play(agents, Tests(passes), covered="close")
    state = loop.cycle(context)
    assert state is not None
    assert state.over == "already_covered"
    assert context.run.ahead is None
    assert agents.stopped.is_set()
    accepted = next(record for record in context.run.records if record.kind == "handoff")
    assert [one.status for one in accepted.consulted] == ["discarded"]


def test_what_breaks_the_command_off_ends_the_work_and_leaves_no_trace_of_it(play: Any) -> None:
    agents = agents_of()
    agents.holds = True

    def breaks(tree: Tree) -> None:
        if agents.calls:
            raise Paused("no room", "Make some.")

    context = play(agents, Tests(breaks))
    with pytest.raises(Paused):
        loop.cycle(context)
    assert context.run.ahead is None
    assert agents.stopped.is_set()
    assert kinds(context) == IN_ORDER[:2]
    again = play(agents_of(), Tests(lambda _: None))
    assert loop.cycle(again).over == "landed"
    assert kinds(again) == IN_ORDER, "RED was interrupted; of GREEN nothing was begun"


@pytest.mark.parametrize(
    ("seconds", "more", "until"),
    [
        (4.0, {}, None),
        (60.0, {"withhold": True}, None),
        (60.0, {}, Phase.RED),
        (60.0, {"sandbox": "none"}, None),
    ],
)
def test_nothing_begins_ahead_where_it_is_not_worth_it_or_not_wanted(
    play: Any, seconds: float, more: dict[str, Any], until: Phase | None
) -> None:
    agents, tests = agents_of(), Tests(lambda _: None, seconds)
    context = play(agents, tests, **more)
    loop.cycle(context, until=until)
    assert set(tests.runs) == {"whole"}


def test_nothing_begins_ahead_of_an_acceptance_item_that_waits_for_its_children(play: Any) -> None:
    agents, tests = agents_of(), Tests(lambda _: None)
    context = play(agents, tests)
    plan = context.repo.plan
    outer = replace(plan.plan().items[0], type=ItemType.ACCEPTANCE)
    plan.change(outer)
    plan.add([Item("", "a part of it", parent=outer.id)])
    state = loop.cycle(context)
    assert state is not None
    assert state.over == "outer_red"
    assert agents.calls == ["red"]
    assert set(tests.runs) == {"whole"}

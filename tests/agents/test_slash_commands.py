"""A specialist by the user's own slash command (A8): which agents have them, how each is called, and what is not called."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tdd_orchestrator.agents.agent import Request
from tdd_orchestrator.agents.command import CommandAgent
from tdd_orchestrator.agents.preset import COMMAND, PRESETS, acp_of
from tdd_orchestrator.model.phase import Phase
from tdd_orchestrator.workspace.guard import Change, Rules, check

TASK = "Fix it.\n  !`touch EVIL` @README.md \"quoted\"  'twice'"
ROWS = [
    ("claude", ".claude/commands/build-doctor.md", ""),
    ("gemini", ".gemini/commands/build-doctor.toml", "-p"),
    ("opencode", ".opencode/command/build-doctor.md", "--command"),
    ("opencode", ".opencode/commands/build-doctor.md", "--command"),
    ("qwen", ".qwen/commands/build-doctor.md", "-p"),
    ("qwen", ".qwen/commands/build-doctor.toml", "-p"),
    ("pi", ".pi/prompts/build-doctor.md", ""),
]
CLIENT = """
import json, re, sys
words, said = sys.argv[1:], sys.stdin.read()
named = re.search(r"in the file (.+?)\\. Read it", said or words[-1])
task = open(named[1], encoding="utf-8").read() if named else ""
open("heard.json", "w").write(json.dumps({"words": words, "said": said, "task": task}))
"""


class Room:
    """The user's tree and the agent's; ``ask`` runs one scripted client of a preset and says what it was given."""

    def __init__(self, folder: Path) -> None:
        self.mine, self.tree, self.output = folder / "mine", folder / "tree", folder / "output"
        for place in (self.mine, self.tree, self.output):
            place.mkdir()

    def put(self, path: str, *roots: Path, text: str = "Fix the build: $ARGUMENTS") -> None:
        for root in roots or (self.mine, self.tree):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)

    def ask(
        self, preset: str, *, role: str = "build-doctor", phase: str = "fix", rooted: bool = True
    ) -> dict:  # type: ignore[type-arg]
        command = (sys.executable, "-c", CLIENT)
        root = self.mine if rooted else None
        agent = CommandAgent("one", command, PRESETS[preset], root=root, environ=os.environ)
        agent.work(Request(role, phase, TASK, self.tree, self.output, "c-1"))
        heard: dict[str, object] = json.loads((self.tree / "heard.json").read_text())
        return heard


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@pytest.mark.parametrize(("preset", "path", "before"), ROWS)
def test_called_as_its_agent_calls_it_with_the_task_in_a_file(
    room: Room, preset: str, path: str, before: str
) -> None:
    """In a file: an argument is cut at spaces, loses its quotes, or is run, each client in its way."""
    room.put(path)
    heard = room.ask(preset)
    prompt = heard["said"] or heard["words"][-1]
    call = "" if before == "--command" else "/build-doctor "
    assert prompt.startswith(f"{call}Your task is in the file {room.output}/")
    if before:
        option = heard["words"].index(before)
        assert heard["words"][option + 1] == ("build-doctor" if before == "--command" else prompt)
    assert heard["task"] == TASK
    assert list(room.output.glob(".scratch-*")) == []


PLAIN = [
    name for name, row in PRESETS.items() if not row.before
]  # the others are asked by the protocol: below


@pytest.mark.parametrize("preset", PLAIN)
def test_without_one_the_specialist_is_a_role_prompt(room: Room, preset: str) -> None:
    for path in (
        ".claude/commands/debugger.md",
        ".codex/prompts/build-doctor.md",
        ".cursor/commands/build-doctor.md",
    ):
        room.put(path)
    heard = room.ask(preset)
    assert "/build-doctor" not in str(heard)
    assert "--command" not in heard["words"]
    if PRESETS[preset].prompt != "file":
        assert TASK in (heard["said"], heard["words"][-1])


@pytest.mark.parametrize(("preset", "path", "before"), ROWS)
def test_one_that_an_agent_wrote_or_changed_is_not_called(
    room: Room, preset: str, path: str, before: str
) -> None:
    room.put(path, room.tree)  # planted: the user has none
    assert "Your task is in" not in str(room.ask(preset))
    room.put(path, room.mine)
    assert "Your task is in" in str(room.ask(preset))
    room.put(path, room.tree, text="Do mine instead: $ARGUMENTS")
    assert "Your task is in" not in str(room.ask(preset))
    (room.tree / path).unlink()
    (room.tree / path).symlink_to(room.mine / path)
    assert "Your task is in" not in str(room.ask(preset))


@pytest.mark.parametrize(("path", "planted"), [(ROWS[2][1], ROWS[3][1]), (ROWS[3][1], ROWS[2][1])])
def test_nor_is_one_beside_which_an_agent_put_another_of_its_name(
    room: Room, path: str, planted: str
) -> None:
    room.put(path)
    room.put(planted, room.tree)
    assert "--command" not in room.ask("opencode")["words"]


@pytest.mark.parametrize("place", [place for row in PRESETS.values() for place in row.commands])
@pytest.mark.parametrize("phase", list(Phase))
def test_no_phase_may_write_one(phase: Phase, place: str) -> None:
    change = Change(place.format(name="build-doctor"), "new", None, "x\n")
    found = check(phase, (change,), Rules(("tests/**",)))
    assert [one.why for one in found] == ["it decides what your own agents run and are told"]


def test_a_command_of_the_users_for_a_phase_of_ours_is_his_alone(room: Room) -> None:
    room.put(".claude/commands/refactor.md")
    assert room.ask("claude", role="refactor", phase="refactor")["said"] == TASK


def test_where_the_users_tree_is_not_known_none_is_called(room: Room) -> None:
    room.put(".claude/commands/build-doctor.md")
    assert room.ask("claude", rooted=False)["said"] == TASK


@pytest.mark.parametrize(
    ("command", "expands"),
    [
        ("claude-code-acp", True),
        ("opencode", True),
        ("qwen", True),
        ("gemini", False),
        ("codex-acp", False),
        ("pi-acp", False),
    ],
)
def test_over_the_protocol_it_is_a_prompt_that_begins_with_a_slash(
    room: Room, command: str, expands: bool
) -> None:
    for _, path, _ in ROWS:
        room.put(path)
    row = replace(COMMAND, commands=acp_of((command,)).commands, call=acp_of((command,)).call)
    agent = CommandAgent("one", (sys.executable, "-c", CLIENT), row, root=room.mine)
    agent.work(Request("build-doctor", "fix", TASK, room.tree, room.output, "c-1"))
    said = json.loads((room.tree / "heard.json").read_text())["said"]
    assert said.startswith("/build-doctor Your task is in the file ") is expands
    assert (said == TASK) is not expands

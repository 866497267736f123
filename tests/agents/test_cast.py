"""A person, a recording, and the table that makes every agent."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Request
from tdd_orchestrator.agents.command import CommandAgent
from tdd_orchestrator.agents.human import BRIEF, HumanAgent
from tdd_orchestrator.agents.preset import PRESETS, silent
from tdd_orchestrator.agents.replay import ReplayAgent, Take, read_recording
from tdd_orchestrator.agents.table import (
    AgentEnvironment,
    AgentSettings,
    installed,
    make_agent,
    none_installed,
)
from tdd_orchestrator.model.errors import BadConfig, Waiting

Make = Callable[..., Request]


@pytest.fixture
def request_for(tmp_path: Path) -> Make:
    for name in ("tree", "output"):
        (tmp_path / name).mkdir()
    subprocess.run(["git", "init", "-q", str(tmp_path / "tree")], check=True)

    def make(**more: object) -> Request:
        base: dict[str, object] = {
            "role": "red",
            "phase": "red",
            "prompt": "Item i-1: add",
            "cycle_id": "c-1",
        }
        places = {"tree": tmp_path / "tree", "output": tmp_path / "output"}
        return Request(**{**base, **places, **more})  # type: ignore[arg-type]

    return make


def left(request: Request) -> dict[str, object]:
    data = json.loads((request.output / "result.json").read_text())
    assert isinstance(data, dict)
    return data


class TestHuman:
    def test_at_a_terminal_is_told_waited_for_and_goes_on(self, request_for: Make) -> None:
        told: list[str] = []
        pressed: list[int] = []
        request = request_for()
        reply = HumanAgent(told.append, lambda: pressed.append(1)).work(request)
        assert reply.status is AgentStatus.SUCCESS
        assert pressed == [1]
        assert str(request.tree) in told[0]
        assert (request.output / BRIEF).read_text() == "Item i-1: add"
        assert left(request)["status"] == "success"

    def test_without_one_is_waited_for_until_the_command_is_run_again(self, request_for: Make) -> None:
        request = request_for()
        agent = HumanAgent(lambda text: None)
        with pytest.raises(Waiting, match="Waiting for you: RED") as caught:
            agent.work(request)
        assert caught.value.exit_code == 3
        assert "run the same command again" in caught.value.todo
        assert agent.work(request).status is AgentStatus.SUCCESS
        assert (
            agent.work(request).status is AgentStatus.SUCCESS
        )  # taken up after a kill, it was asked already
        with pytest.raises(Waiting):  # the next attempt is a new question
            agent.work(request_for(attempt=2))
        with pytest.raises(Waiting):  # and so is another phase
            agent.work(request_for(phase="green"))

    def test_nothing_is_left_in_the_tree_itself(self, request_for: Make) -> None:
        request = request_for()
        with pytest.raises(Waiting):
            HumanAgent(lambda text: None).work(request)
        status = subprocess.run(
            ["git", "status", "--porcelain"], cwd=request.tree, capture_output=True, check=True
        )
        assert status.stdout == b""
        assert sorted(path.name for path in request.tree.parent.iterdir()) == ["output", "tree"]

    def test_an_end_of_input_is_nobody(self, request_for: Make) -> None:
        def nobody() -> None:
            raise EOFError

        with pytest.raises(Waiting):
            HumanAgent(lambda text: None, nobody).work(request_for())

    def test_a_required_report_is_required_of_a_person_too(self, request_for: Make) -> None:
        request = request_for(requires="investigation.md")
        reply = HumanAgent(lambda text: None, lambda: None).work(request)
        assert (reply.status, reply.failure_reason) == (
            AgentStatus.AGENT_FAILED,
            "investigation report missing",
        )


class TestReplay:
    def test_plays_the_first_take_that_fits(self, request_for: Make) -> None:
        takes = (
            Take(item="i-2", write={"no": "x"}),
            Take(item="i-1", phase="red", attempt=2, write={"two": "x"}),
            Take(
                item="i-1",
                phase="red",
                write={"tests/test_a.py": "a = 1\n"},
                output={"report.md": "r"},
                say="wrote it",
            ),
            Take(
                phase="green",
                edit={"tests/test_a.py": [["1", "2"], ["nothing", "x"]]},
                delete=["two", "gone"],
            ),
        )
        agent = ReplayAgent(takes)
        said: list[bytes] = []
        reply = agent.work(request_for(), said.append)
        assert (reply.status, reply.text, reply.report) == (AgentStatus.SUCCESS, "wrote it", "r")
        assert said == [b"wrote it\n"]
        agent.work(request_for(attempt=2))
        tree = request_for().tree
        assert (tree / "two").exists()
        agent.work(request_for(phase="green"))
        assert (tree / "tests/test_a.py").read_text() == "a = 2\n"
        assert not (tree / "two").exists()
        assert not (tree / "no").exists()

    def test_an_item_is_a_whole_word(self, request_for: Make) -> None:
        reply = ReplayAgent((Take(item="i-1"),)).work(request_for(prompt="Item i-12"))
        assert (reply.status, reply.failure_reason) == (AgentStatus.AGENT_FAILED, "exit code 1.")

    def test_misbehaves_as_recorded(self, request_for: Make) -> None:
        request = request_for()
        assert ReplayAgent((Take(exit=7),)).work(request).status is AgentStatus.AGENT_FAILED
        assert left(request)["exit_code"] == 7
        slow = ReplayAgent((Take(sleep=60, write={"late": "x"}),)).work(request_for(timeout=0.1))
        assert (slow.timed_out, slow.fault) == ("wall", Fault.TIMEOUT_WALL)
        assert not (request.tree / "late").exists()

    def test_a_recording_is_read_from_toml_and_json(self, tmp_path: Path) -> None:
        (tmp_path / "r.toml").write_text('[[take]]\nphase = "red"\n[take.write]\n"a.py" = """\nx = 1\n"""\n')
        (tmp_path / "r.json").write_text('{"take": [{"phase": "red", "write": {"a.py": "x = 1\\n"}}]}')
        wanted = (Take(phase="red", write={"a.py": "x = 1\n"}),)
        assert read_recording(tmp_path / "r.toml") == wanted
        assert read_recording(tmp_path / "r.json") == wanted

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("{", "not JSON"),
            ('{"take": 7}', "a list of tables"),
            ('{"take": [7]}', "a list of tables"),
            ('{"take": [{"phas": "red"}]}', "take 1: unknown key 'phas'"),
            ('{"take": [{}, {"write": "x"}]}', "take 2: 'write' must be dict"),
            ('{"take": [{"exit": "1"}]}', "take 1: 'exit' must be int"),
        ],
    )
    def test_a_broken_recording_is_named(self, tmp_path: Path, text: str, words: str) -> None:
        (tmp_path / "r.json").write_text(text)
        with pytest.raises(BadConfig, match=re.escape(words)):
            read_recording(tmp_path / "r.json")

    def test_it_writes_inside_the_tree_only(self, request_for: Make) -> None:
        for name in ("../out", "/tmp/out", ""):
            with pytest.raises(BadConfig, match="not a path inside"):
                ReplayAgent((Take(write={name: "x"}),)).work(request_for())


class TestTable:
    AROUND = AgentEnvironment(print)

    @pytest.mark.parametrize("name", list(PRESETS))
    def test_every_preset_by_its_name(self, name: str) -> None:
        agent = make_agent(name, AgentSettings(name), self.AROUND)
        assert isinstance(agent, CommandAgent)
        assert (agent.name, agent.preset) == (name, PRESETS[name])

    def test_a_command_and_a_preset_with_another_program(self) -> None:
        mine = make_agent("mine", AgentSettings("mine", command=("./a", "-x"), timeout=9), self.AROUND)
        assert isinstance(mine, CommandAgent)
        assert (mine.command, mine.preset.name, mine.timeout) == (("./a", "-x"), "command", 9)
        other = make_agent("o", AgentSettings("o", "codex", ("/opt/codex",), "gpt-5"), self.AROUND)
        assert isinstance(other, CommandAgent)
        assert (other.command, other.preset.name, other.model) == (("/opt/codex",), "codex", "gpt-5")

    def test_a_person_and_a_recording(self, tmp_path: Path) -> None:
        (tmp_path / "r.toml").write_text("")
        assert make_agent("human", AgentSettings("human"), self.AROUND).name == "human"
        with pytest.raises(BadConfig, match="a list of tables"):
            make_agent(
                "r", AgentSettings("r", "replay", recording="r.toml"), AgentEnvironment(print, root=tmp_path)
            )
        with pytest.raises(BadConfig, match="needs a recording"):
            make_agent("replay", AgentSettings("replay"), self.AROUND)

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            (AgentSettings("claud"), "There is no agent 'claud'. Did you mean 'claude'?"),
            (AgentSettings("x", "nothing-like-it"), "There is no agent 'x'."),
            (AgentSettings("x", "command"), "agent 'x' has no command"),
            (AgentSettings("vibe", model="m"), "takes its model from its own configuration"),
        ],
    )
    def test_what_is_no_agent(self, settings: AgentSettings, words: str) -> None:
        with pytest.raises(BadConfig, match=re.escape(words)):
            make_agent(settings.name, settings, self.AROUND)

    def test_installed_looks_on_the_path_and_asks_for_versions(self, tmp_path: Path) -> None:
        for name, text in (
            ("claude", "echo '2.1.0 (Claude Code)'"),
            ("codex", "exit 3"),
            ("gemini", "sleep 60 & echo 0.61.0"),
            (
                "copilot",
                "echo 'GitHub Copilot CLI 1.0.102.'; echo \"Run 'copilot update' to check for updates.\"",
            ),
        ):
            (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / name).chmod(0o755)
        environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        rows = {row.name: row for row in installed(environ)}
        assert set(rows) == {*PRESETS, "acp", "human", "replay"}
        assert (rows["claude"].path, rows["claude"].version) == (
            str(tmp_path / "claude"),
            "2.1.0 (Claude Code)",
        )
        assert (rows["codex"].path, rows["codex"].version) == (str(tmp_path / "codex"), "")
        assert rows["gemini"].version == "0.61.0"
        assert rows["copilot"].version == "GitHub Copilot CLI 1.0.102."

    def test_none_installed_says_what_could_be(self) -> None:
        assert "npm install -g @anthropic-ai/claude-code" in none_installed()
        assert "tdd init --agent human" in none_installed()


class TestTrial:
    def test_one_that_answers_and_one_that_does_not(self) -> None:
        assert silent(CommandAgent("mine", ("sh", "-c", "read -r line; echo ready"))) == ""
        why = silent(CommandAgent("mine", ("sh", "-c", "echo 429 Too Many Requests >&2; exit 1")))
        assert why.startswith("mine: the provider's rate limit was reached")

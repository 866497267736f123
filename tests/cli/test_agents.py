"""``tdd agents`` and ``tdd prompts``, as a person and as a script call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tdd_orchestrator.cli import render
from tdd_orchestrator.cli.agents import agents

HERE = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1"}


def tdd(cwd: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    env = {**HERE, "HOME": str(cwd), **environ}
    command = [sys.executable, "-m", "tdd_orchestrator", *words]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False)


def data(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    (root / "tdd.toml").write_text('[test]\ncommand = "python -m pytest -q"\n')
    return root


def test_agents_as_json(tmp_path: Path) -> None:
    (tmp_path / "codex").write_text("#!/bin/sh\necho codex-cli 0.169.0\n")
    (tmp_path / "codex").chmod(0o755)
    found = data(tdd(tmp_path, "agents", "--json", PATH=f"{tmp_path}:{os.environ['PATH']}"))
    assert (found["schema"], found["v"]) == ("tdd/agents", 1)
    rows = {row["name"]: row for row in found["agents"]}
    assert (rows["codex"]["version"], rows["codex"]["path"]) == ("codex-cli 0.169.0", str(tmp_path / "codex"))
    assert rows["human"]["built_in"]
    assert rows["goose"]["hint"].startswith("https://")
    assert isinstance(found["sandbox"]["works"], bool)


def test_agents_where_none_is_installed(tmp_path: Path) -> None:
    done = tdd(tmp_path, "agents", PATH="/nowhere")
    assert done.returncode == 0
    assert "missing   npm install -g @openai/codex" in done.stdout
    assert "or write the code yourself: tdd init --agent human" in " ".join(done.stderr.split())


def test_agents_says_who_works_in_this_repository(repository: Path) -> None:
    with (repository / "tdd.toml").open("a") as file:
        file.write(
            '[agents]\ndefault = "mine"\ngreen = "codex"\n[agents.mine]\ncommand = ["./run-it", "-x"]\n'
        )
    (repository / "tests").mkdir()
    done = tdd(repository / "tests", "agents")
    assert done.returncode == 0
    assert "set here  mine (./run-it -x); green: codex" in done.stderr
    assert "No coding agent is installed" not in done.stderr, "the one that works here is a command"
    here = data(tdd(repository, "agents", "--json"))["here"]
    assert here == {"default": "mine", "roles": {"green": "codex"}}


def test_a_misspelt_agent_of_the_repositorys_own_is_named(repository: Path) -> None:
    with (repository / "tdd.toml").open("a") as file:
        file.write('[agents.mine]\ncommand = ["./my-agent"]\n')
    done = tdd(repository, "agents", "mime")
    assert (done.returncode, "Did you mean 'mine'?" in done.stderr) == (2, True)


def test_agents_where_the_configuration_is_broken_still_lists(repository: Path) -> None:
    (repository / "tdd.toml").write_text("[agents\n")
    done = tdd(repository, "agents")
    assert done.returncode == 0
    assert "human" in done.stdout
    assert "set here  tdd.toml" in done.stderr


def test_resetting_an_agent_where_none_is_set_up(repository: Path) -> None:
    done = tdd(repository, "agents", "reset", "zzz")
    assert done.returncode == 2
    assert "Set agents.default in tdd.toml." in done.stderr


def test_prompts_show_outside_of_a_repository(tmp_path: Path) -> None:
    done = tdd(tmp_path, "prompts", "show", "red")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# RED: make one test fail\n")
    assert "red.md" in done.stderr


def test_prompts_show_knows_the_repository(repository: Path) -> None:
    shown = tdd(repository, "prompts", "show", "green", "--after", "still_failing")
    assert "python -m pytest -q" in shown.stdout
    assert "**The test still fails. Try another approach" in shown.stdout
    with (repository / "tdd.toml").open("a") as settings:
        settings.write('[agents]\ndefault = "mine"\n[agents.mine]\ncommand = ["true"]\ntimeout = 1200\n')
    assert "You have 20 minutes" in tdd(repository, "prompts", "show", "refactor").stdout
    own = repository / ".tdd" / "prompts"
    own.mkdir(parents=True)
    (own / "red.md").write_text("---\nname: red\ndescription: ours\n---\nHere: {{ test_command }}\n")
    found = data(tdd(repository, "prompts", "show", "red", "--json"))
    assert (found["prompt"], found["description"]) == ("Here: python -m pytest -q\n", "ours")
    assert "(this repository's own)" in tdd(repository, "prompts", "list").stdout


def test_a_broken_prompt_is_said_without_a_traceback(repository: Path) -> None:
    own = repository / ".tdd" / "prompts"
    own.mkdir(parents=True)
    (own / "red.md").write_text("---\nname: red\ndescription: ours\n---\n{{ titel }}\n")
    done = tdd(repository, "prompts", "show", "red")
    assert done.returncode == 2
    assert "unknown variable 'titel'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [("show", "blue"), ("show", "red", "--after", "maybe")])
def test_what_there_is_not(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = tdd(tmp_path, "prompts", *words)
    assert done.returncode == 2
    assert "There is no" in done.stderr


def test_what_one_agent_gets_is_wrapped_at_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "columns", lambda *, err=False: 60)
    monkeypatch.chdir(tmp_path)
    lines = CliRunner().invoke(agents, ["show", "claude"]).output.splitlines()
    assert [line for line in lines if len(line) > 60 and " " in line.strip()] == []
    (first,) = [number for number, line in enumerate(lines) if line.startswith("  bedrock")]
    assert lines[first + 2].startswith(" " * 13)

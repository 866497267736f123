"""Configuration of a wrong shape, in a wrong place, or from the environment: a sentence, or passed over; never a bug."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT, Kata


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\ntdd = 3\n", "[[tool]]\nx = 1\n"])
def test_a_pyproject_of_another_shape_is_passed_over(kata: Kata, text: str) -> None:
    kata.write("pyproject.toml", text)
    listed = kata.tdd("config")
    assert listed.code == 0
    assert "test.shell = false" in listed.out, "as tdd.toml has it, and as `tdd config set` takes it"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[notes]\nref = \n", "tdd.toml:2: not valid TOML"),
        ("notes = 3\n", "tdd.toml:1: notes: "),
        ("[notes]\nref = 3\n", "tdd.toml:2: notes.ref: "),
        ("x = " + "[" * 5000 + " # notes\n", "tdd.toml: not valid TOML"),
    ],
)
def test_a_torn_file_that_speaks_of_notes_is_said_by_status(kata: Kata, text: str, said: str) -> None:
    kata.write("tdd.toml", text)
    done = kata.tdd("cycle", "status")
    assert done.code == 2
    assert said in done.err


def test_doctor_says_a_mistake_once(kata: Kata) -> None:
    kata.write("tdd.toml", "[test\n")
    done = kata.tdd("doctor")
    assert done.code == 1
    assert done.out.count("not valid TOML") == 1
    assert done.out.startswith("configuration: tdd.toml:1: not valid TOML")


def test_the_environment_holds_settings_and_no_options(kata: Kata) -> None:
    kata.plan("stays")
    env = {"TDD_VERSION": "0.1.0", "TDD_DIRECTORY": "/", "TDD_YES": "maybe", "TDD_PLAN_LIST_AS_JSON": "1"}
    done = kata.tdd("plan", "list", env=env)
    assert (done.code, done.out.split()[0]) == (0, "1")
    assert "retry.delays = [1.0]" in kata.tdd("config", env={"TDD_RETRY_DELAYS": "[1]"}).out


def test_completion_needs_no_prefix_of_ours(kata: Kata) -> None:
    """As the shells ask: the console script is called tdd."""
    words = "import sys; sys.argv[0] = 'tdd'; from tdd_orchestrator.cli.app import main; main()"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "_TDD_COMPLETE": "bash_source"}
    done = subprocess.run([sys.executable, "-c", words], env=env, capture_output=True, text=True, check=False)
    assert "_TDD_COMPLETE=bash_complete" in done.stdout


@pytest.mark.parametrize("where", ["environment", "pyproject.toml", "tdd.toml", "the user's file"])
def test_status_reads_the_trail_where_it_is_kept(kata: Kata, tmp_path: Path, where: str) -> None:
    env = {"XDG_CONFIG_HOME": str(tmp_path / "settings")}
    ref = 'ref = "refs/notes/tdd-team"\n'
    if where == "environment":
        env["TDD_NOTES_REF"] = "refs/notes/tdd-team"
    elif where == "pyproject.toml":
        kata.write(where, f"[tool.tdd.notes]\n{ref}")
    elif where == "tdd.toml":
        kata.configure(f"[notes]\n{ref}")
    else:
        (tmp_path / "settings" / "tdd").mkdir(parents=True)
        (tmp_path / "settings" / "tdd" / "config.toml").write_text(f"[notes]\n{ref}")
    kata.plan()
    assert kata.tdd("cycle", "next", "--phase", env=env).code == 0
    assert "cycle 1: doubles a number" in kata.tdd("cycle", "status", env=env).out
    assert "cycle 1: doubles a number" in kata.tdd("cycle", "status", env=env, cwd=kata.root / "tests").out


def test_agents_are_shown_by_the_keys_that_a_user_writes(kata: Kata) -> None:
    kata.configure('[agents.mine]\ncommand = "a"\n')
    settings = kata.tdd("config", "--json", env={"TDD_AGENTS_RED": "mine"}).json["settings"]
    assert settings["agents.mine.command"] == {"value": "a", "origin": "tdd.toml"}
    assert settings["agents.red"] == {"value": "mine", "origin": "environment"}
    assert not [key for key in settings if key.startswith(("agents.named", "agents.roles"))]


def test_init_makes_git_show_the_ref_that_is_set(kata: Kata) -> None:
    kata.configure('[notes]\nref = "refs/notes/tdd-team"\n')
    assert kata.tdd("init").code == 0
    assert kata.git("config", "core.notesRef") == "refs/notes/tdd-team"
    assert kata.tdd("init", "--undo").code == 0
    assert kata.git("config", "core.notesRef", check=False) == ""

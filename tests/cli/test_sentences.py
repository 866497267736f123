"""What a person reads where something is in the way: one sentence on what is wrong, one on what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import Kata

from tdd_orchestrator.app.health import checks
from tdd_orchestrator.cli.app import tdd
from tdd_orchestrator.cli.boundary import fault
from tdd_orchestrator.cli.watch import TerminalWatcher
from tdd_orchestrator.model.errors import GitFailed
from tdd_orchestrator.workspace.folders import places_for


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    return Kata(tmp_path)


def commanded(kata: Kata, command: str) -> None:
    text = (kata.root / "tdd.toml").read_text()
    _, _, rest = text.partition("\n[agents]")
    kata.write("tdd.toml", f'[test]\ncommand = "{command}"\n[agents]{rest}')


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("no-such-program -x", "The program of the test command is not there: no-such-program."),
        ("./gone.sh", "The program of the test command is not there: ./gone.sh."),
        ("./plain.sh", "The program of the test command may not be run: ./plain.sh"),
    ],
)
def test_a_test_program_that_does_not_start_is_named(kata: Kata, command: str, said: str) -> None:
    kata.write("plain.sh", "true\n")
    kata.git("add", "plain.sh")
    kata.git("commit", "-q", "-m", "chore: a script")
    commanded(kata, command)
    kata.plan()
    for words in (["cycle", "next"], ["fix"]):
        done = kata.tdd(*words)
        assert done.code == 2
        assert f"tdd: {said}" in done.err
        assert "test.command" in done.err
    assert said in kata.tdd("doctor").out


def test_a_running_cycle_shows_what_is_going_on(kata: Kata) -> None:
    kata.plan()
    assert kata.next(env={"TDD_AGENTS_DEFAULT": "human"}).code == 3
    shown = kata.tdd("cycle", "show").out.splitlines()
    assert [line for line in shown if line.endswith("RED: your turn")]
    assert kata.tdd("cycle", "abort").code == 0
    shown = kata.tdd("cycle", "show").out.splitlines()
    assert [line for line in shown if line.endswith("  cancelled")]
    assert "your turn" not in "".join(shown)


def test_the_log_of_one_cycle(kata: Kata) -> None:
    kata.plan()
    assert kata.next(env={"TDD_AGENTS_DEFAULT": "human"}).code == 3
    whole, one = kata.tdd("log").out.splitlines(), kata.tdd("log", "--cycle", "1").out.splitlines()
    assert one
    assert [line for line in one if line not in whole] == []
    assert not [line for line in one if "baseline" in line]
    none = kata.tdd("log", "--cycle", "7")
    assert none.code == 2
    assert "There is no cycle '7'." in none.err


def test_an_editor_that_fails_leaves_the_plan(kata: Kata) -> None:
    kata.plan()
    done = kata.tdd("plan", "edit", env={"EDITOR": "false", "VISUAL": ""})
    assert done.code == 2
    assert "the plan is as it was" in done.err
    assert "Set EDITOR" in done.err


def test_nothing_reported_is_said(kata: Kata) -> None:
    done = kata.tdd("errors", "show", "last")
    assert done.code == 2
    assert "No failure was ever reported here." in done.err


def test_a_line_of_a_note_that_is_none_can_be_taken_out(kata: Kata) -> None:
    kata.git("notes", "--ref=tdd", "add", "-m", '{"at":"broken', "HEAD")
    done = kata.tdd("log")
    assert done.code == 2
    assert f"git notes --ref=tdd edit {kata.git('rev-parse', 'HEAD')[:12]}" in done.err


def test_a_persons_turn_has_its_own_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """What is live on a terminal ends before it; in a quiet run it is said all the same."""
    stopped = []

    class Live:
        def stop(self) -> None:
            stopped.append(capsys.readouterr().err)

    watcher = TerminalWatcher(quiet=True)
    watcher._progress = Live()  # type: ignore[assignment]
    watcher.say("Your turn (red)")
    assert stopped == [""]
    assert capsys.readouterr().err == "Your turn (red)\n"


def test_a_full_disk_is_told_as_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where git does not pass on why, and where the state folder is what cannot grow."""
    for said in (
        "error: failed to write new configuration file /x/.git/config.lock",
        "fatal: commit: couldn't set 'refs/notes/tdd'",
        "fatal: prepare: cannot lock ref 'refs/tdd/a/b': unable to create directory for /x/.git/refs/tdd/a/b",
    ):
        known = fault(GitFailed(("update-ref",), 128, said))
        assert known is not None, said
        assert known.exit_code == 4

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(OSError, match="No space"):
        places_for(tmp_path, "kata")


def test_a_git_that_cannot_go_on_is_no_bug_of_ours() -> None:
    """A HEAD that cannot be read is "not a git repository" to git; a wrong use of git is our mistake all the same."""
    known = fault(GitFailed(("status",), 128, "fatal: not a git repository: '/x/.git'\n"))
    assert known is not None
    assert known.exit_code == 4
    assert known.what == "git status failed: fatal: not a git repository: '/x/.git'"
    assert "tdd doctor" in known.todo
    assert fault(GitFailed(("status",), 129, "usage: git status")) is None


def test_what_the_doctor_cannot_look_at_is_a_finding(
    kata: Kata, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: object) -> Iterator[str]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(checks, "CHECKS", (("trees", full),))
    monkeypatch.chdir(kata.root)
    assert tdd.main(["doctor"], standalone_mode=False) == 1
    assert "trees: The disk is full. Make room" in capsys.readouterr().out


def test_an_agent_whose_program_is_not_there_is_found_by_the_doctor(kata: Kata) -> None:
    agent = {"TDD_AGENTS_SCRIPTED_COMMAND": "/no/such/agent --fast"}
    assert (
        "agents: The program of the agent 'scripted' is not there: /no/such/agent."
        in kata.tdd("doctor", env=agent).out
    )
    assert "agents:" not in kata.tdd("doctor").out


@pytest.mark.parametrize(("version", "newer"), [("9.0.1", True), ("2.1.1", False)])
def test_a_client_that_is_newer_than_the_observed_one_is_said(kata: Kata, version: str, newer: bool) -> None:
    program = kata.agent / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    program.chmod(0o755)
    env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "TDD_AGENTS_DEFAULT": "claude"}
    done = kata.tdd("doctor", "--no-tests", env=env)
    assert (
        f"versions: claude is {version} (Claude Code); this preset was observed with 2.1.332." in done.out
    ) is newer


def test_a_title_that_is_no_utf_8_breaks_no_output(kata: Kata) -> None:
    """JSON stays JSON, and a terminal gets text."""
    kata.plan("sm\udcf6rg\udce5s")
    listed = kata.tdd("plan", "list", "--json")
    assert listed.json["items"][0]["title"] == "sm\udcf6rg\udce5s"
    assert "sm?rg?s" in kata.tdd("plan", "list").out


def test_init_says_what_a_cycle_would_refuse(kata: Kata) -> None:
    kata.git("checkout", "-q", "--detach")
    assert "note: HEAD is detached: a cycle lands on a branch. Check one out" in kata.tdd("init").out
    kata.tdd("plan", "add", "adds two numbers")
    assert "next: git switch BRANCH" in kata.tdd("status").out
    assert kata.tdd("init", "--undo").out.startswith("taken out: ")
    assert kata.tdd("init", "--undo").out == "Nothing of ours is set.\n"


def test_a_person_who_has_not_begun_uses_up_no_attempt(kata: Kata) -> None:
    person = {"TDD_AGENTS_DEFAULT": "human"}
    kata.plan()
    assert kata.next(env=person).code == 3
    for _ in range(5):
        done = kata.next(env=person)
        assert done.code == 3
        assert "Nothing has changed in" in done.err
    tree = Path(done.err.split("Nothing has changed in ")[1].split(" yet.")[0])
    (tree / "tests" / "test_linked.py").symlink_to("test_greet.py")
    done = kata.next(env=person)
    assert done.code == 3
    assert "tests/test_linked.py was not taken: " in done.err, "who did begin is told what came of it"
    (tree / "tests" / "test_linked.py").unlink()
    (tree / "tests" / "test_double.py").write_text(
        "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
    )
    done = kata.next(env=person)
    assert (done.code, "✓ RED" in done.err) == (3, True), done.err
    assert kata.verdicts() == ["proven"]
    assert kata.records("handoff")[0]["attempt"] == 1


def test_a_prompt_of_ones_own_that_is_broken_is_said_before_anything_begins(kata: Kata) -> None:
    own = kata.root / ".tdd" / "prompts"
    own.mkdir(parents=True)
    (own / "green.md").write_text("---\nname: green\ndescription: ours\n---\n{{ titel }}\n")
    (own / "gren.md").write_text("a role's name, mistyped")
    kata.tdd("plan", "add", "a behaviour")
    begun = kata.tdd("cycle", "next")
    assert begun.code == 2
    assert "green.md: unknown variable 'titel'." in begun.err
    assert "RED" not in begun.err
    said = kata.tdd("doctor").out
    assert "prompts: " in said
    assert "unknown variable 'titel'" in said
    assert "gren.md is the prompt of no role" in said


def test_a_flag_of_every_command_may_stand_behind_it_as_well(kata: Kata) -> None:
    assert kata.tdd("cycle", "status", "--quiet").code == 0
    before, behind = kata.tdd("--verbose", "status"), kata.tdd("status", "--verbose")
    assert (behind.code, bool(behind.err)) == (0, bool(before.err))
    assert "--quiet" not in kata.tdd("cycle", "status", "--help").out
    (kata.root / "tdd.toml").unlink()
    done = kata.tdd("init", "--yes", "--no-input")
    assert done.code == 0, done.err


def test_an_option_that_stands_before_the_command_is_shown_its_place(kata: Kata) -> None:
    done = kata.tdd("cycle", "status", "-C", ".")
    assert done.code == 2
    assert done.err.endswith("No such option '-C'.\nIt goes before the command: tdd -C COMMAND.\n")
    assert "It goes before" not in kata.tdd("cycle", "status", "--nonsense").err

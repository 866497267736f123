"""What goes wrong with agents, each through a whole ``tdd cycle next``: a sentence, a record, and nothing of the user's lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit import GREEN, RED, ROOT, Kata

from tdd_orchestrator.agents.sandbox import available

MEASURED = (
    "import resource, subprocess, sys\nsubprocess.run(sys.argv[1:], check=True)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
)
"""In a process of its own: ours has children of other tests, which count for ever."""
FLOOD = 'line = b"x" * 65535 + b"\\n"\nfor _ in range(4096):\n    sys.stdout.buffer.write(line)\n'
QUESTION = 'import time\nprint("Delete everything? [y/N] ", end="", flush=True)\ntime.sleep(600)\n'
PAGES = (
    "import subprocess\n"
    'for line in ("git --paginate log", "${PAGER:-less} README.md", "${GIT_EDITOR:-vi} README.md", "${EDITOR:-vi} README.md",'
    ' "git commit --amend"):\n    subprocess.run(line, shell=True, check=False)\n'
)


@pytest.fixture(autouse=True)
def quick(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("TDD_TEST_PASS_ENV", '["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]')


@pytest.fixture
def kata(tmp_path: Path) -> Kata:
    kata = Kata(tmp_path)
    kata.plan()
    return kata


def use(kata: Kata, name: str, more: str = "") -> None:
    """Another agent as the default one; ``more`` is TOML of its table."""
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace('default = "scripted"', f'default = "{name}"' if name else "") + more)


def test_no_agent_is_said_before_anything_is_written(kata: Kata) -> None:
    use(kata, "")
    done = kata.next(env={"PATH": "/usr/bin:/bin"})
    assert done.code == 2
    assert "No agent is set for the role 'red'." in done.err
    for words in (
        "npm install -g @anthropic-ai/claude-code",
        "tdd init --agent human; then choose one",
        "`tdd agents`",
    ):
        assert words in done.err
    assert kata.records() == []


def test_no_agent_is_set_but_one_is_here(kata: Kata, tmp_path: Path) -> None:
    use(kata, "")
    (tmp_path / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    done = kata.next(env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert "Installed here: codex. Choose one: tdd init --agent codex" in done.err


@pytest.mark.parametrize("sandbox", ["none", "auto"])
def test_a_program_that_is_not_there_pauses_and_uses_up_nothing(tmp_path: Path, sandbox: str) -> None:
    kata = Kata(tmp_path, config=f'[workspace]\nsandbox = "{sandbox}"\n')
    kata.plan()
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace('default = "scripted"', 'default = "claude"'))
    paused = kata.next(env={"PATH": "/usr/bin:/bin"})
    assert paused.code == 4
    assert "claude: no such program" in paused.err
    assert "npm install -g @anthropic-ai/claude-code" in paused.err
    assert "'human'" in paused.err
    assert [record["error_details"]["type"] for record in kata.records("error")] == ["not_started"]
    kata.write("tdd.toml", text.replace('"auto"', '"none"'))
    assert kata.next().code == 0
    assert max(record["retry_count"] for record in kata.records()) == 0


def test_another_agent_is_asked_where_the_first_is_not_there(kata: Kata) -> None:
    use(kata, "gone", '[agents.gone]\ncommand = ["no-such-agent"]\nfallback = "scripted"\n')
    done = kata.next()
    assert done.code == 0, done.err
    assert "scripted is asked instead" in done.err


def test_a_wrong_model_pauses_in_the_providers_own_words(kata: Kata, tmp_path: Path) -> None:
    """A client that we know is believed; its words are shown."""
    answer = '{"type":"result","subtype":"success","is_error":true,"result":"404 model: gpt-99 not found","api_error_status":404}'
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\necho '{answer}'\nexit 1\n")
    program.chmod(0o755)
    use(kata, "claude", f'[agents.claude]\npreset = "claude"\ncommand = ["{program}"]\nmodel = "gpt-99"\n')
    paused = kata.next()
    assert paused.code == 4
    assert "gpt-99 not found" in paused.err
    assert "Check the agent's model" in paused.err
    assert kata.records("error")[0]["error_details"]["type"] == "denied"


TOO_LARGE = 'sys.exit("400 prompt is too long: 250000 tokens > 200000 maximum")\n'


def test_a_prompt_that_is_too_large_is_shortened_and_then_stays_short(tmp_path: Path) -> None:
    """No retry is used up, and no second call of the same phase is made with what did not fit."""
    kata = Kata(tmp_path)
    kata.plan("doubles a number", "--description", "really " * 2_000)
    refuses_long = f"if len(prompt) > 5_000:\n    {TOO_LARGE}\n"
    wrong = 'write("double.py", "def double(number):\\n    return 7\\n")'
    kata.script(red=[refuses_long + RED] * 2, green=[refuses_long + wrong] * 2 + [refuses_long + GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert "larger than the model's context" in done.err
    assert [len(kata.calls(phase)) for phase in ("red", "green")] == [2, 3]
    first = kata.records("error")[0]
    assert (first["error_details"]["type"], first["move"]["counts"]) == ("context_overflow", False)
    assert [record["retry_count"] for record in kata.records("handoff")] == [0, 1, 0]


def test_a_prompt_that_never_fits_pauses_with_what_to_do(kata: Kata) -> None:
    kata.script(red=[TOO_LARGE])
    paused = kata.next()
    assert paused.code == 4
    assert "This also holds when it is cut to a quarter." in paused.err
    assert "larger context" in paused.err
    assert len(kata.calls("red")) == 2
    kata.script(red=[RED])
    assert kata.next().code == 0
    assert max(record["retry_count"] for record in kata.records()) == 0


def test_a_question_that_is_too_large_is_shortened_too(kata: Kata) -> None:
    """The Error Analyzer's, and a specialist's in ``tdd fix``."""
    wrong = 'write("double.py", "def double(number):\\n    return 7{}\\n")'
    kata.script(green=[wrong.format(number) for number in range(2)] + [GREEN], analyze=[TOO_LARGE, ""])
    done = kata.next()
    assert done.code == 0, done.err
    long, short = kata.prompts("analyze")
    assert len(short) < len(long)
    kata.write("greet.py", "def greet(name):\n    return {}[name]\n")
    kata.git("commit", "-q", "-am", "feat: breaks")
    mended = 'write("greet.py", "def greet(name):\\n    return f\'hello {name}\'\\n")'
    kata.script(fix=[TOO_LARGE, mended])
    done = kata.tdd("fix", "--json")
    assert done.code == 0, done.err
    assert done.json["results"][0]["retry_count"] == 1
    assert len(kata.calls("fix")) == 2


def test_a_flood_is_kept_bounded(kata: Kata) -> None:
    """256 MiB of output; we ourselves stay small, and so does what is kept of it."""
    kata.script(green=[FLOOD + GREEN])
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "tdd_orchestrator", "cycle", "next"]
    done = subprocess.run(
        command,
        cwd=kata.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout.splitlines()[-1]) < 256 << 10  # KiB: less than the flood itself
    kept = list(Path(os.environ["TDD_STATE_DIR"]).rglob("transcript.txt"))
    assert kept
    assert max(path.stat().st_size for path in kept) <= 5 << 20


def test_a_question_is_answered_by_nobody_and_told(kata: Kata) -> None:
    text = (kata.root / "tdd.toml").read_text()
    kata.write("tdd.toml", text.replace("[retry]", "timeout = 3\n[retry]"))
    kata.script(green=[QUESTION, GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    refused = kata.records("error")[0]
    assert refused["verdict"] == "agent_failed"
    assert "it waited for an answer to: Delete everything? [y/N]" in refused["reasons"][0]


def test_a_question_at_the_terminal_finds_none(kata: Kata) -> None:
    """A session of its own: not even /dev/tty is there to be asked at."""
    kata.script(green=['answer = open("/dev/tty").readline()\n', GREEN])
    assert kata.next().code == 0
    assert "/dev/tty" in kata.records("error")[0]["reasons"][0]


def test_a_pager_and_an_editor_show_nothing_and_end(kata: Kata) -> None:
    kata.script(green=[PAGES + GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    assert kata.verdicts() == ["proven", "proven", "unchanged"]


def test_one_that_updates_itself_is_taken_as_it_is_then(kata: Kata) -> None:
    """Between RED and GREEN it becomes another program, which cannot do it: its failures are told and escalated."""
    mine = kata.agent / "agent.py"
    broken = f"pathlib.Path({str(mine)!r}).write_text(\"import sys; sys.exit('update failed, please reinstall')\")\n"
    kata.script(red=[RED + broken])
    done = kata.next()
    assert done.code == 1
    refused = kata.records("error")
    assert {record["phase"] for record in refused} == {"GREEN"}
    assert "update failed, please reinstall" in refused[0]["reasons"][0]
    assert kata.subjects() == ["chore: begin"]


def test_what_it_writes_into_the_users_tree_is_told(kata: Kata) -> None:
    kata.script(green=[f'pathlib.Path({str(kata.root / "notes.txt")!r}).write_text("mine")\n' + GREEN])
    done = kata.next()
    assert done.code == 0, done.err
    told = kata.records("incident")
    assert len(told) == 1
    assert "notes.txt" in str(told[0])


@pytest.mark.skipif(available() is not None, reason=str(available()))
def test_in_the_sandbox_it_cannot_write_outside_its_tree(tmp_path: Path) -> None:
    kata = Kata(tmp_path, config='[workspace]\nsandbox = "bubblewrap"\n')
    kata.plan()
    (kata.agent / "agent.py").write_text(
        "import pathlib, sys\nsys.stdin.read()\n"
        f"pathlib.Path({str(kata.root / 'greet.py')!r}).write_text('overwritten')\n"
    )
    before = kata.snapshot()
    done = kata.next()
    assert done.code == 1
    assert "Read-only file system" in kata.records("error")[0]["reasons"][0]
    assert {name: text for name, text in kata.snapshot().items() if not name.startswith(".git/")} == {
        name: text for name, text in before.items() if not name.startswith(".git/")
    }


def test_one_that_does_nothing_or_what_it_may_not_has_failed(kata: Kata) -> None:
    """A5, in the record and in the run's own ``result.json``; REFACTOR may leave everything as it is."""
    elsewhere = 'write("tests/test_greet.py", "")\n'
    kata.script(green=["", elsewhere, GREEN])
    done = kata.tdd("--verbose", "cycle", "next")
    assert done.code == 0, done.err
    idle, wrong = kata.records("error")
    for refused, words in ((idle, "changed nothing"), (wrong, "tests/test_greet.py")):
        assert refused["agent"]["status"] == "failed"
        assert words in refused["agent"]["failure_reason"]
        assert refused["incident"].startswith("inc_")
        assert refused["incident"] in done.err
    results = sorted(Path(os.environ["TDD_STATE_DIR"]).rglob("*/result.json"))
    said = {path.parent.name: json.loads(path.read_text()) for path in results}
    assert [said[f"green-{number}-green"]["status"] for number in (1, 2, 3)] == [
        "failed",
        "failed",
        "success",
    ]
    assert said["green-1-green"]["failure_reason"] == "the agent changed nothing"
    assert said["refactor-1-refactor"]["status"] == "success"

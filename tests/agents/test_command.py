"""Any command as an agent: what it is given (A2), how it is judged (A3-A7), what it leaves."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tdd_orchestrator.agents.agent import AgentStatus, Fault, Request
from tdd_orchestrator.agents.command import PROMPT, TRANSCRIPT, CommandAgent
from tdd_orchestrator.agents.preset import PRESETS

MakeRequest = Callable[..., Request]


@pytest.fixture
def request_for(tmp_path: Path) -> MakeRequest:
    tree, output = tmp_path / "tree", tmp_path / "output"
    tree.mkdir()
    output.mkdir()

    def make(prompt: str = "Write the test.", **more: object) -> Request:
        base: dict[str, object] = {
            "role": "red",
            "phase": "red",
            "tree": tree,
            "output": output,
            "cycle_id": "c-1",
        }
        return Request(prompt=prompt, **{**base, **more})  # type: ignore[arg-type]

    return make


def script(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def state_of(pid: str) -> str:
    """The process's state letter; Z is dead and not yet reaped by whoever runs this machine."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def test_gets_prompt_tree_and_contract_variables(request_for: MakeRequest) -> None:
    code = (
        "import os,sys,json;print(json.dumps({'in':sys.stdin.read(),'cwd':os.getcwd(),"
        "'env':{k:v for k,v in os.environ.items() if k.startswith('TDD_')}}))"
    )
    request = request_for("Grüße\n", attempt=2, failed_phase="green", port=4711)
    reply = CommandAgent("mine", script(code)).work(request)
    assert reply.status is AgentStatus.SUCCESS, reply.failure_reason
    said = json.loads((request.output / TRANSCRIPT).read_text())
    assert said["in"] == "Grüße\n"
    assert said["cwd"] == str(request.tree)
    run_marker = said["env"].pop("TDD_COOKIE")
    assert run_marker
    assert said["env"] == {
        "TDD_PHASE": "red",
        "TDD_ROLE": "red",
        "TDD_CYCLE_ID": "c-1",
        "TDD_ATTEMPT": "2",
        "TDD_OUTPUT_DIR": str(request.output),
        "TDD_FAILED_PHASE": "green",
        "TDD_PORT": "4711",
    }


def test_environment_is_a_short_list_with_what_is_passed(request_for: MakeRequest) -> None:
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": "/home/nobody",
        "MY_KEY": "k-12345678",
        "AWS_SECRET": "x" * 20,
        "LC_ALL": "C",
    }
    agent = CommandAgent(
        "mine", script("import os;print(*sorted(os.environ))"), pass_env=("MY_KEY",), environ=environ
    )
    request = request_for()
    agent.work(request)
    names = (request.output / TRANSCRIPT).read_text().split()
    assert {"PATH", "HOME", "MY_KEY", "LC_ALL", "TMPDIR", "GIT_TERMINAL_PROMPT"} <= set(names)
    assert "AWS_SECRET" not in names
    assert "GIT_DIR" not in names


def test_tmpdir_is_its_own_and_gone_afterwards(request_for: MakeRequest) -> None:
    request = request_for()
    CommandAgent("m", script("import tempfile;print(tempfile.mkstemp()[1])")).work(request)
    left = Path((request.output / TRANSCRIPT).read_text().strip())
    assert left.parent.name.startswith("tdd-")
    assert not left.parent.exists()


@pytest.mark.parametrize(
    ("code", "status", "fault", "words"),
    [
        ("raise SystemExit(3)", AgentStatus.AGENT_FAILED, Fault.NONE, "exit code 3"),
        ("import os;os.kill(os.getpid(),9)", AgentStatus.ERROR, Fault.KILLED, "process was killed (SIGKILL)"),
        ("import os;os.abort()", AgentStatus.ERROR, Fault.KILLED, "process was killed (SIGABRT)"),
        ("raise SystemExit(145)", AgentStatus.AGENT_FAILED, Fault.NONE, "exit code 145"),
        ("import sys;sys.exit('HTTP 429 Too Many Requests, retry-after: 7')", AgentStatus.AGENT_FAILED, Fault.RATE_LIMITED, "rate limit"),
        ("import sys;sys.exit('401 Unauthorized')", AgentStatus.AGENT_FAILED, Fault.NONE, "exit code 1 (401 Unauthorized)"),
        ("import sys;sys.exit('AssertionError: connection refused')", AgentStatus.AGENT_FAILED, Fault.NONE, "exit code 1"),
        ("print('429 rate limit, all fine')", AgentStatus.SUCCESS, Fault.NONE, ""),
    ],
)  # fmt: skip
def test_exit_is_judged(
    request_for: MakeRequest, code: str, status: AgentStatus, fault: Fault, words: str
) -> None:
    request = request_for()
    reply = CommandAgent("mine", script(code)).work(request)
    assert (reply.status, reply.fault) == (status, fault)
    assert words in reply.failure_reason
    left = json.loads((request.output / "result.json").read_text())
    assert left["status"] == status.value
    assert left.get("failure_reason", "") == reply.failure_reason
    assert bool(reply.incident) is (status is not AgentStatus.SUCCESS)


def test_retry_after_is_read(request_for: MakeRequest) -> None:
    reply = CommandAgent("m", script("import sys;sys.exit('429 Too Many Requests, Retry-After: 7')")).work(
        request_for()
    )
    assert (reply.fault, reply.retry_after) == (Fault.RATE_LIMITED, 7.0)


def test_no_such_program(request_for: MakeRequest) -> None:
    request = request_for()
    reply = CommandAgent("mine", ("no-such-agent-here",)).work(request)
    assert (reply.status, reply.fault, reply.exit_code) == (AgentStatus.ERROR, Fault.NOT_STARTED, None)
    assert reply.failure_reason == "did not start: no-such-agent-here: no such program."
    assert not list(request.output.glob(".scratch-*"))


def test_a_preset_that_is_not_installed_says_how_to_get_it(request_for: MakeRequest) -> None:
    reply = CommandAgent("codex", preset=PRESETS["codex"], environ={"PATH": "/nowhere"}).work(request_for())
    assert reply.fault is Fault.NOT_STARTED
    assert reply.failure_reason == "did not start: codex: no such program (npm install -g @openai/codex)."


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("Working.\nOverwrite? [y/N] ", "Overwrite? [y/N]"),
        ("Password: ", "Password:"),
        ("Shall I go on?\n\n", "Shall I go on?"),
        ("Press Enter to continue", "Press Enter to continue"),
        ("running the tests ...\n", ""),
        ('{"type": "text", "text": "why?"}\n', ""),
    ],
)
def test_one_that_waits_for_an_answer_is_told_as_such(request_for: MakeRequest, last: str, told: str) -> None:
    code = f"import time;print({last!r}, end='', flush=True);time.sleep(60)"
    reply = CommandAgent("m", script(code), timeout=1.0).work(request_for())
    assert reply.fault is Fault.TIMEOUT_WALL
    assert reply.failure_reason.partition("it waited for an answer to: ")[2] == (f"{told}." if told else "")


@pytest.mark.parametrize(
    ("write", "status", "reason"),
    [
        (None, AgentStatus.AGENT_FAILED, "investigation report missing"),
        (0, AgentStatus.AGENT_FAILED, "investigation report too small"),
        (99, AgentStatus.AGENT_FAILED, "investigation report too small"),
        (100, AgentStatus.SUCCESS, ""),
    ],
)
def test_required_report(
    request_for: MakeRequest, write: int | None, status: AgentStatus, reason: str
) -> None:
    code = "import os" + (
        f";open(os.environ['TDD_OUTPUT_DIR']+'/investigation.md','w').write('x'*{write})"
        if write is not None
        else ""
    )
    request = request_for(phase="analyze", requires="investigation.md", read_only=True)
    reply = CommandAgent("mine", script(code)).work(request)
    assert (reply.status, reply.failure_reason) == (status, reason)
    assert json.loads((request.output / "result.json").read_text()).get("failure_reason", "") == reason


def test_warning_has_incident_and_reason(
    request_for: MakeRequest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TDD_LOG", "json")
    reply = CommandAgent("mine", script("raise SystemExit(1)")).work(request_for())
    event = json.loads(capsys.readouterr().err)
    assert event.pop("timestamp")
    assert event == {
        "event": "agent run failed", "level": "warning", "incident_id": reply.incident, "reason": "exit code 1.",
        "status": "agent_failed", "agent": "mine", "role": "red", "cycle": "c-1",
    }  # fmt: skip


def test_time_limit_ends_the_group_and_what_left_it(request_for: MakeRequest) -> None:
    request = request_for(timeout=1.0)
    code = "import subprocess,time,sys;p=subprocess.Popen(['sleep','321'],start_new_session=True);print(p.pid,flush=True);time.sleep(60)"
    begun = time.monotonic()
    reply = CommandAgent("mine", script(code)).work(request)
    assert time.monotonic() - begun < 8
    assert (reply.timed_out, reply.fault, reply.status) == (
        "wall",
        Fault.TIMEOUT_WALL,
        AgentStatus.AGENT_FAILED,
    )
    assert reply.failure_reason.startswith("timed out")
    assert state_of((request.output / TRANSCRIPT).read_text().strip()) in ("", "Z")


def test_idle_limit_and_stretch(request_for: MakeRequest) -> None:
    code = "import time\nfor _ in range(4): print('.',flush=True); time.sleep(.4)\ntime.sleep(9)"
    reply = CommandAgent("mine", script(code), idle_timeout=0.5).work(request_for(stretch=2.0))
    assert (reply.timed_out, reply.fault) == ("idle", Fault.TIMEOUT_IDLE)
    assert reply.seconds > 2.0


def test_secrets_and_escapes_do_not_reach_the_transcript(request_for: MakeRequest) -> None:
    request = request_for()
    environ = {"PATH": os.environ["PATH"], "MY_API_KEY": "hunter2-hunter2"}
    code = "import os;print('\\x1b[31mkey', os.environ['MY_API_KEY'], 'ghp_'+'a'*36, '\\u202e')"
    CommandAgent("mine", script(code), pass_env=("MY_API_KEY",), environ=environ).work(request)
    assert (request.output / TRANSCRIPT).read_text() == "key [redacted] [redacted:github] \n"


def test_flood_is_bounded(request_for: MakeRequest) -> None:
    request = request_for()
    code = "import sys\nfor _ in range(400): sys.stdout.write('x'*(1<<18))\nprint('the end')"
    reply = CommandAgent("mine", script(code)).work(request)
    assert reply.status is AgentStatus.SUCCESS
    kept = (request.output / TRANSCRIPT).read_text()
    assert len(kept) < 5 << 20
    assert kept.rstrip().endswith("the end")


@pytest.mark.parametrize(
    "trap",
    [
        "os.mkdir(o+'/result.json'); open(o+'/result.json/x','w')",
        "os.symlink('/dev/full', o+'/result.json'); os.symlink('/dev/full', o+'/transcript.txt')",
        "shutil.rmtree(o)",
        "shutil.rmtree(o); os.symlink(os.getcwd(), o)",
        "shutil.rmtree(o); open(o,'w')",
        "os.mkfifo(o+'/report.md')",
        "os.symlink('/etc/passwd', o+'/report.md')",
    ],
)
def test_traps_in_the_output_folder(request_for: MakeRequest, trap: str) -> None:
    request = request_for()
    reply = CommandAgent("mine", script(f"import os,shutil;o=os.environ['TDD_OUTPUT_DIR'];{trap}")).work(
        request
    )
    assert reply.status is AgentStatus.SUCCESS
    assert reply.report == ""
    assert json.loads((request.output / "result.json").read_text())["status"] == "success"
    assert not list(request.tree.iterdir())


def test_an_agent_that_asks_gets_the_end_of_input(request_for: MakeRequest) -> None:
    reply = CommandAgent("mine", script("import sys;sys.stdin.read();input('Proceed? ')")).work(request_for())
    assert reply.status is AgentStatus.AGENT_FAILED


def test_wrap_stands_before_the_command(request_for: MakeRequest) -> None:
    seen: list[tuple[list[str], str]] = []

    def wrap(argv: list[str], request: Request) -> list[str]:
        seen.append((argv, request.role))
        return ["env", "WRAPPED=1", *argv]

    request = request_for()
    CommandAgent("mine", script("import os;print(os.environ['WRAPPED'])"), wrap=wrap).work(request)
    assert (request.output / TRANSCRIPT).read_text() == "1\n"
    assert seen == [(list(script("import os;print(os.environ['WRAPPED'])")), "red")]
    assert sorted(path.name for path in request.output.iterdir()) == [PROMPT, "result.json", TRANSCRIPT]


def test_a_relative_command_is_the_users_own(request_for: MakeRequest) -> None:
    request = request_for()
    root = request.tree.parent / "root"
    for folder, words in ((root, "users"), (request.tree, "agents")):
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "agent").write_text(f"#!/bin/sh\necho {words} $*\n")
        (folder / "bin" / "agent").chmod(0o755)
    (root / "only-here").write_text("")
    agent = CommandAgent("mine", ("bin/agent", "only-here", "bin/agent", "word"), root=root)
    assert agent.work(request).status is AgentStatus.SUCCESS
    said = (request.output / TRANSCRIPT).read_text()
    assert said == f"users {root / 'only-here'} bin/agent word\n"


@pytest.mark.parametrize(("said", "signalled"), [("Fix applied successfully", True), ("fixed it", False)])
def test_the_completion_signal_is_looked_for(request_for: MakeRequest, said: str, signalled: bool) -> None:
    request = request_for(role="debugger", phase="fix", signal="Fix applied successfully")
    assert CommandAgent("mine", script(f"print({said!r})")).work(request).signalled is signalled


def test_without_a_signal_none_is_found(request_for: MakeRequest) -> None:
    assert not CommandAgent("mine", script("print('Fix applied successfully')")).work(request_for()).signalled


def test_a_script_in_the_command_line_may_be_longer_than_a_name(
    request_for: MakeRequest, tmp_path: Path
) -> None:
    agent = CommandAgent("mine", script("print('done')" + " " * 300), root=tmp_path)
    assert agent.work(request_for()).status is AgentStatus.SUCCESS


def test_the_output_folder_is_named_in_the_prompt(request_for: MakeRequest) -> None:
    request = request_for("Write $TDD_OUTPUT_DIR/report.md.")
    CommandAgent("mine", script("import sys;print(sys.stdin.read(), end='')")).work(request)
    assert (request.output / TRANSCRIPT).read_text() == f"Write {request.output}/report.md."

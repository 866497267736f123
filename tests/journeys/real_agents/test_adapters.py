"""Real clients before the scripted model: what each adapter makes of success, faults, and an agent that gives up.

Nothing leaves the machine: the model is on loopback. A client whose install is refused is skipped, with the reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agents.provoked import PROVOKED
from pace import within

from tdd_orchestrator.agents.agent import AgentStatus, Fault
from tdd_orchestrator.agents.live import Activity
from tdd_orchestrator.agents.sandbox import agent_wrap, available
from tdd_orchestrator.agents.transport import FaultAction, decide
from tdd_orchestrator.agents.validate import read_left
from tdd_orchestrator.model.policy import RetryPolicy

from .clients import CLIENTS
from .conftest import Staged

pytestmark = pytest.mark.slow

MODELS = ["fake-model", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"]
WRITE = {
    "write": {
        "path": "tests/test_calc.py",
        "content": "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n",
    }
}
JOB = "TDD-JOB: write a failing test for add(a, b) in tests/test_calc.py"
EVERY = pytest.mark.parametrize("preset", list(CLIENTS))


def scenario(*steps: dict[str, Any], after: Any = None) -> dict[str, Any]:
    rule = {
        "name": "job",
        "when": {"prompt": "TDD-JOB"},
        "order": "prompt",
        "steps": list(steps),
        "after": after or "repeat",
    }
    return {"models": MODELS, "side": {"text": "Title"}, "rules": [rule]}


def job(**first: Any) -> dict[str, Any]:
    done = {"do": [{"done": "RED: done."}]}
    return scenario(
        {"text": "Writing.", "do": [WRITE], "usage": {"input": 1200, "output": 80}, **first}, done, after=done
    )


@EVERY
def test_success(stage: Staged, preset: str) -> None:
    here = stage(preset, job())
    reply = here.ask(JOB)
    assert (reply.status, reply.fault, reply.failure_reason) == (AgentStatus.SUCCESS, Fault.NONE, "")
    assert (here.tree / "tests" / "test_calc.py").read_text() == WRITE["write"]["content"]
    assert (here.output / "result.json").exists()
    assert sorted(path.name for path in here.tree.iterdir()) == [".git", "README.md", "tests"]
    if preset not in ("mini", "aider"):
        assert "RED: done." in reply.text
        assert reply.session
        assert reply.usage.input_tokens >= 1200
        assert reply.usage.output_tokens >= 80


@pytest.mark.parametrize("preset", ["claude", "codex", "pi", "gemini", "opencode", "qwen", "copilot"])
def test_its_actions_are_seen_while_it_works(stage: Staged, preset: str) -> None:
    """The screen's line, and the events of ``--json``: a tool with what it is used on, tokens, the file that it edits."""
    work = {"text": "Writing.", "do": [WRITE], "usage": {"input": 1200, "output": 80}}
    look = {"text": "Looking.", "do": [{"run": "ls tests"}], "usage": {"input": 1300, "output": 20}}
    here = stage(preset, scenario(work, look, {"do": [{"done": "RED: done."}]}))
    seen: list[str] = []
    activity = Activity(lambda one: seen.append(one.last))
    assert here.ask(JOB, timeout=240, on_output=activity.feed).status is AgentStatus.SUCCESS
    assert any("test_calc.py" in action for action in seen), seen
    assert any("ls tests" in action for action in seen), seen
    if preset != "copilot":  # its session log alone counts them
        assert activity.tokens >= 2500
    if preset != "codex":  # a shell of its own writes the file
        assert [Path(path).name for path in activity.files] == ["test_calc.py"]


@pytest.mark.parametrize("preset", ["aider", "copilot", "gemini", "opencode"])
def test_a_limit_ends_a_client_that_asks_again_by_itself(stage: Staged, preset: str) -> None:
    """Without this it asks for as long as it may run."""
    reply = stage(preset, scenario(*PROVOKED["usage limit"].steps)).ask(JOB, timeout=300)
    assert (reply.fault, reply.retry_after) == (Fault.USAGE_LIMIT, 7200)
    assert reply.timed_out in ("stop", "")
    assert reply.seconds < 200
    decision = decide(reply, 0, RetryPolicy(limit_wait=0))
    assert decision.move is FaultAction.PAUSE
    assert "in about 2 hours" in decision.todo


@pytest.mark.parametrize("preset", ["claude", "codex", "pi", "gemini"])
def test_a_session_goes_on(stage: Staged, preset: str) -> None:
    here = stage(preset, job())
    first = here.ask(JOB)
    again = here.ask("TDD-JOB: go on", session=first.session)
    assert (again.status, again.session) == (AgentStatus.SUCCESS, first.session)


@pytest.mark.parametrize("preset", ["claude", "codex", "pi", "gemini", "opencode", "qwen", "copilot"])
def test_a_session_that_it_does_not_know_costs_no_retry(stage: Staged, preset: str) -> None:
    lost = "8017505b-8dd4-454d-afaa-13d35835eb3f"
    reply = stage(preset, job()).ask(JOB, session=f"ses_{lost[:8]}" if preset == "opencode" else lost)
    assert reply.fault is Fault.SESSION_LOST, reply.error
    assert decide(reply, 0, RetryPolicy()).move is FaultAction.WAIT


@pytest.mark.parametrize("preset", ["claude", "codex", "pi", "gemini", "gemini-acp"])
def test_read_only_does_not_write_and_its_answer_is_the_report(stage: Staged, preset: str) -> None:
    report = (
        "# Investigation report\n\nThe import fails because calc.py is missing; it was never written. " * 2
    )
    evil = {"text": "Trying.", "do": [{"write": {"path": "EVIL.txt", "content": "x"}}]}
    here = stage(preset, scenario(evil, {"do": [{"run": "touch EVIL2.txt"}]}, {"do": [{"done": report}]}))
    reply = here.ask(JOB, role="analyze", phase="analyze", read_only=True, requires="investigation.md")
    assert (reply.status, reply.failure_reason) == (AgentStatus.SUCCESS, "")
    assert not list(here.tree.glob("EVIL*"))
    assert "calc.py is missing" in reply.report
    assert (read_left(here.output / "investigation.md") or b"").startswith(b"# Investigation report")


@pytest.mark.parametrize(
    ("preset", "path", "command"),
    [
        ("claude", ".claude/commands/build-doctor.md", "CURE-THE-BUILD $ARGUMENTS\n"),
        ("claude-acp", ".claude/commands/build-doctor.md", "CURE-THE-BUILD $ARGUMENTS\n"),
        ("gemini", ".gemini/commands/build-doctor.toml", 'prompt = "CURE-THE-BUILD {{args}}"\n'),
        ("pi", ".pi/prompts/build-doctor.md", "CURE-THE-BUILD $ARGUMENTS\n"),
    ],
)
def test_a_specialist_by_the_users_own_slash_command(
    stage: Staged, preset: str, path: str, command: str
) -> None:
    """The command's words reach the model, and the file that they name is the task."""
    look = "grep -q 'The build is broken.' \"$TDD_OUTPUT_DIR\"/.scratch-*/prompt.md && touch found"
    here = stage(preset, {"models": MODELS, "side": {"text": "T"}, "rules": [
        {"when": {"prompt": "CURE-THE-BUILD Your task is in the file /"},
         "steps": [{"do": [{"run": look}]}, {"text": "Fix applied successfully"}], "after": "repeat"}]})  # fmt: skip
    (here.tree / path).parent.mkdir(parents=True)
    (here.tree / path).write_text(command)
    reply = here.ask(
        "The build is broken.", role="build-doctor", phase="fix", signal="Fix applied successfully"
    )
    assert (reply.status, reply.signalled) == (AgentStatus.SUCCESS, True)
    assert (here.tree / "found").exists()


@EVERY
def test_a_wrong_key_pauses(stage: Staged, preset: str) -> None:
    here = stage(preset, scenario({"fault": {"status": 401}}))
    reply = here.ask(JOB, timeout=120)
    assert reply.status is not AgentStatus.SUCCESS
    assert reply.fault is Fault.AUTH
    assert decide(reply, 0, RetryPolicy()).move is FaultAction.PAUSE


@EVERY
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ({"status": 429, "retry_after": 7}, Fault.RATE_LIMITED),
        ({"status": 529}, Fault.OVERLOADED),
    ],
    ids=["429", "529"],
)
def test_a_provider_that_stays_busy_is_waited_for(
    stage: Staged, preset: str, fault: dict[str, Any], expected: Fault
) -> None:
    here = stage(preset, scenario({"fault": fault}))
    reply = here.ask(JOB, timeout=CLIENTS[preset].gives_up)
    assert reply.status is not AgentStatus.SUCCESS
    assert reply.fault is expected
    assert decide(reply, 0, RetryPolicy()).move is FaultAction.WAIT


@pytest.mark.parametrize("preset", [name for name, client in CLIENTS.items() if client.own_retries])
def test_a_short_rate_limit_is_waited_out_by_the_client(stage: Staged, preset: str) -> None:
    here = stage(preset, job(faults=[{"status": 429, "retry_after": 1, "times": 1}]))
    assert here.ask(JOB).status is AgentStatus.SUCCESS


@EVERY
def test_a_quota_that_is_used_up_is_no_rate_limit(stage: Staged, preset: str) -> None:
    said = "You exceeded your current quota, please check your plan and billing details."
    fault = {"status": 429, "type": "insufficient_quota", "code": "insufficient_quota", "message": said}
    reply = stage(preset, scenario({"fault": fault})).ask(JOB, timeout=90)
    assert reply.status is not AgentStatus.SUCCESS
    assert reply.fault is (
        Fault.RATE_LIMITED if preset == "qwen" else Fault.QUOTA
    )  # it prints the number only


@EVERY
def test_a_hang_is_ended_with_all_its_processes(stage: Staged, preset: str) -> None:
    reply = stage(preset, scenario({"fault": {"hang": True}})).ask(
        JOB, timeout=12, run_marker=f"hang-{preset}"
    )
    assert reply.timed_out == "wall"
    assert reply.status is AgentStatus.AGENT_FAILED
    assert reply.seconds < within(25)
    assert not marked(f"hang-{preset}")


@EVERY
def test_what_its_tools_left_running_is_ended(stage: Staged, preset: str) -> None:
    here = stage(preset, scenario({"text": "Slow.", "do": [{"run": "sh -c 'sleep 311 & sleep 312; wait'"}]}))
    here.ask(JOB, timeout=10, run_marker=f"slow-{preset}")
    assert not marked(f"slow-{preset}")


@EVERY
def test_a_cut_stream_is_a_failure_unless_the_whole_answer_was_fetched(stage: Staged, preset: str) -> None:
    """One client asks again without streaming, and gets the whole."""
    whole = "A long text that is going to be cut somewhere in it."
    here = stage(
        preset,
        scenario({"text": whole, "fault": {"truncate_after": 2}}),
    )
    reply = here.ask(JOB, timeout=40)
    assert (reply.text == whole) is (reply.status is AgentStatus.SUCCESS)
    assert bool(reply.failure_reason) is (reply.status is not AgentStatus.SUCCESS)


@EVERY
def test_nobody_answers(stage: Staged, preset: str) -> None:
    here = stage(preset, job())
    reply = here.ask(JOB, timeout=15, url="http://127.0.0.1:9")
    assert reply.status is not AgentStatus.SUCCESS
    assert reply.fault in (Fault.UNREACHABLE, Fault.OVERLOADED, Fault.API_ERROR, Fault.TIMEOUT_WALL)


COUNTED = ["claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen", "claude-agent-acp", "gemini-acp"]


@pytest.mark.parametrize("preset", COUNTED)
def test_a_run_that_is_ended_counts_the_requests_that_were_answered(stage: Staged, preset: str) -> None:
    """From its stream or its own session log; over the protocol too."""
    worked = {"text": "Writing.", "do": [WRITE], "usage": {"input": 1200, "cached": 700, "output": 80}}
    reply = stage(preset, scenario(worked, {"fault": {"hang": True}})).ask(JOB, timeout=25)
    usage = reply.usage
    assert (reply.timed_out, usage.turns) == ("wall", 1)
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (500, 700, 80)


@EVERY
def test_a_prompt_that_is_too_large(stage: Staged, preset: str) -> None:
    fault = {
        "status": 400,
        "code": "context_length_exceeded",
        "message": "prompt is too long: 250000 tokens > 200000 maximum",
    }
    reply = stage(preset, scenario({"fault": fault})).ask(JOB, timeout=120)
    assert reply.status is not AgentStatus.SUCCESS
    assert reply.fault is Fault.CONTEXT_OVERFLOW


@EVERY
def test_an_agent_that_gives_up_is_believed_in_nothing(stage: Staged, preset: str) -> None:
    """It ended well and did nothing: the run is a success, and the tree says what was done (A5 is the cycle's)."""
    here = stage(preset, scenario({"do": [{"done": "I cannot do this. All tests pass now."}]}))
    reply = here.ask(JOB)
    assert reply.status is AgentStatus.SUCCESS
    assert not (here.tree / "tests" / "test_calc.py").exists()


@EVERY
def test_a_long_prompt_arrives(stage: Staged, preset: str) -> None:
    here = stage(preset, job())
    reply = here.ask(JOB + "\n" + "x " * 45_000 + "\nthe end")
    assert reply.status is AgentStatus.SUCCESS
    assert (here.tree / "tests" / "test_calc.py").exists()


@EVERY
@pytest.mark.skipif(available() is not None, reason=str(available()))
def test_inside_the_sandbox(stage: Staged, preset: str, tmp_path: Path) -> None:
    here = stage(preset, job())
    tools = (Path(CLIENTS[preset].program), tmp_path)
    reply = here.ask(
        JOB,
        wrap=lambda row: agent_wrap(
            row, kind="bubblewrap", readable=tools[1:], environ={"HOME": str(here.home)}
        ),
    )
    assert (reply.status, reply.failure_reason) == (AgentStatus.SUCCESS, "")
    assert (here.tree / "tests" / "test_calc.py").exists()


def marked(cookie: str) -> list[str]:
    """Command lines of living processes that carry this run's mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"TDD_COOKIE={cookie}".encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().decode())
        except OSError:
            continue
    return found

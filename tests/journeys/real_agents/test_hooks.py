"""The plugin in ordinary sessions of real clients: its hooks prove what a session changed, subagents and tasks
included, and send it on with the reason."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kit import ROOT, Kata
from pace import within

from .clients import CLIENTS, install
from .stage import MODELS

pytestmark = pytest.mark.slow

CODE = {"write": {"path": "more.py", "content": "def triple(number):\n    return number * 3\n"}}
TEST = {
    "write": {
        "path": "tests/test_more.py",
        "content": "from more import triple\n\n\ndef test_triples():\n    assert triple(4) == 12\n",
    }
}
JOB = "SESSION-JOB: triple a number"
REFUSED = "tdd does not accept this change"


def rule(prompt: str, *steps: dict[str, Any]) -> dict[str, Any]:
    return {
        "when": {"prompt": prompt, "tools": True},
        "order": "prompt",
        "steps": list(steps),
        "after": "repeat",
    }


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"do": [{"call": {"name": name, "args": args}}]}


SENT_ON = rule(REFUSED, {"do": [TEST]}, {"text": "Tested now."})
DONE = call("TaskUpdate", taskId="1", status="completed")
SESSIONS = {
    "Stop": [rule("SESSION-JOB", {"do": [CODE]}, {"text": "Done."}), SENT_ON],
    "SubagentStop": [
        rule(
            "SESSION-JOB",
            call("Agent", description="triple", prompt="SUB-JOB", subagent_type="general-purpose"),
            {"text": "All done."},
        ),
        rule("SUB-JOB", {"do": [CODE]}, {"text": "The subagent is done."}),
        SENT_ON,
    ],
    "TaskCompleted": [
        rule(
            "SESSION-JOB", call("TaskCreate", subject="triple", description="triple"), {"do": [CODE]}, DONE,
            {"do": [TEST]}, DONE, {"text": "Done."},
        )
    ],
}  # fmt: skip


def claude(tmp_path: Path) -> str:
    program, why = install("claude")
    if program is None:
        pytest.skip(why)
    (tmp_path / "home").mkdir()
    return str(program)


@pytest.mark.parametrize("event", SESSIONS)
def test_a_session_is_sent_on_until_its_change_is_proven(tmp_path: Path, event: str) -> None:
    from fake_model import serve

    program, kata = claude(tmp_path), Kata(tmp_path / "kata")
    server, url = serve({"models": MODELS, "side": {"text": "Title"}, "rules": SESSIONS[event]})
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8",
        "XDG_STATE_HOME": str(tmp_path / "state"), "CLAUDE_CODE_ENABLE_TASKS": "1",
        **CLIENTS["claude"].home(tmp_path / "home", url),
    }  # fmt: skip
    options = [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-hook-events",
        "--permission-mode",
        "acceptEdits",
    ]
    try:
        done = subprocess.run(
            [program, *options, "--plugin-dir", str(ROOT / "plugin")], input=JOB, cwd=kata.root, env=environ,
            capture_output=True, text=True, timeout=within(240), check=False,
        )  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
    seen = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    answers = [
        one["output"] for one in seen if one.get("subtype") == "hook_response" and one["hook_event"] == event
    ]
    assert [REFUSED in answer for answer in answers] == [True, False], done.stdout[-3000:]
    (opening,) = [one for one in seen if one.get("subtype") == "init"]
    assert "plugin:tdd:tdd" in [one["name"] for one in opening["mcp_servers"]]  # it may still be starting
    assert "tdd:tdd" in opening["skills"]
    assert (kata.root / "more.py").exists()
    assert (kata.root / "tests" / "test_more.py").exists()


def test_claude_finds_nothing_wrong_with_the_plugin_and_the_marketplace(tmp_path: Path) -> None:
    program = claude(tmp_path)
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    for place in (ROOT / "plugin", ROOT):
        words = [program, "plugin", "validate", "--strict", str(place)]
        done = subprocess.run(
            words, env=environ, capture_output=True, text=True, timeout=within(90), check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_claude_reaches_the_server_of_the_plugin(tmp_path: Path) -> None:
    program, kata = claude(tmp_path), Kata(tmp_path / "kata")
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path / "home"),
        "XDG_STATE_HOME": str(tmp_path / "state"), "MCP_TIMEOUT": "60000",
    }  # fmt: skip
    words = [program, "--plugin-dir", str(ROOT / "plugin"), "mcp", "list"]
    done = subprocess.run(
        words, cwd=kata.root, env=environ, capture_output=True, text=True, timeout=within(120), check=False
    )
    assert re.search(r"^plugin:tdd:tdd: tdd mcp - . Connected$", done.stdout, re.M), done.stdout + done.stderr


def test_codex_installs_the_plugin_from_the_marketplace(tmp_path: Path) -> None:
    program, why = install("codex")
    if program is None:
        pytest.skip(why)
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def codex(*words: str) -> str:
        line = [str(program), *words]
        done = subprocess.run(
            line, env=environ, capture_output=True, text=True, timeout=within(90), check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    codex("plugin", "marketplace", "add", str(ROOT))
    codex("plugin", "add", "tdd@tdd-orchestrator")
    assert "installed, enabled" in codex("plugin", "list")
    # a server of a plugin is started in the plugin's folder, and ours works where it is started
    assert "No MCP servers" in codex("mcp", "list")


def test_codex_calls_the_hooks_of_the_plugin(tmp_path: Path) -> None:
    """A hook has to be trusted once in an interactive session; here its source is this repository."""
    from fake_model import serve

    program, why = install("codex")
    if program is None:
        pytest.skip(why)
    (tmp_path / "home").mkdir()
    kata = Kata(tmp_path / "kata")
    server, url = serve({"models": MODELS, "side": {"text": "Title"}, "rules": SESSIONS["Stop"]})
    environ = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path / "home"), "LANG": "C.UTF-8",
        "XDG_STATE_HOME": str(tmp_path / "state"), **CLIENTS["codex"].home(tmp_path / "home", url),
    }  # fmt: skip

    def codex(*words: str) -> str:
        done = subprocess.run(
            [str(program), *words], cwd=kata.root, env=environ, capture_output=True, text=True, timeout=within(240),
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    config = tmp_path / "home" / ".codex" / "config.toml"
    config.write_text(config.read_text().replace("plugins = false", "plugins = true"))
    try:
        codex("plugin", "marketplace", "add", str(ROOT))
        codex("plugin", "add", "tdd@tdd-orchestrator")
        options = ("--json", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")
        said = codex("exec", *options, "-m", CLIENTS["codex"].model, JOB)
    finally:
        server.shutdown()
        server.server_close()
    assert "Tested now." in said, said[-3000:]
    assert (kata.root / "tests" / "test_more.py").exists(), "the Stop hook sent the session on"

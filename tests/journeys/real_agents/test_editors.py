"""A whole cycle in an ordinary session of a real client, by the tools of the MCP server that ``tdd mcp install`` wrote."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kit import Kata
from pace import within

from .clients import CLIENTS, install
from .stage import MODELS

pytestmark = pytest.mark.slow

JOB = "SESSION-JOB: develop the next behavior"
TEST = "from double import double\n\n\ndef test_doubles():\n    assert double(2) == 4\n"
CODE = "def double(number):\n    return number * 2\n"
WAIT = {"do": [{"run": "sleep 20"}]}  # none of them waits for its servers before the first turn
SERVERS = {
    "do": [{"call": {"name": "WaitForMcpServers", "force": True}}]
}  # for a while, so it is asked again
SESSIONS: dict[str, tuple[str, list[dict[str, Any]], list[str]]] = {
    "claude": ("mcp__tdd__", [SERVERS] * 4,
        ["-p", "--permission-mode", "acceptEdits", "--mcp-config", ".mcp.json", "--allowedTools", "mcp__tdd"]),
    "codex": ("", [WAIT], ["exec", "--model", "gpt-5", "-s", "danger-full-access", "-c", "approval_policy=never", "-"]),
    "gemini": ("mcp_tdd_", [WAIT], ["--yolo", "-m", "gemini-2.5-pro", "-p", JOB]),
}  # fmt: skip
"""How the client names a tool of ours, what waits for the server, and its command line."""


def trust(client: str, home: Path, root: Path) -> None:
    """A project's own configuration counts where a person has trusted the folder."""
    if client == "codex":
        with (home / ".codex" / "config.toml").open("a") as file:
            file.write(f'[projects."{root}"]\ntrust_level = "trusted"\n')
    if client == "gemini":
        (home / ".gemini" / "trustedFolders.json").write_text(f'{{"{root}": "TRUST_FOLDER"}}')


@pytest.mark.parametrize("client", SESSIONS)
def test_a_session_lands_a_cycle_by_tool_calls(tmp_path: Path, client: str) -> None:
    from fake_model import serve

    program, why = install(client)
    if program is None:
        pytest.skip(why)
    kata, home = Kata(tmp_path), tmp_path / "home"
    kata.plan()
    home.mkdir(exist_ok=True)
    own = {"HOME": str(home), "TDD_STATE_DIR": str(tmp_path / "state")}
    place = re.search(r"of this machine: (\S+)\. Keep", kata.tdd("mcp", "install", client, env=own).out)
    assert place is not None
    prefix, ready, words = SESSIONS[client]

    def call(name: str, **args: str) -> dict[str, Any]:
        return {"do": [{"call": {"name": f"{prefix}{name}", "args": args, **({"force": True} if client == "claude" else {})}}]}  # fmt: skip

    def write(path: str, text: str) -> dict[str, Any]:
        return {"do": [{"write": {"path": f"{place[1]}/{path}", "content": text}}]}

    step, prove = call("next_step", model="scripted-1"), call("prove")
    steps = [*ready, step, write("tests/test_double.py", TEST), prove, step, write("double.py", CODE), prove, step, prove]  # fmt: skip
    rule = {"when": {"prompt": "SESSION-JOB", "tools": True}, "order": "prompt", "steps": [*steps, {"text": "Done."}],
            "after": "repeat"}  # fmt: skip
    server, url = serve({"models": MODELS, "side": {"text": "Title"}, "rules": [rule]})
    environ = {
        **os.environ, **own, **CLIENTS[client].home(home, url),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }  # fmt: skip
    trust(client, home, kata.root)
    try:
        done = subprocess.run(
            [str(program), *words], input=JOB, cwd=kata.root, env=environ, capture_output=True, text=True,
            timeout=within(240), check=False,
        )  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0, done.stderr[-2000:]
    assert kata.verdicts() == ["proven", "proven", "unchanged"], done.stdout[-2000:]
    assert kata.subjects() == ["chore: begin", "test: doubles a number", "feat: doubles a number"]
    assert {one["agent"]["model"] for one in kata.records("handoff")} == {"scripted-1"}

"""A scripted model, a small project and a real client, put together for one run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pace import within

from tdd_orchestrator.agents.agent import Reply, Request
from tdd_orchestrator.agents.command import TRANSCRIPT, CommandAgent, session_log
from tdd_orchestrator.agents.parsed_output import Output, ParsedOutput
from tdd_orchestrator.agents.preset import PRESETS
from tdd_orchestrator.agents.table import AgentEnvironment, AgentSettings, make_agent

from .clients import ALL, install

MODELS = ["fake-model", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"]
JOB = "TDD-JOB: write a failing test for add(a, b) in tests/test_calc.py"


def scenario(*steps: dict[str, Any], after: Any = None) -> dict[str, Any]:
    """The model's answers to :data:`JOB`, turn by turn; then ``after``, or the last one again."""
    rule = {
        "name": "job",
        "when": {"prompt": "TDD-JOB"},
        "order": "prompt",
        "steps": list(steps),
        "after": after or "repeat",
    }
    return {"models": MODELS, "side": {"text": "Title"}, "rules": [rule]}  # fmt: skip


@dataclass
class Stage:
    """One client before one scripted model, in one tree. ``ask`` runs it once and gives the reply."""

    preset: str
    url: str
    server: Any
    tree: Path
    home: Path
    output: Path
    environ: dict[str, str]
    outputs: list[Output] = field(default_factory=list)  # as the client left them

    def ask(
        self,
        prompt: str,
        *,
        timeout: float = 90.0,
        url: str = "",
        wrap: Any = None,
        on_output: Callable[[bytes], None] | None = None,
        **more: Any,
    ) -> Reply:
        """``timeout``: seconds on a quick machine; a slow one takes that long to start a client."""
        client = ALL[self.preset]
        program, _ = install(self.preset)
        environ = {**self.environ, **client.home(self.home, url or self.url)}
        settings = AgentSettings(
            self.preset, client.row, (str(program), *client.args), client.model, pass_env=client.pass_env
        )
        around = AgentEnvironment(print, wrap=wrap, root=self.tree, environ=environ)
        agent = make_agent(self.preset, settings, around)
        assert isinstance(agent, CommandAgent)
        parse = agent.preset.parse

        def spy(output: Output) -> ParsedOutput:
            self.outputs.append(output)
            return parse(output)

        agent = replace(agent, preset=replace(agent.preset, parse=spy))
        request = Request(
            **{
                "role": "red",
                "phase": "red",
                "cycle_id": "c-1",
                "tree": self.tree,
                "output": self.output,
                "timeout": within(timeout),
                **more,
            },
            prompt=prompt,
        )
        reply = agent.work(request, on_output)
        print(
            f"{self.preset}: {reply.status} {reply.fault} {reply.failure_reason} exit={reply.exit_code} {reply.seconds:.1f}s"
        )
        return reply

    def log(self, session: str) -> bytes:
        return session_log(PRESETS[ALL[self.preset].row], session, self.environ)

    @property
    def transcript(self) -> str:
        return (self.output / TRANSCRIPT).read_text()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def build(preset: str, scenario: dict[str, Any], place: Path) -> Stage:
    """Start the model, and make the client's tree, home and output folder below ``place``."""
    from fake_model import serve

    server, url = serve(scenario)
    places = [place / name for name in ("tree", "home", "output")]
    for folder in places:
        folder.mkdir()
    tree, home, output = places
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "t"),
        ("config", "user.email", "t@example.invalid"),
    ):
        subprocess.run(["git", *words], cwd=tree, check=True)
    (tree / "README.md").write_text("# calc\nA tiny calculator.\n")
    (tree / "tests").mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8"}
    return Stage(preset, url, server, tree, home, output, environ)

"""A scripted model, a small project and a real client, put together for one journey."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tdd_orchestrator.agents.agent import Reply, Request
from tdd_orchestrator.agents.command import TRANSCRIPT
from tdd_orchestrator.agents.table import AgentEnvironment, AgentSettings, make_agent

from .clients import ALL, install


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

    def ask(
        self, prompt: str, *, timeout: float = 90.0, url: str = "", wrap: Any = None, **more: Any
    ) -> Reply:
        client = ALL[self.preset]
        program, _ = install(self.preset)
        environ = {**self.environ, **client.home(self.home, url or self.url)}
        settings = AgentSettings(self.preset, client.row, (str(program), *client.args), client.model)
        around = AgentEnvironment(print, wrap=wrap, root=self.tree, environ=environ)
        agent = make_agent(self.preset, settings, around)
        request = Request(
            **{
                "role": "red",
                "phase": "red",
                "cycle_id": "c-1",
                "tree": self.tree,
                "output": self.output,
                "timeout": timeout,
                **more,
            },
            prompt=prompt,
        )
        reply = agent.work(request)
        print(
            f"{self.preset}: {reply.status} {reply.fault} {reply.failure_reason} exit={reply.exit_code} {reply.seconds:.1f}s"
        )
        return reply

    @property
    def transcript(self) -> str:
        return (self.output / TRANSCRIPT).read_text()


Staged = Callable[..., Stage]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Staged]:
    """``stage(preset, scenario)``; skips with the reason where the client cannot be installed."""
    servers: list[Any] = []

    def make(preset: str, scenario: dict[str, Any]) -> Stage:
        program, why = install(preset)
        if program is None:
            pytest.skip(why)
        from fake_model import serve

        server, url = serve(scenario)
        servers.append(server)
        places = [tmp_path / name for name in ("tree", "home", "output")]
        for place in places:
            place.mkdir()
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

    yield make
    for server in servers:
        server.shutdown()
        server.server_close()

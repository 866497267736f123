"""Which version of a client is installed, asked once for each program; and whether its agent answers."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tdd_orchestrator.agents.agent import Agent, AgentStatus, Request
from tdd_orchestrator.process import Limits, run
from tdd_orchestrator.text import one_line

_LIMIT = 10.0  # seconds
_NUMBER = re.compile(r"\d+\.\d")


@cache
def client_version(program: str, words: tuple[str, ...], environ: tuple[tuple[str, str], ...]) -> str:
    """The last line with a number that ``program`` prints about its version; ``""`` where it fails or takes
    longer than ten seconds."""
    finished = run([program, *words], env=dict(environ), limits=Limits(timeout=_LIMIT, head=65536, tail=0))
    lines = (finished.stdout or finished.stderr).decode("utf-8", "replace").strip().splitlines()
    numbered = [line for line in lines if _NUMBER.search(line)] or lines
    return one_line(numbered[-1], 60) if numbered and finished.exit_code == 0 else ""


def quiet(environ: Mapping[str, str], more: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """An environment in which clients ask nothing and draw nothing, fit for a cache's key."""
    return tuple(sorted({**environ, **more, "CI": "true", "NO_COLOR": "1", "TERM": "dumb"}.items()))


QUESTION = "Answer with the one word: ready. Do nothing else."


def silent(agent: Agent, timeout: float = 60.0) -> str:
    """Why it does not answer, as a sentence; empty where it does. Costs a few tokens of the user's."""
    with tempfile.TemporaryDirectory(prefix="tdd-trial-", ignore_cleanup_errors=True) as name:
        tree, output = Path(name) / "tree", Path(name) / "output"
        tree.mkdir()
        output.mkdir()
        request = Request(
            "analyze", "analyze", QUESTION, tree, output, "trial", read_only=True, timeout=timeout
        )
        reply = agent.work(request)
    return "" if reply.status is AgentStatus.SUCCESS else f"{agent.name}: {reply.failure_reason}"

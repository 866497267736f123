"""Check that an agent answers: one short question in an empty folder, asked only on request."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tdd_orchestrator.agents.agent import Agent, AgentStatus, Request

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

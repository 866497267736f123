"""Claude Code led over the Agent Client Protocol by claude-agent-acp."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.agents.clients import claude
from tdd_orchestrator.agents.preset import over_acp

PRESET = replace(
    over_acp(claude.PRESET),
    name="claude-agent-acp",
    program="claude-agent-acp",
    install="npm install -g @zed-industries/claude-agent-acp",
    observed="0.23.1",
)

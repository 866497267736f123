"""Claude Code led over the Agent Client Protocol by claude-agent-acp."""

from __future__ import annotations

from dataclasses import replace

from tdd_orchestrator.agents.clients import claude
from tdd_orchestrator.agents.preset import over_acp
from tdd_orchestrator.agents.usage import claude_session

PRESET = replace(
    over_acp(claude.PRESET),
    name="claude-agent-acp",
    program="claude-agent-acp",
    install="npm install -g @zed-industries/claude-agent-acp",
    observed="0.23.1",
    session_log=".claude/projects/*/{session}.jsonl .claude/projects/*/{session}/subagents/*.jsonl",
    read_log=claude_session,
)

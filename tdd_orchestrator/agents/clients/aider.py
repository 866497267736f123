"""Aider."""

from __future__ import annotations

from tdd_orchestrator.agents import documents
from tdd_orchestrator.agents.preset import MANY, MANY_KEYS, Preset

PRESET = Preset(
    "aider",
    "aider",
    (
        "{model}",
        "--yes-always",
        "--no-stream",
        "--no-pretty",
        "--no-fancy-input",
        "--no-gitignore",
        "--no-auto-commits",
        "--no-dirty-commits",
        "--no-check-update",
        "--no-show-release-notes",
        "--analytics-disable",
        "--no-detect-urls",
        "--disable-playwright",
        "--no-suggest-shell-commands",
        "--chat-history-file",
        "{scratch}/chat.md",
        "--input-history-file",
        "{scratch}/input",
        "{mode}",
        "--message-file",
        "{scratch}/prompt.md",
    ),
    documents.aider,
    read_only=("--edit-format", "ask"),
    session=(),
    prompt="file",
    environment={"AIDER_ANALYTICS": "false", "AIDER_CHECK_UPDATE": "false"},
    keys=MANY,
    providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
    logins_by=MANY_KEYS,
    homes=(".aider/",),
    install="pip install aider-chat",
    observed="0.86.2",
)

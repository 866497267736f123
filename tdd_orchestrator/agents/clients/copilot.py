"""GitHub Copilot CLI."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import Preset
from tdd_orchestrator.agents.usage import copilot_session

PRESET = Preset(
    "copilot",
    "copilot",
    (
        "--output-format",
        "json",
        "--no-auto-update",
        "--no-color",
        "--no-ask-user",
        "{mode}",
        "{isolated}",
        "{model}",
        "{session}",
        "-p",
        "{prompt}",
    ),
    events.copilot,
    edit=("--allow-all",),
    read_only=("--available-tools", "view", "grep", "glob", "--allow-all-tools"),
    session=("--resume={value}",),
    new_session=("--session-id={value}",),
    prompt="argument",
    environment={"COPILOT_AUTO_UPDATE": "false"},
    keys=(
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "COPILOT_GITHUB_TOKEN",
        "COPILOT_PROVIDER_BASE_URL",
        "COPILOT_PROVIDER_API_KEY",
        "COPILOT_MODEL",
        "COPILOT_OFFLINE",
        "COPILOT_PROVIDER_TYPE",
        "COPILOT_PROVIDER_BEARER_TOKEN",
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS",
        "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS",
        "GH_HOST",
    ),
    providers=("azure", "ollama"),
    logins_by=(
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "COPILOT_GITHUB_TOKEN",
        "COPILOT_PROVIDER_API_KEY",
        "COPILOT_PROVIDER_BASE_URL",
    ),
    logins=(".copilot/config.json",),
    isolated=("--disable-builtin-mcps", "--no-custom-instructions"),
    session_log=".copilot/session-state/{session}/events.jsonl",
    read_log=copilot_session,
    homes=(".copilot/", ".cache/copilot/"),
    install="npm install -g @github/copilot",
    observed="1.0.102",
)

"""Codex CLI, by OpenAI."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import OPENAI, Preset
from tdd_orchestrator.agents.usage import codex_session

PRESET = Preset(
    "codex",
    "codex",
    (
        "exec",
        "{resume}",
        "--json",
        "--skip-git-repo-check",
        "-c",
        'approval_policy="never"',
        "-c",
        "features.unbounded_connection_retries=false",
        "-c",
        "check_for_update_on_startup=false",
        "{isolated}",
        "{mode}",
        "{model}",
        "{session}",
        "-",
    ),
    events.codex,
    edit=(
        "-c",
        'sandbox_mode="workspace-write"',
        "-c",
        'sandbox_workspace_write.writable_roots=["{output}"]',
    ),
    read_only=("-c", 'sandbox_mode="read-only"'),
    contained=("-c", 'sandbox_mode="danger-full-access"'),
    model=("-m", "{value}"),
    session=("{value}",),
    resume=("resume",),
    environment={"RUST_LOG": "error"},
    keys=(
        *OPENAI,
        "OPENAI_ORGANIZATION",
        "OPENAI_PROJECT",
        "CODEX_API_KEY",
        "CODEX_HOME",
        "OPENROUTER_API_KEY",
    ),
    providers=("azure", "ollama", "litellm"),
    logins_by=("OPENAI_API_KEY", "CODEX_API_KEY"),
    logins=(".codex/auth.json", ".codex/config.toml"),
    isolated=("--ignore-user-config",),
    homes=(".codex/",),
    session_log=".codex/sessions/*/*/*/rollout-*{session}.jsonl",
    home_variable="CODEX_HOME",
    read_log=codex_session,
    log_first=True,
    install="npm install -g @openai/codex",
    observed="0.171.0",
)

"""Gemini CLI."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import GOOGLE, Preset
from tdd_orchestrator.agents.usage import gemini_session

PRESET = Preset(
    "gemini",
    "gemini",
    ("--output-format", "stream-json", "{mode}", "{isolated}", "{model}", "{session}", "-p", "{prompt}"),
    events.gemini,
    edit=("--approval-mode", "yolo", "--include-directories", "{output}"),
    read_only=("--approval-mode", "plan"),
    prompt="argument",
    environment={"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_TELEMETRY_ENABLED": "false"},
    keys=(*GOOGLE, "GEMINI_MODEL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_GEMINI_API_VERSION"),
    providers=("vertex",),
    switches=("GOOGLE_GENAI_USE_VERTEXAI",),
    logins_by=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    logins=(".gemini/oauth_creds.json",),
    isolated=("--extensions", "none", "--allowed-mcp-server-names", "none"),
    commands=(".gemini/commands/{name}.toml",),
    homes=(".gemini/",),
    session_log=".gemini/tmp/*/chats/session-*-{session:.8}.jsonl",
    read_log=gemini_session,
    install="npm install -g @google/gemini-cli",
    observed="0.61.0",
)

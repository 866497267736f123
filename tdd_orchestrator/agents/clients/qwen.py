"""Qwen Code."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import OPENAI, Preset

PRESET = Preset(
    "qwen",
    "qwen",
    ("--output-format", "stream-json", "{mode}", "{isolated}", "{model}", "{session}", "-p", "{prompt}"),
    events.result_event,
    edit=("--approval-mode", "yolo", "--include-directories", "{output}"),
    read_only=("--approval-mode", "plan"),
    prompt="argument",
    environment={"QWEN_TELEMETRY_ENABLED": "false", "OPENAI_LOG": "info"},
    keys=(*OPENAI, "OPENAI_MODEL", "DASHSCOPE_API_KEY", "DASHSCOPE_BASE_URL"),
    providers=("litellm", "ollama"),
    logins_by=("OPENAI_API_KEY", "DASHSCOPE_API_KEY"),
    logins=(".qwen/oauth_creds.json",),
    isolated=("--extensions", "none", "--allowed-mcp-server-names", "none"),
    commands=(".qwen/commands/{name}.md", ".qwen/commands/{name}.toml"),
    homes=(".qwen/",),
    install="npm install -g @qwen-code/qwen-code",
    observed="0.24.4",
)

"""Cursor's command line."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import Preset

PRESET = Preset(
    "cursor",
    "cursor-agent",
    ("-p", "--output-format", "stream-json", "--trust", "{mode}", "{model}", "{session}", "{prompt}"),
    events.result_event,
    edit=("--force",),
    read_only=("--mode", "ask"),
    prompt="argument",
    keys=("CURSOR_API_KEY",),
    logins_by=("CURSOR_API_KEY",),
    logins=(".config/cursor/auth.json", ".cursor/cli-config.json"),
    homes=(".cursor/", ".config/cursor/", ".local/share/cursor-agent/"),
    install="https://cursor.com/cli",
)

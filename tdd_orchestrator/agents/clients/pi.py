"""pi."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import MANY, MANY_KEYS, Preset

PRESET = Preset(
    "pi",
    "pi",
    ("-p", "--mode", "json", "{mode}", "{isolated}", "{model}", "{session}", "{prompt}"),
    events.pi,
    read_only=("--tools", "read,grep,find,ls"),
    session=("--session", "{value}"),
    prompt="argument",
    environment={"PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"},
    keys=(*MANY, "PI_OFFLINE"),
    providers=("bedrock", "vertex", "azure", "ollama"),
    logins_by=MANY_KEYS,
    logins=(".pi/agent/auth.json", ".pi/agent/models.json"),
    isolated=("--no-extensions", "--no-skills", "--no-context-files"),
    commands=(".pi/prompts/{name}.md",),
    homes=(".pi/",),
    install="npm install -g @earendil-works/pi-coding-agent",
    observed="1.5.2",
)

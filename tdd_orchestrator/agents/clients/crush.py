"""Crush, by Charm."""

from __future__ import annotations

from tdd_orchestrator.agents import documents
from tdd_orchestrator.agents.preset import MANY, MANY_KEYS, Preset

PRESET = Preset(
    "crush",
    "crush",
    ("run", "--quiet", "{model}"),
    documents.any_command,
    session=(),
    environment={"CRUSH_DISABLE_METRICS": "1", "CRUSH_DISABLE_PROVIDER_AUTO_UPDATE": "1"},
    keys=MANY,
    providers=("bedrock", "vertex", "azure", "ollama"),
    logins_by=MANY_KEYS,
    logins=(".config/crush/crush.json", ".local/share/crush/crush.json"),
    homes=(".config/crush/", ".local/share/crush/", ".cache/crush/"),
    install="npm install -g @charmland/crush",
)

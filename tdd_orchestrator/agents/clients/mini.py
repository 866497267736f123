"""mini-swe-agent."""

from __future__ import annotations

from tdd_orchestrator.agents import documents
from tdd_orchestrator.agents.preset import MANY, MANY_KEYS, Preset

PRESET = Preset(
    "mini",
    "mini",
    ("{model}", "-y", "--exit-immediately", "-o", "{scratch}/trajectory.json", "-t", "{prompt}"),
    documents.mini,
    model=("-m", "{value}"),
    session=(),
    prompt="argument",
    environment={
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_CONFIGURED": "true",
        "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "2",
    },
    keys=(*MANY, "MSWEA_MODEL_NAME", "MSWEA_COST_TRACKING", "LITELLM_LOCAL_MODEL_COST_MAP"),
    providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
    logins_by=MANY_KEYS,
    homes=(".config/mini-swe-agent/",),
    file="trajectory.json",
    version=(),
    install="pip install mini-swe-agent mcp",
    observed="2.4.6",
)

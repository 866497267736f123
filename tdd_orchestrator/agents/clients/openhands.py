"""OpenHands."""

from __future__ import annotations

from tdd_orchestrator.agents import documents
from tdd_orchestrator.agents.preset import MANY, MANY_KEYS, Preset
from tdd_orchestrator.agents.usage import openhands_session

PRESET = Preset(
    "openhands",
    "openhands",
    ("--headless", "--override-with-envs", "--exit-without-confirmation", "--file", "{scratch}/prompt.md"),
    documents.openhands,
    model=(),  # LLM_MODEL, or its own settings
    session=(),
    prompt="file",
    environment={"OPENHANDS_SUPPRESS_BANNER": "1"},
    keys=("LLM_API_KEY", "LLM_MODEL", "LLM_BASE_URL", *MANY),
    providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
    logins_by=("LLM_API_KEY", *MANY_KEYS),
    logins=(".openhands/agent_settings.json",),
    homes=(".openhands/",),
    session_log=".openhands/conversations/{session}/base_state.json",
    read_log=openhands_session,
    install="uv tool install openhands --python 3.12",
    observed="1.16.0",
)

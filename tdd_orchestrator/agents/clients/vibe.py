"""Mistral Vibe."""

from __future__ import annotations

from tdd_orchestrator.agents import documents
from tdd_orchestrator.agents.preset import Preset

PRESET = Preset(
    "vibe",
    "vibe",
    (
        "--output",
        "json",
        "--output-dir",
        "{scratch}",
        "--trust",
        "--auto-approve",
        "{mode}",
        "{session}",
        "-p",
        "{prompt}",
    ),
    documents.vibe,
    file="export.json",
    read_only=("--enabled-tools", "read", "--enabled-tools", "grep"),
    model=(),
    prompt="argument",
    keys=("MISTRAL_API_KEY", "VIBE_HOME"),
    logins_by=("MISTRAL_API_KEY",),
    logins=(".vibe/.env", ".vibe/config.toml"),
    homes=(".vibe/",),
    home_variable="VIBE_HOME",
    install="pip install mistral-vibe",
    observed="3.0.2",
)

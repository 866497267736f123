"""Goose, by Block."""

from __future__ import annotations

from tdd_orchestrator.agents import documents
from tdd_orchestrator.agents.preset import MANY, MANY_KEYS, Preset

PRESET = Preset(
    "goose",
    "goose",
    ("run", "{session}", "{model}", "--quiet", "--output-format", "json", "-i", "-"),
    documents.goose,
    session=("--resume", "--name", "{value}"),
    environment={"GOOSE_MODE": "auto", "GOOSE_DISABLE_KEYRING": "1"},
    keys=(*MANY, "GOOSE_PROVIDER", "GOOSE_MODEL"),
    providers=("bedrock", "vertex", "azure", "litellm", "ollama"),
    logins_by=MANY_KEYS,
    logins=(".config/goose/config.yaml",),
    homes=(".config/goose/", ".local/share/goose/", ".local/state/goose/"),
    install="https://block.github.io/goose/docs/getting-started/installation",
)

"""Droid, by Factory."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import Preset

PRESET = Preset(
    "droid",
    "droid",
    ("exec", "--output-format", "json", "{mode}", "{model}", "{session}", "-f", "{scratch}/prompt.md"),
    events.result_event,
    edit=("--auto", "medium"),
    read_only=(),
    session=("--session-id", "{value}"),
    prompt="file",
    keys=("FACTORY_API_KEY",),
    logins_by=("FACTORY_API_KEY",),
    logins=(".factory/auth.json",),
    homes=(".factory/",),
    install="npm install -g droid",
)

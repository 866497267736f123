"""Amp, by Sourcegraph."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import Preset

PRESET = Preset(
    "amp",
    "amp",
    ("--execute", "--stream-json", "{mode}"),
    events.result_event,
    edit=("--dangerously-allow-all",),
    model=(),
    session=(),
    keys=("AMP_API_KEY", "AMP_URL"),
    logins_by=("AMP_API_KEY",),
    logins=(".local/share/amp/secrets.json",),
    homes=(".config/amp/", ".local/share/amp/", ".cache/amp/"),
    install="npm install -g @ampcode/cli",
)

"""Cline."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import MANY, Preset

PRESET = Preset(
    "cline",
    "cline",
    ("--json", "{mode}", "{model}", "{prompt}"),
    events.cline,
    read_only=("-p",),
    model=("-m", "{value}"),
    session=(),  # its output does not name the session
    prompt="argument",
    environment={"CLINE_NO_AUTO_UPDATE": "1", "CLINE_TELEMETRY_DISABLED": "1"},
    keys=MANY,
    logins=(".cline/data/",),
    homes=(".cline/",),
    install="npm install -g cline",
    observed="3.0.65",
)

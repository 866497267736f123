"""Kimi CLI."""

from __future__ import annotations

from tdd_orchestrator.agents import events
from tdd_orchestrator.agents.preset import Preset

PRESET = Preset(
    "kimi",
    "kimi",
    ("--print", "--output-format", "stream-json", "{model}", "{session}"),
    events.kimi,
    session=("--session", "{value}"),
    keys=("KIMI_API_KEY", "KIMI_BASE_URL", "KIMI_MODEL_NAME", "MOONSHOT_API_KEY"),
    logins_by=("KIMI_API_KEY", "MOONSHOT_API_KEY"),
    logins=(".kimi/config.toml",),
    homes=(".kimi/",),
    install="curl -fsSL https://code.kimi.com/kimi-code/install.sh | bash",  # kimi-cli 1.52 of PyPI runs no more
)

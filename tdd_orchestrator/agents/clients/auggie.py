"""Auggie, by Augment Code."""

from __future__ import annotations

from tdd_orchestrator.agents import documents
from tdd_orchestrator.agents.preset import Preset

PRESET = Preset(
    "auggie",
    "auggie",
    ("--print", "--quiet", "{model}", "{prompt}"),
    documents.any_command,
    session=(),
    prompt="argument",
    keys=("AUGMENT_SESSION_AUTH",),
    logins_by=("AUGMENT_SESSION_AUTH",),
    logins=(".augment/session.json",),
    homes=(".augment/",),
    install="npm install -g @augmentcode/auggie",
)
